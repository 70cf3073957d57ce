package resume

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
)

var (
	// ErrNoBranch is returned by PlanResume for a branch that is neither in this repository nor on
	// a remote.
	ErrNoBranch = errors.New("branch not found locally or on a remote")

	// ErrOwnBranch is returned by PlanResume for the metadata branch and for shadow branches.
	ErrOwnBranch = errors.New("it holds what Entire stores, and is not to be worked on")

	// ErrNoMetadata is returned by PlanResume for a checkpoint that a commit names and that was
	// found nowhere.
	ErrNoMetadata = errors.New("found in commit but session metadata not available")
)

const (
	// resumeHistory bounds how many commits of a branch are searched for a checkpoint.
	resumeHistory = 500

	// resumeFetch bounds each fetch that cannot ask a person.
	resumeFetch = 2 * time.Minute
)

// Request states which branch to resume.
type Request struct {
	Branch string
	Force  bool // replace transcripts that hold more than the checkpoint

	git.Person                   // who waits at the terminal
	Say        func(line string) // called with what is about to be done; may be nil
}

// Resumption is a planned resume: the worktree is on the branch and the conversations were found,
// but nothing is restored yet.
type Resumption struct {
	Branch      string
	Switched    bool       // the worktree was on another branch
	Commit      git.Commit // the newest commit that names a checkpoint; zero for none
	Behind      int        // how many commits of the branch are newer
	Checkpoints []id.CheckpointID
	Logs        transcript.LogsPlan
}

// PlanResume switches to the branch, as `git switch` does, finds the newest checkpoint on it, and
// plans how to restore its sessions. It uses the network only for what is missing: the branch, or
// the metadata branch, which is merged and never replaced.
func PlanResume(ctx context.Context, s *sessionstate.Env, req Request) (*Resumption, error) {
	r := &Resumption{Branch: req.Branch}
	if s.Repo.Branch(ctx) != req.Branch {
		if err := switchBranch(ctx, s, req); err != nil {
			return nil, err
		}
		r.Switched = true
	}
	if err := findCheckpoint(ctx, s, r); err != nil || len(r.Checkpoints) == 0 {
		return r, err
	}
	if err := fetchMissingMetadata(ctx, s, req, r); err != nil {
		return r, err
	}
	return r, PlanLogsOf(ctx, s, r, req.Force)
}

// CarryOut writes the transcripts of a plan. A file that is replaced is kept beside the new one.
func (r *Resumption) CarryOut(ctx context.Context, s *sessionstate.Env) *transcript.LogsOutcome {
	return r.Logs.Restore(ctx, s)
}

// switchBranch switches to the branch, which may be on a remote only.
func switchBranch(ctx context.Context, s *sessionstate.Env, req Request) error {
	if err := checkResumable(ctx, s, req.Branch); err != nil {
		return err
	}
	_, here, err := s.Repo.Ref(ctx, "refs/heads/"+req.Branch)
	if err != nil {
		return err
	}
	start := ""
	if !here {
		if start, err = remoteBranch(ctx, s, req); err != nil {
			return err
		}
	}
	return s.Repo.Switch(ctx, req.Branch, start)
}

// checkResumable refuses, without asking a remote, names that no branch can have and our own branches.
func checkResumable(ctx context.Context, s *sessionstate.Env, name string) error {
	if name == shadow.MetadataBranch || shadow.LooksLikeShadowRef("refs/heads/"+name) {
		return fmt.Errorf("'%s': %w", name, ErrOwnBranch)
	}
	_, err := s.Repo.Run(ctx, "check-ref-format", "refs/heads/"+name)
	var exit *git.ExitError
	if errors.As(err, &exit) || name == "HEAD" || strings.HasPrefix(name, "-") {
		return fmt.Errorf("'%s': %w", name, ErrNoBranch)
	}
	return err
}

// remoteBranch returns the remote-tracking branch to start from; it fetches one if there is none.
func remoteBranch(ctx context.Context, s *sessionstate.Env, req Request) (string, error) {
	remotes, err := PreferredRemotes(ctx, s)
	if err != nil {
		return "", err
	}
	for _, remote := range remotes {
		if _, ok, err := s.Repo.Ref(ctx, "refs/remotes/"+remote+"/"+req.Branch); ok || err != nil {
			return remote + "/" + req.Branch, err
		}
	}
	var errs []error
	for _, remote := range remotes {
		err := FetchInto(ctx, s, req, remote, "refs/heads/"+req.Branch, "refs/remotes/"+remote+"/"+req.Branch)
		if err == nil {
			return remote + "/" + req.Branch, nil
		}
		if !strings.Contains(err.Error(), "couldn't find remote ref") {
			errs = append(errs, fmt.Errorf("%s: %w", remote, err))
		}
	}
	return "", errors.Join(append([]error{fmt.Errorf("'%s': %w", req.Branch, ErrNoBranch)}, errs...)...)
}

// PreferredRemotes lists the remotes: first the upstream of the present branch, then origin, then
// the others.
func PreferredRemotes(ctx context.Context, s *sessionstate.Env) ([]string, error) {
	remotes, err := s.Repo.Remotes(ctx)
	if err != nil {
		return nil, err
	}
	conf, err := s.Repo.Config(ctx, "branch."+s.Repo.Branch(ctx)+".remote")
	if err != nil {
		return nil, err
	}
	first := conf["branch."+s.Repo.Branch(ctx)+".remote"]
	rank := func(name string) int {
		switch name {
		case first:
			return 0
		case "origin":
			return 1
		}
		return 2
	}
	slices.SortStableFunc(remotes, func(a, b string) int { return rank(a) - rank(b) })
	return remotes, nil
}

// FetchInto fetches a ref of a remote into another ref. If nobody may be asked, it gives up after
// resumeFetch.
func FetchInto(ctx context.Context, s *sessionstate.Env, req Request, remote, ref, into string) error {
	url, err := s.Repo.FetchURL(ctx, remote)
	if err != nil {
		return err
	}
	n, ctx, cancel := resumeNetwork(ctx, s, req)
	defer cancel()
	return n.Fetch(ctx, url, ref, into)
}

func resumeNetwork(ctx context.Context, s *sessionstate.Env, req Request) (*git.Network, context.Context, context.CancelFunc) {
	n := s.Repo.Network()
	n.Person = req.Person
	if req.Ask {
		return n, ctx, func() {}
	}
	ctx, cancel := context.WithTimeout(ctx, resumeFetch)
	return n, ctx, cancel
}

// findCheckpoint finds the newest commit that names checkpoints: HEAD, otherwise a commit that the
// branch has and the default branch lacks.
func findCheckpoint(ctx context.Context, s *sessionstate.Env, r *Resumption) error {
	_, born, err := s.Repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born {
		return err
	}
	own, err := ownHistory(ctx, s, r.Branch)
	if err != nil {
		return err
	}
	links, err := records.NewReader(s.Repo).Links(ctx)
	if err != nil {
		return err
	}
	for _, look := range []struct {
		rev string
		n   int
	}{{"HEAD", 1}, {own, resumeHistory}} {
		commits, err := s.Repo.Log(ctx, look.rev, look.n)
		if err != nil {
			return err
		}
		for i, c := range commits {
			if r.Checkpoints = links.Of(c.OID, c.Message); len(r.Checkpoints) > 0 {
				r.Commit, r.Behind = c, i
				return nil
			}
		}
	}
	return nil
}

// ownHistory returns the range of commits that a branch has and the default branch lacks; the whole
// history if it is the default branch, or if there is none.
func ownHistory(ctx context.Context, s *sessionstate.Env, branch string) (string, error) {
	trunk, err := s.Repo.DefaultBranch(ctx)
	if err != nil || trunk == "" || trunk == branch {
		return "HEAD", err
	}
	for _, ref := range []string{"refs/remotes/origin/" + trunk, "refs/heads/" + trunk} {
		if _, ok, err := s.Repo.Reader(ctx).CommitOf(ref); ok || err != nil {
			return ref + "..HEAD", err
		}
	}
	return "HEAD", nil
}

// fetchMissingMetadata makes sure that the checkpoints are in this repository: it merges what was fetched
// already, then fetches from the remotes.
func fetchMissingMetadata(ctx context.Context, s *sessionstate.Env, req Request, r *Resumption) error {
	remotes, err := PreferredRemotes(ctx, s)
	if err != nil {
		return err
	}
	// Merge what was fetched already. The first remote is always merged because it may have more of
	// the same sessions, another only if it helps.
	missing := ""
	for i, remote := range remotes {
		if i > 0 && missing == "" {
			break
		}
		if _, err := MergeTracked(ctx, s, Destination{Remote: remote}); err != nil {
			return err
		}
		if missing, err = missingCheckpoint(ctx, s, r); err != nil {
			return err
		}
	}
	if missing, err = missingCheckpoint(ctx, s, r); err != nil || missing == "" {
		return err
	}
	var errs []error
	for _, remote := range remotes {
		if req.Say != nil {
			req.Say("Fetching session metadata from " + remote + "...")
		}
		if err := fetchRefs(ctx, s, req, remote, r.Checkpoints); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", remote, err))
			continue
		}
		if missing, err = missingCheckpoint(ctx, s, r); err != nil || missing == "" {
			return err
		}
		if err := fetchMetadata(ctx, s, req, remote); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", remote, err))
			continue
		}
		if missing, err = missingCheckpoint(ctx, s, r); err != nil || missing == "" {
			return err
		}
	}
	return errors.Join(append([]error{fmt.Errorf("checkpoint '%s' %w", missing, ErrNoMetadata)}, errs...)...)
}

// missingCheckpoint returns "" if at least one checkpoint of the commit is in this repository, otherwise the
// first that is missing and not forgotten. If all are forgotten, it returns a
// [metadata.ForgottenError].
func missingCheckpoint(ctx context.Context, s *sessionstate.Env, r *Resumption) (string, error) {
	here, err := records.NewReader(s.Repo).Exists(ctx, r.Checkpoints)
	if err != nil {
		return "", err
	}
	for _, cp := range r.Checkpoints {
		if here[cp] {
			return "", nil
		}
	}
	tombstones, err := records.NewReader(s.Repo).Forgotten(ctx, r.Checkpoints)
	if err != nil {
		return "", err
	}
	for _, cp := range r.Checkpoints {
		if _, gone := tombstones[cp]; !gone {
			return cp.String(), nil
		}
	}
	return "", &metadata.ForgottenError{Tombstone: tombstones[r.Checkpoints[0]]}
}

// PlanLogsOf plans the sessions of all checkpoints of the commit, which has several after a squash.
// For a session that is in more than one, it takes the longest transcript.
func PlanLogsOf(ctx context.Context, s *sessionstate.Env, r *Resumption, force bool) error {
	r.Logs = transcript.LogsPlan{}
	here, err := records.NewReader(s.Repo).Exists(ctx, r.Checkpoints)
	if err != nil {
		return err
	}
	tombstones, err := records.NewReader(s.Repo).Forgotten(ctx, r.Checkpoints)
	if err != nil {
		return err
	}
	for _, cp := range r.Checkpoints {
		if t, gone := tombstones[cp]; gone {
			r.Logs.Skipped = append(r.Logs.Skipped, fmt.Sprintf("checkpoint %s was %s", cp, t))
			continue
		}
		if !here[cp] {
			r.Logs.Skipped = append(r.Logs.Skipped, fmt.Sprintf("checkpoint %s: %v", cp, ErrNoMetadata))
			continue
		}
		plan, err := transcript.PlanLogs(ctx, s, step.RewindPoint{CheckpointID: cp}, force)
		if err != nil {
			return err
		}
		r.Logs.Sessions = addLonger(r.Logs.Sessions, plan.Sessions)
		r.Logs.Held = addLonger(r.Logs.Held, plan.Held)
		r.Logs.Skipped = append(r.Logs.Skipped, plan.Skipped...)
	}
	dropSupersededHeld(&r.Logs)
	return nil
}

func addLonger(list, more []transcript.PlannedLog) []transcript.PlannedLog {
	for _, log := range more {
		i := slices.IndexFunc(list, func(l transcript.PlannedLog) bool { return l.SessionID == log.SessionID })
		switch {
		case i < 0:
			list = append(list, log)
		case len(log.Transcript) >= len(list[i].Transcript):
			list[i] = log
		}
	}
	return list
}

// dropSupersededHeld drops held sessions that another checkpoint can restore.
func dropSupersededHeld(plan *transcript.LogsPlan) {
	plan.Held = slices.DeleteFunc(plan.Held, func(held transcript.PlannedLog) bool {
		return slices.ContainsFunc(plan.Sessions, func(l transcript.PlannedLog) bool { return l.SessionID == held.SessionID })
	})
}

// Branches lists the branches that PlanResume accepts without asking a remote.
func Branches(ctx context.Context, s *sessionstate.Env) ([]string, error) {
	var names []string
	for _, prefix := range []string{"refs/heads/", "refs/remotes/"} {
		refs, err := s.Repo.Refs(ctx, prefix)
		if err != nil {
			return nil, err
		}
		for _, ref := range refs {
			name := strings.TrimPrefix(ref.Name, prefix)
			if prefix == "refs/remotes/" {
				_, name, _ = strings.Cut(name, "/")
			}
			if name != "" && name != "HEAD" && !strings.HasPrefix(name, shadow.BranchPrefix) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
