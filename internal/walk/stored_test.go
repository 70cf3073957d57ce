package walk

import (
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/histories"
)

const metadata = "refs/heads/entire/checkpoints/v1:"

func place(id string) string { return metadata + id[:2] + "/" + id[2:] + "/" }

// stored reads the checkpoints that a commit names: the files of each session.
func (w *walk) stored(c histories.Commit, ids []string) map[string][]string {
	out := map[string][]string{}
	for _, id := range ids {
		var root struct {
			CheckpointID string   `json:"checkpoint_id"`
			FilesTouched []string `json:"files_touched"`
			Sessions     []struct{ Metadata, Transcript string }
		}
		w.decode(c, place(id)+"metadata.json", &root)
		var all []string
		for _, slot := range root.Sessions {
			var meta struct {
				CheckpointID string   `json:"checkpoint_id"`
				SessionID    string   `json:"session_id"`
				FilesTouched []string `json:"files_touched"`
			}
			w.decode(c, metadata+strings.TrimPrefix(slot.Metadata, "/"), &meta)
			if meta.CheckpointID != id || root.CheckpointID != id {
				histories.Fail("stored", "checkpoint %s calls itself %s, its session %s", id, root.CheckpointID, meta.CheckpointID)
			}
			out[meta.SessionID] = append(append(out[meta.SessionID], []string{}...), meta.FilesTouched...)
			if out[meta.SessionID] == nil {
				out[meta.SessionID] = []string{}
			}
			all = append(all, meta.FilesTouched...)
			w.slots[id+meta.SessionID] = strings.TrimSuffix(strings.TrimPrefix(slot.Metadata, "/"), "metadata.json")
		}
		slices.Sort(all)
		if all = slices.Compact(all); !slices.Equal(all, root.FilesTouched) {
			histories.Fail("stored", "checkpoint %s lists %q, its sessions %q", id, root.FilesTouched, all)
		}
	}
	return out
}

func (w *walk) decode(c histories.Commit, spec string, into any) {
	o := w.real.Object(spec)
	if o.Kind != "blob" {
		histories.Fail("not-stored", "%.7s %q: no %s", c.ID, c.Subject(), spec)
	}
	if err := json.Unmarshal([]byte(o.Data), into); err != nil {
		histories.Fail("stored", "%s: %v", spec, err)
	}
}

// checkTranscripts holds a new checkpoint's conversations against the live ones. A rebase may give a commit without a
// trailer the checkpoint that was made for it long ago, when a hook first heard of it.
func (w *walk) checkTranscripts(id string, m histories.How) {
	for _, s := range w.sessions {
		if w.slots[id+s.ID] == "" {
			continue
		}
		got := w.real.Object(metadata + w.slots[id+s.ID] + "full.jsonl").Data
		live, _ := os.ReadFile(s.Path)
		if got == "" || !strings.HasPrefix(string(live), got) {
			histories.Fail("transcript", "checkpoint %s has %d bytes of %s, not a beginning of the live %d", id, len(got), s.ID, len(live))
		}
		if s.Open {
			s.open = append(s.open, id)
		} else if got != string(live) && m != histories.Copied {
			histories.Fail("transcript", "checkpoint %s has %d bytes of %s, the live one %d", id, len(got), s.ID, len(live))
		}
	}
}

// finalised checks that the turn's checkpoints have all of the turn.
func (w *walk) finalised(s *sess) {
	live, _ := os.ReadFile(s.Path)
	for _, id := range s.open {
		got := w.real.Object(metadata + w.slots[id+s.ID] + "full.jsonl").Data
		if got != string(live) {
			histories.Fail("finalise", "checkpoint %s has %d bytes of %s after its turn, the live one %d", id, len(got), s.ID, len(live))
		}
	}
	s.open = nil
}

// checkShadow: nothing is left where everything is committed.
func (w *walk) checkShadow(wt int) {
	if !w.settled(wt) {
		return
	}
	w.Stats["settled"]++
	suffix := []string{"-e3b0c4", fmt.Sprintf("-%x", sha256of(w.real.Trees[1]))[:7]}[wt]
	for _, ref := range strings.Fields(w.real.Git(0, "for-each-ref", "--format=%(refname)", "refs/heads/entire/")) {
		if strings.HasSuffix(ref, suffix) {
			histories.Fail("leftover", "worktree %d is clean and nothing waits, but %s is there", wt, ref)
		}
	}
}

// settled reports a worktree as committed, with no session at work or owing.
func (w *walk) settled(wt int) bool {
	head, now := w.headTree(wt), w.files(wt)
	for _, p := range histories.Changed(head, now) {
		if !ignored(p) {
			return false
		}
	}
	for _, s := range w.sessions {
		if s.WT != wt {
			continue
		}
		if len(s.over) > 0 && !w.on("over-left") || s.unheard && !w.on("unheard") || s.Open || len(s.left) > 0 || len(s.paths) > 0 {
			return false
		}
		for _, lines := range []map[string]bool{s.seen, s.around} { // what was thrown away may be in a step still
			for a := range lines {
				if a[0] == '+' && len(w.holders[a]) == 0 {
					return false
				}
			}
		}
		if w.inStash(s) {
			return false
		}
	}
	return true
}

// inStash reports that a stash has what may be the session's: it can come back,
// and so the session's steps are kept.
func (w *walk) inStash(s *sess) bool {
	for _, id := range strings.Fields(w.real.Git(s.WT, "log", "-g", "--format=%H", "--ignore-missing", "refs/stash")) {
		c := w.real.Commit(id)
		before := w.treeOf(w.real.Commit(c.Parents[0]).Tree)
		for i, tree := range append([]string{c.Tree}, c.Parents[2:]...) {
			if i > 0 {
				before = nil // files that were untracked
			}
			now := w.treeOf(tree)
			for _, p := range histories.Changed(before, now) {
				if a := atoms(p, before[p], now[p]); meet(a, s.did) || meet(a, s.around) {
					return true
				}
			}
		}
	}
	return false
}

func ignored(path string) bool { return strings.HasSuffix(path, ".log") }

// reachable: what an agent's turn left and no commit has must be on a ref.
func (w *walk) reachable() {
	objects := w.objects("--all")
	for _, s := range w.sessions {
		for p, f := range s.kept {
			if f.Mode != "" && !objects[blob(f)] && !s.away("left "+p, w) {
				histories.Fail("lost", "%s left %s as %q, which no ref reaches", s.ID, p, f.Text)
			}
		}
	}
}

// objects are those that some refs reach.
func (w *walk) objects(refs ...string) map[string]bool {
	objects := map[string]bool{}
	for line := range strings.Lines(w.real.Git(0, append([]string{"rev-list", "--objects"}, refs...)...)) {
		id, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		objects[id] = true
	}
	return objects
}

func blob(f histories.File) string {
	return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(f.Text), f.Text)))
}

// finish is what must hold at the end of a walk.
func (w *walk) finish() {
	w.reachable()
	for _, line := range strings.Split(strings.TrimSpace(w.twin.Git(0, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes", "refs/tags")), "\n") {
		if !strings.HasSuffix(line, "/HEAD") {
			w.pair(line, line)
		}
	}
	out := w.real.Run(histories.Command{Args: []string{"git", "fsck", "--full", "--strict", "--no-dangling", "--no-progress"}})
	if out.Code != 0 || strings.Contains(out.Out, "error") || strings.Contains(out.Out, "missing") {
		histories.Fail("fsck", "%s", out.Out)
	}
	w.states()
	w.litter()
	w.complaints()
}

// states: every state file can be read.
func (w *walk) states() {
	files, _ := filepath.Glob(filepath.Join(w.real.Dir(0), ".git", "entire-sessions", "*.json"))
	for _, path := range files {
		data, err := os.ReadFile(path)
		var state struct {
			SessionID string `json:"session_id"`
		}
		if err == nil {
			err = json.Unmarshal(data, &state)
		}
		if err != nil || state.SessionID+".json" != filepath.Base(path) {
			histories.Fail("state", "%s: %v %q", path, err, state.SessionID)
		}
	}
}

// litter: no lock, journal or temporary file is left.
func (w *walk) litter() {
	root := filepath.Join(w.real.Dir(0), ".git")
	advisory := func(rel string) bool { return strings.HasPrefix(rel, "entire") || strings.Contains(rel, "/entire/") }
	_ = filepath.WalkDir(root, func(full string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, full)
		name := filepath.Base(rel)
		if err != nil || d.IsDir() && name != "stage" {
			return nil
		}
		switch {
		case strings.HasSuffix(name, ".lock") && !advisory(rel), strings.HasPrefix(name, "tmp_"), strings.Contains(name, ".tmp"),
			name == "rewind.json", name == "stage" && d.IsDir():
			histories.Fail("litter", "%s is left", rel)
		}
		return nil
	})
}

// complaints: no hook logged an error.
func (w *walk) complaints() {
	for wt := range w.real.Trees {
		data, _ := os.ReadFile(filepath.Join(w.real.Dir(wt), ".entire", "logs", "entire.log"))
		for line := range strings.Lines(string(data)) {
			var rec struct{ Level, Msg, Err string }
			if json.Unmarshal([]byte(line), &rec) == nil && rec.Level == "ERROR" {
				histories.Fail("log", "%s", line)
			}
		}
	}
}
