package maintain

import (
	"context"
	"fmt"

	"entire/strategy/sessionstate"
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
func Examine(ctx context.Context, s *sessionstate.Env, progress Progress) []Finding {
	var all []Finding
	for _, part := range []struct {
		name string
		look func(context.Context) ([]Finding, error)
	}{
		{"unfinished work", func(ctx context.Context) ([]Finding, error) { return examineJournals(ctx, s) }},
		{"locks", func(ctx context.Context) ([]Finding, error) { return examineLocks(ctx, s) }},
		{"lost objects", func(ctx context.Context) ([]Finding, error) { return examineBroken(ctx, s) }},
		{"sessions", func(ctx context.Context) ([]Finding, error) { return examineSessions(ctx, s) }},
		{"the metadata branch", func(ctx context.Context) ([]Finding, error) { return examineBranch(ctx, s) }},
		{"commits", func(ctx context.Context) ([]Finding, error) { return examineCommits(ctx, s) }},
		{"what is forgotten", func(ctx context.Context) ([]Finding, error) { return ExamineForgotten(ctx, s) }},
		{"checkpoints", func(ctx context.Context) ([]Finding, error) { return examineCheckpoints(ctx, s, progress) }},
		{"epochs", func(ctx context.Context) ([]Finding, error) { return examineEpochs(ctx, s) }},
		{"refs beside the branches", func(ctx context.Context) ([]Finding, error) { return examineRefs(ctx, s) }},
		{"teleports", func(ctx context.Context) ([]Finding, error) { return examineTeleports(ctx, s) }},
		{"where sessions may go", func(a0 context.Context) ([]Finding, error) { return examineDestinations(a0, s) }},
		{"the index", func(ctx context.Context) ([]Finding, error) { return examineIndex(ctx, s) }},
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
