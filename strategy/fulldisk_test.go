package strategy

import "testing"

// TestCallsOfATurnThatNoHookSaw: where the disk was full no hook of a turn could save
// anything. What its calls wrote is not the person's, who seems to have been alone then.
func TestCallsOfATurnThatNoHookSaw(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.prompt("s1", "write a line")
	w.appends("s1", "t1", "f.txt", "the agent wrote this line here\n")
	w.stop("s1")
	w.say("s1", "user", "and another one")
	w.appends("s1", "t2", "f.txt", "the agent wrote a second line here\n")
	w.Write("f.txt", w.Read("f.txt")+"a person wrote a third line here\n")
	w.say("s1", "assistant", "done")
	w.prompt("s1", "go on")
	w.stop("s1")
	w.Git("add", "-A")
	cp := w.gitCommit("-m", "all")
	if got := w.owners(cp, "f.txt"); got != "s1/1 ? h" {
		t.Errorf("owners %s", got)
	}
}

// appends adds a line to a file, and says so as the editing tool's result does.
func (w *world) appends(sid, call, path, line string) {
	w.t.Helper()
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
