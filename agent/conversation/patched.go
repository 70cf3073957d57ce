package conversation

import (
	"strings"

	"entire/agent"
	"entire/agent/agents"
)

// Patched is the set of lines that an edit call added, according to its result. It leaves
// out the unchanged lines around them that the call named or wrote again.
type Patched struct {
	ToolUseID string
	Path      string   // as the agent named it
	Added     []string // without line ends
	Removed   []string // likewise; a line that is also in Added was only moved or re-indented
	AllNew    bool     // instead of both: the call added all that it wrote
}

// Patched returns what the results of edit calls in the line say, one for each file.
func (l Line) Patched() []Patched {
	var out []Patched
	for i := range l.Records {
		out = appendPatched(out, &l.Records[i])
	}
	return out
}

func appendPatched(out []Patched, r *agent.Record) []Patched {
	for i := range r.Parts {
		p := &r.Parts[i]
		if p.Kind != agent.ResultPart {
			continue
		}
		for _, e := range p.Edits {
			if !nameable(p.CallID, e.Path) {
				continue
			}
			one := Patched{ToolUseID: p.CallID, Path: e.Path, AllNew: e.AllNew}
			for _, text := range e.Texts {
				one.Added = append(one.Added, linesOf(text)...)
			}
			for _, text := range e.Replaced {
				one.Removed = append(one.Removed, linesOf(text)...)
			}
			out = append(out, one)
		}
	}
	return out
}

// nameable reports whether a call and a path can be remembered.
func nameable(callID, path string) bool {
	return callID != "" && len(callID) <= agent.MaxName && path != "" && len(path) <= maxPath
}

// WroteNothing returns the IDs of the calls that failed, according to the results in the line, if a failed edit call of
// the agent has written nothing.
func (l Line) WroteNothing(t agent.AgentType) []string {
	if !agents.For(t).Profile().FailedEditsWriteNothing {
		return nil
	}
	var out []string
	for i := range l.Records {
		for _, p := range l.Records[i].Parts {
			if p.Kind == agent.ResultPart && p.Failed {
				out = append(out, p.CallID)
			}
		}
	}
	return out
}

func linesOf(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, strings.TrimRight(line, "\r\n"))
	}
	return out
}
