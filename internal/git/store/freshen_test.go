package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"entire/internal/git/object"
	"entire/internal/testrepo"
)

// age makes every object of the repository a month old.
func age(t *testing.T, objects string) {
	t.Helper()
	then := time.Now().Add(-30 * 24 * time.Hour)
	err := filepath.WalkDir(objects, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		return os.Chtimes(path, then, then)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What a deleted branch of ours held is not a candidate for the prune that is
// under way: a tree in it may be the one the user is staging.
func TestDroppedStepsAreFresh(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, ref string
		packed    bool
		lost      bool
	}{
		{"loose", "refs/heads/entire/1234567-e3b0c4", false, false},
		{"packed", "refs/heads/entire/1234567-e3b0c4", true, false},
		{"set aside", "refs/entire/orphans/x", false, false},
		{"somebody else's", "refs/heads/feature", false, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			tr := testrepo.New(t)
			r := open(t, tr)
			w := r.Writer()
			var tip object.OID
			var trees []object.OID
			for _, text := range []string{"one", "two"} { // two steps: both must stay
				blob := must[object.OID](t)(w.Blob([]byte(text)))
				tree := must[object.OID](t)(r.EditTree(t.Context(), object.OID{}, []Edit{{Path: "dir/f", Mode: object.ModeFile, OID: blob}}))
				c := object.Commit{Tree: tree, Author: tester, Committer: tester, Message: "step"}
				if !tip.IsZero() {
					c.Parents = []object.OID{tip}
				}
				tip = must[object.OID](t)(w.Commit(c))
				trees = append(trees, tree)
			}
			ok(t, r.UpdateRefs(t.Context(), []RefUpdate{{Name: row.ref, New: tip}}))
			if row.packed {
				tr.Git("gc", "-q")
			}
			age(t, r.objects)
			ok(t, open(t, tr).UpdateRefs(t.Context(), []RefUpdate{{Name: row.ref, Old: tip}})) // a later process
			if row.packed {
				tr.Git("-c", "gc.pruneExpire=2.weeks.ago", "gc", "-q")
			}
			tr.Git("prune", "--expire=2.weeks.ago")
			for _, tree := range trees {
				_, err := tr.TryGit("ls-tree", "-r", tree.String())
				if (err != nil) != row.lost {
					t.Errorf("tree %s: %v", tree.Short(), err)
				}
			}
		})
	}
}

// What the deletion of a shadow branch costs more than without freshening.
func BenchmarkFreshenDropped(b *testing.B) {
	tr := testrepo.New(b)
	r := open(b, tr)
	tip := must[object.OID](b)(object.ParseOID(tr.Head()))
	drop := []RefUpdate{{Name: "refs/heads/entire/1234567-e3b0c4", Old: tip}}
	for b.Loop() {
		r.freshenDropped(b.Context(), drop)
	}
}
