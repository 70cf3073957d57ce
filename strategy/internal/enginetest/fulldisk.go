package enginetest

// Appends adds a line to a file, and says so as the editing tool's result does.
func (w *World) Appends(sid, call, path, line string) {
	w.T.Helper()
	had := ""
	if w.Exists(path) {
		had = w.Read(path)
	}
	w.Write(path, had+line)
	w.sayRaw(sid, map[string]any{"type": "assistant", "uuid": "e-" + call, "message": map[string]any{"role": "assistant", "id": "m-" + call, "model": "a-model", "content": []any{
		map[string]any{"type": "tool_use", "id": call, "name": "Edit", "input": map[string]any{"file_path": w.Path(path), "old_string": "x", "new_string": line}}}}})
	w.sayRaw(sid, map[string]any{"type": "user", "uuid": "r-" + call, "message": map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": call, "content": "ok"}}},
		"toolUseResult": map[string]any{"filePath": w.Path(path), "structuredPatch": []any{map[string]any{"lines": []any{"+" + line[:len(line)-1]}}}}})
}
