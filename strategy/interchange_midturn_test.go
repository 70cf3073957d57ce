package strategy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire/checkpoint"
)

// otherOffers is whether the other tool's prepare-commit-msg puts a trailer into the
// message, by its own rules: without a terminal wherever a session is in a turn, with
// one where a session has something new.
func (w *world) otherOffers(sid string, tty bool, staged ...string) bool {
	w.t.Helper()
	st := w.otherStateOf(sid)
	if !tty && st.Phase == "active" {
		return true
	}
	ref := "refs/heads/" + strings.TrimPrefix(checkpoint.ShadowRef(st.BaseCommit, st.WorktreeID), "refs/heads/")
	if _, err := w.TryGit("rev-parse", "--verify", "-q", ref); err != nil {
		return w.otherSeesLive(st, staged)
	}
	if text, err := w.TryGit("show", ref+":.entire/metadata/"+sid+"/full.jsonl"); err == nil {
		return strings.Count(strings.TrimRight(text, "\n"), "\n")+1 > st.Start
	}
	if len(st.FilesTouched) == 0 {
		return w.otherSeesLive(st, staged)
	}
	return slices.ContainsFunc(staged, func(path string) bool {
		if !slices.Contains(st.FilesTouched, path) {
			return false
		}
		_, err := w.TryGit("cat-file", "-e", "HEAD:"+path)
		shadow, _ := w.TryGit("rev-parse", ref+":"+path)
		return err == nil || shadow == w.Git("rev-parse", ":"+path)
	})
}

// otherCondenses is whether its post-commit stores a checkpoint for a commit in the turn.
func (w *world) otherCondenses(sid string, committed ...string) bool {
	w.t.Helper()
	st := w.otherStateOf(sid)
	return st.CheckpointCount > 0 || len(st.FilesTouched) > 0 || w.otherSeesLive(st, committed)
}

type otherTurn struct {
	otherState
	Start int `json:"checkpoint_transcript_start"`
}

func (w *world) otherStateOf(sid string) otherTurn {
	w.t.Helper()
	var st otherTurn
	if err := json.Unmarshal([]byte(readFile(w.t, w.GitPath("entire-sessions/"+sid+".json"))), &st); err != nil {
		w.t.Fatal(err)
	}
	return st
}

// otherSeesLive looks in the live transcript for edits of paths since the last checkpoint.
func (w *world) otherSeesLive(st otherTurn, paths []string) bool {
	w.t.Helper()
	data, err := os.ReadFile(st.TranscriptPath)
	if err != nil {
		w.t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	for _, line := range lines[min(st.Start, len(lines)):] {
		for _, path := range paths {
			if strings.Contains(line, `"tool_use"`) && strings.Contains(line, `"file_path":"`+filepath.Join(st.WorktreePath, path)+`"`) {
				return true
			}
		}
	}
	return false
}

// A turn makes two commits: the first through our hooks, the second through those of
// another version, which gives it a trailer and a checkpoint.
func TestOtherToolCommitsNextInTheTurn(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		before func(w *world)
		first  func(w *world) // what the agent does before the first commit, beside a.txt
		second func(w *world) // and between the two, beside staging b.txt
		apart  bool           // with a terminal that tool asks about the files of carried work alone
	}{
		{name: "written after the first commit", second: func(w *world) { w.Write("b.txt", "b\n"); w.edits("s1", "b.txt") }},
		{name: "written before the first commit", first: func(w *world) { w.Write("b.txt", "b\n"); w.edits("s1", "b.txt") }},
		{name: "on top of an earlier turn's work",
			before: func(w *world) {
				w.turn("s1", "Write c", func() { w.Write("c.txt", "c\n"); w.edits("s1", "c.txt") })
			},
			second: func(w *world) { w.Write("b.txt", "b\n"); w.edits("s1", "b.txt") }, apart: true},
		{name: "beside another session's work",
			before: func(w *world) {
				w.turn("s2", "Write c", func() { w.Write("c.txt", "c\n"); w.edits("s2", "c.txt") })
				w.turn("s1", "Write d", func() { w.Write("d.txt", "d\n"); w.edits("s1", "d.txt") })
			},
			second: func(w *world) { w.Write("b.txt", "b\n"); w.edits("s1", "b.txt") }, apart: true},
		{name: "beside a person's work",
			before: func(w *world) { w.Write("p.txt", "p\n") },
			second: func(w *world) { w.Write("b.txt", "b\n"); w.edits("s1", "b.txt") }},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if row.before != nil {
				row.before(w)
			}
			w.prompt("s1", "Write a and b")
			w.Write("a.txt", "a\n")
			w.edits("s1", "a.txt")
			if row.first != nil {
				row.first(w)
			}
			w.Git("add", "a.txt")
			if cp := w.commit("a"); cp == "" {
				t.Fatal("our commit is not linked")
			}
			if row.second != nil {
				row.second(w)
			}
			w.Git("add", "b.txt")
			for _, tty := range []bool{false, true} {
				if tty && row.apart {
					continue
				}
				if !w.otherOffers("s1", tty, "b.txt") {
					t.Errorf("with a terminal %v: no trailer; state %+v", tty, w.otherStateOf("s1"))
				}
			}
			if !w.otherCondenses("s1", "b.txt") {
				t.Errorf("no checkpoint; state %+v", w.otherStateOf("s1"))
			}
		})
	}
}
