package maintain

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/autocommit"
	"entire/strategy/condense"
	"entire/strategy/evidence"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/turn"
	"entire/strategy/worktree"
)

// Report is what `entire status` shows of a repository.
type Report struct {
	Sessions []SessionStatus
	Problems []turn.Problem

	// Unnamed are commits in HEAD's recent history that are linked without a trailer.
	Unnamed []UnnamedCommit

	// NotCaptured is what this worktree's newest step did not capture. Entries that leave out files
	// are problems, too.
	NotCaptured []worktree.Uncaptured

	// Foreign are refs below refs/entire/ that another version or program made.
	Foreign []sessionstate.KeptFile
}

// UnnamedCommit is a commit whose message does not name its checkpoint.
type UnnamedCommit struct {
	Commit     string          `json:"commit"`
	Subject    string          `json:"subject"`
	Checkpoint id.CheckpointID `json:"checkpoint_id"`
}

// SessionStatus is one session and its pending work.
type SessionStatus struct {
	State       *session.State
	Here        bool                    // it belongs to this worktree
	Turns       int                     // turns with a step, since the last checkpoint
	Files       []string                // touched since the last checkpoint
	NotCaptured []sessionstate.KeptFile // left out of its last step, and why
}

// Status collects everything that a person should know. It changes nothing.
func Status(ctx context.Context, s *sessionstate.Env) (*Report, error) {
	states, bad, err := s.Store.List(ctx)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	for _, p := range bad {
		hint := "`entire doctor --fix` moves the file aside; until then nothing more of the session is captured"
		if errors.Is(p.Err, session.ErrDamagedState) {
			hint = "the session's next event sets the file aside and goes on; so does `entire doctor --fix`"
		}
		r.Problems = append(r.Problems, turn.Problem{Kind: "unreadable", Subject: p.Name, Why: p.Err.Error(), Hint: hint})
	}
	for _, st := range states {
		o := &sessionstate.LockedSession{ID: st.SessionID, State: st}
		if err := s.Store.LoadSide(st.SessionID, sessionstate.EngineStateName, &o.Engine); err != nil {
			o.Engine = sessionstate.EngineState{}
		}
		ss := SessionStatus{State: st, Turns: turnsSince(o), Here: s.InThisWorktree(st.WorktreePath, st.WorktreeID), Files: sessionstate.DecodePaths(st.FilesTouched), NotCaptured: o.Engine.NotCaptured}
		r.Sessions = append(r.Sessions, ss)
		r.Problems = append(r.Problems, sessionProblems(s, o, ss)...)
		if ss.Here {
			r.Problems = append(r.Problems, unhookedProblems(ctx, s, o)...)
		}
	}
	sort.SliceStable(r.Sessions, func(i, j int) bool {
		return r.Sessions[i].State.StartedAt.After(r.Sessions[j].State.StartedAt)
	})
	r.Problems = append(r.Problems, failedProblems(s)...)
	r.Problems = append(r.Problems, setAsideProblems(s)...)
	if err := reportRefs(ctx, s, r); err != nil {
		return nil, err
	}
	if r.NotCaptured, err = worktree.NotCaptured(ctx, s); err != nil {
		return nil, err
	}
	log, err := s.Repo.Log(ctx, "HEAD", step.HistoryMax)
	if err != nil {
		return nil, err
	}
	dangling, err := danglingTrailers(ctx, s, log)
	if err != nil {
		return nil, err
	}
	r.Problems = append(r.Problems, dangling...)
	if r.Unnamed, err = unnamedIn(ctx, s, log); err != nil {
		return nil, err
	}
	if j, err := restore.ReadJournal(s); err != nil || j != nil {
		r.Problems = append(r.Problems, turn.Problem{Kind: "not-finished", Subject: "rewind", Why: "it was interrupted", Hint: "any entire command in this worktree finishes it"})
	}
	return r, nil
}

// turnsSince returns how many turns there were since the last checkpoint, 0 if none of them has a
// step.
func turnsSince(o *sessionstate.LockedSession) int {
	if o.StepsSinceCheckpoint() <= 0 {
		return 0
	}
	return max(1, o.Engine.TurnNumber-o.Engine.CondensedTurn)
}

// unhookedProblems returns a problem for each commit that took work without our hooks since the
// session's last event.
func unhookedProblems(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) []turn.Problem {
	head, born, err := s.Repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born {
		return nil
	}
	var out []turn.Problem
	commits, _ := evidence.UnhookedCommits(ctx, s, o, head.OID, git.OID{}, evidence.DeadlineIn(s, evidence.UnhookedTime))
	for _, c := range commits {
		if !c.Amended {
			out = append(out, notLinkedProblem(c.Commit, c.Files, o.ID))
		}
	}
	if len(out) > 0 || step.BaseOf(o) == head.OID {
		return out
	}
	_, taken, err := condense.CommittedBetween(ctx, s, o, step.BaseOf(o), head.OID, nil)
	if err != nil || taken == 0 {
		return nil
	}
	return []turn.Problem{notLinkedProblem(head.OID, taken, o.ID)}
}

func notLinkedProblem(commit git.OID, files int, sid id.SessionID) turn.Problem {
	return turn.Problem{Kind: "not-linked", Subject: commit.Short(),
		Why: fmt.Sprintf("it took %s of session %s without an Entire-Checkpoint trailer", worktree.Counted(files, "file"), sid.Short())}
}

func sessionProblems(s *sessionstate.Env, o *sessionstate.LockedSession, ss SessionStatus) []turn.Problem {
	var out []turn.Problem
	if ss.Here {
		for _, k := range ss.NotCaptured {
			out = append(out, turn.Problem{Kind: "not-captured", Subject: k.Path, Why: k.Why})
		}
	}
	if ss.Here {
		out = append(out, turn.LateProblems(o)...)
	}
	out = append(out, autocommit.AutoProblems(s, o)...)
	for _, u := range o.Engine.UnlinkedCommits {
		if u.Amended {
			continue
		}
		out = append(out, notLinkedProblem(u.Commit, u.Files, o.ID))
	}
	if n := len(o.State.TurnCheckpointIDs); n > 0 && o.State.Phase != session.PhaseActive {
		out = append(out, turn.Problem{Kind: "not-finished", Subject: o.ID.Short(), Why: worktree.Counted(n, "checkpoint") + " without the end of the transcript",
			Hint: "the session's next event completes them"})
	}
	return out
}

// unnamedIn returns those of the commits that are linked without a trailer.
func unnamedIn(ctx context.Context, s *sessionstate.Env, log []git.Commit) ([]UnnamedCommit, error) {
	links, err := records.NewReader(s.Repo).Links(ctx)
	if err != nil || len(links) == 0 {
		return nil, err
	}
	var out []UnnamedCommit
	for _, c := range log {
		for _, cp := range links[c.OID] {
			out = append(out, UnnamedCommit{c.OID.String(), c.Subject(), cp})
		}
	}
	return out, nil
}

// danglingTrailers returns a problem for each commit of log that names a checkpoint which is not
// stored in this repository.
func danglingTrailers(ctx context.Context, s *sessionstate.Env, log []git.Commit) ([]turn.Problem, error) {
	var ids []id.CheckpointID
	for _, c := range log {
		ids = append(ids, trailer.ParseCheckpointTrailers(c.Message)...)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	stored, err := storedOrForgotten(ctx, s, ids)
	if err != nil {
		return nil, err
	}
	var out []turn.Problem
	for _, c := range log {
		for _, cp := range trailer.ParseCheckpointTrailers(c.Message) {
			if !stored[cp] {
				out = append(out, turn.Problem{Kind: "not-linked", Subject: c.OID.Short(), Why: "its checkpoint " + cp.String() + " is not stored in this repository",
					Hint: metadata.FetchCommand(cp)})
			}
		}
	}
	return out, nil
}

// reportRefs adds steps that were set aside, and refs that are not ours.
func reportRefs(ctx context.Context, s *sessionstate.Env, r *Report) error {
	mine, branches, foreign, err := step.ListRefsAndBranches(ctx, s)
	if err != nil {
		return err
	}
	r.Problems = append(r.Problems, brokenProblems(ctx, s, branches)...)
	for _, f := range setAsideFindings(ctx, s, mine) {
		r.Problems = append(r.Problems, turn.Problem{Kind: f.Kind, Subject: f.Subject, Why: f.Why, Hint: f.Hint})
	}
	r.Foreign = foreign
	return nil
}
