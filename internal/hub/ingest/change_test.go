//go:build unix

package ingest_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"entire/checkpoint/records"
	"entire/checkpoint/sealing"
	"entire/checkpoint/tombstone"
	"entire/id"
	"entire/internal/git"
	"entire/internal/hub/hubtest"
	"entire/internal/hub/index"
	"entire/internal/hub/ingest"
)

// opened opens the server's repository, as somebody who can write there.
func opened(t *testing.T, r *hubtest.Repository) *git.Repo {
	t.Helper()
	repo, err := git.Discover(t.Context(), r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	return repo
}

// TestForget: the rows of a forgotten checkpoint are gone after the next reading, and so are its objects in the mirror.
func TestForget(t *testing.T) {
	indexes(t, func(t *testing.T, x *index.Index) {
		r := hubtest.NewRepository(t, "one")
		r.Add(30)
		s := source(t, x, r, "one")
		sync1(t, s)
		gone := r.ID(7)
		prompt := strings.TrimSpace(r.Git("-C", r.Dir, "rev-parse", "refs/heads/entire/checkpoints/v1:"+gone[:2]+"/"+gone[2:]+"/0/prompt.txt"))
		inMirror := func() bool {
			cmd := exec.Command("git", "-C", s.Folder, "cat-file", "-e", prompt)
			cmd.Env = r.Env
			return cmd.Run() == nil
		}
		if !inMirror() {
			t.Error("the mirror never had the prompt")
		}
		repo := opened(t, r)
		if _, _, err := tombstone.Forget(t.Context(), repo, tombstone.Forgetting{IDs: []id.CheckpointID{id.MustCheckpointID(gone)}, Reason: "a customer's name", When: hubtest.Began}); err != nil {
			t.Fatal(err)
		}
		if got := sync1(t, s); got.Removed != 1 {
			t.Errorf("%+v", got)
		}
		if kept, err := x.Kept(t.Context(), s.Number); err != nil || len(kept) != 29 || kept[gone].Tree != "" {
			t.Errorf("%d checkpoints, %v", len(kept), err)
		}
		if inMirror() {
			t.Error("the mirror still has the prompt")
		}
		_ = x.Read(t.Context(), index.Scope{s.Number}, func(v *index.View) error {
			if list, err := v.Forgotten(s.Number); err != nil || len(list) != 1 || list[0].Checkpoint != gone || list[0].Reason != "a customer's name" {
				t.Errorf("%+v, %v", list, err)
			}
			return nil
		})
		checked(t, x)
	})
}

// TestSealed: sealing months changes no row, and an index that is made of the sealed repository is the same.
func TestSealed(t *testing.T) {
	r := hubtest.NewRepository(t, "one")
	r.Add(40)
	x := open(t, index.Options{File: filepath.Join(t.TempDir(), "index")})
	s := source(t, x, r, "one")
	sync1(t, s)
	before := dumped(t, x)
	repo := opened(t, r)
	plan, err := sealing.Find(t.Context(), repo, hubtest.Began.AddDate(0, 2, 0), nil)
	if err == nil {
		_, err = sealing.Seal(t.Context(), repo, plan)
	}
	if err != nil {
		t.Fatal(err)
	}
	if out := r.Git("-C", r.Dir, "for-each-ref", "refs/entire/epochs/"); out == "" {
		t.Fatal("nothing was sealed")
	}
	if got := sync1(t, s); got.Removed != 0 || got.Added != 0 {
		t.Errorf("after sealing: %+v", got)
	}
	if after := dumped(t, x); after != before {
		t.Errorf("after sealing:\n%s\nbefore:\n%s", after, before)
	}
	y := open(t, index.Options{File: filepath.Join(t.TempDir(), "index")})
	s2 := source(t, y, r, "one")
	sync1(t, s2)
	if after := dumped(t, y); after != before {
		t.Errorf("made again:\n%s\nbefore:\n%s", after, before)
	}
}

// dumped returns the rows of all tables, without when things happened to them.
func dumped(t *testing.T, x *index.Index) string {
	t.Helper()
	var b strings.Builder
	var columns []index.Column
	err := x.Dump(t.Context(), func(table string) error {
		columns = index.Columns(table)
		b.WriteString(table + "\n")
		return nil
	}, func(values []any) error {
		for i, v := range values {
			if name := columns[i].Name; name == "author_at" || name == "indexed_at" || name == "checked_at" || name == "url" {
				continue
			}
			b.WriteString(" " + columns[i].Name + "=" + strings.ReplaceAll(strings.TrimSpace(sprint(v)), "\n", " "))
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestReplicas: many readers of one repository at once count nothing twice.
func TestReplicas(t *testing.T) {
	address := hubtest.Postgres(t)
	r := hubtest.NewRepository(t, "one")
	r.Add(120)
	var all sync.WaitGroup
	for range 4 {
		x := open(t, index.Options{Postgres: address})
		s := source(t, x, r, "one")
		s.Batch = 10
		all.Go(func() {
			for range 5 {
				if _, err := s.Sync(t.Context()); err != nil && !errors.Is(err, ingest.ErrBusy) {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	x := open(t, index.Options{Postgres: address})
	s := source(t, x, r, "one")
	sync1(t, s)
	if kept, err := x.Kept(t.Context(), s.Number); err != nil || len(kept) != 120 {
		t.Errorf("%d checkpoints, %v", len(kept), err)
	}
	checked(t, x)
}

// TestStaleGeneration: a change that is based on an older state of the index is refused whole.
func TestStaleGeneration(t *testing.T) {
	indexes(t, func(t *testing.T, x *index.Index) {
		r := hubtest.NewRepository(t, "one")
		r.Add(5)
		s := source(t, x, r, "one")
		sync1(t, s)
		if _, err := x.Apply(t.Context(), s.Number, 0, index.Change{Remove: []string{r.ID(1)}}); !errors.Is(err, index.ErrMoved) {
			t.Errorf("%v", err)
		}
		if kept, err := x.Kept(t.Context(), s.Number); err != nil || len(kept) != 5 {
			t.Errorf("%d checkpoints, %v", len(kept), err)
		}
	})
}

// TestFailing: a repository that cannot be read is named with the reason, without the password, and keeps its rows.
func TestFailing(t *testing.T) {
	x := open(t, index.Options{File: filepath.Join(t.TempDir(), "index")})
	r := hubtest.NewRepository(t, "one")
	r.Add(5)
	s := source(t, x, r, "one")
	sync1(t, s)
	if err := os.Rename(r.Dir, r.Dir+".away"); err != nil {
		t.Fatal(err)
	}
	s.User, s.Password = "hub", "hunter2hunter2"
	if _, err := s.Sync(t.Context()); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
	if kept, err := x.Repository(t.Context(), s.Number); err != nil || !strings.Contains(kept.Problem, "one") {
		t.Errorf("%+v, %v", kept, err)
	}
	if kept, err := x.Kept(t.Context(), s.Number); err != nil || len(kept) != 5 {
		t.Errorf("%d checkpoints, %v", len(kept), err)
	}
}

// TestDamagedMirror: a lock that a killed git left in the mirror, or a broken file, keeps nothing from being read.
func TestDamagedMirror(t *testing.T) {
	x := open(t, index.Options{File: filepath.Join(t.TempDir(), "index")})
	r := hubtest.NewRepository(t, "one")
	r.Add(5)
	s := source(t, x, r, "one")
	sync1(t, s)
	ref := filepath.Join(s.Folder, ".git", "refs", "heads", "entire", "checkpoints", "v1")
	for i, damage := range []func() error{
		func() error { return os.WriteFile(ref+".lock", nil, 0o600) },
		func() error { return os.WriteFile(ref, []byte("garbage"), 0o600) },
		func() error { return os.RemoveAll(filepath.Join(s.Folder, ".git", "objects", "pack")) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		r.Add(3)
		if _, err := s.Sync(t.Context()); err != nil {
			if _, err = s.Sync(t.Context()); err != nil {
				t.Errorf("damage %d: %v", i, err)
			}
		}
		if kept, err := x.Kept(t.Context(), s.Number); err != nil || len(kept) != r.Count() {
			t.Errorf("damage %d: %d checkpoints, %v", i, len(kept), err)
		}
	}
}

// TestManyFetches: a mirror that is fetched again and again has few packs, and is whole.
func TestManyFetches(t *testing.T) {
	x := open(t, index.Options{File: filepath.Join(t.TempDir(), "index")})
	r := hubtest.NewRepository(t, "one")
	s := source(t, x, r, "one")
	most := 0
	for range 30 {
		r.Add(4)
		sync1(t, s)
		packs, err := filepath.Glob(filepath.Join(s.Folder, ".git", "objects", "pack", "*.pack"))
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, len(packs))
	}
	if most > 22 {
		t.Errorf("it had %d packs", most)
	}
	before := dumped(t, x)
	y := open(t, index.Options{File: filepath.Join(t.TempDir(), "index")})
	again := source(t, y, r, "one")
	again.Folder = s.Folder
	sync1(t, again)
	if after := dumped(t, y); after != before {
		t.Errorf("from the mirror:\n%s\nbefore:\n%s", after, before)
	}
	checked(t, x)
}

// TestForgetPerson: when all checkpoints of a person are forgotten, no row and no commit of the mirror has their address.
func TestForgetPerson(t *testing.T) {
	indexes(t, func(t *testing.T, x *index.Index) {
		r := hubtest.NewRepository(t, "one")
		r.Add(150)
		s := source(t, x, r, "one")
		sync1(t, s)
		repo := opened(t, r)
		const address = "dev1@web.example"
		ids, absent, err := records.NewReader(repo).ByAuthor(t.Context(), address)
		if err != nil || len(absent) > 0 || len(ids) == 0 {
			t.Fatalf("%v %v %v", ids, absent, err)
		}
		if !strings.Contains(dumped(t, x), address) {
			t.Error("the index never had the address")
		}
		if _, _, err := tombstone.Forget(t.Context(), repo, tombstone.Forgetting{IDs: ids, When: hubtest.Began, Author: git.Signature{Name: "Root", Email: "root@example.com", When: hubtest.Began}}); err != nil {
			t.Fatal(err)
		}
		if got := sync1(t, s); got.Removed != len(ids) || got.Added != 0 {
			t.Errorf("%d forgotten: %+v", len(ids), got)
		}
		if strings.Contains(dumped(t, x), address) {
			t.Error("a row has the address")
		}
		cmd := exec.Command("git", "-C", s.Folder, "log", "--all", "--format=%ae%ce")
		cmd.Env = r.Env
		if out, err := cmd.Output(); err != nil || len(out) == 0 || strings.Contains(string(out), address) {
			t.Errorf("a commit of the mirror has the address, %v", err)
		}
		checked(t, x)
	})
}
