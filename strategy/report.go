package strategy

import (
	"context"
	"fmt"
	"sort"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
	"entire/session"
)

// Report is what `entire status` shows of a repository.
type Report struct {
	Sessions []SessionStatus
	Problems []Problem

	// Unnamed are commits in HEAD's recent history that are linked without a trailer.
	Unnamed []UnnamedCommit

	// NotCaptured is what this worktree's newest step did not capture. Entries that leave out files
	// are problems, too.
	NotCaptured []Uncaptured

	// Foreign are refs below refs/entire/ that another version or program made.
	Foreign []KeptFile
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
	Here        bool       // it belongs to this worktree
	Turns       int        // turns with a step, since the last checkpoint
	Files       []string   // touched since the last checkpoint
	NotCaptured []KeptFile // left out of its last step, and why
}

// Problem is something that was not captured, not linked or not finished.
type Problem struct {
	Kind    string `json:"kind"` // not-captured, not-linked, set-aside, not-finished, unreadable
	Subject string `json:"subject"`
	Why     string `json:"why"`
	Hint    string `json:"hint,omitempty"`
}

// Status collects everything that a person should know. It changes nothing.
func (s *ManualCommitStrategy) Status(ctx context.Context) (*Report, error) {
	states, bad, err := s.store.List(ctx)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	for _, p := range bad {
		r.Problems = append(r.Problems, Problem{Kind: "unreadable", Subject: p.Name, Why: p.Err.Error()})
	}
	for _, st := range states {
		o := &open{id: st.SessionID, state: st}
		if err := s.store.LoadSide(st.SessionID, sideName, &o.side); err != nil {
			o.side = side{}
		}
		ss := SessionStatus{State: st, Turns: turnsSince(o), Here: s.mine(st.WorktreePath, st.WorktreeID), Files: textPaths(st.FilesTouched), NotCaptured: o.side.NotCaptured}
		r.Sessions = append(r.Sessions, ss)
		r.Problems = append(r.Problems, s.sessionProblems(o, ss)...)
		if ss.Here {
			r.Problems = append(r.Problems, s.takenUnseen(ctx, o)...)
		}
	}
	sort.SliceStable(r.Sessions, func(i, j int) bool {
		return r.Sessions[i].State.StartedAt.After(r.Sessions[j].State.StartedAt)
	})
	r.Problems = append(r.Problems, s.failedProblems()...)
	if err := s.reportRefs(ctx, r); err != nil {
		return nil, err
	}
	if r.NotCaptured, err = s.notCaptured(ctx); err != nil {
		return nil, err
	}
	log, err := s.repo.Log(ctx, "HEAD", historyMax)
	if err != nil {
		return nil, err
	}
	dangling, err := s.danglingTrailers(ctx, log)
	if err != nil {
		return nil, err
	}
	r.Problems = append(r.Problems, dangling...)
	if r.Unnamed, err = s.unnamedIn(ctx, log); err != nil {
		return nil, err
	}
	if j, err := s.readJournal(); err != nil || j != nil {
		r.Problems = append(r.Problems, Problem{Kind: "not-finished", Subject: "rewind", Why: "it was interrupted", Hint: "any entire command in this worktree finishes it"})
	}
	return r, nil
}

// turnsSince returns how many turns there were since the last checkpoint, 0 if none of them has a
// step.
func turnsSince(o *open) int {
	if o.stepsSince() <= 0 {
		return 0
	}
	return max(1, o.side.Turns-o.side.CommittedTurns)
}

// takenUnseen returns a problem for each commit that took work without our hooks since the
// session's last event.
func (s *ManualCommitStrategy) takenUnseen(ctx context.Context, o *open) []Problem {
	head, born, err := s.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born {
		return nil
	}
	var out []Problem
	commits, _ := s.unseen(ctx, o, head.OID, git.OID{}, s.in(unseenTime))
	for _, c := range commits {
		out = append(out, notLinked(c.Commit, c.Files, o.id))
	}
	if len(out) > 0 || baseOf(o) == head.OID {
		return out
	}
	_, taken, err := s.takenBetween(ctx, o, baseOf(o), head.OID, nil)
	if err != nil || taken == 0 {
		return nil
	}
	return []Problem{notLinked(head.OID, taken, o.id)}
}

func notLinked(commit git.OID, files int, sid id.SessionID) Problem {
	return Problem{Kind: "not-linked", Subject: commit.Short(),
		Why: fmt.Sprintf("it took %s of session %s without an Entire-Checkpoint trailer", counted(files, "file"), sid.Short())}
}

func (s *ManualCommitStrategy) sessionProblems(o *open, ss SessionStatus) []Problem {
	var out []Problem
	if ss.Here {
		for _, k := range ss.NotCaptured {
			out = append(out, Problem{Kind: "not-captured", Subject: k.Path, Why: k.Why})
		}
	}
	if ss.Here {
		out = append(out, o.lateProblems()...)
	}
	out = append(out, s.autoProblems(o)...)
	for _, u := range o.side.Unlinked {
		out = append(out, notLinked(u.Commit, u.Files, o.id))
	}
	if n := len(o.state.TurnCheckpointIDs); n > 0 && o.state.Phase != session.PhaseActive {
		out = append(out, Problem{Kind: "not-finished", Subject: o.id.Short(), Why: counted(n, "checkpoint") + " without the end of the transcript",
			Hint: "the session's next event completes them"})
	}
	return out
}

// unnamedIn returns those of the commits that are linked without a trailer.
func (s *ManualCommitStrategy) unnamedIn(ctx context.Context, log []git.Commit) ([]UnnamedCommit, error) {
	links, err := checkpoint.NewRecords(s.repo).Links(ctx)
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
func (s *ManualCommitStrategy) danglingTrailers(ctx context.Context, log []git.Commit) ([]Problem, error) {
	var ids []id.CheckpointID
	for _, c := range log {
		ids = append(ids, checkpoint.ParseCheckpointTrailers(c.Message)...)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	stored, err := s.accounted(ctx, ids)
	if err != nil {
		return nil, err
	}
	var out []Problem
	for _, c := range log {
		for _, cp := range checkpoint.ParseCheckpointTrailers(c.Message) {
			if !stored[cp] {
				out = append(out, Problem{Kind: "not-linked", Subject: c.OID.Short(), Why: "its checkpoint " + cp.String() + " is not stored in this repository",
					Hint: "git fetch origin " + checkpoint.MetadataBranch + ":" + checkpoint.RemoteMetadataRef})
			}
		}
	}
	return out, nil
}

// reportRefs adds steps that were set aside, and refs that are not ours.
func (s *ManualCommitStrategy) reportRefs(ctx context.Context, r *Report) error {
	mine, branches, foreign, err := s.refsAndBranches(ctx)
	if err != nil {
		return err
	}
	r.Problems = append(r.Problems, s.brokenProblems(ctx, branches)...)
	for _, f := range s.aside(ctx, mine) {
		r.Problems = append(r.Problems, Problem{Kind: f.Kind, Subject: f.Subject, Why: f.Why, Hint: f.Hint})
	}
	r.Foreign = foreign
	return nil
}
