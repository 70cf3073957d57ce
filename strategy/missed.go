package strategy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
)

// errMissed is returned, under a session's lock, if commits of the session's agent that no hook saw
// must be recorded before the event is handled.
var errMissed = errors.New("commits that hooks did not see are to be recorded first")

// recordingMissed calls do for a session. If do returns errMissed, it records the commits that the
// session's agent made without hooks and calls do again, even if recording failed.
func (s *ManualCommitStrategy) recordingMissed(ctx context.Context, sid id.SessionID, do func() error) error {
	err := do()
	if !errors.Is(err, errMissed) {
		return err
	}
	if err := s.recordMissed(ctx, sid); err != nil {
		s.Log.Error("commits that hooks did not see were not recorded", "session_id", sid.String(), "err", err)
	}
	if s.missed == nil {
		s.missed = map[git.OID]bool{} // the commits were searched once
	}
	return do()
}

// lookForMissed returns errMissed if there are such commits.
func (s *ManualCommitStrategy) lookForMissed(ctx context.Context, o *open, head git.OID) error {
	if s.missed != nil || !o.inTurn() || head.IsZero() || baseOf(o) == head {
		return nil
	}
	missed, err := s.missedCommits(ctx, o, head)
	if err != nil {
		s.Log.Warn("commits that hooks did not see were not looked for", "session_id", o.id.String(), "err", err)
	}
	if len(missed) > 0 {
		return errMissed
	}
	return nil
}

// missedCommits returns the commits that HEAD gained since a session's last event, that no hook of
// ours saw, and that calls of the open turn prove to be its agent's; the oldest first.
func (s *ManualCommitStrategy) missedCommits(ctx context.Context, o *open, head git.OID) ([]git.Commit, error) {
	made := madeIn(s.reflogOf(o))
	if len(made) == 0 {
		return nil, nil
	}
	gained, err := s.gained(ctx, baseOf(o), head)
	if err != nil {
		return nil, err
	}
	links, err := checkpoint.NewRecords(s.repo).Links(ctx)
	if err != nil {
		return nil, err
	}
	gained = slices.DeleteFunc(gained, func(c git.Commit) bool {
		return !slices.Contains(made, c.OID) || len(links.Of(c.OID, c.Message)) > 0
	})
	if len(gained) == 0 {
		return nil, nil
	}
	calls := s.commitCalls(o)
	gained = slices.DeleteFunc(gained, func(c git.Commit) bool { return !anyMade(calls, c) })
	slices.Reverse(gained)
	return gained, nil
}

// reflogOf returns what HEAD's reflog gained since a session's last event: the whole reflog if
// there was no commit then.
func (s *ManualCommitStrategy) reflogOf(o *open) []byte {
	if baseOf(o).IsZero() {
		return s.reflog()
	}
	return s.reflogSince(o.side.Reflog)
}

func anyMade(calls []agent.CommitCall, c git.Commit) bool {
	return slices.ContainsFunc(calls, func(call agent.CommitCall) bool {
		return call.Made(c.OID.String(), c.Subject(), c.Committer.When)
	})
}

// commitCalls returns the calls of the open turn that may have made a commit and that no event has
// read yet.
func (s *ManualCommitStrategy) commitCalls(o *open) []agent.CommitCall {
	f, err := durable.Open(o.state.TranscriptPath)
	if err != nil {
		return nil
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil
	}
	kind := o.state.AgentType
	if kind == agent.AgentTypeGemini && startsDocument(f) {
		doc, err := readDocument(f)
		if err != nil {
			return nil
		}
		began := o.side.Turn.talk().Items
		passages := agent.Passages(kind, doc)
		return agent.CommitCalls(slices.DeleteFunc(passages, func(p agent.Passage) bool { return p.Item < began }))
	}
	var text bytes.Buffer
	unreadLines(o, f, fi.Size(), func(line []byte) { text.Write(line); text.WriteByte('\n') })
	return agent.CommitCalls(agent.Passages(kind, text.Bytes()))
}

// recordMissed stores a checkpoint for each of those commits, as post-commit would have, and links
// the commit to it without changing the commit.
func (s *ManualCommitStrategy) recordMissed(ctx context.Context, sid id.SessionID) error {
	lock, err := s.commitLock(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	o := &open{id: sid}
	if err := s.readSession(ctx, o); err != nil {
		return err
	}
	head, born, err := s.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born {
		return err
	}
	commits, err := s.missedCommits(ctx, o, head.OID)
	if err != nil {
		return err
	}
	replaces := replaced(s.reflogOf(o))
	s.missed = map[git.OID]bool{}
	for _, c := range commits {
		for oid := c.OID; !oid.IsZero() && !s.missed[oid]; oid = replaces[oid] {
			s.missed[oid] = true
		}
	}
	for _, c := range commits {
		if err := s.recordOne(ctx, c, sid, replaces); err != nil {
			return fmt.Errorf("record commit %s: %w", c.OID.Short(), err)
		}
	}
	return nil
}

// recordOne does the work of linkCommit for a commit that no hook prepared. A commit that replaced
// another keeps the other's checkpoints.
func (s *ManualCommitStrategy) recordOne(ctx context.Context, c git.Commit, sid id.SessionID, replaces map[git.OID]git.OID) error {
	sums, err := s.here(ctx)
	if err != nil {
		return err
	}
	cm, err := s.newCommit(ctx, c, nil)
	if err != nil {
		return err
	}
	cm.unnamed = true
	had, err := s.replacedCheckpoints(ctx, c.OID, replaces)
	if err != nil {
		return err
	}
	chosen, err := s.choose(ctx, sums, cm.changes, cm.strict(), nil)
	if err != nil {
		return err
	}
	if !slices.Contains(chosen, sid) {
		return s.linkAgain(ctx, c, had)
	}
	if len(had) == 0 {
		cp, err := id.Generate()
		if err != nil {
			return err
		}
		return s.condense(ctx, cm, cp, chosen, sums)
	}
	cm.again = true
	if err := s.condense(ctx, cm, had[0], chosen, sums); err != nil {
		return err
	}
	return s.linkAgain(ctx, c, had[1:])
}

// replaced maps each commit that an amend made to the commit it replaced, according to lines of
// HEAD's reflog.
func replaced(reflog []byte) map[git.OID]git.OID {
	replaces := map[git.OID]git.OID{}
	for line := range strings.Lines(string(reflog)) {
		head, what, _ := strings.Cut(line, "\t")
		words := strings.Fields(head)
		if len(words) < 2 || !strings.HasPrefix(what, "commit (amend)") {
			continue
		}
		was, err := git.ParseOID(words[0])
		is, err2 := git.ParseOID(words[1])
		if err == nil && err2 == nil {
			replaces[is] = was
		}
	}
	return replaces
}

// replacedCheckpoints returns the checkpoints of the nearest commit that commit replaced, directly
// or through other amends, and that is linked.
func (s *ManualCommitStrategy) replacedCheckpoints(ctx context.Context, commit git.OID, replaces map[git.OID]git.OID) ([]id.CheckpointID, error) {
	links, err := checkpoint.NewRecords(s.repo).Links(ctx)
	if err != nil {
		return nil, err
	}
	for range len(replaces) {
		commit = replaces[commit]
		if commit.IsZero() {
			break
		}
		c, ok, err := s.repo.Reader(ctx).CommitOf(commit.String())
		if err != nil || !ok {
			return nil, err
		}
		if cps := links.Of(commit, c.Message); len(cps) > 0 {
			return cps, nil
		}
	}
	return nil, nil
}

// linkAgain links a commit to existing checkpoints.
func (s *ManualCommitStrategy) linkAgain(ctx context.Context, c git.Commit, cps []id.CheckpointID) error {
	for _, cp := range cps {
		err := checkpoint.UpdateMetadata(ctx, s.repo, nil, func(tip git.OID) (git.OID, error) {
			return checkpoint.BuildLink(ctx, s.repo, tip, c.OID, cp, c.Committer)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
