package checkpoint

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"entire/internal/git"
	"entire/internal/testrepo"
)

func TestWriteSummary(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := open(t, r)
	write(t, repo, record(cpA, sessionRecord(t, repo, "one", "{}\n"), sessionRecord(t, repo, "two", "{}\n")))
	up := SummaryUpdate{ID: cpA, Session: "one", Author: maker, Summary: &Summary{
		Intent: "i", Outcome: "o", Friction: []string{}, OpenItems: []string{},
		Learnings: LearningsSummary{Repo: []string{}, Code: []CodeLearning{}, Workflow: []string{}},
	}}
	before := r.Git("rev-parse", MetadataBranch+":a3/b2c4d5e6f7/1", MetadataBranch+":a3/b2c4d5e6f7/metadata.json", MetadataBranch+":a3/b2c4d5e6f7/0/full.jsonl")
	if err := WriteSummary(t.Context(), repo, up); err != nil {
		t.Fatal(err)
	}
	after := r.Git("rev-parse", MetadataBranch+":a3/b2c4d5e6f7/1", MetadataBranch+":a3/b2c4d5e6f7/metadata.json", MetadataBranch+":a3/b2c4d5e6f7/0/full.jsonl")
	if before != after {
		t.Error("something beside the session's metadata was written")
	}
	if got := r.Git("show", MetadataBranch+":a3/b2c4d5e6f7/0/metadata.json"); strings.Contains(got, "null") || !strings.Contains(got, `"intent": "i"`) {
		t.Errorf("metadata %s", got)
	}

	for _, tc := range []struct {
		name string
		up   SummaryUpdate
		want error
	}{
		{"there is one", up, ErrSummaryExists},
		{"no such session", SummaryUpdate{ID: cpA, Session: "three", Summary: &Summary{}}, ErrSessionNotFound},
		{"no such checkpoint", SummaryUpdate{ID: cpB, Summary: &Summary{}}, ErrCheckpointNotFound},
		{"replaced", SummaryUpdate{ID: cpA, Session: "one", Summary: &Summary{Intent: "new"}, Replace: true}, nil},
		{"the latest", SummaryUpdate{ID: cpA, Summary: &Summary{Intent: "two"}}, nil},
	} {
		tip := r.Git("rev-parse", MetadataBranch)
		err := WriteSummary(t.Context(), repo, tc.up)
		if !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
		if moved := tip != r.Git("rev-parse", MetadataBranch); moved != (tc.want == nil) {
			t.Errorf("%s: the branch moved: %v", tc.name, moved)
		}
	}
	c, err := NewRecords(repo).Read(t.Context(), cpA)
	if err != nil || c.Sessions[0].Metadata.Summary.Intent != "new" || c.Sessions[1].Metadata.Summary.Intent != "two" {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestSummariesOfManyAtOnce: of many that would not replace, one wins, and no
// other write is lost.
func TestSummariesOfManyAtOnce(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	write(t, open(t, r), record(cpA, sessionRecord(t, open(t, r), "one", "{}\n")))
	var mu sync.Mutex
	var all sync.WaitGroup
	won := 0
	for range 6 {
		all.Go(func() {
			repo, err := git.Discover(context.WithoutCancel(t.Context()), r.Dir, r.Env)
			if err != nil {
				t.Error(err)
				return
			}
			defer repo.Close()
			err = WriteSummary(t.Context(), repo, SummaryUpdate{ID: cpA, Summary: &Summary{Intent: "i"}})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won++
			} else if !errors.Is(err, ErrSummaryExists) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won != 1 {
		t.Errorf("%d summaries were written", won)
	}
}
