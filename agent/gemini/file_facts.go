package gemini

import (
	"bytes"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
)

var (
	_ agent.FileTeller     = Adapter{}
	_ agent.SnapshotKeeper = Adapter{}
)

// FilesIn implements agent.FileTeller: a call that wrote a file shows the content before and after it.
func (Adapter) FilesIn(text []byte) []agent.FileFact {
	if !bytes.Contains(text, []byte(`"resultDisplay"`)) {
		return nil
	}
	var out []agent.FileFact
	gjson.GetBytes(text, "toolCalls").ForEach(func(_, v gjson.Result) bool {
		if c := callIn(v); !c.failed() && c.shown.IsObject() {
			out = append(out, base.ShownDiff(c.shown, c.id)...)
		}
		return true
	})
	return out
}

// SnapshotRepos implements agent.SnapshotKeeper.
func (Adapter) SnapshotRepos(home, top string) []string {
	return base.HistoryRepo(home, ".gemini", top)
}
