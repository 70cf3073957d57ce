package records_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"entire/checkpoint/internal/checkpointtest"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/internal/testrepo"
)

func TestWriteSummary(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := checkpointtest.Open(t, r)
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "one", "{}\n"), checkpointtest.SessionRecord(t, repo, "two", "{}\n")))
	up := metadata.SummaryUpdate{ID: checkpointtest.CpA, Session: "one", Author: checkpointtest.Maker, Summary: &metadata.Summary{
		Intent: "i", Outcome: "o", Friction: []string{}, OpenItems: []string{},
		Learnings: metadata.LearningsSummary{Repo: []string{}, Code: []metadata.CodeLearning{}, Workflow: []string{}},
	}}
	before := r.Git("rev-parse", shadow.MetadataBranch+":a3/b2c4d5e6f7/1", shadow.MetadataBranch+":a3/b2c4d5e6f7/metadata.json", shadow.MetadataBranch+":a3/b2c4d5e6f7/0/full.jsonl")
	if err := metadata.WriteSummary(t.Context(), repo, up); err != nil {
		t.Fatal(err)
	}
	after := r.Git("rev-parse", shadow.MetadataBranch+":a3/b2c4d5e6f7/1", shadow.MetadataBranch+":a3/b2c4d5e6f7/metadata.json", shadow.MetadataBranch+":a3/b2c4d5e6f7/0/full.jsonl")
	if before != after {
		t.Error("something beside the session's metadata was written")
	}
	if got := r.Git("show", shadow.MetadataBranch+":a3/b2c4d5e6f7/0/metadata.json"); strings.Contains(got, "null") || !strings.Contains(got, `"intent": "i"`) {
		t.Errorf("metadata %s", got)
	}

	for _, tc := range []struct {
		name string
		up   metadata.SummaryUpdate
		want error
	}{
		{"there is one", up, metadata.ErrSummaryExists},
		{"no such session", metadata.SummaryUpdate{ID: checkpointtest.CpA, Session: "three", Summary: &metadata.Summary{}}, metadata.ErrSessionNotFound},
		{"no such checkpoint", metadata.SummaryUpdate{ID: checkpointtest.CpB, Summary: &metadata.Summary{}}, metadata.ErrCheckpointNotFound},
		{"replaced", metadata.SummaryUpdate{ID: checkpointtest.CpA, Session: "one", Summary: &metadata.Summary{Intent: "new"}, Replace: true}, nil},
		{"the latest", metadata.SummaryUpdate{ID: checkpointtest.CpA, Summary: &metadata.Summary{Intent: "two"}}, nil},
	} {
		tip := r.Git("rev-parse", shadow.MetadataBranch)
		err := metadata.WriteSummary(t.Context(), repo, tc.up)
		if !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
		if moved := tip != r.Git("rev-parse", shadow.MetadataBranch); moved != (tc.want == nil) {
			t.Errorf("%s: the branch moved: %v", tc.name, moved)
		}
	}
	c, err := records.NewReader(repo).Read(t.Context(), checkpointtest.CpA)
	if err != nil || c.Sessions[0].Metadata.Summary.Intent != "new" || c.Sessions[1].Metadata.Summary.Intent != "two" {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestSummariesOfManyAtOnce: of many that would not replace, one wins, and no
// other write is lost.
func TestSummariesOfManyAtOnce(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	checkpointtest.Write(t, checkpointtest.Open(t, r), checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, checkpointtest.Open(t, r), "one", "{}\n")))
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
			err = metadata.WriteSummary(t.Context(), repo, metadata.SummaryUpdate{ID: checkpointtest.CpA, Summary: &metadata.Summary{Intent: "i"}})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won++
			} else if !errors.Is(err, metadata.ErrSummaryExists) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won != 1 {
		t.Errorf("%d summaries were written", won)
	}
}
