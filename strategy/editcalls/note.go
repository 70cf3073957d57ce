package editcalls

import (
	"path/filepath"
	"slices"
	"strings"

	"entire/agent/conversation"
	"entire/internal/attribution"
	"entire/strategy/sessionstate"
)

const (
	// callsMax and callLinesMax bound the edit calls, and their lines, that a session remembers; the
	// oldest are dropped.
	callsMax, callLinesMax = 400, 40_000
)

// Add adds calls to those that are remembered; a call that is known already is replaced and
// keeps its turn.
func Add(c *sessionstate.TranscriptState, writes []conversation.Written) {
	for _, w := range writes {
		call := sessionstate.EditCall{ID: w.ToolUseID, Path: conversation.InFolder(c.Folder, w.Path), Model: w.Model, Texts: w.Texts}
		for _, text := range w.Texts {
			call.Lines = append(call.Lines, attribution.PrintLines([]byte(text))...)
		}
		if len(w.Replaced) > 0 {
			call.Lines, call.Exact = WithoutLines(call.Lines, w.Replaced), true
		}
		if len(call.Lines) > callLinesMax/4 {
			continue
		}
		isNew := w.Unnamed && c.Conversation != nil && c.Conversation.Lines > c.ActivityLog.ReadTo
		c.Calls = slices.DeleteFunc(c.Calls, func(old sessionstate.EditCall) bool {
			again := !isNew && old.ID == call.ID && SameFile(call.Path, old.Path)
			if again { // the transcript was read again: the call keeps its turn
				call.Turn, call.Path = old.Turn, old.Path
			}
			return again
		})
		c.Calls = append(c.Calls, call)
	}
	trimCalls(c)
}

// WithoutLines removes lines that other texts have, each as often as they have it.
func WithoutLines(lines attribution.Prints, texts []string) attribution.Prints {
	had := map[attribution.Print]int{}
	for _, text := range texts {
		for _, p := range attribution.PrintLines([]byte(text)) {
			had[p]++
		}
	}
	return slices.DeleteFunc(lines, func(p attribution.Print) bool { had[p]--; return had[p] >= 0 })
}

// NoteResults replaces the lines that calls were going to write by those that they did write, and a name that is
// relative to the folder where the agent worked by the whole one. A line that a call only moved or indented keeps
// its owner.
func NoteResults(c *sessionstate.TranscriptState, results []conversation.Patched) {
	for _, p := range results {
		p.Path = conversation.InFolder(c.Folder, p.Path)
		for i := range c.Calls {
			call := &c.Calls[i]
			if call.ID != p.ToolUseID || !SameFile(call.Path, p.Path) || len(p.Added) > callLinesMax/4 {
				continue
			}
			if call.Path, call.Exact = p.Path, true; p.AllNew {
				continue
			}
			call.Lines = nil
			for _, line := range p.Added {
				call.Lines = append(call.Lines, attribution.PrintLines([]byte(line+"\n"))...)
			}
			call.Lines = WithoutLines(call.Lines, p.Removed)
		}
	}
}

// SameFile reports whether a call and its result name one file: the result may complete the name.
func SameFile(call, result string) bool {
	return call == result || !filepath.IsAbs(call) && strings.HasSuffix(filepath.ToSlash(result), "/"+filepath.ToSlash(filepath.Clean(call)))
}

// trimCalls drops the oldest calls above the limits.
func trimCalls(c *sessionstate.TranscriptState) {
	sum := 0
	for i := len(c.Calls) - 1; i >= 0; i-- {
		sum += len(c.Calls[i].Lines)
		if sum > callLinesMax || len(c.Calls)-i > callsMax {
			c.Calls = slices.Clone(c.Calls[i+1:])
			return
		}
	}
}
