package conversation

import (
	"path"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"entire/agent"
	"entire/internal/effects"
)

// CommitCall is a shell call that may have made a commit.
type CommitCall struct {
	Command, Output string
	Began, Ended    time.Time // zero if the transcript does not say

	runs     bool     // the command runs git commit
	subjects []string // as given on the command line; "" for a message from elsewhere
}

// CommitCalls returns the calls of a conversation that may have made a commit: those that
// run git commit, and those whose output contains git's line about a new commit.
func CommitCalls(passages []Passage) []CommitCall {
	var out []CommitCall
	at := map[string]int{}
	for _, p := range passages {
		switch p.Kind {
		case CallPassage:
			command := p.Command
			if command == "" {
				command = agent.Event{ToolInput: p.Call.Input}.ShellCommand()
			}
			if command != "" {
				at[p.Call.ID] = len(out)
				out = append(out, newCommitCall(command, p.Time))
			}
		case ResultPassage:
			if i, ok := at[p.CallID]; ok {
				out[i].Output, out[i].Ended = p.Text, p.Time
			}
		}
	}
	kept := out[:0]
	for _, c := range out {
		if c.runs || strings.Contains(c.Output, "[") {
			kept = append(kept, c)
		}
	}
	return kept
}

// RunsCommit reports whether a shell command runs git commit.
func RunsCommit(command string) bool { return newCommitCall(command, time.Time{}).runs }

func newCommitCall(command string, began time.Time) CommitCall {
	c := CommitCall{Command: command, Began: began}
	c.read(command, 0)
	return c
}

// Made reports whether the call made a commit with this ID, subject and time: either git's
// output names it, or the command committed at that time with exactly this subject or with
// a message from elsewhere.
func (c CommitCall) Made(oid, subject string, when time.Time) bool {
	if namesCommit(c.Output, oid) {
		return true
	}
	for _, s := range c.subjects {
		switch {
		case s == subject && s != "", s == "" && (saysLine(c.Command, subject) || c.lasted(when)):
			return true
		}
	}
	return false
}

// namesCommit searches for the line that git commit prints: "[main 1234567] subject".
func namesCommit(output, oid string) bool {
	for line := range strings.Lines(output) {
		head, _, ok := strings.Cut(strings.TrimSpace(line), "] ")
		if !ok || !strings.HasPrefix(head, "[") {
			continue
		}
		short := head[strings.LastIndexByte(head, ' ')+1:]
		if len(short) >= 7 && strings.HasPrefix(oid, short) {
			return true
		}
	}
	return false
}

// saysLine reports whether a line of text, for example of a here-document, is exactly the
// subject.
func saysLine(text, subject string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if subject != "" && (line == subject || strings.HasSuffix(line, "\""+subject) || strings.HasSuffix(line, "'"+subject)) {
			return true
		}
	}
	return false
}

// lasted reports whether a commit's time, which is in whole seconds, lies within the call.
func (c CommitCall) lasted(when time.Time) bool {
	return !c.Began.IsZero() && c.Ended.After(c.Began) &&
		!when.Before(c.Began.Truncate(time.Second)) && !when.After(c.Ended)
}

// shellDepth bounds the nesting of shells that are parsed.
const shellDepth = 3

// read searches a command for git commit.
func (c *CommitCall) read(command string, depth int) {
	if len(command) > effects.MaxParsed || depth > shellDepth || !strings.Contains(command, "commit") {
		return
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil {
		return
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			c.take(effects.Words(call.Args), depth)
		}
		return true
	})
}

func (c *CommitCall) take(words []string, depth int) {
	switch path.Base(words[0]) {
	case "env", "command", "sudo", "time", "nice", "exec":
		if rest := afterOptions(words[1:]); len(rest) > 0 {
			c.take(rest, depth)
		}
	case "sh", "bash", "dash", "zsh":
		for i, w := range words[:len(words)-1] {
			if strings.HasPrefix(w, "-") && strings.HasSuffix(w, "c") {
				c.read(words[i+1], depth+1)
			}
		}
	case "git":
		if args := effects.GitArguments(words[1:]); len(args) > 0 && args[0] == "commit" {
			c.runs = true
			c.subjects = append(c.subjects, subjectIn(args[1:]))
		}
	}
}

// afterOptions skips options and assignments of variables.
func afterOptions(words []string) []string {
	for len(words) > 0 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=")) {
		words = words[1:]
	}
	return words
}

// subjectIn returns the first line of the first message in the arguments of git commit, ""
// if they have none.
func subjectIn(args []string) string {
	for i, a := range args {
		message, found := strings.CutPrefix(a, "--message=")
		switch {
		case found:
		case a == "--message", isMessageOption(a):
			if i+1 == len(args) {
				return ""
			}
			message = args[i+1]
		case strings.HasPrefix(a, "-m"):
			message = a[len("-m"):]
		default:
			continue
		}
		first, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
		return strings.TrimSpace(first)
	}
	return ""
}

// isMessageOption reports whether arg is a group of short options whose last takes the
// message: -m, -am.
func isMessageOption(a string) bool {
	return len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.HasSuffix(a, "m") && !strings.ContainsAny(a[1:len(a)-1], "mFCctuS")
}
