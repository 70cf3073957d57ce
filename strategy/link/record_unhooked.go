package link

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
)

// errUnhookedFirst is returned, under a session's lock, if commits of the session's agent that no hook saw
// must be recorded before the event is handled.
var errUnhookedFirst = errors.New("commits that no hook saw must be recorded first")

// RecordUnhookedFirst calls do for a session. If do returns errUnhookedFirst, it records the commits that the
// session's agent made without hooks and calls do again, even if recording failed.
func RecordUnhookedFirst(ctx context.Context, s *sessionstate.Env, sid id.SessionID, do func() error) error {
	err := do()
	if !errors.Is(err, errUnhookedFirst) {
		return err
	}
	if err := errors.Join(recordLate(ctx, s, sid), recordUnhooked(ctx, s, sid), recordElsewhere(ctx, s, sid)); err != nil {
		s.Log.Error("commits that hooks did not see were not recorded", "session_id", sid.String(), "err", err)
	}
	if s.Missed == nil {
		s.Missed = map[git.OID]bool{} // the commits were searched once
	}
	return do()
}

// CheckUnhooked returns errUnhookedFirst if there are such commits.
func CheckUnhooked(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, head git.OID) error {
	if s.Missed == nil && o.State != nil {
		late, err := provenLate(ctx, s, o)
		if err != nil {
			s.Log.Warn("commits of the turn were not looked at again", "session_id", o.ID.String(), "err", err)
		}
		if len(late) > 0 {
			return errUnhookedFirst
		}
		elsewhere, err := provenElsewhere(ctx, s, o)
		if err != nil {
			s.Log.Warn("commits in other worktrees were not looked for", "session_id", o.ID.String(), "err", err)
		}
		if len(elsewhere) > 0 {
			return errUnhookedFirst
		}
	}
	pending := o.State != nil && len(o.State.FilesTouched) > 0
	if s.Missed != nil || !step.InTurn(o) && !pending || head.IsZero() || step.BaseOf(o) == head {
		return nil
	}
	missed, err := provenUnhooked(ctx, s, o, head)
	if err != nil {
		s.Log.Warn("commits that hooks did not see were not looked for", "session_id", o.ID.String(), "err", err)
	}
	if len(missed) > 0 {
		return errUnhookedFirst
	}
	return nil
}

// provenUnhooked returns the commits that HEAD gained since a session's last event, that were made here, and
// that no hook of ours saw; the oldest first. A commit that replaced another without hooks has the other's
// trailers.
func provenUnhooked(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, head git.OID) ([]evidence.GainedCommit, error) {
	gained, err := evidence.GainedSince(ctx, s, o, head)
	if err != nil || len(gained) == 0 {
		return nil, err
	}
	links, err := records.NewReader(s.Repo).Links(ctx)
	if err != nil {
		return nil, err
	}
	gained = slices.DeleteFunc(gained, func(c evidence.GainedCommit) bool {
		return len(links[c.OID]) > 0 || len(c.Replaces) == 0 && len(links.Of(c.OID, c.Message)) > 0
	})
	slices.Reverse(gained)
	return gained, nil
}

func madeByCall(calls []conversation.CommitCall, c git.Commit) bool {
	return slices.ContainsFunc(calls, func(call conversation.CommitCall) bool {
		return call.Made(c.OID.String(), c.Subject(), c.Committer.When)
	})
}

// commitCalls returns the calls of the open turn that may have made a commit and that no event has
// read yet, and the call whose end is being handled.
func commitCalls(s *sessionstate.Env, o *sessionstate.LockedSession) []conversation.CommitCall {
	calls := writtenCommitCalls(o)
	if s.EventCommand != "" {
		call := conversation.Passage{Kind: conversation.CallPassage, Command: s.EventCommand}
		calls = append(calls, conversation.CommitCalls([]conversation.Passage{call})...)
	}
	return calls
}

// writtenCommitCalls returns those calls that the transcript has.
func writtenCommitCalls(o *sessionstate.LockedSession) []conversation.CommitCall {
	f, err := durable.Open(o.State.TranscriptPath)
	if err != nil {
		return nil
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil
	}
	kind := o.State.AgentType
	if agents.CountsMessages(kind) && document.Begins(f) {
		doc, err := transcript.ReadDocument(f)
		if err != nil {
			return nil
		}
		began := o.Engine.TurnStart.ConversationStart().Items
		passages := conversation.Passages(kind, doc)
		return conversation.CommitCalls(slices.DeleteFunc(passages, func(p conversation.Passage) bool { return p.Item < began }))
	}
	var text bytes.Buffer
	transcript.UnreadLines(o, f, fi.Size(), func(line []byte) { text.Write(line); text.WriteByte('\n') })
	return conversation.CommitCalls(conversation.Passages(kind, text.Bytes()))
}

// CatchUp records the commits that git made without hooks from the work of sessions, and those that transcripts tell of
// only now, without waiting for the sessions' next events: somebody asks who owns their lines, or another session begins
// or ends a turn. It leaves out the session except, which records its own. It logs errors.
func CatchUp(ctx context.Context, s *sessionstate.Env, except id.SessionID) {
	sums, err := step.WorktreeSessions(ctx, s)
	if err != nil {
		s.Log.Warn("commits that hooks did not see were not looked for", "err", err)
		return
	}
	sums = slices.DeleteFunc(sums, func(sum session.Summary) bool { return sum.ID == except })
	if !evidence.AnyPendingWork(sums) {
		return
	}
	recordLateOf(ctx, s, sums)
	if head, err := evidence.HeadCommit(ctx, s); err == nil {
		recordUnhookedBefore(ctx, s, sums, head)
	}
}

// recordUnhookedBefore records the commits that took sessions' work without hooks before the commit that is about
// to be made. It leaves half of the time to what comes after it; the next event goes on.
func recordUnhookedBefore(ctx context.Context, s *sessionstate.Env, sums []session.Summary, head git.OID) (found bool) {
	ctx, cancel := halfOf(ctx, s.Now())
	defer cancel()
	var left map[git.OID]bool
	for _, sum := range sums {
		if !step.HasPendingWork(sum) || sum.BaseCommit == head.String() {
			continue
		}
		if left == nil {
			left = evidence.CommittedOn(githead.Reflog(ctx, s), head)
		}
		if base, err := git.ParseOID(sum.BaseCommit); sum.Phase != session.PhaseActive && (err != nil || !left[base]) {
			continue
		}
		o := &sessionstate.LockedSession{ID: sum.ID}
		err := s.ReadSession(ctx, o)
		if err == nil && !errors.Is(CheckUnhooked(ctx, s, o, head), errUnhookedFirst) {
			continue
		}
		if err == nil {
			err = errors.Join(recordUnhooked(ctx, s, sum.ID), recordElsewhere(ctx, s, sum.ID))
		}
		s.Missed, found = nil, true
		if err != nil {
			s.Log.Error("commits that hooks did not see were not recorded", "session_id", sum.ID.String(), "err", err)
		}
	}
	return found
}

// longestEvent is more than any event may take.
const longestEvent = 5 * time.Minute

// halfOf returns a context that ends after half of the time that ctx has left; ctx itself without a limit.
func halfOf(ctx context.Context, now time.Time) (context.Context, context.CancelFunc) {
	end, limited := ctx.Deadline()
	if left := end.Sub(now); limited && left > 0 && left < longestEvent {
		return context.WithDeadline(ctx, now.Add(left/2))
	}
	return ctx, func() {}
}

// recordUnhooked stores a checkpoint for each of those commits, as post-commit would have, and links
// the commit to it without changing the commit. The calls of an open turn show which commits the agent made,
// whatever is known of this process; a person made the others.
func recordUnhooked(ctx context.Context, s *sessionstate.Env, sid id.SessionID) error {
	lock, err := githead.CommitLock(ctx, s)
	if err != nil {
		return err
	}
	defer lock.Release()
	defer func(shell bool, person func() bool) { s.AgentShell, s.HumanPresent = shell, person }(s.AgentShell, s.HumanPresent)
	o := &sessionstate.LockedSession{ID: sid}
	if err := s.ReadSession(ctx, o); err != nil {
		return err
	}
	var calls []conversation.CommitCall
	if step.InTurn(o) {
		calls = commitCalls(s, o)
	}
	head, born, err := s.Repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born {
		return err
	}
	commits, err := provenUnhooked(ctx, s, o, head.OID)
	if err != nil {
		return err
	}
	s.Missed = map[git.OID]bool{}
	for _, c := range commits {
		s.Missed[c.OID] = true
		for _, oid := range c.Replaces {
			s.Missed[oid] = true
		}
	}
	for _, c := range commits {
		agents := madeByCall(calls, c.Commit)
		s.AgentShell, s.HumanPresent = agents, func() bool { return !agents }
		recorded, err := recordUnhookedCommit(ctx, s, c, sid)
		if err != nil {
			return fmt.Errorf("record commit %s: %w", c.OID.Short(), err)
		}
		if !recorded && !agents && step.InTurn(o) {
			delete(s.Missed, c.OID) // the open turn may have written what it holds, without a trace yet
		}
	}
	return nil
}

// recordUnhookedCommit does the work of linkCommit for a commit that no hook prepared. A commit that replaced
// another keeps the other's checkpoints. recorded is false if the commit holds nothing of the session's.
func recordUnhookedCommit(ctx context.Context, s *sessionstate.Env, c evidence.GainedCommit, sid id.SessionID) (recorded bool, err error) {
	sums, err := step.WorktreeSessions(ctx, s)
	if err != nil {
		return false, err
	}
	cm, err := evidence.NewCommit(ctx, s, c.Commit, nil)
	if err != nil {
		return false, err
	}
	cm.Unnamed = true
	had, err := replacedCheckpoints(ctx, s, c.Replaces)
	if err != nil {
		return false, err
	}
	strict := condense.Strictness(cm)
	if c.Doubtful {
		strict = githead.MatchUnlessMerged
	}
	chosen, err := evidence.SessionsInCommit(ctx, s, sums, cm.Changes, strict, nil)
	if err != nil {
		return false, err
	}
	if !slices.Contains(chosen, sid) {
		return false, linkExisting(ctx, s, c.Commit, had)
	}
	if !putDescribingFirst(ctx, s, had, c.Commit) {
		cp, err := s.NewCheckpointID()
		if err != nil {
			return false, err
		}
		if err := condense.Condense(ctx, s, cm, cp, chosen, sums); err != nil {
			return false, err
		}
		return true, linkExisting(ctx, s, c.Commit, had)
	}
	cm.ReusesCheckpoint, cm.Unnamed = true, !names(c.Commit, had[0])
	if err := condense.Condense(ctx, s, cm, had[0], chosen, sums); err != nil {
		return false, err
	}
	return true, linkExisting(ctx, s, c.Commit, had[1:])
}

// replacedCheckpoints returns the checkpoints of the first of the replaced commits that is linked.
func replacedCheckpoints(ctx context.Context, s *sessionstate.Env, replaced []git.OID) ([]id.CheckpointID, error) {
	if len(replaced) == 0 {
		return nil, nil
	}
	links, err := records.NewReader(s.Repo).Links(ctx)
	if err != nil {
		return nil, err
	}
	for _, oid := range replaced {
		c, ok, err := s.Repo.Reader(ctx).CommitOf(oid.String())
		if err != nil || !ok {
			return nil, err
		}
		if cps := links.Of(oid, c.Message); len(cps) > 0 {
			return cps, nil
		}
	}
	return nil, nil
}

func names(c git.Commit, cp id.CheckpointID) bool {
	return slices.Contains(trailer.ParseCheckpointTrailers(c.Message), cp)
}

// linkExisting links a commit to existing checkpoints that its message does not name.
func linkExisting(ctx context.Context, s *sessionstate.Env, c git.Commit, cps []id.CheckpointID) error {
	for _, cp := range cps {
		if names(c, cp) {
			continue
		}
		err := metadata.UpdateMetadata(ctx, s.Repo, nil, func(tip git.OID) (git.OID, error) {
			return metadata.BuildLink(ctx, s.Repo, tip, c.OID, cp, c.Committer)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
