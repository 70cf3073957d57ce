package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"entire/id"
	"entire/internal/git"
)

// Finalization is the whole transcript of a session whose checkpoint was made during the turn.
type Finalization struct {
	ID      id.CheckpointID
	Session string

	Transcript  []git.TreeEntry
	ContentHash string
	Messages    *Messages // nil if there are none
	Prompts     string
	Context     string

	// Extra are files beside the sessions; their paths are relative to the checkpoint's folder.
	Extra []git.Edit

	Author git.Signature
}

// BuildFinal makes the commit that replaces the transcript, prompts and context of one session
// in a checkpoint. If the checkpoint or session does not exist, it returns
// [ErrCheckpointNotFound] or [ErrSessionNotFound] and changes no other session. It returns tip
// if nothing changes. Like [BuildRecord] it moves no ref.
func BuildFinal(ctx context.Context, repo *git.Repo, tip git.OID, fin Finalization) (newTip git.OID, err error) {
	b, s, err := startChange(ctx, repo, tip, fin.ID, fin.Session, fin.Author)
	if err == nil {
		err = errors.Join(
			b.putTalk(s, fin.Transcript, fin.ContentHash, fin.Messages),
			b.putText(s, promptName, fin.Prompts),
			b.putText(s, contextName, fin.Context))
		b.extra(b.folder.id.Path()+"/", fin.Extra)
	}
	if err == nil {
		err = b.relist(s)
	}
	if err == nil {
		newTip, err = b.commit(ctx, "Finalize transcript for Checkpoint: "+fin.ID.String())
	}
	if err != nil {
		return git.OID{}, fmt.Errorf("finalize checkpoint %s: %w", fin.ID, err)
	}
	return newTip, nil
}

// relist rewrites the summary if it does not list the present paths of s.
func (b *build) relist(s *slot) error {
	f := b.folder
	if f.err != nil || s.number == rootSlot {
		return nil
	}
	paths := f.paths(s)
	if slices.Contains(f.summary.Sessions, paths) {
		return nil
	}
	return b.putSummary()
}

// startChange starts a build for a session that must exist; sessionID "" is the latest session.
func startChange(ctx context.Context, repo *git.Repo, tip git.OID, cp id.CheckpointID, sessionID string, author git.Signature) (*build, *slot, error) {
	if tip.IsZero() {
		return nil, nil, ErrCheckpointNotFound
	}
	b, err := startBuild(ctx, repo, tip, cp, author)
	if err != nil {
		return nil, nil, err
	}
	if b.gone || b.folder.entries == nil {
		return nil, nil, ErrCheckpointNotFound
	}
	s, unreadable := b.folder.session(sessionID)
	if last := len(b.folder.slots) - 1; sessionID == "" && last >= 0 && b.folder.slots[last].err == nil {
		s = &b.folder.slots[last]
	}
	if s == nil {
		return nil, nil, errors.Join(fmt.Errorf("session %s: %w", strconv.Quote(sessionID), ErrSessionNotFound), unreadable)
	}
	return b, s, nil
}
