package enginetest

import (
	"strings"

	"entire/internal/attribution"
)

// Writes lets an agent write a file with its tool and say so.
func (w *World) Writes(sid, call, path, text string) {
	w.T.Helper()
	w.Write(path, text)
	w.SaysItWrote(sid, call, path, text)
}

func (w *World) SaysItWrote(sid, call, path, text string) {
	w.T.Helper()
	w.sayRaw(sid, map[string]any{"type": "assistant", "uuid": "e-" + call, "message": map[string]any{"role": "assistant", "id": "m-" + call, "model": "a-model", "content": []any{
		map[string]any{"type": "tool_use", "id": call, "name": "Write", "input": map[string]any{"file_path": w.Path(path), "content": text}}}}})
	w.sayRaw(sid, map[string]any{"type": "user", "uuid": "r-" + call, "message": map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": call, "content": "ok"}}}})
}

// Calls writes the session and call of each line, h or ? for others.
func (w *World) Calls(cp, path string) string {
	w.T.Helper()
	r := w.Record(cp)
	f := r.File(path)
	if f == nil {
		return "none"
	}
	var out []string
	for i := range f.Lines {
		switch o := r.Owners[f.At(i+1).Owner]; o.Class {
		case attribution.ClassAgent:
			out = append(out, o.SessionID+":"+o.ToolUseID)
		case attribution.ClassHuman:
			out = append(out, "h")
		default:
			out = append(out, "?")
		}
	}
	return strings.Join(out, " ")
}
