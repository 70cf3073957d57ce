package agent

import (
	"path"
	"strings"
	"time"

	"entire/internal/effects"

	"mvdan.cc/sh/v3/syntax"
)

// CommitCall is a call of a shell that may have made a commit.
type CommitCall struct {
	Command, Output string
	Began, Ended    time.Time // zero where the transcript does not say

	runs     bool     // it runs git commit
	subjects []string // as far as the command says them; of one that takes it from elsewhere ""
}

// CommitCalls are the calls of a conversation that may have made a commit: those that
// run git commit, and those whose output names one as git does.
func CommitCalls(passages []Passage) []CommitCall {
	var out []CommitCall
	at := map[string]int{}
	for _, p := range passages {
		switch p.Kind {
		case Called:
			if command := (Event{ToolInput: p.Call.Input}).ShellCommand(); command != "" {
				at[p.Call.ID] = len(out)
				out = append(out, newCommitCall(command, p.Time))
			}
		case Resulted:
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

func newCommitCall(command string, began time.Time) CommitCall {
	c := CommitCall{Command: command, Began: began}
	c.read(command, 0)
	return c
}

// Made reports whether the call made a commit with this ID, subject and time: git's
// output names it, or the command commits with this very subject, or with one that it
// takes from elsewhere, and did so at that time.
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

// namesCommit looks for the line that git commit prints: "[main 1234567] subject".
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

// saysLine reports whether a line of text, as in a here-document, is just the subject.
func saysLine(text, subject string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if subject != "" && (line == subject || strings.HasSuffix(line, "\""+subject) || strings.HasSuffix(line, "'"+subject)) {
			return true
		}
	}
	return false
}

// lasted reports whether a commit's time, which is in seconds, lies in the call's.
func (c CommitCall) lasted(when time.Time) bool {
	return !c.Began.IsZero() && c.Ended.After(c.Began) &&
		!when.Before(c.Began.Truncate(time.Second)) && !when.After(c.Ended)
}

// shellDepth bounds the shells within shells that are looked into.
const shellDepth = 3

// read looks for git commit in a command.
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

// afterOptions leaves out options and settings of variables.
func afterOptions(words []string) []string {
	for len(words) > 0 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=")) {
		words = words[1:]
	}
	return words
}

// subjectIn is the first line of the first message among the arguments of git commit,
// "" where it is not said there.
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

// isMessageOption reports short options of which the last takes the message: -m, -am.
func isMessageOption(a string) bool {
	return len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.HasSuffix(a, "m") && !strings.ContainsAny(a[1:len(a)-1], "mFCctuS")
}
