package opencode

import (
	"bytes"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/jsontext"
)

var _ agent.FileTeller = Adapter{}

// FilesIn implements agent.FileTeller: a call that changed files has the difference of each, or its content
// before and after.
func (Adapter) FilesIn(text []byte) []agent.FileFact {
	if !bytes.Contains(text, []byte(`"metadata"`)) {
		return nil
	}
	var out []agent.FileFact
	gjson.GetBytes(text, "parts").ForEach(func(_, p gjson.Result) bool {
		meta := p.Get("state.metadata")
		if p.Get("type").Str != "tool" || p.Get("state.status").Str != "completed" || p.Get("tool").Str == "write" || !meta.IsObject() {
			return true
		}
		call := jsontext.StringIn(p.Get("callID"))
		out = append(out, base.ShownDiff(meta.Get("filediff"), call)...)
		meta.Get("files").ForEach(func(_, f gjson.Result) bool {
			out = append(out, base.ShownDiff(f, call)...)
			return true
		})
		return true
	})
	return out
}
