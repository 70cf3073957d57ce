package agent

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"
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
func PatchedIn(t AgentType, line []byte) (Patched, bool) {
	if t == AgentTypeGemini || !bytes.Contains(line, []byte(`"structuredPatch"`)) {
		return Patched{}, false
	}
	var l claudeLine
	result := gjson.GetBytes(line, "toolUseResult")
	if !l.scan(line) || l.kind != "user" || !result.IsObject() {
		return Patched{}, false
	}
	p := Patched{Path: valid(result.Get("filePath").String())}
	l.message.eachBlock(func(kind string, block gjson.Result) {
		if kind == "tool_result" {
			p.ToolUseID = valid(block.Get("tool_use_id").String())
		}
	})
	if p.ToolUseID == "" || len(p.ToolUseID) > maxName || p.Path == "" || len(p.Path) > maxPath {
		return Patched{}, false
	}
	if result.Get("type").String() == "create" {
		for one := range bytes.Lines([]byte(result.Get("content").String())) {
			p.Added = append(p.Added, valid(string(bytes.TrimRight(one, "\r\n"))))
		}
		return p, true
	}
	result.Get("structuredPatch").ForEach(func(_, hunk gjson.Result) bool {
		hunk.Get("lines").ForEach(func(_, one gjson.Result) bool {
			switch s := one.String(); {
			case strings.HasPrefix(s, "+"):
				p.Added = append(p.Added, valid(s[1:]))
			case strings.HasPrefix(s, "-"):
				p.Removed = append(p.Removed, valid(s[1:]))
			}
			return true
		})
		return true
	})
	return p, true
}
