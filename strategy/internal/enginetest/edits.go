package enginetest

import (
	"fmt"
	"strconv"
	"strings"

	"entire/internal/attribution"
	"entire/strategy/sessionstate"
)

// Writes lets an agent write a file with its tool and say so.
func (w *World) Writes(sid, call, path, text string) {
	w.T.Helper()
	w.Write(path, text)
	w.SaysItWrote(sid, call, path, text)
}

// SaysItWrote says in the transcript that the agent's tool wrote a file.
func (w *World) SaysItWrote(sid, call, path, text string) {
	w.T.Helper()
	w.saysItWrote(sid, call, w.Path(path), text)
}

// WritesRelative is Writes for an agent that names files relative to its folder.
func (w *World) WritesRelative(sid, path, text string) {
	w.T.Helper()
	w.Write(path, text)
	w.saysItWrote(sid, "relative-"+path, path, text)
}

func (w *World) saysItWrote(sid, call, file, text string) {
	w.T.Helper()
	w.sayRaw(sid, map[string]any{"type": "assistant", "uuid": "e-" + call, "message": map[string]any{"role": "assistant", "id": "m-" + call, "model": "a-model", "content": []any{
		map[string]any{"type": "tool_use", "id": call, "name": "Write", "input": map[string]any{"file_path": file, "content": text}}}}})
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

// Record reads what a checkpoint says of the lines.
func (w *World) Record(cp string) *attribution.Record {
	w.T.Helper()
	r, err := attribution.DecodeRecord([]byte(w.Metadata(cp, "attribution.json")))
	if err != nil {
		w.T.Fatal(err)
	}
	return r
}

// WantRecord checks that the record of HEAD's checkpoint counts, file by file, what
// git counts.
func (w *World) WantRecord(cp string) {
	w.T.Helper()
	r := w.Record(cp)
	for _, line := range strings.Split(w.Git("-c", "core.quotePath=false", "diff-tree", "-r", "--root", "--no-commit-id", "--numstat", "--minimal", "--no-renames", "HEAD"), "\n") {
		f := strings.SplitN(line, "\t", 3)
		if len(f) < 3 || f[0] == "-" {
			continue
		}
		file := r.File(sessionstate.EncodePath(f[2]))
		if file == nil {
			w.T.Errorf("%s is not in the record", f[2])
			continue
		}
		added, removed := 0, 0
		for _, g := range file.Ranges {
			added += g.Count
		}
		for _, g := range file.Removed {
			removed += g.Count
		}
		if strconv.Itoa(added) != f[0] || strconv.Itoa(removed) != f[1] {
			w.T.Errorf("%s: recorded +%d -%d, git counts +%s -%s", f[2], added, removed, f[0], f[1])
		}
	}
}

// Owners writes who added each line of a file: the session's letter and turn, h, ?
// or a dot for lines that were there before.
func (w *World) Owners(cp, path string) string {
	w.T.Helper()
	r := w.Record(cp)
	f := r.File(path)
	if f == nil {
		return "none"
	}
	var out []string
	for i := range f.Lines {
		g := f.At(i + 1)
		if g == nil {
			out = append(out, ".")
			continue
		}
		switch o := r.Owners[g.Owner]; o.Class {
		case attribution.ClassAgent:
			out = append(out, fmt.Sprint(o.SessionID, "/", o.Turn))
		case attribution.ClassHuman:
			out = append(out, "h")
		default:
			out = append(out, "?")
		}
	}
	return strings.Join(out, " ")
}
