package setupcmd

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/term"
)

const demoSession = "d3b07384-d9a0-4c9b-8f2e-0e5a1c7d4f61"

// demoSecret must not be stored. It is concatenated so that no scanner reports this file as a
// leak.
const demoSecret = "ghp" + "_" + "x7Kq2vB9mZ4tR8wL1nY6cD3fG5hJ0sPaEu9T"

// demoFiles are the contents of the scratch repository's files at different turns.
var demoFiles = map[string]string{
	"greet.sh": "#!/bin/sh\necho \"Good mornign, $1\"\n",
	"evening":  "#!/bin/sh\nif [ \"$2\" = evening ]; then\n\techo \"Good evening, $1\"\nelse\n\techo \"Good mornign, $1\"\nfi\n",
	"rewrite":  "#!/usr/bin/env python3\nraise SystemExit('greetings are deprecated')\n",
}

func (d *demoRun) story() {
	d.enabling()
	d.edit()
	d.shell()
	d.committing()
	d.badTurn()
	d.rewinding()
	d.ending()
}

// enabling sets up the repository as a person would.
func (d *demoRun) enabling() {
	d.heading("A person enables Entire in a repository")
	d.show("entire", "enable", "--agent", "claude-code")
	d.run("", "git", "add", "-A")
	d.run("", "git", "commit", "-q", "-m", "Use Entire")
	d.check(d.run("", "git", "status", "--porcelain") == "", "the worktree is clean")
	output := d.hook("session-start", map[string]any{"source": "startup"})
	d.check(output == "", "the agent starts, and as there is nothing to link yet, its hook says nothing")
}

// edit is a turn in which the agent uses its editing tool.
func (d *demoRun) edit() {
	d.heading("Turn 1: the agent edits a file")
	d.turn("Please greet people in the evening too", func() {
		d.tool("Edit", map[string]any{"file_path": filepath.Join(d.repo, "greet.sh")}, "ok, and the token is "+demoSecret)
		d.write("greet.sh", demoFiles["evening"])
	})
	d.check(len(d.points()) == 1, "the turn is a point that a rewind can go to")
}

// shell is a turn in which no editing tool made the changes.
func (d *demoRun) shell() {
	d.heading("Turn 2: the agent works in the shell, with no edit recorded anywhere")
	d.turn("Fix the typo and call the script hello.sh", func() {
		d.tool("Bash", map[string]any{"command": "sed -i s/mornign/morning/ greet.sh && mv greet.sh hello.sh"}, "")
		d.write("hello.sh", strings.ReplaceAll(d.read("greet.sh"), "mornign", "morning"))
		d.keepErr(os.Remove(filepath.Join(d.repo, "greet.sh")))
	})
	points := d.points()
	if d.check(len(points) == 2, "there are two points now") {
		shown := d.run("", "entire", "explain", "-c", points[0].ID, "--no-pager")
		d.check(strings.Contains(shown, "- greet.sh") && strings.Contains(shown, "- hello.sh"), "the removed and the new file are both in the point")
	}
}

// committing makes a commit and checks its link to the conversation.
func (d *demoRun) committing() {
	d.heading("The person commits, with plain git")
	d.run("", "git", "add", "-A")
	d.show("git", "commit", "-q", "-m", "Greet in the evening")
	message := d.show("git", "log", "-1", "--format=%h %s%n%n%(trailers)")
	_, checkpoint, linked := strings.Cut(message, "Entire-Checkpoint: ")
	d.check(linked, "git's own trailer parser sees the link")
	d.heading("What was asked and done behind that commit")
	shown := d.show("entire", "show", "HEAD", "--no-pager")
	d.check(strings.Contains(shown, "greet people in the evening") && strings.Contains(shown, "call the script hello.sh"), "both prompts are kept with the commit")
	raw := d.run("", "entire", "explain", "-c", strings.TrimSpace(checkpoint), "--raw-transcript")
	d.check(strings.Contains(raw, "REDACTED") && !strings.Contains(raw, demoSecret), "the secret that the agent saw is not kept")
}

// badTurn makes changes that a person wants to undo.
func (d *demoRun) badTurn() {
	d.heading("Turn 3: a good change. Turn 4: a bad one")
	d.turn("Greet at night as well", func() {
		d.tool("Write", map[string]any{"file_path": filepath.Join(d.repo, "night.sh")}, "")
		d.write("night.sh", "#!/bin/sh\necho \"Good night, $1\"\n")
	})
	d.turn("Make it more modern", func() {
		d.tool("Bash", map[string]any{"command": "rm night.sh; cat > hello.sh"}, "")
		d.write("hello.sh", demoFiles["rewrite"])
		d.keepErr(os.Remove(filepath.Join(d.repo, "night.sh")))
	})
	d.files()
}

func (d *demoRun) rewinding() {
	d.heading("The person goes back to turn 3")
	points := d.points()
	if !d.check(len(points) > 1 && !points[1].LogsOnly, "turns 3 and 4 are points") {
		return
	}
	good, hello := points[1].ID, d.run("", "git", "show", "HEAD:hello.sh")+"\n"
	d.show("entire", "rewind", good, "--dry-run")
	output := d.show("entire", "rewind", good)
	d.files()
	d.check(d.read("hello.sh") == hello && strings.Contains(d.read("night.sh"), "Good night"), "both files are as turn 3 left them")
	d.check(d.read(".env") == "PASSWORD=only-on-this-machine\n", "the ignored file was not touched")
	d.check(d.run("", "git", "diff", "--cached", "--name-only") == "", "the index was not touched")

	d.heading("Nothing is lost: the person looks at turn 4 again, and returns")
	if !d.check(strings.Contains(output, "entire undo"), "the present was saved before the rewind") {
		return
	}
	d.show("entire", "undo")
	d.check(d.read("hello.sh") == demoFiles["rewrite"] && d.read("night.sh") == "", "the files are as turn 4 left them")
	d.show("entire", "redo")
	d.check(d.read("hello.sh") == hello, "the files are as turn 3 left them again")
}

func (d *demoRun) ending() {
	d.heading("At the end")
	d.hook("session-end", map[string]any{"reason": "other"})
	d.run("", "git", "add", "-A")
	d.run("", "git", "commit", "-q", "-m", "Greet at night")
	d.check(strings.Contains(d.run("", "git", "log", "-1", "--format=%B"), "Entire-Checkpoint: "), "the second commit is linked too")
	d.show("entire", "log", "--graph", "--no-pager")
	d.show("entire", "status")
	d.run("", "git", "fsck", "--no-dangling")
	if d.err == nil {
		d.narrate("git fsck finds nothing wrong. That was all.")
	}
}

// turn sends a prompt, runs the agent's work, and ends the turn.
func (d *demoRun) turn(prompt string, work func()) {
	d.narrate("Prompt: " + prompt)
	d.hook("user-prompt-submit", map[string]any{"prompt": prompt})
	d.says("user", map[string]any{"role": "user", "content": prompt})
	work()
	d.says("assistant", map[string]any{
		"id": fmt.Sprintf("msg_%d", d.lines), "role": "assistant", "model": "demo",
		"content": []map[string]any{{"type": "text", "text": "Done."}},
		"usage":   map[string]int{"input_tokens": 120, "output_tokens": 30},
	})
	d.hook("stop", map[string]any{"stop_hook_active": false})
}

// tool records a tool call of the agent and its result.
func (d *demoRun) tool(name string, input map[string]any, result string) {
	use := fmt.Sprintf("toolu_%d", d.lines)
	d.says("assistant", map[string]any{
		"id": fmt.Sprintf("msg_%d", d.lines), "role": "assistant", "model": "demo",
		"content": []map[string]any{{"type": "tool_use", "id": use, "name": name, "input": input}},
		"usage":   map[string]int{"input_tokens": 100, "output_tokens": 20},
	})
	d.says("user", map[string]any{
		"role": "user", "content": []map[string]any{{"type": "tool_result", "tool_use_id": use, "content": result}},
	})
}

type demoPoint struct {
	ID       string `json:"id"`
	LogsOnly bool   `json:"is_logs_only"`
}

func (d *demoRun) points() []demoPoint {
	out := d.run("", "entire", "rewind", "--list")
	if d.err != nil {
		return nil
	}
	var points []demoPoint
	d.keepErr(json.Unmarshal([]byte(out), &points))
	return points
}

// show runs a command and prints it with its output.
func (d *demoRun) show(name string, args ...string) string {
	out := d.run("", name, args...)
	if d.err == nil {
		fmt.Fprintf(d.env.Out, "  %s\n", d.t.Styled(term.Faint, "$ "+name+" "+quoted(args)))
		d.indented(out)
	}
	return out
}

func quoted(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = arg
		if strings.ContainsAny(arg, " %$'") {
			words[i] = "'" + arg + "'"
		}
	}
	return strings.Join(words, " ")
}

func (d *demoRun) files() {
	for _, name := range []string{"hello.sh", "night.sh"} {
		if text := d.read(name); text != "" && d.err == nil {
			fmt.Fprintf(d.env.Out, "  %s\n", d.t.Styled(term.Faint, name+" is now"))
			d.indented(text)
		}
	}
}

func (d *demoRun) heading(text string) {
	if d.err == nil {
		fmt.Fprintf(d.env.Out, "\n%s\n", d.t.Styled(term.Strong, text))
	}
}

func (d *demoRun) narrate(text string) {
	if d.err == nil {
		fmt.Fprintf(d.env.Out, "  %s\n", text)
	}
}

func (d *demoRun) indented(text string) {
	if d.err != nil || text == "" {
		return
	}
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		fmt.Fprintf(d.env.Out, "    | %s\n", strings.TrimRight(line, "\n"))
	}
}

// check prints the claim; if it does not hold, the demo ends.
func (d *demoRun) check(holds bool, claim string) bool {
	switch {
	case d.err != nil:
		return false
	case !holds:
		d.err = cliui.Failf("run `entire demo --keep` and look at the repository", "demo: this is not true: %s", claim)
		return false
	}
	fmt.Fprintf(d.env.Out, "  %s %s\n", d.t.Styled(term.Good, "✓"), claim)
	return true
}
