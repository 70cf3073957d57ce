package link_test

import (
	"slices"
	"strings"
	"testing"

	"entire/strategy/internal/enginetest"
)

// A ULID whose checkpoint is not here, and an ID of a form that nobody knows.
const foreignID, unknownID = "01JD6Q8ZV3K5N7P9R2T4W6Y8A0", "v9:01jd6q8z/k5.1"

// TestForeignTrailersStay: a checkpoint that another version has made goes along with its
// commit, where a message is given anew too, in a place where git finds it.
func TestForeignTrailersStay(t *testing.T) {
	t.Parallel()
	trailersStay(t, "ULID", foreignID)
	trailersStay(t, "unknown form", unknownID)
}

func trailersStay(t *testing.T, form, foreignID string) {
	for _, tc := range []struct {
		name string
		ours bool // new work of a session of ours is in the new commit
		git  func(w *enginetest.World)
	}{
		{"amend -m", false, func(w *enginetest.World) { w.Git("commit", "-q", "--amend", "-m", "better") }},
		{"amend --no-edit", false, func(w *enginetest.World) { w.Git("commit", "-q", "--amend", "--no-edit") }},
		{"amend with our work", true, func(w *enginetest.World) {
			w.Turn("s1", "write", func() { w.Writes("s1", "e1", "mine.txt", "our agent\nwrote this\n") })
			w.Git("add", "-A")
			w.Git("commit", "-q", "--amend", "-m", "both")
		}},
		{"merge --squash", false, func(w *enginetest.World) {
			w.Git("checkout", "-q", "other")
			w.Git("merge", "-q", "--squash", "main")
			w.Git("commit", "-q", "-m", "squashed")
		}},
		{"rebase", false, func(w *enginetest.World) { w.Git("rebase", "-q", "other") }},
		{"rebase --autosquash", false, func(w *enginetest.World) {
			w.Write("more.txt", "a person\n")
			w.Git("add", "-A")
			w.Git("commit", "-q", "--fixup", "HEAD")
			w.Setenv("GIT_SEQUENCE_EDITOR", "true")
			w.Git("rebase", "-q", "-i", "--autosquash", "HEAD~2")
		}},
		{"rebase -i squash", false, func(w *enginetest.World) {
			w.Write("more.txt", "a person\n")
			w.Git("add", "-A")
			w.Git("commit", "-q", "-m", "on top")
			w.Setenv("GIT_SEQUENCE_EDITOR", "sed -i.bak '2s/^pick/squash/'")
			w.Setenv("GIT_EDITOR", "true")
			w.Git("rebase", "-q", "-i", "HEAD~2")
		}},
	} {
		t.Run(form+" "+tc.name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
			w.Turn("s0", "hello", func() {})
			w.Git("checkout", "-q", "-b", "other")
			w.Write("o.txt", "other\n")
			w.Git("add", "-A")
			w.Git("commit", "-q", "-m", "other")
			w.Git("checkout", "-q", "main")
			w.Write("new.txt", "another agent\n")
			w.Git("add", "-A")
			w.Git("commit", "-q", "-m", "theirs", "-m", "Entire-Checkpoint: "+foreignID)
			tc.git(w)
			w.HooksWentWell()
			got := strings.Fields(w.Trailer("HEAD"))
			if !slices.Contains(got, foreignID) || len(got) > 1 != tc.ours {
				t.Errorf("trailers: %v\n%s", got, w.Git("log", "-1", "--format=%B"))
			}
			if tc.ours && !slices.ContainsFunc(got, func(cp string) bool { return len(cp) == 12 }) {
				t.Errorf("our own is missing: %v", got)
			}
		})
	}
}

// TestForeignTrailerAloneIsNoMessage: as with ours, git still gives up on it.
func TestForeignTrailerAloneIsNoMessage(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s0", "hello", func() {})
	w.Write("new.txt", "another agent\n")
	w.Git("add", "-A")
	w.Git("commit", "-q", "-m", "theirs", "-m", "Entire-Checkpoint: "+foreignID)
	w.Setenv("GIT_EDITOR", "sed -i.bak '/^theirs/d'")
	if out, err := w.TryGit("commit", "--amend"); err == nil {
		t.Errorf("committed: %s\n%s", out, w.Git("log", "-1", "--format=%B"))
	}
}
