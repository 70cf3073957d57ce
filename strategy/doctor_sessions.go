package strategy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"entire/agent"
	"entire/id"
	"entire/internal/git"
	"entire/session"
)

// turnAge is how long an agent may call no hook in the middle of a turn before the turn counts as
// dead.
const turnAge = time.Hour

// StuckSession is what a person is told of a session that does not continue by itself.
type StuckSession struct {
	ID              id.SessionID    `json:"session_id"`
	Phase           session.Phase   `json:"phase"`
	Agent           agent.AgentType `json:"agent,omitempty"`
	LastInteraction *time.Time      `json:"last_interaction_time,omitempty"`
	Branch          string          `json:"shadow_branch"`
	HasBranch       bool            `json:"shadow_branch_exists"`
	Checkpoints     int             `json:"checkpoints"`
	Files           int             `json:"files_touched"`
}

// examineSessions finds states that cannot be read, turns whose end no event will tell, and ended
// sessions whose work is in a commit without a checkpoint.
func (s *ManualCommitStrategy) examineSessions(ctx context.Context) ([]Finding, error) {
	states, bad, err := s.store.List(ctx)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, p := range bad {
		out = append(out, s.badState(p))
	}
	for _, st := range states {
		f, err := s.examineSession(ctx, st)
		if err != nil {
			f = &Finding{Kind: "unreadable", Subject: st.SessionID.Short(), Why: err.Error()}
		}
		if f != nil {
			out = append(out, *f)
		}
	}
	return out, nil
}

// badState is the finding for a state file that cannot be read. Mend moves the file to a folder
// in which nobody looks for states.
func (s *ManualCommitStrategy) badState(p session.ListProblem) Finding {
	aside := filepath.Join(s.repo.CommonDir, "entire", "unreadable", p.Name)
	return Finding{Kind: "unreadable", Subject: p.Name, Why: p.Err.Error(), Fix: "move it to " + s.shown(aside),
		Mend: func(context.Context) (string, error) {
			if err := os.MkdirAll(filepath.Dir(aside), 0o750); err != nil {
				return "", err
			}
			for n := 1; exists(aside); n++ {
				aside = filepath.Join(filepath.Dir(aside), fmt.Sprintf("%s.%d", p.Name, n))
			}
			return "moved to " + s.shown(aside), os.Rename(filepath.Join(s.store.Root(), p.Name), aside)
		}}
}

// examineSession returns nil for a session that is as it should be.
func (s *ManualCommitStrategy) examineSession(ctx context.Context, st *session.State) (*Finding, error) {
	ref := refOf(st)
	tip, hasBranch, err := s.repo.Ref(ctx, ref)
	if err != nil {
		return nil, err
	}
	f := &Finding{Kind: "stuck-session", Subject: st.SessionID.Short(), Stuck: &StuckSession{
		ID: st.SessionID, Phase: st.Phase, Agent: st.AgentType, LastInteraction: st.LastInteractionTime,
		Branch: shortRef(ref), HasBranch: hasBranch, Checkpoints: st.CheckpointCount, Files: len(st.FilesTouched),
	}}
	switch {
	case s.deadTurn(st):
		f.Why = "in the middle of a turn, and silent for " + s.silence(st)
		s.offerClose(f, st)
	case st.Phase == session.PhaseEnded && st.CheckpointCount > 0 && hasBranch:
		return s.uncondensed(ctx, f, st, tip)
	default:
		return nil, nil
	}
	return f, nil
}

// deadTurn reports whether a turn's agent is gone: for turnAge it has neither called a hook nor
// written to its transcript.
func (s *ManualCommitStrategy) deadTurn(st *session.State) bool {
	if st.Phase != session.PhaseActive {
		return false
	}
	if t := st.LastInteractionTime; t != nil && s.Now().Sub(*t) < turnAge {
		return false
	}
	fi, err := os.Stat(st.TranscriptPath)
	return err != nil || s.Now().Sub(fi.ModTime()) >= turnAge
}

// silence says how long the session's agent has called no hook.
func (s *ManualCommitStrategy) silence(st *session.State) string {
	if st.LastInteractionTime == nil {
		return "an unknown time"
	}
	d := s.Now().Sub(*st.LastInteractionTime)
	if d < 48*time.Hour {
		return counted(int(d.Hours()), "hour")
	}
	return days(d)
}

// offerClose adds a Mend that ends the turn as the session's next event would: the changes since
// become its last step.
func (s *ManualCommitStrategy) offerClose(f *Finding, st *session.State) {
	if !s.mine(st.WorktreePath, st.WorktreeID) {
		f.Hint = "run `entire doctor --fix` in its worktree, " + textPath(st.WorktreePath)
		if !exists(textPath(st.WorktreePath)) {
			f.Hint = "its worktree is gone; `entire reset --session " + st.SessionID.String() + "` sets its steps aside"
		}
		return
	}
	f.Fix = "close the turn, and save what changed since it began"
	f.Mend = func(ctx context.Context) (string, error) {
		err := s.inSession(ctx, st.SessionID, func(o *open) error {
			if o.isNew || !s.deadTurn(o.state) {
				return errInUse
			}
			if err := s.closeTurn(ctx, o); err != nil {
				return err
			}
			s.transition(o, session.TurnEnd)
			return nil
		})
		return "Closed the turn of session " + st.SessionID.String(), err
	}
}

// uncondensed finds work of an ended session in HEAD's history without a checkpoint. Work that no
// commit holds yet is no finding.
func (s *ManualCommitStrategy) uncondensed(ctx context.Context, f *Finding, st *session.State, tip git.OID) (*Finding, error) {
	if !s.mine(st.WorktreePath, st.WorktreeID) {
		if exists(textPath(st.WorktreePath)) {
			return nil, nil // the HEAD of its own worktree decides whether it is committed
		}
		f.Why = "it ended with steps in a worktree that is gone"
		f.Hint = "`entire reset --session " + st.SessionID.String() + "` sets its steps aside"
		return f, nil
	}
	cm, taken, err := s.takenBy(ctx, st, tip)
	if err != nil || taken == 0 {
		return nil, err
	}
	f.Why = fmt.Sprintf("it ended, and %s of its work went into commits that no hook saw", counted(taken, "file"))
	f.Fix = "store its work as a checkpoint; uncommitted files stay as they are"
	f.Mend = func(ctx context.Context) (string, error) {
		sums, err := s.here(ctx)
		if err != nil {
			return "", err
		}
		cp, err := id.Generate()
		if err != nil {
			return "", err
		}
		err = s.condense(ctx, cm, cp, []id.SessionID{st.SessionID}, sums)
		return "Condensed session " + st.SessionID.String() + " as checkpoint " + cp.String(), err
	}
	return f, nil
}

// takenBy returns HEAD as one commit on top of the session's base, and the number of files of the
// session's last step that it holds.
func (s *ManualCommitStrategy) takenBy(ctx context.Context, st *session.State, tip git.OID) (cm madeCommit, taken int, err error) {
	head, born, err := s.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born || head.OID.String() == st.BaseCommit {
		return cm, 0, err
	}
	base, err := parseOptional([]byte(st.BaseCommit))
	if err != nil {
		return cm, 0, err
	}
	tipCommit, err := s.repo.Reader(ctx).Commit(tip)
	if err != nil {
		return cm, 0, err
	}
	made, err := s.above(ctx, base, tipCommit.Tree)
	if err != nil {
		return cm, 0, err
	}
	missing, err := s.above(ctx, head.OID, tipCommit.Tree)
	if err != nil {
		return cm, 0, err
	}
	for _, p := range textPaths(st.FilesTouched) {
		_, was := made.find(p)
		if _, still := missing.find(p); was && !still {
			taken++
		}
	}
	cm = madeCommit{Commit: head, parent: base, branch: s.branchName()}
	before, err := s.headTree(ctx, base)
	if err != nil && !errors.Is(err, git.ErrMissing) {
		return cm, 0, err
	}
	cm.changes, err = s.codeDiff(ctx, before, head.Tree)
	return cm, taken, err
}
