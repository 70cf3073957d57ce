package files

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRewindProperty: whatever a session's tools did, as long as each told the
// manager before, a rewind brings back the very files of the checkpoint, and its
// safety checkpoint those of before.
func TestRewindProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		must(t, err)
		w := &toolWorld{fileWorld: fileWorld{t, NewCheckpointManager(filepath.Join(dir, "session"), filepath.Join(dir, "root"), CheckpointOptions{NoSync: true})}, rt: rt}
		must(t, os.Mkdir(w.root, 0o755))
		w.now, w.has = map[string]map[string]string{}, map[string]bool{}
		w.begin()
		rt.Repeat(map[string]func(*rapid.T){
			"write":      func(rt *rapid.T) { w.rt = rt; w.write() },
			"delete":     func(rt *rapid.T) { w.rt = rt; w.delete() },
			"mode":       func(rt *rapid.T) { w.rt = rt; w.mode() },
			"link":       func(rt *rapid.T) { w.rt = rt; w.link() },
			"checkpoint": func(rt *rapid.T) { w.rt = rt; w.begin() },
			"rewind":     func(rt *rapid.T) { w.rt = rt; w.goBack() },
		})
	})
}

// toolWorld is a session's folder with tools at work.
type toolWorld struct {
	fileWorld
	rt  *rapid.T
	ids []string
	now map[string]map[string]string // the folder when each checkpoint was made
	has map[string]bool              // by checkpoint and path
}

func (w *toolWorld) begin() {
	id := fmt.Sprint("u", len(w.ids))
	w.now[id] = w.tree()
	w.checkpoint(id)
	w.ids = append(w.ids, id)
}

// tool announces a change, mostly to the last checkpoint.
func (w *toolWorld) tool(path string, change func(at string) error) {
	id := w.ids[len(w.ids)-1]
	if rapid.IntRange(0, 9).Draw(w.rt, "late") == 0 {
		// What an older checkpoint has already it does not take again.
		if old := rapid.SampledFrom(w.ids).Draw(w.rt, "to"); !w.has[old+" "+path] {
			id = old
		}
	}
	if strings.HasPrefix(id, safetyPrefix) {
		w.begin()
		id = w.ids[len(w.ids)-1]
	}
	w.checkpoint(id, path)
	w.has[id+" "+path] = true
	must(w.T, change(w.at(path)))
}

func (w *toolWorld) path() string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "ä b"}), 1, 3).Draw(w.rt, "path"), "/")
}

// clear makes room for a file at path: what is in its way goes, file by file.
func (w *toolWorld) clear(path string) {
	tree := w.tree()
	for _, there := range slices.Sorted(maps.Keys(tree)) {
		inTheWay := strings.HasPrefix(path, there+"/") || strings.HasPrefix(there, path+"/")
		if inTheWay && tree[there] != "folder" {
			w.tool(there, os.Remove)
		}
	}
	if tree[path] == "folder" {
		must(w.T, os.RemoveAll(w.at(path)))
	}
}

func (w *toolWorld) write() {
	path := w.path()
	w.clear(path)
	text := rapid.SampledFrom([]string{"", "\n", "x", "one\ntwo\n", "\x00binary\n"}).Draw(w.rt, "text") +
		strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n"}), 0, 8).Draw(w.rt, "lines"), "")
	w.tool(path, func(at string) error {
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if info, err := os.Lstat(at); err == nil && !info.Mode().IsRegular() {
			if err := os.Remove(at); err != nil {
				return err
			}
		}
		return os.WriteFile(at, []byte(text), 0o644)
	})
}

func (w *toolWorld) link() {
	path := w.path()
	w.clear(path)
	target := rapid.SampledFrom([]string{"a", "b", ".", "..", "/nowhere", "c/c"}).Draw(w.rt, "target")
	w.tool(path, func(at string) error {
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := os.RemoveAll(at); err != nil {
			return err
		}
		return os.Symlink(target, at)
	})
}

// some picks a file or link that there is, "" if there is none.
func (w *toolWorld) some(fits func(text string) bool) string {
	var paths []string
	for path, text := range w.tree() {
		if text != "folder" && fits(text) {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return ""
	}
	slices.Sort(paths)
	return rapid.SampledFrom(paths).Draw(w.rt, "some")
}

func (w *toolWorld) delete() {
	if path := w.some(func(string) bool { return true }); path != "" {
		w.tool(path, os.Remove)
	}
}

func (w *toolWorld) mode() {
	path := w.some(func(text string) bool { return !strings.HasPrefix(text, "-> ") })
	if path == "" {
		return
	}
	mode := rapid.SampledFrom([]os.FileMode{0o644, 0o755, 0o600, 0o444, 0o777}).Draw(w.rt, "mode")
	w.tool(path, func(at string) error { return os.Chmod(at, mode) })
}

func (w *toolWorld) goBack() {
	id := rapid.SampledFrom(w.ids).Draw(w.rt, "back to")
	before := w.tree()
	preview, err := w.RewindFiles(id, true)
	must(w.T, err)
	w.wantTree("dry run", before)
	r := w.rewind(id)
	after := w.tree()
	want := w.now[id]
	if !reflect.DeepEqual(onlyFiles(after), onlyFiles(want)) {
		w.rt.Fatalf("rewound to %s:\n%swant\n%sfrom\n%s", id, treeText(after), treeText(want), treeText(before))
	}
	for path := range after {
		if _, was := want[path]; !was {
			w.rt.Fatalf("rewound to %s: folder %s was made since", id, path)
		}
	}
	if changed := differing(onlyFiles(before), onlyFiles(want)); !slices.Equal(r.FilesChanged, changed) || !slices.Equal(preview.FilesChanged, changed) {
		w.rt.Fatalf("changed %q, announced %q, reported %q", changed, preview.FilesChanged, r.FilesChanged)
	}
	if r.Insertions != preview.Insertions || r.Deletions != preview.Deletions {
		w.rt.Fatalf("announced %+v, did %+v", preview, r)
	}
	if r.SafetyCheckpoint == "" {
		if !reflect.DeepEqual(before, after) {
			w.rt.Fatalf("changed without a safety checkpoint")
		}
		return
	}
	w.ids = append(w.ids, r.SafetyCheckpoint)
	w.now[r.SafetyCheckpoint] = before
	if rapid.Bool().Draw(w.rt, "undo") {
		w.rewind(r.SafetyCheckpoint)
		if undone := w.tree(); !reflect.DeepEqual(undone, before) {
			w.rt.Fatalf("undone rewind to %s:\n%swant\n%s", id, treeText(undone), treeText(before))
		}
	}
}

func onlyFiles(tree map[string]string) map[string]string {
	out := maps.Clone(tree)
	maps.DeleteFunc(out, func(_, text string) bool { return text == "folder" })
	return out
}

func differing(a, b map[string]string) []string {
	var out []string
	for path, text := range a {
		if other, there := b[path]; !there || other != text {
			out = append(out, path)
		}
	}
	for path := range b {
		if _, there := a[path]; !there {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}
