package metadata

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

	// AgentLines is the number of lines that the session gained: their owner was unknown until now.
	AgentLines int

	// Extra are files beside the sessions; their paths are relative to the checkpoint's folder.
	Extra []git.Edit

	Author  git.Signature
	Stating *Stating
}

// BuildFinal makes the commit that replaces the transcript, prompts and context of one session
// in a checkpoint. If the checkpoint or session does not exist, it returns
// [ErrCheckpointNotFound] or [ErrSessionNotFound] and changes no other session. It returns tip
// if nothing changes. Like [BuildRecord] it moves no ref.
func BuildFinal(ctx context.Context, repo *git.Repo, tip git.OID, fin Finalization) (newTip git.OID, err error) {
	return buildFinal(ctx, repo, onBranch(tip), fin)
}

func buildFinal(ctx context.Context, repo *git.Repo, at place, fin Finalization) (newTip git.OID, err error) {
	b, s, err := startChange(ctx, repo, at, fin.ID, fin.Session, fin.Author)
	if err == nil {
		err = errors.Join(
			b.putConversation(s, fin.Transcript, fin.ContentHash, fin.Messages),
			b.putText(s, PromptName, fin.Prompts),
			b.putText(s, ContextName, fin.Context))
		b.addExtra(b.folder.base(), fin.Extra)
	}
	if err == nil && fin.AgentLines > 0 && s.Meta.InitialAttribution != nil {
		a := s.Meta.InitialAttribution.WithAgentLines(fin.AgentLines)
		s.Meta.InitialAttribution = &a
		err = b.putDocument(s, s.Meta)
	}
	if err == nil {
		err = b.updateSummaryPaths(s)
	}
	if err == nil {
		b.stating = fin.Stating
		newTip, err = b.commit(ctx, "Finalize transcript for Checkpoint: "+fin.ID.String())
	}
	if err != nil {
		return git.OID{}, fmt.Errorf("finalize checkpoint %s: %w", fin.ID, err)
	}
	return newTip, nil
}

// updateSummaryPaths rewrites the summary if it does not list the present paths of s.
func (b *build) updateSummaryPaths(s *Slot) error {
	f := b.folder
	if f.Err != nil || s.Number == RootSlot {
		return nil
	}
	paths := f.Paths(s)
	if slices.Contains(f.Summary.Sessions, paths) {
		return nil
	}
	return b.putSummary()
}

// startChange starts a build for a session that must exist; SessionID "" is the latest session.
func startChange(ctx context.Context, repo *git.Repo, at place, cp id.CheckpointID, sessionID string, author git.Signature) (*build, *Slot, error) {
	if at.tip.IsZero() {
		return nil, nil, ErrCheckpointNotFound
	}
	b, err := startBuild(ctx, repo, at, cp, author)
	if err != nil {
		return nil, nil, err
	}
	if b.forgotten || b.folder.Entries == nil {
		return nil, nil, ErrCheckpointNotFound
	}
	s, unreadable := b.folder.Session(sessionID)
	if last := len(b.folder.Slots) - 1; sessionID == "" && last >= 0 && b.folder.Slots[last].Err == nil {
		s = &b.folder.Slots[last]
	}
	if s == nil {
		return nil, nil, errors.Join(fmt.Errorf("session %s: %w", strconv.Quote(sessionID), ErrSessionNotFound), unreadable)
	}
	return b, s, nil
}
