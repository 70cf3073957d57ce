package conversation

import (
	"strings"

	"entire/agent"
)

// Patched is the set of lines that an edit call added, according to its result. It leaves
// out the unchanged lines around them that the call named or wrote again.
type Patched struct {
	ToolUseID string
	Path      string   // as the agent named it
	Added     []string // without line ends
	Removed   []string // likewise; a line that is also in Added was only moved or re-indented
}

// Patched returns the first result of an edit call in the line.
func (l Line) Patched() (Patched, bool) {
	for i := range l.Records {
		for k := range l.Records[i].Parts {
			p := &l.Records[i].Parts[k]
			if p.Kind != agent.ResultPart || len(p.Edits) == 0 || !nameable(p.CallID, p.Edits[0].Path) {
				continue
			}
			out := Patched{ToolUseID: p.CallID, Path: p.Edits[0].Path}
			for _, text := range p.Edits[0].Texts {
				out.Added = append(out.Added, linesOf(text)...)
			}
			for _, text := range p.Edits[0].Replaced {
				out.Removed = append(out.Removed, linesOf(text)...)
			}
			return out, true
		}
	}
	return Patched{}, false
}

// nameable reports whether a call and a path can be remembered.
func nameable(callID, path string) bool {
	return callID != "" && len(callID) <= agent.MaxName && path != "" && len(path) <= maxPath
}

func linesOf(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, strings.TrimRight(line, "\r\n"))
	}
	return out
}
