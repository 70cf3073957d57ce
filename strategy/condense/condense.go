package condense

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/ownership"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// StrategyAuto is the name of the strategy that commits every turn.
const StrategyAuto = "auto-commit"

// StrategyName is the strategy's name in checkpoints.
func StrategyName(s *sessionstate.Env) string {
	if s.Auto {
		return StrategyAuto
	}
	return shadow.StrategyManual
}

// Condense writes one checkpoint for all chosen sessions and carries forward, in the same
// transaction, what the commit leaves of their steps.
func Condense(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, cp id.CheckpointID, chosen []id.SessionID, sums []session.Summary) error {
	open, err := OpenAll(ctx, s, involvedSessions(chosen, sums))
	if err != nil {
		return err
	}
	defer CloseAll(open)
	if chosen, err = notYetCondensed(ctx, s, open, chosen, cm, cp); err != nil || len(chosen) == 0 {
		return err
	}
	cm.Sessions = sums
	rec := newRecord(s, cm, cp)
	for _, o := range open {
		if err := readAtCommit(ctx, s, o, cm, chosen); err != nil {
			return err
		}
		if !slices.Contains(chosen, o.ID) {
			continue
		}
		sess, err := SessionRecord(ctx, s, o, cm, cp)
		if err != nil {
			return err
		}
		rec.Sessions = append(rec.Sessions, sess)
		rec.Author = s.AuthorOf(ctx, o)
		rec.EphemeralBranch = worktree.ShadowRef(s, step.BaseOf(o))[len("refs/heads/"):]
	}
	ownership.Attribute(ctx, s, cm, open, &rec)
	describeRecord(cm, &rec)
	if err := mergeStored(ctx, s, cm, &rec); err != nil {
		return err
	}
	plan, err := commitRecord(ctx, s, cm, rec, open, chosen)
	if err != nil {
		return err
	}
	s.Condensed(cp, chosen)
	return saveCondensed(ctx, s, cm, cp, chosen, open, plan)
}

// newRecord returns the record of a commit without sessions.
func newRecord(s *sessionstate.Env, cm githead.MadeCommit, cp id.CheckpointID) metadata.Record {
	rec := metadata.Record{ID: cp, Strategy: StrategyName(s), Branch: cm.Branch, CLIVersion: s.Version,
		Commit: cm.OID, CommitTree: cm.Tree, Committer: cm.Committer, Stating: s.Stating}
	if cm.Unnamed {
		rec.UnnamedCommit = cm.OID
	}
	return rec
}

// readAtCommit reads what a session has said by the time of the commit, if it is chosen, and notes in any session which
// commits its base passes as it moves to this one.
func readAtCommit(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, cm githead.MadeCommit, chosen []id.SessionID) error {
	isChosen := slices.Contains(chosen, o.ID)
	if err := noteUndecided(ctx, s, o, cm, isChosen); err != nil {
		return err
	}
	if isChosen {
		tryReadTranscript(ctx, s, o)
	}
	evidence.NoteUnhooked(ctx, s, o, cm.Parent, cm.OID)
	return nil
}

// tryReadTranscript reads the transcript of a session, or logs why it cannot: the commit is linked nevertheless.
func tryReadTranscript(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) {
	if err := ReadTranscript(ctx, s, o); err != nil {
		s.Log.Warn("transcript not read at commit", "session_id", o.ID.String(), "err", err)
	}
}

// notYetCondensed leaves out the sessions whose state already names the commit as base: an earlier
// call, killed since, has condensed them. For auto-commit's own commit this proves nothing
// without the stored checkpoint, because git may have made the commit while the session's next
// event ran.
func notYetCondensed(ctx context.Context, s *sessionstate.Env, open []*sessionstate.LockedSession, chosen []id.SessionID, cm githead.MadeCommit, cp id.CheckpointID) ([]id.SessionID, error) {
	if cm.Auto != nil {
		stored, err := records.NewReader(s.Repo).Exists(ctx, []id.CheckpointID{cp})
		if err != nil || !stored[cp] {
			return chosen, err
		}
	}
	var out []id.SessionID
	for _, o := range open {
		if slices.Contains(chosen, o.ID) && step.BaseOf(o) != cm.OID {
			out = append(out, o.ID)
		}
	}
	return out, nil
}

// involvedSessions returns the chosen sessions and the sessions whose steps share a branch with theirs,
// in lock order.
func involvedSessions(chosen []id.SessionID, sums []session.Summary) []id.SessionID {
	all, bases := slices.Clone(chosen), map[string]bool{}
	for _, sum := range sums {
		if slices.Contains(chosen, sum.ID) {
			bases[sum.BaseCommit] = true
		}
	}
	for _, sum := range sums {
		if step.HasPendingWork(sum) && bases[sum.BaseCommit] && !slices.Contains(all, sum.ID) {
			all = append(all, sum.ID)
		}
	}
	slices.SortFunc(all, func(a, b id.SessionID) int { return strings.Compare(a.String(), b.String()) })
	return all
}

// OpenAll locks and reads sessions. Sessions that were removed in between are left out.
func OpenAll(ctx context.Context, s *sessionstate.Env, ids []id.SessionID) ([]*sessionstate.LockedSession, error) {
	var all []*sessionstate.LockedSession
	for _, sid := range ids {
		o, err := s.OpenSession(ctx, sid)
		if err != nil {
			CloseAll(all)
			return nil, err
		}
		if o.IsNew { // the session was removed in between
			o.Close()
			continue
		}
		all = append(all, o)
	}
	return all, nil
}

// CloseAll unlocks sessions.
func CloseAll(all []*sessionstate.LockedSession) {
	for _, o := range all {
		o.Close()
	}
}

// SessionRecord returns what the checkpoint stores of one session.
func SessionRecord(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, cm githead.MadeCommit, cp id.CheckpointID) (metadata.SessionRecord, error) {
	files, err := committedFiles(ctx, s, o, cm)
	if err != nil {
		return metadata.SessionRecord{}, err
	}
	return recordOf(ctx, s, o, cm, cp, files)
}

// recordOf is SessionRecord for a session whose files in the commit are known.
func recordOf(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, cm githead.MadeCommit, cp id.CheckpointID, files []string) (metadata.SessionRecord, error) {
	st, c := o.State, &o.Engine.Capture
	meta := metadata.CommittedMetadata{
		CLIVersion: s.Version, CheckpointID: cp, SessionID: o.ID.String(), Strategy: StrategyName(s),
		CreatedAt: s.Now().UTC(), Branch: cm.Branch, CheckpointsCount: o.StepsSinceCheckpoint(),
		FilesTouched: files, Agent: st.AgentType, TurnID: st.TurnID,
		TranscriptIdentifierAtStart: st.TranscriptIdentifierAtStart,
		CheckpointTranscriptStart:   st.CheckpointTranscriptStart, TranscriptLinesAtStart: st.CheckpointTranscriptStart,
		TranscriptPath: homeRelative(s, st.TranscriptPath),
	}
	rec := metadata.SessionRecord{Transcript: c.Log.Entries(), ContentHash: c.Log.ContentHash()}
	if c.Conversation != nil {
		subagents := transcript.ReadSubagentUsage(s, o)
		total := transcript.AddSubagentUsage(c.Conversation.Usage(), subagents)
		st.TokenUsage = &total // no event may follow the agent's last answer
		usage := transcript.AddSubagentUsage(c.Conversation.UsageSince(o.Engine.CondensedMark), subagents.Since(o.Engine.CondensedSubagents))
		if !usage.IsZero() {
			meta.TokenUsage = &usage
		}
	}
	rec.Messages = transcript.CheckpointMessages(ctx, s, o)
	prompts := s.CheckpointPrompts(o)
	rec.Prompts, rec.Context = metadata.JoinPrompts(prompts), metadata.ContextMarkdown(prompts)
	tasks, err := taskFiles(ctx, s, o)
	rec.Metadata, rec.Extra = meta, tasks
	return rec, err
}

// committedFiles returns the commit's paths that the session touched: in its steps or, in an open turn,
// what the turn changed and no other session claims.
func committedFiles(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, cm githead.MadeCommit) ([]string, error) {
	touched := worktree.SetOf(sessionstate.DecodePaths(o.State.FilesTouched))
	w, err := evidence.ReadWork(ctx, s, o.ID)
	if errors.Is(err, session.ErrNotFound) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	var concurrent []transcript.SessionWork
	if w.Active {
		if err := evidence.AddTurnStart(ctx, s, &w, cm.Changes); err != nil {
			return nil, err
		}
	}
	if w.Active || severalPending(cm.Sessions) {
		concurrent = othersWork(ctx, s, o.ID, cm.Sessions, worktree.SetOf(step.Paths(cm.Changes)))
	}
	claimed, named := claimedAndNamed(concurrent)
	ev := evidence.Evidence(ctx, s)
	var out []string
	for _, c := range cm.Changes {
		byOthers := (claimed[c.Path] || named[c.Path]) && !w.Edited[c.Path]
		own := touched[c.Path] && (!byOthers && !evidence.AbsentFromLastStep(w, c.Path, ev) && !evidence.CommittedAsFound(w, c, ev) || evidence.IsInCommit(w, c, concurrent, ev))
		if own || autoCommitted(cm, c.Path) || w.Active && !byOthers && evidence.DidInTurn(w, c, evidence.WhoCommits(s)) || evidence.Moved(w, c, ev) {
			out = append(out, sessionstate.EncodePath(c.Path))
		}
	}
	return out, nil
}

// severalPending reports whether more than one of the sessions has work pending.
func severalPending(sums []session.Summary) bool {
	first := slices.IndexFunc(sums, step.HasPendingWork)
	return first >= 0 && slices.ContainsFunc(sums[first+1:], step.HasPendingWork)
}

// commitRecord updates the metadata branch, or the checkpoint's ref, and the shadow branches in one transaction. It starts
// again if one of them moved in between.
func commitRecord(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, rec metadata.Record, open []*sessionstate.LockedSession, chosen []id.SessionID) (carryResult, error) {
	for try := 0; ; try++ {
		done, also, err := carryForward(ctx, s, cm, open, chosen, rec)
		if err != nil {
			return carryResult{}, fmt.Errorf("carry work forward: %w", err)
		}
		for _, o := range open {
			if !slices.Contains(chosen, o.ID) {
				continue
			}
			backlog, err := transcript.RemoveBacklog(ctx, s, o)
			if err != nil {
				return carryResult{}, err
			}
			quiet, err := transcript.RemoveTasksWithoutStep(ctx, s, o)
			if err != nil {
				return carryResult{}, err
			}
			also = append(append(also, backlog...), quiet...)
		}
		err = metadata.WriteRecordWith(ctx, s.Repo, rec, also)
		if err == nil || !errors.Is(err, git.ErrRefMoved) || try >= step.CasTries || s.Repo.MayBeBroken(ctx, shadow.MetadataRef) {
			return done, err
		}
		worktree.ReloadCache(ctx, s)
		if err := git.PauseTry(ctx, try); err != nil {
			return carryResult{}, err
		}
	}
}

// saveCondensed writes the states that match the new refs.
func saveCondensed(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, cp id.CheckpointID, chosen []id.SessionID, open []*sessionstate.LockedSession, done carryResult) error {
	if done.foreignTip {
		worktree.SaveCache(s, &sessionstate.WorktreeCache{})
	} else {
		worktree.SaveCache(s, &sessionstate.WorktreeCache{Head: cm.OID, Ref: done.ref, Tip: done.tip, Files: done.remaining, Stats: worktree.LoadCache(ctx, s).Stats})
	}
	remaining := map[string]bool{}
	for _, f := range done.remaining {
		remaining[f.Path] = true
	}
	maps.Copy(remaining, done.stashed)
	var errs []error
	for _, o := range open {
		st := o.State
		if slices.Contains(chosen, o.ID) {
			transcript.SavePacked(s, o)
			resetAfterCondense(ctx, s, o, cp, cm)
		}
		st.BaseCommit = cm.OID.String()
		hadWork := slices.Contains(chosen, o.ID) || len(st.FilesTouched) > 0
		st.FilesTouched = slices.DeleteFunc(st.FilesTouched, func(p string) bool {
			return !remaining[sessionstate.DecodePath(p)] || autoCommitted(cm, sessionstate.DecodePath(p)) || done.reverted.OnlyByOthers(o, p)
		})
		PruneBefore(o)
		if hadWork && len(st.FilesTouched) == 0 && st.Phase != session.PhaseActive {
			ownership.NoteLostCalls(ctx, s, o, cm.OID)
			if slices.Contains(chosen, o.ID) {
				transcript.DropCallsHere(s, o) // the session's next part begins after these calls
			}
		}
		errs = append(errs, claimMidTurn(ctx, s, o, cm, done))
		if len(st.FilesTouched) > 0 {
			o.Engine.LastStep = done.tip
			if slices.Contains(chosen, o.ID) {
				st.CheckpointCount, st.LastCheckpointID = o.Engine.AutoCommit.StepsAtCommit+1, id.CheckpointID{}
			}
		}
		if st.Phase == session.PhaseActive && o.Engine.TurnStart.Seen {
			was := o.Engine.TurnStart
			o.Engine.TurnStart = sessionstate.TurnStart{Head: cm.OID, Step: done.tip, Digest: worktree.Digest(done.remaining), ConversationMark: was.ConversationMark, Seen: true, TranscriptSize: was.TranscriptSize, TranscriptLines: was.TranscriptLines, OwnStepMade: was.OwnStepMade, EndReported: was.EndReported}
			o.Engine.TurnStart.OriginalStart = originalStartAfter(was, cm)
		}
		errs = append(errs, s.SaveSession(ctx, o))
	}
	return errors.Join(errs...)
}

// resetAfterCondense starts the session's next part, after its checkpoint was stored.
func resetAfterCondense(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, cp id.CheckpointID, cm githead.MadeCommit) {
	st := o.State
	s.Log.Info("session condensed", "session_id", o.ID.String(), "checkpoint_id", cp.String(), "commit", cm.OID.Short(), "steps", o.StepsSinceCheckpoint())
	st.AttributionBaseCommit = cm.OID.String()
	if !s.Auto { // auto-commit counts all checkpoints of a session
		st.CheckpointCount = 0
	}
	o.Engine.AutoCommit.StepsAtCommit, o.Engine.AutoCommit.Since, st.LastCheckpointID = st.CheckpointCount, nil, cp
	st.PromptAttributions, st.PendingPromptAttribution = nil, nil
	o.Engine.HasBacklog, o.Engine.Chunks, o.Engine.Claim = false, 0, sessionstate.FileClaim{}
	o.Engine.LastStep, o.Engine.CondensedTurn = git.OID{}, o.Engine.TurnNumber
	o.Engine.UnlinkedCommits = slices.DeleteFunc(o.Engine.UnlinkedCommits, func(u sessionstate.UnlinkedCommit) bool { return u.Commit == cm.OID })
	if t := o.Engine.Capture.Conversation; t != nil {
		st.CheckpointTranscriptStart = nextPartStart(ctx, s, o, cm)
		o.Engine.CondensedMark, o.Engine.CondensedSubagents = t.Mark(), transcript.KnownSubagentUsage(o)
	}
	o.Engine.TasksWithoutStep, o.Engine.AutoCommit.Subject = git.OID{}, ""
	if st.Phase == session.PhaseActive || o.Engine.TranscriptLate {
		st.TurnCheckpointIDs = append(st.TurnCheckpointIDs, cp)
	}
	Transition(s, o, session.GitCommit)
}

// Strictness returns the strictness for a commit about which nothing else is known.
func Strictness(cm githead.MadeCommit) transcript.MatchMode {
	if len(cm.Parents) > 1 {
		return githead.MatchUnlessMerged
	}
	return githead.MatchAny
}
