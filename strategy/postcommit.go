package strategy

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
	"entire/session"
)

// PostCommit condenses the sessions whose work the new commit holds into the
// metadata branch, carries forward what it left out, and lets the other
// sessions' steps follow HEAD. Killed at any moment, it is completed by the next
// call of any kind.
func (s *ManualCommitStrategy) PostCommit(ctx context.Context) error {
	if s.inSequence() {
		return nil
	}
	sums, err := s.here(ctx)
	if err != nil {
		return err
	}
	if !s.prepared() && !anyPending(sums) && s.loadCache().tip.IsZero() {
		return nil
	}
	lock, err := s.commitLock(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	return s.linkHead(ctx, sums)
}

// linkHead settles the commit at HEAD, and forgets what prepare-commit-msg had
// chosen when that is done.
func (s *ManualCommitStrategy) linkHead(ctx context.Context, sums []session.Summary) error {
	head, born, err := s.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born {
		return err
	}
	cm, err := s.newCommit(ctx, head)
	if err != nil {
		return err
	}
	prep, _ := s.readPrepared()
	cps := checkpoint.ParseCheckpointTrailers(head.Message)
	chosen := prep.Sessions
	if !slices.Contains(cps, prep.Checkpoint) {
		if chosen = nil; len(cps) > 0 {
			prep.Checkpoint = cps[0]
			if chosen, err = s.choose(ctx, sums, cm.changes); err != nil {
				return err
			}
		}
	}
	if len(chosen) == 0 {
		err = s.unlinked(ctx, cm, sums)
	} else {
		err = s.condense(ctx, cm, prep.Checkpoint, chosen, sums)
	}
	if err != nil {
		return err
	}
	return s.forgetPrepared()
}

// madeCommit is the commit that was just made.
type madeCommit struct {
	git.Commit
	parent  git.OID // zero for a root commit
	changes []git.Change
	branch  string
}

func (s *ManualCommitStrategy) newCommit(ctx context.Context, head git.Commit) (madeCommit, error) {
	cm := madeCommit{Commit: head, branch: s.branchName()}
	var parentTree git.OID
	if len(head.Parents) > 0 {
		cm.parent = head.Parents[0]
		var err error
		if parentTree, err = s.headTree(ctx, cm.parent); err != nil && !errors.Is(err, git.ErrMissing) {
			return cm, err // the parent of a shallow clone's edge is missing
		}
	}
	changes, err := s.repo.DiffTrees(ctx, parentTree, head.Tree)
	cm.changes = codeChanges(changes)
	return cm, err
}

// branchName is the short name HEAD has, "" when detached.
func (s *ManualCommitStrategy) branchName() string { return s.repo.Branch() }

// condense writes one checkpoint for all chosen sessions and settles what
// becomes of their steps, in one transaction.
func (s *ManualCommitStrategy) condense(ctx context.Context, cm madeCommit, cp id.CheckpointID, chosen []id.SessionID, sums []session.Summary) error {
	open, err := s.openAll(ctx, involved(chosen, sums, cm.parent))
	if err != nil {
		return err
	}
	defer closeAll(open)
	rec := checkpoint.Record{ID: cp, Strategy: checkpoint.StrategyManual, Branch: cm.branch, CLIVersion: s.Version}
	chosen = unsettled(open, chosen, cm.OID)
	if len(chosen) == 0 {
		return nil
	}
	for _, o := range open {
		if !slices.Contains(chosen, o.id) {
			continue
		}
		if err := s.readTranscript(ctx, o); err != nil {
			s.Log.Warn("transcript not read at commit", "session_id", o.id.String(), "err", err)
		}
		sess, err := s.record(ctx, o, cm, cp)
		if err != nil {
			return err
		}
		rec.Sessions = append(rec.Sessions, sess)
		rec.Author = s.author(ctx, o)
		rec.EphemeralBranch = s.shadowRef(baseOf(o))[len("refs/heads/"):]
	}
	plan, err := s.commitRecord(ctx, cm, rec, open, chosen)
	if err != nil {
		return err
	}
	return s.settle(ctx, cm, cp, chosen, open, plan)
}

// unsettled leaves out the sessions whose state says already that the commit is
// their base: an earlier call, killed since, has settled them.
func unsettled(open []*open, chosen []id.SessionID, head git.OID) []id.SessionID {
	var out []id.SessionID
	for _, o := range open {
		if slices.Contains(chosen, o.id) && baseOf(o) != head {
			out = append(out, o.id)
		}
	}
	return out
}

// involved are the chosen sessions and those whose steps share their branch,
// in lock order.
func involved(chosen []id.SessionID, sums []session.Summary, parent git.OID) []id.SessionID {
	all := slices.Clone(chosen)
	for _, sum := range sums {
		if pending(sum) && sum.BaseCommit == parent.String() && !slices.Contains(all, sum.ID) {
			all = append(all, sum.ID)
		}
	}
	slices.SortFunc(all, func(a, b id.SessionID) int {
		if a.String() < b.String() {
			return -1
		}
		return 1
	})
	return all
}

func (s *ManualCommitStrategy) openAll(ctx context.Context, ids []id.SessionID) ([]*open, error) {
	var all []*open
	for _, sid := range ids {
		o, err := s.openSession(ctx, sid)
		if err != nil {
			closeAll(all)
			return nil, err
		}
		if o.isNew { // removed meanwhile
			o.close()
			continue
		}
		all = append(all, o)
	}
	return all, nil
}

func closeAll(all []*open) {
	for _, o := range all {
		o.close()
	}
}

func baseOf(o *open) git.OID {
	oid, err := git.ParseOID(o.state.BaseCommit)
	if err != nil {
		return git.OID{}
	}
	return oid
}

// record is what the checkpoint keeps of one session.
func (s *ManualCommitStrategy) record(ctx context.Context, o *open, cm madeCommit, cp id.CheckpointID) (checkpoint.SessionRecord, error) {
	st, c := o.state, &o.side.Capture
	meta := checkpoint.CommittedMetadata{
		CLIVersion: s.Version, CheckpointID: cp, SessionID: o.id.String(), Strategy: checkpoint.StrategyManual,
		CreatedAt: s.Now().UTC(), Branch: cm.branch, CheckpointsCount: st.CheckpointCount,
		FilesTouched: s.filesIn(o, cm), Agent: st.AgentType, TurnID: st.TurnID,
		TranscriptIdentifierAtStart: st.TranscriptIdentifierAtStart,
		CheckpointTranscriptStart:   st.CheckpointTranscriptStart, TranscriptLinesAtStart: st.CheckpointTranscriptStart,
		TranscriptPath: s.homeRelative(st.TranscriptPath),
	}
	rec := checkpoint.SessionRecord{Transcript: c.Log.Entries(), ContentHash: c.Log.ContentHash()}
	if c.Talk != nil {
		usage := c.Talk.UsageSince(o.side.Condensed)
		if sub := s.subagentUsage(o, c.Talk.AgentIDsSince(o.side.Condensed)); !sub.IsZero() {
			usage.SubagentTokens = &sub
		}
		if !usage.IsZero() {
			meta.TokenUsage = &usage
		}
		rec.Prompts = checkpoint.JoinPrompts(c.Talk.Prompts)
		rec.Context = checkpoint.ContextMarkdown(c.Talk.Prompts)
	}
	tasks, err := s.taskFiles(ctx, o)
	if err != nil {
		return rec, err
	}
	rec.Metadata, rec.Extra = meta, tasks
	return rec, nil
}

// filesIn are the commit's paths that the session touched: in its steps, or,
// in a turn that is still open, by its edit tools or since the turn began.
func (s *ManualCommitStrategy) filesIn(o *open, cm madeCommit) []string {
	touched := setOf(textPaths(o.state.FilesTouched))
	active := o.state.Phase == session.PhaseActive && o.side.Turn.Seen
	var out []string
	for _, c := range cm.changes {
		if touched[c.Path] || active {
			out = append(out, pathText(c.Path))
		}
	}
	return out
}

// subagentUsage sums what the subagents' own transcripts say.
func (s *ManualCommitStrategy) subagentUsage(o *open, ids []string) agent.TokenUsage {
	var sum agent.TokenUsage
	a, ok := agent.ByType(o.state.AgentType)
	if !ok {
		return sum
	}
	for _, aid := range ids {
		for _, path := range a.SubagentTranscripts(o.state.TranscriptPath, o.id, aid) {
			if data, err := os.ReadFile(path); err == nil {
				sum = sum.Add(agent.Usage(data))
				break
			}
		}
	}
	return sum
}

// settled is what the transaction of a condensation left.
type settled struct {
	ref    string  // shadow ref of the new base, "" when no steps remain
	tip    git.OID // its tip
	remain fileStates
}

// commitRecord moves the metadata branch and the shadow branches together,
// again from the start when one of them moved meanwhile.
func (s *ManualCommitStrategy) commitRecord(ctx context.Context, cm madeCommit, rec checkpoint.Record, open []*open, chosen []id.SessionID) (settled, error) {
	for try := 0; ; try++ {
		done, also, err := s.settleSteps(ctx, cm, open, chosen, rec.Author)
		if err != nil {
			return settled{}, fmt.Errorf("carry work forward: %w", err)
		}
		for _, o := range open {
			if !slices.Contains(chosen, o.id) {
				continue
			}
			backlog, err := s.backlogDone(ctx, o)
			if err != nil {
				return settled{}, err
			}
			also = append(also, backlog...)
		}
		err = checkpoint.UpdateMetadata(ctx, s.repo, also, func(tip git.OID) (git.OID, error) {
			return checkpoint.BuildRecord(ctx, s.repo, tip, rec)
		})
		if err == nil || !errors.Is(err, git.ErrRefMoved) || try >= casTries {
			return done, err
		}
		s.reloadCache()
		if err := sleep(ctx, time.Duration(rand.IntN(10+5*min(try, 20)))*time.Millisecond); err != nil {
			return settled{}, err
		}
	}
}

// settleSteps decides what becomes of the shadow branch of the commit's parent:
// gone when all of it is committed, else carried onto the new base.
func (s *ManualCommitStrategy) settleSteps(ctx context.Context, cm madeCommit, open []*open, chosen []id.SessionID, author git.Signature) (settled, []git.RefUpdate, error) {
	base := s.stepBase(open, chosen)
	oldRef, newRef := s.shadowRef(base), s.shadowRef(cm.OID)
	tip, exists, err := s.repo.Reader(ctx).CommitOf(oldRef)
	if err != nil {
		return settled{}, nil, err
	}
	if !exists {
		done, err := s.settledBefore(ctx, cm, newRef)
		return done, nil, err
	}
	remain, err := s.remaining(ctx, cm, base, tip)
	if err != nil {
		return settled{}, nil, err
	}
	var others, active bool
	touched := map[string]bool{}
	for _, o := range open {
		others = others || !slices.Contains(chosen, o.id) && len(o.state.FilesTouched) > 0
		active = active || o.state.Phase == session.PhaseActive
		for _, p := range textPaths(o.state.FilesTouched) {
			touched[p] = true
		}
	}
	left := slices.ContainsFunc(remain, func(f fileState) bool { return touched[f.path] })
	updates := []git.RefUpdate{{Name: oldRef, Old: tip.OID}}
	if !left && !others && !(active && len(remain) > 0) {
		return settled{}, updates, nil
	}
	carry, err := s.carryStep(ctx, cm, tip, remain, open, others, left, author)
	if err != nil {
		return settled{}, nil, err
	}
	taken, exists, err := s.repo.Reader(ctx).CommitOf(newRef)
	if err != nil {
		return settled{}, nil, err
	}
	if newRef == oldRef {
		return settled{newRef, carry, remain}, []git.RefUpdate{{Name: oldRef, New: carry, Old: tip.OID}}, nil
	}
	if exists { // somebody works on the new base already: both stay
		return settled{newRef, taken.OID, remain}, append(updates, git.RefUpdate{Name: orphanRef(oldRef, carry), New: carry}), nil
	}
	return settled{newRef, carry, remain}, append(updates, git.RefUpdate{Name: newRef, New: carry}), nil
}

// settledBefore finds what an earlier, interrupted call for the same commit has
// carried forward already.
func (s *ManualCommitStrategy) settledBefore(ctx context.Context, cm madeCommit, ref string) (settled, error) {
	tip, exists, err := s.repo.Reader(ctx).CommitOf(ref)
	if err != nil || !exists {
		return settled{}, err
	}
	remain, err := s.treeFiles(ctx, cm.Tree, tip.Tree)
	return settled{ref, tip.OID, remain}, err
}

// stepBase is the commit that the chosen sessions' steps are named for.
func (s *ManualCommitStrategy) stepBase(open []*open, chosen []id.SessionID) git.OID {
	for _, o := range open {
		if slices.Contains(chosen, o.id) {
			return baseOf(o)
		}
	}
	return git.OID{}
}

// remaining is the part of the last step that the commit does not hold and the
// worktree still does.
func (s *ManualCommitStrategy) remaining(ctx context.Context, cm madeCommit, base git.OID, tip git.Commit) (fileStates, error) {
	step, err := s.stepFiles(ctx, base, tip.OID)
	if err != nil {
		return nil, err
	}
	differ, err := s.repo.DiffTrees(ctx, cm.Tree, tip.Tree)
	if err != nil {
		return nil, err
	}
	var open []git.Change
	for _, c := range codeChanges(differ) {
		if _, ok := step.find(c.Path); ok {
			open = append(open, c)
		}
	}
	same, err := s.asCommitted(ctx, open)
	if err != nil {
		return nil, err
	}
	committed := make(map[string]git.Change, len(open))
	for _, c := range open {
		committed[c.Path] = c
	}
	return carried(open,
		func(p string) (uint32, git.OID) { return committed[p].OldMode, committed[p].Old },
		func(p string) bool { return same[p] }), nil
}

// asCommitted finds the paths whose file in the worktree equals the commit's
// side (Old) of the change: nothing of them remains to be committed.
func (s *ManualCommitStrategy) asCommitted(ctx context.Context, changes []git.Change) (map[string]bool, error) {
	var entries []git.StatusEntry
	for _, c := range changes {
		entries = append(entries, git.StatusEntry{Path: c.Path, HeadMode: c.OldMode, HeadOID: c.Old})
	}
	snap, err := s.takeSnapshot(ctx, &git.Status{Entries: entries})
	if err != nil {
		return nil, err
	}
	same := map[string]bool{}
	for _, c := range changes {
		if _, differs := snap.files.find(c.Path); !differs {
			same[c.Path] = true
		}
	}
	return same, nil
}

// carryStep is the first step on the new base: the commit's tree and what
// remains on top of it. Other sessions' steps stay below it.
func (s *ManualCommitStrategy) carryStep(ctx context.Context, cm madeCommit, tip git.Commit, remain fileStates, open []*open, others, left bool, author git.Signature) (git.OID, error) {
	edits := remain.edits()
	var parents []git.OID
	if others {
		edits, parents = append(edits, keepOverlay(ctx, s, tip)...), []git.OID{tip.OID}
	}
	tree, err := s.repo.EditTree(ctx, cm.Tree, edits)
	if err != nil {
		return git.OID{}, err
	}
	step := checkpoint.Step{Kind: checkpoint.StepMixed, Subject: "changes before the turn", Base: cm.OID}
	if left || others {
		step.Kind, step.Subject = checkpoint.StepCarryForward, checkpoint.CarryForwardSubject
	}
	for _, o := range open {
		if step.Session.IsZero() {
			step.Session = o.id
		} else if step.Kind == checkpoint.StepCarryForward {
			step.Others = append(step.Others, o.id)
		}
	}
	author.When = s.Now()
	return s.repo.Writer().Commit(git.Commit{Tree: tree, Parents: parents, Author: author, Committer: author, Message: checkpoint.StepMessage(step)})
}

// settle writes the states that belong to what the refs now say.
func (s *ManualCommitStrategy) settle(ctx context.Context, cm madeCommit, cp id.CheckpointID, chosen []id.SessionID, open []*open, done settled) error {
	s.saveCache(&worktreeCache{head: cm.OID, ref: done.ref, tip: done.tip, files: done.remain, stats: s.loadCache().stats})
	left := map[string]bool{}
	for _, f := range done.remain {
		left[f.path] = true
	}
	var errs []error
	for _, o := range open {
		st := o.state
		if slices.Contains(chosen, o.id) {
			s.condensed(o, cp, cm)
		}
		st.BaseCommit = cm.OID.String()
		st.FilesTouched = slices.DeleteFunc(st.FilesTouched, func(p string) bool { return !left[textPath(p)] })
		if len(st.FilesTouched) > 0 {
			o.side.Tip = done.tip
			if slices.Contains(chosen, o.id) {
				st.CheckpointCount, st.LastCheckpointID = 1, id.CheckpointID{}
			}
		}
		if st.Phase == session.PhaseActive && o.side.Turn.Seen {
			talk := o.side.Turn.Talk
			o.side.Turn = turnMark{Head: cm.OID, Step: done.tip, Digest: done.remain.digest(), Talk: talk, Seen: true}
		}
		errs = append(errs, s.save(ctx, o))
	}
	return errors.Join(errs...)
}

// condensed starts the session's next cycle.
func (s *ManualCommitStrategy) condensed(o *open, cp id.CheckpointID, cm madeCommit) {
	st := o.state
	s.Log.Info("session condensed", "session_id", o.id.String(), "checkpoint_id", cp.String(), "commit", cm.OID.Short(), "steps", st.CheckpointCount)
	st.AttributionBaseCommit = cm.OID.String()
	st.CheckpointCount, st.LastCheckpointID = 0, cp
	st.PromptAttributions, st.PendingPromptAttribution = nil, nil
	o.side.Backlog, o.side.Chunks = false, 0
	o.side.Tip = git.OID{}
	if t := o.side.Capture.Talk; t != nil {
		st.CheckpointTranscriptStart = t.Lines
		o.side.Condensed = t.Mark()
	}
	if st.Phase == session.PhaseActive {
		st.TurnCheckpointIDs = append(st.TurnCheckpointIDs, cp)
	}
	r := session.Transition(st.Phase, session.GitCommit, session.TransitionContext{HasFilesTouched: len(st.FilesTouched) > 0})
	st.Phase = r.NewPhase
	now := s.Now()
	st.LastInteractionTime = &now
}

// unlinked lets the steps on the commit's parent follow it. Work that the
// commit took without a link is no longer pending; status tells of it.
func (s *ManualCommitStrategy) unlinked(ctx context.Context, cm madeCommit, sums []session.Summary) error {
	var ids []id.SessionID
	for _, sum := range sums {
		if pending(sum) && sum.BaseCommit == cm.parent.String() {
			ids = append(ids, sum.ID)
		}
	}
	if len(ids) == 0 {
		return s.dropIdleSteps(ctx, cm)
	}
	open, err := s.openAll(ctx, involved(ids, nil, cm.parent))
	if err != nil {
		return err
	}
	defer closeAll(open)
	base := cm.parent
	tip, exists, err := s.repo.Reader(ctx).CommitOf(s.shadowRef(base))
	if err != nil {
		return err
	}
	var remain fileStates
	if exists {
		if remain, err = s.remaining(ctx, cm, base, tip); err != nil {
			return err
		}
	}
	var errs []error
	keep := false
	for _, o := range open {
		s.dropCommitted(o, cm, remain)
		keep = keep || len(o.state.FilesTouched) > 0 || o.state.Phase == session.PhaseActive
	}
	for _, o := range open {
		if keep {
			errs = append(errs, s.followHead(ctx, o, &snapshot{head: cm.OID}))
		} else {
			o.state.BaseCommit, o.side.Tip = cm.OID.String(), git.OID{}
		}
		errs = append(errs, s.save(ctx, o))
	}
	if !keep && exists {
		errs = append(errs, s.dropIdleSteps(ctx, cm))
	}
	return errors.Join(errs...)
}

// dropCommitted forgets the paths that a commit took without linking them, and
// remembers that it did.
func (s *ManualCommitStrategy) dropCommitted(o *open, cm madeCommit, remain fileStates) {
	took := map[string]bool{}
	for _, c := range cm.changes {
		if _, left := remain.find(c.Path); !left {
			took[c.Path] = true
		}
	}
	before := len(o.state.FilesTouched)
	o.state.FilesTouched = slices.DeleteFunc(o.state.FilesTouched, func(p string) bool { return took[textPath(p)] })
	if before == len(o.state.FilesTouched) {
		return
	}
	o.side.Unlinked = append(o.side.Unlinked, unlinkedCommit{Commit: cm.OID, Files: before - len(o.state.FilesTouched)})
	if n := len(o.side.Unlinked); n > 20 {
		o.side.Unlinked = o.side.Unlinked[n-20:]
	}
	s.Log.Warn("commit holds agent work but has no checkpoint trailer", "commit", cm.OID.Short(), "session_id", o.id.String())
}

// unlinkedCommit is a commit that took a session's work without a trailer.
type unlinkedCommit struct {
	Commit git.OID `json:"commit"`
	Files  int     `json:"files"`
}

// dropIdleSteps removes a branch on which no session has pending work: what
// people changed is in the worktree or committed. Only the very commit we
// recorded is removed.
func (s *ManualCommitStrategy) dropIdleSteps(ctx context.Context, cm madeCommit) error {
	c := s.loadCache()
	if c.tip.IsZero() || c.ref == "" || c.head != cm.parent {
		return nil
	}
	err := s.repo.UpdateRefs(ctx, []git.RefUpdate{{Name: c.ref, Old: c.tip}})
	if errors.Is(err, git.ErrRefMoved) {
		return nil
	}
	if err == nil {
		s.saveCache(&worktreeCache{head: cm.OID, stats: c.stats})
	}
	return err
}
