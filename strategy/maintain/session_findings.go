package maintain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire/agent"
	"entire/id"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/turn"
	"entire/strategy/worktree"
)

// deadTurnAge is how long an agent may call no hook in the middle of a turn before the turn counts as
// dead.
const deadTurnAge = time.Hour

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
func examineSessions(ctx context.Context, s *sessionstate.Env) ([]Finding, error) {
	states, bad, err := s.Store.List(ctx)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, p := range bad {
		out = append(out, badState(s, p))
	}
	for _, st := range states {
		f, err := examineSession(ctx, s, st)
		if err != nil {
			f = &Finding{Kind: "unreadable", Subject: st.SessionID.Short(), Why: err.Error()}
		}
		if f != nil {
			out = append(out, *f)
		}
	}
	return out, nil
}

// badState is the finding for a state file that cannot be read. Mend does what the session's next event does with a
// damaged one, or moves the file to a folder in which nobody looks for states.
func badState(s *sessionstate.Env, p session.ListProblem) Finding {
	if sid, err := id.ParseSessionID(strings.TrimSuffix(p.Name, ".json")); err == nil && errors.Is(p.Err, session.ErrDamagedState) && s.Store.Copy(sid) != nil {
		return Finding{Kind: "unreadable", Subject: p.Name, Why: p.Err.Error(), Fix: "set it aside, and write the state as it was last saved",
			Mend: func(ctx context.Context) (string, error) {
				return "written as it was last saved", s.UpdateSession(ctx, sid, func(*sessionstate.LockedSession) error { return nil })
			}}
	}
	aside := filepath.Join(s.Repo.CommonDir, "entire", "unreadable", p.Name)
	return Finding{Kind: "unreadable", Subject: p.Name, Why: p.Err.Error(), Fix: "move it to " + displayPath(s, aside),
		Mend: func(context.Context) (string, error) {
			if err := os.MkdirAll(filepath.Dir(aside), 0o750); err != nil {
				return "", err
			}
			for n := 1; sessionstate.PathExists(aside); n++ {
				aside = filepath.Join(filepath.Dir(aside), fmt.Sprintf("%s.%d", p.Name, n))
			}
			return "moved to " + displayPath(s, aside), os.Rename(filepath.Join(s.Store.Root(), p.Name), aside)
		}}
}

// examineSession returns nil for a session that is as it should be.
func examineSession(ctx context.Context, s *sessionstate.Env, st *session.State) (*Finding, error) {
	ref := sessionShadowRef(st)
	tip, hasBranch, err := s.Repo.Ref(ctx, ref)
	if err != nil {
		return nil, err
	}
	f := &Finding{Kind: "stuck-session", Subject: st.SessionID.Short(), Stuck: &StuckSession{
		ID: st.SessionID, Phase: st.Phase, Agent: st.AgentType, LastInteraction: st.LastInteractionTime,
		Branch: step.ShortBranch(ref), HasBranch: hasBranch, Checkpoints: st.CheckpointCount, Files: len(st.FilesTouched),
	}}
	switch {
	case deadTurn(s, st):
		f.Why = "in the middle of a turn, and silent for " + silentFor(s, st)
		offerClose(s, f, st)
	case st.Phase == session.PhaseEnded && st.CheckpointCount > 0 && hasBranch:
		return uncondensed(ctx, s, f, st, tip)
	default:
		return nil, nil
	}
	return f, nil
}

// deadTurn reports whether a turn's agent is gone: for deadTurnAge it has neither called a hook nor
// written to its transcript.
func deadTurn(s *sessionstate.Env, st *session.State) bool {
	if st.Phase != session.PhaseActive {
		return false
	}
	if t := st.LastInteractionTime; t != nil && s.Now().Sub(*t) < deadTurnAge {
		return false
	}
	fi, err := os.Stat(st.TranscriptPath)
	return err != nil || s.Now().Sub(fi.ModTime()) >= deadTurnAge
}

// silentFor says how long the session's agent has called no hook.
func silentFor(s *sessionstate.Env, st *session.State) string {
	if st.LastInteractionTime == nil {
		return "an unknown time"
	}
	d := s.Now().Sub(*st.LastInteractionTime)
	if d < 48*time.Hour {
		return worktree.Counted(int(d.Hours()), "hour")
	}
	return step.Days(d)
}

// offerClose adds a Mend that ends the turn as the session's next event would: the changes since
// become its last step.
func offerClose(s *sessionstate.Env, f *Finding, st *session.State) {
	if !s.InThisWorktree(st.WorktreePath, st.WorktreeID) {
		f.Hint = "run `entire doctor --fix` in its worktree, " + sessionstate.DecodePath(st.WorktreePath)
		if !sessionstate.PathExists(sessionstate.DecodePath(st.WorktreePath)) {
			f.Hint = "its worktree is gone; `entire doctor reset --session " + st.SessionID.String() + "` sets its steps aside"
		}
		return
	}
	f.Fix = "close the turn, and save what changed since it began"
	f.Mend = func(ctx context.Context) (string, error) {
		err := s.UpdateSession(ctx, st.SessionID, func(o *sessionstate.LockedSession) error {
			if o.IsNew || !deadTurn(s, o.State) {
				return errInUse
			}
			if err := turn.CloseTurn(ctx, s, o); err != nil {
				return err
			}
			condense.Transition(s, o, session.TurnEnd)
			return nil
		})
		return "Closed the turn of session " + st.SessionID.String(), err
	}
}

// uncondensed finds work of an ended session in HEAD's history without a checkpoint. Work that no
// commit holds yet is no finding.
func uncondensed(ctx context.Context, s *sessionstate.Env, f *Finding, st *session.State, tip git.OID) (*Finding, error) {
	if !s.InThisWorktree(st.WorktreePath, st.WorktreeID) {
		if sessionstate.PathExists(sessionstate.DecodePath(st.WorktreePath)) {
			return nil, nil // the HEAD of its own worktree decides whether it is committed
		}
		f.Why = "it ended with steps in a worktree that is gone"
		f.Hint = "`entire doctor reset --session " + st.SessionID.String() + "` sets its steps aside"
		return f, nil
	}
	cm, taken, err := committedPart(ctx, s, st, tip)
	if err != nil || taken == 0 {
		return nil, err
	}
	f.Why = fmt.Sprintf("it ended, and %s of its work went into commits that no hook saw", worktree.Counted(taken, "file"))
	f.Fix = "store its work as a checkpoint; uncommitted files stay as they are"
	f.Mend = func(ctx context.Context) (string, error) {
		sums, err := step.WorktreeSessions(ctx, s)
		if err != nil {
			return "", err
		}
		cp, err := s.NewCheckpointID()
		if err != nil {
			return "", err
		}
		err = condense.Condense(ctx, s, cm, cp, []id.SessionID{st.SessionID}, sums)
		return "Condensed session " + st.SessionID.String() + " as checkpoint " + cp.String(), err
	}
	return f, nil
}

// committedPart returns HEAD as one commit on top of the session's base, and the number of files of the
// session's last step that it holds.
func committedPart(ctx context.Context, s *sessionstate.Env, st *session.State, tip git.OID) (cm githead.MadeCommit, taken int, err error) {
	head, born, err := s.Repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born || head.OID.String() == st.BaseCommit {
		return cm, 0, err
	}
	base, err := worktree.ParseOptional([]byte(st.BaseCommit))
	if err != nil {
		return cm, 0, err
	}
	tipCommit, err := s.Repo.Reader(ctx).Commit(tip)
	if err != nil {
		return cm, 0, err
	}
	made, err := evidence.ChangesOnTop(ctx, s, base, tipCommit.Tree)
	if err != nil {
		return cm, 0, err
	}
	missing, err := evidence.ChangesOnTop(ctx, s, head.OID, tipCommit.Tree)
	if err != nil {
		return cm, 0, err
	}
	for _, p := range sessionstate.DecodePaths(st.FilesTouched) {
		_, was := worktree.Find(made, p)
		if _, still := worktree.Find(missing, p); was && !still {
			taken++
		}
	}
	cm = githead.MadeCommit{Commit: head, Parent: base, Branch: evidence.BranchName(ctx, s)}
	before, err := worktree.HeadTree(ctx, s, base)
	if err != nil && !errors.Is(err, git.ErrMissing) {
		return cm, 0, err
	}
	cm.Changes, err = step.CodeDiff(ctx, s, before, head.Tree)
	return cm, taken, err
}
