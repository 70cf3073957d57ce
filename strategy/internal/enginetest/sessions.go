package enginetest

import (
	"fmt"
	"os"
)

// Wrote adds the record of an edit tool to a transcript.
func (w *World) Wrote(sid, path string) {
	w.T.Helper()
	w.Line(sid, fmt.Sprintf(`{"type":"assistant","uuid":"e-%s","message":{"id":"m-%s","role":"assistant","content":[{"type":"tool_use","id":"t-%s","name":"Write","input":{"file_path":%q,"content":"x"}}]}}`,
		path, path, path, w.Path(path)))
	w.Line(sid, fmt.Sprintf(`{"type":"user","uuid":"r-%s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t-%s","content":"ok"}]}}`, path, path))
}

// Line appends a raw line to a transcript.
func (w *World) Line(sid, text string) {
	w.T.Helper()
	f, err := os.OpenFile(w.Transcript(sid), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		w.T.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text + "\n"); err != nil {
		w.T.Fatal(err)
	}
}

// CommitUnhooked is a commit by a git that knows nothing of us.
func (w *World) CommitUnhooked(paths ...string) {
	w.T.Helper()
	w.Git(append([]string{"-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "unhooked"}, paths...)...)
}
