// Command entire-agent-scribe is an example of a plug-in: the adapter of an invented agent, "scribe",
// that keeps a transcript of its own. docs/agents.md has the protocol.
//
// Scribe runs the commands in .scribe/hooks.json, {"stop": "COMMAND", …}, with a payload such as
// {"session":"ID","log":"/path/of/log.jsonl","ask":"…"}. A line of its log is
// {"who":"me","text":"…"} or {"who":"scribe","text":"…","wrote":"FILE","new":"TEXT","tokens":N}.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fail("usage: entire-agent-scribe COMMAND <QUESTION")
	}
	answer, ok := commands[os.Args[1]]
	if !ok {
		fail("unknown command: " + os.Args[1])
	}
	var q question
	if err := json.NewDecoder(os.Stdin).Decode(&q); err != nil {
		fail("the question cannot be read: " + err.Error())
	}
	if err := answer(q); err != nil {
		fail(err.Error())
	}
}

func fail(why string) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(1)
}

// question has the fields of all commands.
type question struct {
	Top     string          `json:"top"`
	Content *string         `json:"content"`
	Command string          `json:"command"`
	Verb    string          `json:"verb"`
	Payload json.RawMessage `json:"payload"`
	Cwd     string          `json:"cwd"`
	Session string          `json:"session_id"`
	Log     string          `json:"transcript_path"`
}

type object map[string]any

var commands = map[string]func(question) error{
	"info": func(question) error {
		return say(object{
			"version": 1, "agent": "Scribe", "description": "Scribe - an example", "verbs": []string{"start", "stop"},
			"hook_files": []string{".scribe/hooks.json"}, "folders": []string{".scribe"},
		})
	},
	"detect": func(q question) error {
		_, err := os.Stat(filepath.Join(q.Top, ".scribe"))
		return say(object{"found": err == nil, "why": ".scribe"})
	},
	"install":   install,
	"uninstall": uninstall,
	"parse-event": func(q question) error {
		var p struct{ Session, Log, Ask string }
		if json.Unmarshal(q.Payload, &p) != nil || p.Session == "" {
			return say(object{}) // nothing that Entire could record
		}
		event := object{"agent": "Scribe", "session_id": p.Session, "cwd": q.Cwd, "transcript_path": p.Log}
		switch q.Verb {
		case "start":
			event["event"], event["prompt"] = "turn-start", p.Ask
		case "stop":
			event["event"] = "turn-end"
		}
		return say(event)
	},
	"read-transcript": transcript,
	"resume-command": func(q question) error {
		return say(object{"command": "scribe --session " + q.Session})
	},
}

func say(answer object) error { return json.NewEncoder(os.Stdout).Encode(answer) }

// file returns what the hook file has with our hooks.
func file(command string) string {
	return fmt.Sprintf("{\"start\": %q, \"stop\": %q}\n", command+" start", command+" stop")
}

// install writes the whole file: it refuses one that somebody else wrote.
func install(q question) error {
	want := file(q.Command)
	switch {
	case q.Content != nil && *q.Content == want:
		return say(object{"content": want, "count": 0})
	case q.Content != nil:
		return fmt.Errorf("the file has hooks of others")
	}
	return say(object{"content": want, "count": 2})
}

func uninstall(q question) error {
	if q.Content != nil && *q.Content == file(q.Command) {
		return say(object{"content": nil, "count": 2})
	}
	return say(object{"content": q.Content, "count": 0})
}

// transcript prints the records of the log, one a line.
func transcript(q question) error {
	log, err := os.Open(q.Log)
	if err != nil {
		return nil // a session that is not known has no records
	}
	defer log.Close()
	out := bufio.NewWriter(os.Stdout)
	n := 0
	for in := bufio.NewScanner(log); in.Scan(); {
		var said struct {
			Who, Text, Wrote, New string
			Tokens                int
		}
		if json.Unmarshal(in.Bytes(), &said) != nil {
			continue
		}
		n++
		record := object{"role": "user", "id": fmt.Sprint(n), "parts": []object{{"text": said.Text}}}
		if said.Who == "scribe" {
			parts := []object{{"text": said.Text}}
			if said.Wrote != "" {
				parts = append(parts, object{"kind": "call", "call": object{"id": fmt.Sprint("w", n), "name": "write",
					"edits": []object{{"path": said.Wrote, "texts": []string{said.New}}}}})
			}
			record["role"], record["parts"], record["model"], record["answer"] = "assistant", parts, "scribe-1", fmt.Sprint(n)
			record["usage"] = object{"output_tokens": said.Tokens, "api_call_count": 1}
		}
		if err := json.NewEncoder(out).Encode(record); err != nil {
			return err
		}
	}
	return out.Flush()
}
