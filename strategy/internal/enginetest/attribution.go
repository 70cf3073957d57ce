package enginetest

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"entire/checkpoint/metadata"
	"entire/internal/attribution"
)

// Told writes the attribution of a session in a checkpoint as
// agent/added/modified/removed/total; "none" when there is none.
func (w *World) Told(cp, sid string) string {
	w.T.Helper()
	for i := 0; ; i++ {
		data, err := w.TryGit("show", fmt.Sprintf("entire/checkpoints/v1:%s/%s/%d/metadata.json", cp[:2], cp[2:], i))
		if err != nil {
			w.T.Fatalf("session %s is not in checkpoint %s", sid, cp)
		}
		var m metadata.CommittedMetadata
		if err := json.Unmarshal([]byte(data), &m); err != nil {
			w.T.Fatal(err)
		}
		if m.SessionID != sid {
			continue
		}
		a := m.InitialAttribution
		if a == nil {
			return "none"
		}
		if want := 100 * float64(a.AgentLines) / float64(max(1, a.TotalCommitted)); a.AgentPercentage < want-0.001 || a.AgentPercentage > want+0.001 {
			w.T.Errorf("percentage %v of %+v", a.AgentPercentage, a)
		}
		if a.CalculatedAt.IsZero() {
			w.T.Error("no time")
		}
		return fmt.Sprintf("%d/%d/%d/%d/%d", a.AgentLines, a.HumanAdded, a.HumanModified, a.HumanRemoved, a.TotalCommitted)
	}
}

// numstat is what git says that HEAD added and removed.
func (w *World) numstat() (added, removed int) {
	w.T.Helper()
	for _, line := range strings.Split(w.Git("diff-tree", "-r", "--root", "--no-commit-id", "--numstat", "--no-renames", "HEAD"), "\n") {
		f := strings.Fields(line)
		if len(f) < 3 || f[0] == "-" {
			continue
		}
		a, _ := strconv.Atoi(f[0])
		r, _ := strconv.Atoi(f[1])
		added, removed = added+a, removed+r
	}
	return added, removed
}

// WantTold checks the numbers, and that the total is git's.
func (w *World) WantTold(cp, sid, want string) {
	w.T.Helper()
	got := w.Told(cp, sid)
	if got != want {
		w.T.Errorf("%s has agent/added/modified/removed/total %s, want %s", sid, got, want)
	}
	if added, _ := w.numstat(); !strings.HasSuffix(got, "/"+strconv.Itoa(added)) {
		w.T.Errorf("git counts %d lines added, the checkpoint says %s", added, got)
	}
	w.WantRecord(cp)
}

// Lines are n lines that nobody else writes.
func Lines(who string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of %s\n", i, who)
	}
	return b.String()
}

// Edits says in the transcript that an edit tool has written a file.
func (w *World) Edits(sid, path string) {
	w.T.Helper()
	w.sayRaw(sid, map[string]any{"type": "assistant", "uuid": "e-" + path, "message": map[string]any{"role": "assistant", "id": "m-" + path, "content": []any{
		map[string]any{"type": "tool_use", "id": "t-" + path, "name": "Write", "input": map[string]any{"file_path": w.Path(path), "content": ""}}}}})
	w.sayRaw(sid, map[string]any{"type": "user", "uuid": "r-" + path, "message": map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": "t-" + path, "content": "ok"}}}})
}

func (w *World) sayRaw(sid string, line map[string]any) {
	w.T.Helper()
	data, err := json.Marshal(line)
	if err != nil {
		w.T.Fatal(err)
	}
	f, err := os.OpenFile(w.Transcript(sid), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		w.T.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(append(data, '\n')); err != nil {
		w.T.Fatal(err)
	}
}

// WriteLarge makes n files with as many lines as are compared.
func (w *World) WriteLarge(n int) {
	for i := range n {
		w.Write(fmt.Sprintf("large%d", i), fmt.Sprintln(i)+strings.Repeat("x\n", attribution.MaxLines-2))
	}
}
