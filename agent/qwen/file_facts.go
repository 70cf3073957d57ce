package qwen

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
	if !bytes.Contains(text, []byte(`"toolCallResult"`)) {
		return nil
	}
	r := gjson.GetBytes(text, "toolCallResult")
	if shown := r.Get("resultDisplay"); shown.IsObject() && r.Get("status").Str != "error" {
		return base.ShownDiff(shown, r.Get("callId").String())
	}
	return nil
}

// SnapshotRepos implements agent.SnapshotKeeper.
func (Adapter) SnapshotRepos(home, top string) []string { return base.HistoryRepo(home, ".qwen", top) }
