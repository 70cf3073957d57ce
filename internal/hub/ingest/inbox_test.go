//go:build unix

package ingest_test

import (
	"path/filepath"
	"strings"
	"testing"

	"entire/checkpoint/merge"
	"entire/checkpoint/metadata"
	"entire/checkpoint/tombstone"
	"entire/id"
	"entire/internal/git"
	"entire/internal/hub/hubtest"
	"entire/internal/hub/index"
)

const metadataRef = "refs/heads/entire/checkpoints/v1"

// leave moves what the branch has gained since a commit into a ref of the inbox, as a push does that comes too late.
func leave(r *hubtest.Repository, name, since string) (tip string) {
	tip = strings.TrimSpace(r.Git("-C", r.Dir, "rev-parse", metadataRef))
	r.Git("-C", r.Dir, "update-ref", "refs/entire/inbox/"+strings.Repeat(name, 32), tip)
	r.Git("-C", r.Dir, "update-ref", metadataRef, since)
	return tip
}

func tipOf(r *hubtest.Repository) string {
	return strings.TrimSpace(r.Git("-C", r.Dir, "rev-parse", metadataRef))
}

// TestInbox: what pushes have left in the inbox is in the index at once, and merging it changes no row.
func TestInbox(t *testing.T) {
	indexes(t, func(t *testing.T, x *index.Index) {
		r := hubtest.NewRepository(t, "one")
		s := source(t, x, r, "one")
		r.Add(20)
		since := tipOf(r)
		r.Add(10)
		first := leave(r, "a", since)
		r.Add(5) // somebody else was faster
		sync1(t, s)
		whole := func(what string) {
			t.Helper()
			kept, err := x.Kept(t.Context(), s.Number)
			if err != nil || len(kept) != r.Count() {
				t.Errorf("%s: %d checkpoints, %v", what, len(kept), err)
			}
			for i := range r.Count() {
				if k := kept[r.ID(i)]; !strings.HasPrefix(k.Author, "Dev ") {
					t.Errorf("%s: checkpoint %d is by %q", what, i, k.Author)
				}
			}
			checked(t, x)
		}
		whole("left")
		other := tipOf(r) // a second push of the same clone comes too late, too
		r.Git("-C", r.Dir, "update-ref", metadataRef, first)
		r.Add(3)
		leave(r, "b", other)
		sync1(t, s)
		whole("left twice")
		before := dumped(t, x)
		repo := opened(t, r)
		for _, name := range []string{"a", "b"} {
			ref := "refs/entire/inbox/" + strings.Repeat(name, 32)
			tip, err := git.ParseOID(strings.TrimSpace(r.Git("-C", r.Dir, "rev-parse", ref)))
			if err == nil {
				_, err = merge.Merge(t.Context(), repo, tip)
			}
			if err != nil {
				t.Fatal(err)
			}
			r.Git("-C", r.Dir, "update-ref", "-d", ref)
		}
		if got := sync1(t, s); got.Added != 0 || got.Removed != 0 {
			t.Errorf("after merging: %+v", got)
		}
		whole("merged")
		if after := dumped(t, x); after != before {
			t.Errorf("after merging:\n%s\nbefore:\n%s", after, before)
		}
	})
}

// TestInboxForgets: a tombstone that a push has left in the inbox counts.
func TestInboxForgets(t *testing.T) {
	x := open(t, index.Options{File: filepath.Join(t.TempDir(), "index")})
	r := hubtest.NewRepository(t, "one")
	r.Add(10)
	s := source(t, x, r, "one")
	sync1(t, s)
	since := tipOf(r)
	if _, _, err := tombstone.Forget(t.Context(), opened(t, r), tombstone.Forgetting{IDs: []id.CheckpointID{id.MustCheckpointID(r.ID(3))}, Reason: "a name", When: hubtest.Began}); err != nil {
		t.Fatal(err)
	}
	leave(r, "c", since)
	if got := sync1(t, s); got.Removed != 1 {
		t.Errorf("%+v", got)
	}
	_ = x.Read(t.Context(), index.Scope{s.Number}, func(v *index.View) error {
		if list, err := v.Forgotten(s.Number); err != nil || len(list) != 1 || list[0].Checkpoint != r.ID(3) || list[0].Reason != "a name" {
			t.Errorf("%+v, %v", list, err)
		}
		return nil
	})
}

// TestOwnRefs: checkpoints in refs of their own, as other programs write them, are in the index beside those of the branch.
func TestOwnRefs(t *testing.T) {
	x := open(t, index.Options{File: filepath.Join(t.TempDir(), "index")})
	r := hubtest.NewRepository(t, "one")
	r.Add(12)
	s := source(t, x, r, "one")
	sync1(t, s)
	before := dumped(t, x)
	for i := range 12 { // each into a ref, with the commit that has its folder as the root
		cp := id.MustCheckpointID(r.ID(i))
		tree := strings.TrimSpace(r.Git("-C", r.Dir, "rev-parse", metadataRef+":"+cp.Path()))
		at := strings.TrimSpace(r.Git("-C", r.Dir, "log", "--format=%H", "--grep=Checkpoint: "+cp.String(), metadataRef))
		who := strings.Split(r.Git("-C", r.Dir, "show", "-s", "--format=%an%n%ae%n%at", at), "\n")
		was := r.Env
		r.Env = append(r.Env[:len(r.Env):len(r.Env)], "GIT_AUTHOR_NAME="+who[0], "GIT_AUTHOR_EMAIL="+who[1], "GIT_AUTHOR_DATE="+who[2]+" +0000")
		commit := strings.TrimSpace(r.Git("-C", r.Dir, "commit-tree", "-m", "Checkpoint: "+cp.String(), tree))
		r.Env = was
		r.Git("-C", r.Dir, "update-ref", metadata.CheckpointRef(cp), commit)
	}
	r.Git("-C", r.Dir, "update-ref", "-d", metadataRef)
	if got := sync1(t, s); got.Added != 0 || got.Removed != 0 {
		t.Errorf("after moving: %+v", got)
	}
	y := open(t, index.Options{File: filepath.Join(t.TempDir(), "index")})
	s2 := source(t, y, r, "one")
	sync1(t, s2)
	if after := dumped(t, y); after != before {
		t.Errorf("from refs:\n%s\nfrom the branch:\n%s", after, before)
	}
}
