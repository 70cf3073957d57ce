package strategy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
	"entire/session"
)

// condense writes one checkpoint for all chosen sessions and carries forward, in the same
// transaction, what the commit leaves of their steps.
func (s *ManualCommitStrategy) condense(ctx context.Context, cm madeCommit, cp id.CheckpointID, chosen []id.SessionID, sums []session.Summary) error {
	open, err := s.openAll(ctx, involved(chosen, sums))
	if err != nil {
		return err
	}
	defer closeAll(open)
	rec := checkpoint.Record{ID: cp, Strategy: s.name(), Branch: cm.branch, CLIVersion: s.Version}
	if chosen, err = s.unsettled(ctx, open, chosen, cm, cp); err != nil || len(chosen) == 0 {
		return err
	}
	cm.sums = sums
	waiting := 0
	for _, sum := range sums {
		if pending(sum) {
			waiting++
		}
	}
	cm.several = waiting > 1
	for _, o := range open {
		if !slices.Contains(chosen, o.id) {
			s.noteUnseen(ctx, o, cm.parent, cm.OID) // its base moves to the commit, too
			continue
		}
		if err := s.readTranscript(ctx, o); err != nil {
			s.Log.Warn("transcript not read at commit", "session_id", o.id.String(), "err", err)
		}
		s.noteUnseen(ctx, o, cm.parent, cm.OID)
		sess, err := s.record(ctx, o, cm, cp)
		if err != nil {
			return err
		}
		rec.Sessions = append(rec.Sessions, sess)
		rec.Author = s.author(ctx, o)
		rec.EphemeralBranch = s.shadowRef(baseOf(o))[len("refs/heads/"):]
	}
	if cm.unnamed {
		rec.Unnamed = cm.OID
	}
	s.attribute(ctx, cm, open, &rec)
	cm.describe(&rec)
	if cm.again {
		if err := s.addStored(ctx, &rec); err != nil {
			return err
		}
	}
	plan, err := s.commitRecord(ctx, cm, rec, open, chosen)
	if err != nil {
		return err
	}
	s.Condensed(cp, chosen)
	return s.settle(ctx, cm, cp, chosen, open, plan)
}

// unsettled leaves out the sessions whose state already names the commit as base: an earlier
// call, killed since, has condensed them. For auto-commit's own commit this proves nothing
// without the stored checkpoint, because git may have made the commit while the session's next
// event ran.
func (s *ManualCommitStrategy) unsettled(ctx context.Context, open []*open, chosen []id.SessionID, cm madeCommit, cp id.CheckpointID) ([]id.SessionID, error) {
	if cm.auto != nil {
		stored, err := checkpoint.NewRecords(s.repo).Exists(ctx, []id.CheckpointID{cp})
		if err != nil || !stored[cp] {
			return chosen, err
		}
	}
	var out []id.SessionID
	for _, o := range open {
		if slices.Contains(chosen, o.id) && baseOf(o) != cm.OID {
			out = append(out, o.id)
		}
	}
	return out, nil
}

// involved returns the chosen sessions and the sessions whose steps share a branch with theirs,
// in lock order.
func involved(chosen []id.SessionID, sums []session.Summary) []id.SessionID {
	all, bases := slices.Clone(chosen), map[string]bool{}
	for _, sum := range sums {
		if slices.Contains(chosen, sum.ID) {
			bases[sum.BaseCommit] = true
		}
	}
	for _, sum := range sums {
		if pending(sum) && bases[sum.BaseCommit] && !slices.Contains(all, sum.ID) {
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

// openAll locks and reads sessions. Sessions that were removed in between are left out.
func (s *ManualCommitStrategy) openAll(ctx context.Context, ids []id.SessionID) ([]*open, error) {
	var all []*open
	for _, sid := range ids {
		o, err := s.openSession(ctx, sid)
		if err != nil {
			closeAll(all)
			return nil, err
		}
		if o.isNew { // the session was removed in between
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

// baseOf returns the commit on which the session's steps are based, zero if there is none.
func baseOf(o *open) git.OID {
	oid, err := git.ParseOID(o.state.BaseCommit)
	if err != nil {
		return git.OID{}
	}
	return oid
}

// record returns what the checkpoint stores of one session.
func (s *ManualCommitStrategy) record(ctx context.Context, o *open, cm madeCommit, cp id.CheckpointID) (checkpoint.SessionRecord, error) {
	st, c := o.state, &o.side.Capture
	files, err := s.filesIn(ctx, o, cm)
	if err != nil {
		return checkpoint.SessionRecord{}, err
	}
	meta := checkpoint.CommittedMetadata{
		CLIVersion: s.Version, CheckpointID: cp, SessionID: o.id.String(), Strategy: s.name(),
		CreatedAt: s.Now().UTC(), Branch: cm.branch, CheckpointsCount: o.stepsSince(),
		FilesTouched: files, Agent: st.AgentType, TurnID: st.TurnID,
		TranscriptIdentifierAtStart: st.TranscriptIdentifierAtStart,
		CheckpointTranscriptStart:   st.CheckpointTranscriptStart, TranscriptLinesAtStart: st.CheckpointTranscriptStart,
		TranscriptPath: s.homeRelative(st.TranscriptPath),
	}
	rec := checkpoint.SessionRecord{Transcript: c.Log.Entries(), ContentHash: c.Log.ContentHash(), Messages: s.messages(ctx, o)}
	if c.Talk != nil {
		usage := withSubagents(c.Talk.UsageSince(o.side.Condensed), s.subagentTotal(o).Since(o.side.CondensedAgents))
		if !usage.IsZero() {
			meta.TokenUsage = &usage
		}
	}
	prompts := s.prompts(o)
	rec.Prompts, rec.Context = checkpoint.JoinPrompts(prompts), checkpoint.ContextMarkdown(prompts)
	tasks, err := s.taskFiles(ctx, o)
	if err != nil {
		return rec, err
	}
	rec.Metadata, rec.Extra = meta, tasks
	return rec, nil
}

// filesIn returns the commit's paths that the session touched: in its steps or, in an open turn,
// what the turn changed and no other session claims.
func (s *ManualCommitStrategy) filesIn(ctx context.Context, o *open, cm madeCommit) ([]string, error) {
	touched := setOf(textPaths(o.state.FilesTouched))
	w, err := s.workOf(ctx, o.id)
	if errors.Is(err, session.ErrNotFound) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	var concurrent []work
	if w.active {
		if err := s.addBegan(ctx, &w, cm.changes); err != nil {
			return nil, err
		}
	}
	if w.active || cm.several {
		concurrent = s.othersWork(ctx, o.id, cm.sums, setOf(paths(cm.changes)))
	}
	claimed, named := filesOf(concurrent)
	ev := s.evidence(ctx)
	var out []string
	for _, c := range cm.changes {
		byOthers := (claimed[c.Path] || named[c.Path]) && !w.edited[c.Path]
		own := touched[c.Path] && (!byOthers && !w.lacks(c.Path, ev) && !w.found(c, ev) || w.has(c, concurrent, ev))
		if own || cm.took(c.Path) || w.active && !byOthers && w.didInTurn(c, s.committer()) || w.renamed(c, ev) {
			out = append(out, pathText(c.Path))
		}
	}
	return out, nil
}

// commitRecord updates the metadata branch and the shadow branches in one transaction. It starts
// again if one of them moved in between.
func (s *ManualCommitStrategy) commitRecord(ctx context.Context, cm madeCommit, rec checkpoint.Record, open []*open, chosen []id.SessionID) (settled, error) {
	for try := 0; ; try++ {
		done, also, err := s.settleSteps(ctx, cm, open, chosen, rec)
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
			quiet, err := s.quietDone(ctx, o)
			if err != nil {
				return settled{}, err
			}
			also = append(append(also, backlog...), quiet...)
		}
		err = checkpoint.UpdateMetadata(ctx, s.repo, also, func(tip git.OID) (git.OID, error) {
			return checkpoint.BuildRecord(ctx, s.repo, tip, rec)
		})
		if err == nil || !errors.Is(err, git.ErrRefMoved) || try >= casTries {
			return done, err
		}
		s.reloadCache()
		if err := git.Pause(ctx, time.Duration(rand.IntN(10+5*min(try, 20)))*time.Millisecond); err != nil {
			return settled{}, err
		}
	}
}

// settle writes the states that match the new refs.
func (s *ManualCommitStrategy) settle(ctx context.Context, cm madeCommit, cp id.CheckpointID, chosen []id.SessionID, open []*open, done settled) error {
	if done.aside {
		s.saveCache(&worktreeCache{})
	} else {
		s.saveCache(&worktreeCache{head: cm.OID, ref: done.ref, tip: done.tip, files: done.remain, stats: s.loadCache().stats})
	}
	remaining := map[string]bool{}
	for _, f := range done.remain {
		remaining[f.path] = true
	}
	maps.Copy(remaining, done.away)
	var errs []error
	for _, o := range open {
		st := o.state
		if slices.Contains(chosen, o.id) {
			s.keepPacked(o)
			s.condensed(ctx, o, cp, cm)
		}
		st.BaseCommit = cm.OID.String()
		st.FilesTouched = slices.DeleteFunc(st.FilesTouched, func(p string) bool { return !remaining[textPath(p)] || cm.took(textPath(p)) || done.back.notBy(o, p) })
		o.forgetBefore()
		if len(st.FilesTouched) == 0 && st.Phase != session.PhaseActive && slices.Contains(chosen, o.id) {
			o.side.Capture.Calls = nil // the session's next part begins after these calls
		}
		errs = append(errs, s.claimMidTurn(ctx, o, cm, done))
		if len(st.FilesTouched) > 0 {
			o.side.Tip = done.tip
			if slices.Contains(chosen, o.id) {
				st.CheckpointCount, st.LastCheckpointID = o.side.Auto.Counted+1, id.CheckpointID{}
			}
		}
		if st.Phase == session.PhaseActive && o.side.Turn.Seen {
			was := o.side.Turn
			o.side.Turn = turnMark{Head: cm.OID, Step: done.tip, Digest: done.remain.digest(), Talk: was.Talk, Seen: true, Said: was.Said, Lines: was.Lines, Own: was.Own, Told: was.Told}
			o.side.Turn.Began = was.on(cm)
		}
		errs = append(errs, s.save(ctx, o))
	}
	return errors.Join(errs...)
}

// condensed starts the session's next part, after its checkpoint was stored.
func (s *ManualCommitStrategy) condensed(ctx context.Context, o *open, cp id.CheckpointID, cm madeCommit) {
	st := o.state
	s.Log.Info("session condensed", "session_id", o.id.String(), "checkpoint_id", cp.String(), "commit", cm.OID.Short(), "steps", o.stepsSince())
	st.AttributionBaseCommit = cm.OID.String()
	if !s.auto { // auto-commit counts all checkpoints of a session
		st.CheckpointCount = 0
	}
	o.side.Auto.Counted, o.side.Auto.Since, st.LastCheckpointID = st.CheckpointCount, nil, cp
	st.PromptAttributions, st.PendingPromptAttribution = nil, nil
	o.side.Backlog, o.side.Chunks, o.side.Claim = false, 0, claim{}
	o.side.Tip, o.side.CommittedTurns = git.OID{}, o.side.Turns
	o.side.Unlinked = slices.DeleteFunc(o.side.Unlinked, func(u unlinkedCommit) bool { return u.Commit == cm.OID })
	if t := o.side.Capture.Talk; t != nil {
		st.CheckpointTranscriptStart = s.nextPart(ctx, o, cm)
		o.side.Condensed, o.side.CondensedAgents = t.Mark(), o.seenSubagents()
	}
	o.side.Quiet, o.side.Auto.Subject = git.OID{}, ""
	if st.Phase == session.PhaseActive || o.side.TalkLate {
		st.TurnCheckpointIDs = append(st.TurnCheckpointIDs, cp)
	}
	s.transition(o, session.GitCommit)
}
