package strategy

import (
	"context"
	"fmt"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
)

// examinedMax bounds how many commits of HEAD's history are examined.
const examinedMax = 2000

// examineBranch finds that the metadata branch is missing.
func (s *ManualCommitStrategy) examineBranch(ctx context.Context) ([]Finding, error) {
	old, start, err := checkpoint.MetadataTip(ctx, s.repo)
	if err != nil || !old.IsZero() {
		return nil, err
	}
	f := Finding{Kind: "metadata-branch", Subject: checkpoint.MetadataBranch, Why: "it does not exist: no checkpoint is stored here", Fix: "create it",
		Mend: func(ctx context.Context) (string, error) { return "created", s.EnsureSetup(ctx) }}
	if !start.IsZero() {
		f.Why = "origin has it, but this repository does not"
		f.Fix = "create it from origin's"
	}
	return []Finding{f}, nil
}

// examineCommits finds commits that name a checkpoint which is not stored.
func (s *ManualCommitStrategy) examineCommits(ctx context.Context) ([]Finding, error) {
	log, err := s.repo.Log(ctx, "HEAD", examinedMax)
	if err != nil {
		return nil, err
	}
	var ids []id.CheckpointID
	for _, c := range log {
		ids = append(ids, checkpoint.ParseCheckpointTrailers(c.Message)...)
	}
	stored, err := s.accounted(ctx, ids)
	if err != nil {
		return nil, err
	}
	waits, err := s.unsettledCommit(ctx)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, c := range log {
		for _, cp := range checkpoint.ParseCheckpointTrailers(c.Message) {
			if !stored[cp] && c.OID.Short() != waits {
				out = append(out, Finding{Kind: "dangling-trailer", Subject: c.OID.Short(), Why: "its checkpoint " + cp.String() + " is not stored in this repository", Hint: fetchHint})
			}
		}
	}
	return out, nil
}

const fetchHint = "if it was made elsewhere: git fetch origin " + checkpoint.MetadataBranch + ":" + checkpoint.RemoteMetadataRef

// examineCheckpoints reads and verifies every stored checkpoint.
func (s *ManualCommitStrategy) examineCheckpoints(ctx context.Context, progress Progress) ([]Finding, error) {
	records := checkpoint.NewRecords(s.repo)
	ids, err := records.ListIDs(ctx)
	if err != nil {
		return nil, err
	}
	var out []Finding
	err = records.Verify(ctx, ids, func(done int) { progress("checkpoints", done, len(ids)) }, func(cp id.CheckpointID, err error) {
		out = append(out, Finding{Kind: "checkpoint", Subject: cp.String(), Why: err.Error(), Hint: "fetch from a clone that has all of it; `entire explain -c " + cp.String() + "` shows what there is"})
	})
	return out, err
}

// examineRefs reports the steps that were set aside, which no session and no commit has, and the
// refs of others, which stay as they are.
func (s *ManualCommitStrategy) examineRefs(ctx context.Context) ([]Finding, error) {
	own, foreign, err := s.refsBeside(ctx)
	if err != nil {
		return nil, err
	}
	out := s.aside(ctx, own)
	for _, f := range foreign {
		out = append(out, Finding{Kind: "foreign-refs", Subject: f.Path, Why: f.Why, Note: true, Hint: "Entire leaves them as they are"})
	}
	return out, nil
}

// aside reports those of our refs that keep steps which were set aside.
func (s *ManualCommitStrategy) aside(ctx context.Context, own []git.Ref) []Finding {
	var out []Finding
	for _, ref := range own {
		if dir, _ := refFolder(ref.Name); dir != "orphans" {
			continue
		}
		out = append(out, Finding{Kind: "set-aside", Subject: ref.Name, Why: s.asideHolds(ctx, ref.OID), Note: true,
			Hint: fmt.Sprintf("`entire rewind --to %s` brings its files back; `entire clean` removes it", ref.OID.Short())})
	}
	return out
}
