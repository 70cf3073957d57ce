package maintain

import (
	"context"
	"fmt"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// examinedMax bounds how many commits of HEAD's history are examined.
const examinedMax = 2000

// examineBranch finds that the metadata branch is missing.
func examineBranch(ctx context.Context, s *sessionstate.Env) ([]Finding, error) {
	old, start, err := metadata.Tip(ctx, s.Repo)
	if err != nil || !old.IsZero() {
		return nil, err
	}
	if _, there, err := s.Repo.Ref(ctx, shadow.MetadataRef); err != nil || there { // its commit is lost: see examineBroken
		return nil, err
	}
	f := Finding{Kind: "metadata-branch", Subject: shadow.MetadataBranch, Why: "it does not exist: no checkpoint is stored here", Fix: "create it",
		Mend: func(ctx context.Context) (string, error) {
			if restoreTorn(ctx, s, shadow.MetadataRef) {
				return "restored from its reflog: its file was empty", nil
			}
			return "created", metadata.EnsureMetadataBranch(ctx, s.Repo)
		}}
	if !start.IsZero() {
		f.Why = "origin has it, but this repository does not"
		f.Fix = "create it from origin's"
	}
	return []Finding{f}, nil
}

// examineCommits finds commits that name a checkpoint which is not stored.
func examineCommits(ctx context.Context, s *sessionstate.Env) ([]Finding, error) {
	log, err := s.Repo.Log(ctx, "HEAD", examinedMax)
	if err != nil {
		return nil, err
	}
	var ids []id.CheckpointID
	for _, c := range log {
		ids = append(ids, trailer.ParseCheckpointTrailers(c.Message)...)
	}
	stored, err := storedOrForgotten(ctx, s, ids)
	if err != nil {
		return nil, err
	}
	waits, err := pendingCommit(ctx, s)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, c := range log {
		for _, cp := range trailer.ParseCheckpointTrailers(c.Message) {
			if !stored[cp] && c.OID.Short() != waits {
				out = append(out, Finding{Kind: "dangling-trailer", Subject: c.OID.Short(), Why: "its checkpoint " + cp.String() + " is not stored in this repository", Hint: "if it was made elsewhere: " + metadata.FetchCommand(cp)})
			}
		}
	}
	return out, nil
}

// examineCheckpoints reads and verifies every stored checkpoint.
func examineCheckpoints(ctx context.Context, s *sessionstate.Env, progress Progress) ([]Finding, error) {
	reader := records.NewReader(s.Repo)
	ids, err := reader.ListIDs(ctx)
	if err != nil {
		return nil, err
	}
	var out []Finding
	err = reader.Verify(ctx, ids, func(done int) { progress("checkpoints", done, len(ids)) }, func(cp id.CheckpointID, err error) {
		out = append(out, Finding{Kind: "checkpoint", Subject: cp.String(), Why: err.Error(), Hint: "fetch from a clone that has all of it; `entire show " + cp.String() + "` shows what there is"})
	})
	return out, err
}

// examineRefs reports the steps that were set aside, which no session and no commit has, and the
// refs of others, which stay as they are.
func examineRefs(ctx context.Context, s *sessionstate.Env) ([]Finding, error) {
	own, foreign, err := step.ListOwnRefs(ctx, s)
	if err != nil {
		return nil, err
	}
	out := setAsideFindings(ctx, s, own)
	for _, f := range foreign {
		out = append(out, Finding{Kind: "foreign-refs", Subject: f.Path, Why: f.Why, Note: true, Hint: "Entire leaves them as they are"})
	}
	return out, nil
}

// setAsideFindings reports those of our refs that keep steps which were set aside.
func setAsideFindings(ctx context.Context, s *sessionstate.Env, own []git.Ref) []Finding {
	var out []Finding
	for _, ref := range own {
		if dir, _ := step.SplitOwnRef(ref.Name); dir != "orphans" {
			continue
		}
		out = append(out, Finding{Kind: "set-aside", Subject: ref.Name, Why: describeSetAside(ctx, s, ref.OID), Note: true,
			Hint: fmt.Sprintf("`entire rewind %s` brings its files back; `entire doctor clean` removes it", ref.OID.Short())})
	}
	return out
}
