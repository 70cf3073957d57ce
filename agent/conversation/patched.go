package conversation

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/claude"
	"entire/agent/internal/jsontext"
)

// Patched is the set of lines that an edit call added, according to its result. It leaves
// out the unchanged lines around them that the call named or wrote again.
type Patched struct {
	ToolUseID string
	Path      string   // as the agent named it
	Added     []string // without line ends
	Removed   []string // likewise; a line that is also in Added was only moved or re-indented
}

// PatchedIn returns the result of an edit call in a line of a transcript. A line without
// one costs only a search for a word.
func PatchedIn(t agent.AgentType, line []byte) (Patched, bool) {
	if records, _, reads := recordsIn(t, line); reads {
		return recordPatched(records)
	}
	if t == agent.AgentTypeGemini || !bytes.Contains(line, []byte(`"structuredPatch"`)) {
		return Patched{}, false
	}
	var l claude.Line
	result := gjson.GetBytes(line, "toolUseResult")
	if !l.Scan(line) || l.Kind != "user" || !result.IsObject() {
		return Patched{}, false
	}
	p := Patched{Path: jsontext.ValidUTF8(result.Get("filePath").String())}
	l.Message.EachBlock(func(kind string, block gjson.Result) {
		if kind == "tool_result" {
			p.ToolUseID = jsontext.ValidUTF8(block.Get("tool_use_id").String())
		}
	})
	if p.ToolUseID == "" || len(p.ToolUseID) > agent.MaxName || p.Path == "" || len(p.Path) > maxPath {
		return Patched{}, false
	}
	if result.Get("type").String() == "create" {
		for one := range bytes.Lines([]byte(result.Get("content").String())) {
			p.Added = append(p.Added, jsontext.ValidUTF8(string(bytes.TrimRight(one, "\r\n"))))
		}
		return p, true
	}
	result.Get("structuredPatch").ForEach(func(_, hunk gjson.Result) bool {
		hunk.Get("lines").ForEach(func(_, one gjson.Result) bool {
			switch s := one.String(); {
			case strings.HasPrefix(s, "+"):
				p.Added = append(p.Added, jsontext.ValidUTF8(s[1:]))
			case strings.HasPrefix(s, "-"):
				p.Removed = append(p.Removed, jsontext.ValidUTF8(s[1:]))
			}
			return true
		})
		return true
	})
	return p, true
}

// recordPatched returns the first result of an edit call in a line's records.
func recordPatched(records []agent.Record) (Patched, bool) {
	for i := range records {
		for _, p := range records[i].Parts {
			if p.Kind != agent.ResultPart || p.CallID == "" || len(p.Edits) == 0 || p.Edits[0].Path == "" {
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

func linesOf(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, strings.TrimRight(line, "\r\n"))
	}
	return out
}
