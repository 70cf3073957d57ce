//go:build unix

package ingest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"entire/internal/hub/hubtest"
	"entire/internal/hub/index"
	"entire/internal/hub/ingest"
	"entire/internal/hub/rows"
	"entire/internal/hub/settings"
)

func TestMain(m *testing.M) { os.Exit(hubtest.Run(m)) }

// indexes calls test with an index in SQLite, and with one in PostgreSQL.
func indexes(t *testing.T, test func(t *testing.T, x *index.Index)) {
	t.Run("sqlite", func(t *testing.T) {
		test(t, open(t, index.Options{File: filepath.Join(t.TempDir(), "index")}))
	})
	t.Run("postgres", func(t *testing.T) { test(t, open(t, index.Options{Postgres: hubtest.Postgres(t)})) })
}

func open(t *testing.T, o index.Options) *index.Index {
	t.Helper()
	x, err := index.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Close)
	return x
}

var teams = rows.Teams{{Name: "pay", Paths: []string{"services/pay"}}, {Name: "web", Authors: []string{"@web.example"}}, settings.Team{Name: "core", Authors: []string{"@core.example"}}}

// source returns a source for a repository.
func source(t *testing.T, x *index.Index, r *hubtest.Repository, name string) *ingest.Source {
	t.Helper()
	numbers, err := x.Register(t.Context(), map[string]string{name: r.Dir})
	if err != nil {
		t.Fatal(err)
	}
	return &ingest.Source{Number: numbers[name], Name: name, URL: "file://" + r.Dir, Folder: filepath.Join(t.TempDir(), "mirror"), Environ: r.Env, Index: x, Teams: teams,
		Now: func() time.Time { return hubtest.Began }, Batch: 100}
}

func sync1(t *testing.T, s *ingest.Source) ingest.Result {
	t.Helper()
	r, err := s.Sync(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSync: the index has what the repository has, also after it grew; nothing is read twice, and the sums are right.
func TestSync(t *testing.T) {
	indexes(t, func(t *testing.T, x *index.Index) {
		r := hubtest.NewRepository(t, "one")
		r.Add(250)
		s := source(t, x, r, "one")
		if got := sync1(t, s); got.Added != 250 || got.Removed != 0 {
			t.Errorf("first: %+v", got)
		}
		if got := sync1(t, s); !got.Same {
			t.Errorf("again: %+v", got)
		}
		r.Add(30)
		if got := sync1(t, s); got.Added != 30 {
			t.Errorf("after 30 more: %+v", got)
		}
		if kept, err := x.Kept(t.Context(), s.Number); err != nil || len(kept) != 280 {
			t.Errorf("%d checkpoints, %v", len(kept), err)
		} else if k := kept[r.ID(3)]; k.Email == "" || k.AuthorAt == 0 {
			t.Errorf("no author: %+v", k)
		}
		s.Teams = nil // other rules make all rows again
		if got := sync1(t, s); got.Added != 280 {
			t.Errorf("with other teams: %+v", got)
		}
		checked(t, x)
		err := x.Read(t.Context(), index.Scope{s.Number}, func(v *index.View) error {
			for _, by := range index.LineWays() {
				var got rows.Lines
				list, err := v.Attribution(by, index.Filter{})
				for _, g := range list {
					got.AgentLines += g.AgentLines
					got.PersonLines += g.PersonLines + g.UnknownLines
				}
				if err != nil || got.AgentLines != r.AgentLines || got.PersonLines != r.OtherLines {
					t.Errorf("by %s: %+v, not %d and %d, %v", by, got, r.AgentLines, r.OtherLines, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func checked(t *testing.T, x *index.Index) {
	t.Helper()
	problems, err := x.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}

func sprint(v any) string { return fmt.Sprint(v) }
