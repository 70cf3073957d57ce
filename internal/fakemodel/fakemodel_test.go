package fakemodel

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

var writeThenSay = Script{
	{Match: "write the file", Steps: []Step{
		{Say: "I write.", Do: []Action{{Verb: Write, Path: "a.txt", Text: "one\ntwo\n"}}},
		{Do: []Action{{Verb: Task, Prompt: "nobody"}}}, // a client without subagents skips this
		{Do: []Action{{Verb: Edit, Path: "a.txt", Old: "two", New: "three"}}},
		{Say: "Written."}}},
	{Match: "hold", Steps: []Step{{Say: "Released.", Gate: "door"}}},
}

// client is what a row of the test knows of a protocol: how to ask, and where the answer is.
type client struct {
	path, streamPath string
	ask              func(prompt string, results int) map[string]any
	tool, args, text string // where a whole answer has them
	input, output    string
	ends             string // in the last event of a stream
}

const (
	writeSchema = `{"type":"object","properties":{"file_path":{"type":"string"},"content":{"type":"string"},"mode_of_it":{"enum":["x","y"]}},"required":["file_path","content","mode_of_it"]}`
	editSchema  = `{"type":"object","properties":{"path":{"type":"string"},"edits":{"type":"array","items":{"type":"object","properties":{"oldText":{},"newText":{}}}}}}`
)

func many(n int, one any) []any {
	var list []any
	for range n {
		list = append(list, one)
	}
	return list
}

func clientsOfAllProtocols() map[string]client {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	return map[string]client{
		"anthropic": {
			path: "/v1/messages", streamPath: "/v1/messages",
			ask: func(prompt string, results int) map[string]any {
				return map[string]any{"model": "m",
					"messages": append([]any{map[string]any{"role": "user", "content": prompt}},
						many(results, map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "content": "done"}}})...),
					"tools": []any{map[string]any{"name": "Write", "input_schema": raw(writeSchema)}, map[string]any{"name": "edit", "input_schema": raw(editSchema)}}}
			},
			tool: "content.#(type==tool_use).name", args: "content.#(type==tool_use).input", text: "content.#(type==text).text",
			input: "usage.input_tokens", output: "usage.output_tokens", ends: "message_stop",
		},
		"chat": {
			path: "/v1/chat/completions", streamPath: "/chat/completions",
			ask: func(prompt string, results int) map[string]any {
				return map[string]any{"model": "m",
					"messages": append([]any{map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": prompt}}}},
						many(results, map[string]any{"role": "tool", "content": "done"})...),
					"tools": []any{map[string]any{"type": "function", "function": map[string]any{"name": "Write", "parameters": raw(writeSchema)}},
						map[string]any{"type": "function", "function": map[string]any{"name": "edit", "parameters": raw(editSchema)}}}}
			},
			tool: "choices.0.message.tool_calls.0.function.name", args: "choices.0.message.tool_calls.0.function.arguments", text: "choices.0.message.content",
			input: "usage.prompt_tokens", output: "usage.completion_tokens", ends: "[DONE]",
		},
		"responses": {
			path: "/v1/responses", streamPath: "/v1/responses",
			ask: func(prompt string, results int) map[string]any {
				return map[string]any{"model": "m",
					"input": append([]any{map[string]any{"type": "message", "role": "user", "content": []any{map[string]any{"type": "input_text", "text": prompt}}}},
						many(results, map[string]any{"type": "function_call_output", "output": "done"})...),
					"tools": []any{map[string]any{"type": "function", "name": "Write", "parameters": raw(writeSchema)},
						map[string]any{"type": "namespace", "name": "files", "tools": []any{map[string]any{"type": "function", "name": "edit", "parameters": raw(editSchema)}}}}}
			},
			tool: "output.#(type==function_call).name", args: "output.#(type==function_call).arguments", text: "output.#(type==message).content.0.text",
			input: "usage.input_tokens", output: "usage.output_tokens", ends: "response.completed",
		},
		"gemini": {
			path: "/v1beta/models/m:generateContent", streamPath: "/v1beta/models/m:streamGenerateContent",
			ask: func(prompt string, results int) map[string]any {
				return map[string]any{
					"contents": append([]any{map[string]any{"role": "user", "parts": []any{map[string]any{"text": prompt}}}},
						many(results, map[string]any{"role": "user", "parts": []any{map[string]any{"functionResponse": map[string]any{"name": "x"}}}})...),
					"tools": []any{map[string]any{"functionDeclarations": []any{map[string]any{"name": "Write", "parametersJsonSchema": raw(writeSchema)},
						map[string]any{"name": "edit", "parameters": raw(strings.ToUpper(`{"type":"object"}`)), "parametersJsonSchema": raw(editSchema)}}}}}
			},
			tool: "candidates.0.content.parts.#(functionCall).functionCall.name", args: "candidates.0.content.parts.#(functionCall).functionCall.args",
			text:  "candidates.0.content.parts.#(text).text",
			input: "usageMetadata.promptTokenCount", output: "usageMetadata.candidatesTokenCount", ends: "usageMetadata",
		},
	}
}

func post(t *testing.T, url string, body map[string]any) string {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(url, "application/json", bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	out, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v: %s", response.StatusCode, err, out)
	}
	return string(out)
}

func TestEveryProtocolPlaysTheScript(t *testing.T) {
	t.Parallel()
	for name, c := range clientsOfAllProtocols() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := Start(writeThenSay, "/repo")
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			first := post(t, s.URL+c.path, c.ask("please write the file", 0))
			args := gjson.Get(first, c.args)
			if args.Type == gjson.String { // some protocols send the arguments as text
				args = gjson.Parse(args.String())
			}
			if tool := gjson.Get(first, c.tool).String(); tool != "Write" || args.Get("file_path").String() != "/repo/a.txt" ||
				args.Get("content").String() != "one\ntwo\n" || args.Get("mode_of_it").String() != "x" {
				t.Errorf("first answer calls %s with %s: %s", tool, args.Raw, first)
			}
			if said := gjson.Get(first, c.text).String(); said != "I write." {
				t.Errorf("first answer says %q", said)
			}
			second := post(t, s.URL+c.path, c.ask("please write the file", 1))
			if tool := gjson.Get(second, c.tool).String(); tool != "edit" || !strings.Contains(second, "newText") {
				t.Errorf("second answer calls %s: %s", tool, second)
			}
			last := post(t, s.URL+c.path, c.ask("please write the file", 2))
			if said := gjson.Get(last, c.text).String(); said != "Written." || gjson.Get(last, c.tool).String() != "" {
				t.Errorf("last answer: %s", last)
			}
			beside := post(t, s.URL+c.path, c.ask("a title, please", 0))
			if gjson.Get(beside, c.tool).String() != "" {
				t.Errorf("a prompt that no exchange matches gets a call: %s", beside)
			}
			ledger := s.Ledger()
			if len(ledger) != 4 || !ledger[2].Last || ledger[3].Exchange != -1 || len(ledger[1].Lacking) != 1 {
				t.Fatalf("ledger: %+v", ledger)
			}
			for i, whole := range []string{first, second, last} {
				u := ledger[i].Usage
				in := int(gjson.Get(whole, c.input).Int())
				if in != u.Input && in != u.Input+u.CacheRead || int(gjson.Get(whole, c.output).Int()) != u.Output {
					t.Errorf("answer %d reports other tokens than the ledger's %+v: %s", i, u, whole)
				}
			}
			if ledger[0].Usage == ledger[1].Usage {
				t.Error("two answers report the same tokens")
			}
		})
	}
}

// TestStreams joins what is streamed and compares it with the whole answer.
func TestStreams(t *testing.T) {
	t.Parallel()
	for name, c := range clientsOfAllProtocols() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := Start(writeThenSay, "/repo")
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			ask := c.ask("please write the file", 0)
			ask["stream"] = true
			stream := post(t, s.URL+c.streamPath, ask)
			if !strings.Contains(stream[strings.LastIndex(strings.TrimSpace(stream), "\n")+1:], c.ends) {
				t.Errorf("the stream does not end with %s: %s", c.ends, stream)
			}
			var joined strings.Builder
			for line := range strings.Lines(stream) {
				data, _ := strings.CutPrefix(line, "data: ")
				event := gjson.Parse(data)
				for _, path := range []string{"delta.partial_json", "choices.0.delta.tool_calls.0.function.arguments",
					"candidates.0.content.parts.#(functionCall).functionCall.args"} {
					joined.WriteString(event.Get(path).String())
				}
				if event.Get("type").String() == "response.function_call_arguments.delta" {
					joined.WriteString(event.Get("delta").String())
				}
			}
			if args := gjson.Parse(joined.String()); args.Get("file_path").String() != "/repo/a.txt" || args.Get("content").String() != "one\ntwo\n" {
				t.Errorf("the streamed arguments are %q", joined.String())
			}
		})
	}
}

func TestPatch(t *testing.T) {
	t.Parallel()
	box := toolbox{"apply_patch": {freeform: true}}
	c, ok := box.call(Action{Verb: Edit, Path: "a.txt", Old: "two", New: "three\nfour"}, "/repo")
	want := "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+three\n+four\n*** End Patch"
	if !ok || c.input != want {
		t.Errorf("patch is %q, want %q", c.input, want)
	}
	c, _ = box.call(Action{Verb: Write, Path: "a.txt", Text: "one\n"}, "/repo")
	if want := "*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch"; c.input != want {
		t.Errorf("patch is %q, want %q", c.input, want)
	}
}

func TestTheLastPromptDecides(t *testing.T) {
	t.Parallel()
	script := Script{{Match: "first"}, {Match: "second"}}
	for _, row := range []struct {
		turns             []turn
		exchange, results int
	}{
		{nil, -1, 0},
		{[]turn{{prompt: "first"}, {results: 2}}, 0, 2},
		{[]turn{{prompt: "first"}, {results: 2}, {prompt: "a notification"}}, 0, 2},
		{[]turn{{prompt: "first"}, {results: 2}, {prompt: "second"}}, 1, 0},
		{[]turn{{prompt: "first"}, {prompt: "second", results: 1}, {results: 1}}, 1, 1},
		{[]turn{{prompt: "second, not first"}}, 0, 0},
	} {
		if exchange, results := script.next(row.turns); exchange != row.exchange || results != row.results {
			t.Errorf("%+v: exchange %d after %d results, want %d after %d", row.turns, exchange, results, row.exchange, row.results)
		}
	}
}

func TestGate(t *testing.T) {
	t.Parallel()
	s, err := Start(writeThenSay, "/repo")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := clientsOfAllProtocols()["chat"]
	answered := make(chan string, 1)
	go func() { answered <- post(t, s.URL+c.path, c.ask("hold", 0)) }()
	select {
	case <-s.Reached("door"):
	case said := <-answered:
		t.Fatalf("answered before the gate was opened: %s", said)
	case <-time.After(time.Minute):
		t.Fatal("no answer reached the gate")
	}
	if n := len(s.Ledger()); n != 0 {
		t.Errorf("the ledger has %d lines before the answer", n)
	}
	s.Open("door")
	if said := <-answered; gjson.Get(said, c.text).String() != "Released." {
		t.Errorf("the answer is %s", said)
	}
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	s, err := Start(writeThenSay, "/repo")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, path := range []string{"/v1/messages", "/v1/responses", "/v1/chat/completions", "/models/m:generateContent"} {
		response, err := http.Post(s.URL+path, "application/json", strings.NewReader(`{"messages": 3`))
		if err != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(response.Body).ReadString('\n')
		_ = response.Body.Close()
		if response.StatusCode != http.StatusBadRequest || !strings.HasPrefix(line, "read ") {
			t.Errorf("%s: status %d: %s", path, response.StatusCode, line)
		}
	}
	response, err := http.Get(s.URL + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, _ := io.ReadAll(response.Body); gjson.GetBytes(body, "data.0.id").String() != Model {
		t.Errorf("models: %s", fmt.Sprint(string(body)))
	}
}
