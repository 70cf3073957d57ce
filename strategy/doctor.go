package strategy

import (
	"context"
	"fmt"
)

// Finding is something that is not as it should be.
type Finding struct {
	Kind    string        `json:"kind"`
	Subject string        `json:"subject,omitempty"`
	Why     string        `json:"why"`
	Fix     string        `json:"fix,omitempty"`  // what --fix does about it; "" if it does nothing
	Hint    string        `json:"hint,omitempty"` // what a person can do
	Note    bool          `json:"note,omitempty"` // it does no harm, and the user should know it
	Stuck   *StuckSession `json:"session,omitempty"`

	// Mend does what Fix says and returns what it did, in a few words.
	Mend func(context.Context) (string, error) `json:"-"`
}

// Progress is called with how far a long examination has come.
type Progress func(what string, done, total int)

// Examine checks everything in this repository that the engine keeps or depends on. It changes
// nothing. A part that cannot be examined is itself a finding.
func (s *ManualCommitStrategy) Examine(ctx context.Context, progress Progress) []Finding {
	var all []Finding
	for _, part := range []struct {
		name string
		look func(context.Context) ([]Finding, error)
	}{
		{"unfinished work", s.examineJournals},
		{"locks", s.examineLocks},
		{"lost objects", s.examineBroken},
		{"sessions", s.examineSessions},
		{"the metadata branch", s.examineBranch},
		{"commits", s.examineCommits},
		{"what is forgotten", s.examineForgotten},
		{"checkpoints", func(ctx context.Context) ([]Finding, error) { return s.examineCheckpoints(ctx, progress) }},
		{"refs beside the branches", s.examineRefs},
		{"teleports", s.examineTeleports},
		{"where sessions may go", s.examineDestinations},
		{"the index", s.examineIndex},
	} {
		found, err := part.look(ctx)
		if err != nil {
			found = append(found, Finding{Kind: "unreadable", Subject: part.name, Why: fmt.Sprintf("could not be examined: %v", err)})
		}
		all = append(all, found...)
		if ctx.Err() != nil {
			break
		}
	}
	return all
}
