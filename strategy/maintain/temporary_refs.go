package maintain

import (
	"context"
	"fmt"

	"entire/internal/git"
	"entire/strategy/autocommit"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// RewindBranch moves the branch back to a commit of its own, as `git reset --hard` does, and the
// agent's conversation with it. It returns the commit that the branch was at, which is kept under
// refs/entire/undo. Uncommitted changes of tracked files are an [*UncommittedError]; a point of
// the default branch is ErrLogsOnly.
func RewindBranch(ctx context.Context, s *sessionstate.Env, p step.RewindPoint) (oldHead string, warnings []string, err error) {
	if p.IsLogsOnly || !rewind.IsCommit(p) {
		return "", nil, restore.ErrLogsOnly
	}
	if err := autocommit.Uncommitted(ctx, s); err != nil {
		return "", nil, err
	}
	head, _, err := s.Repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return "", nil, err
	}
	if now := head.OID.String(); now != p.ID {
		if err := s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: "refs/entire/undo/" + now, New: head.OID}}); err != nil {
			return "", nil, fmt.Errorf("save the present: %w", err)
		}
	}
	if oldHead, err = ResetTo(ctx, s, p); err != nil {
		return "", nil, err
	}
	warnings, err = autocommit.RewindTranscripts(ctx, s, p)
	return oldHead, warnings, err
}

// TemporaryRefs returns all of this program's refs except the metadata branch: shadow branches,
// and those outside refs/heads. foreign lists refs of others with such a name or in the same
// folders.
func TemporaryRefs(ctx context.Context, s *sessionstate.Env) (refs []git.Ref, foreign []sessionstate.KeptFile, err error) {
	recorded, err := recordedSteps(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	refs, branches, others, err := step.ListRefsAndBranches(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	for _, ref := range branches {
		why, err := whyNotOurs(ctx, s, ref.OID, recorded)
		if err != nil {
			return nil, nil, err
		}
		if why != "" {
			foreign = append(foreign, sessionstate.KeptFile{Path: step.ShortBranch(ref.Name), Why: why})
			continue
		}
		refs = append(refs, ref)
	}
	return refs, append(foreign, others...), nil
}
