package handoff

import (
	"context"
	"errors"
	"fmt"
	"io"

	"entire/checkpoint/merge"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/restore"
	"entire/strategy/resume"
	"entire/strategy/sessionstate"
)

var (
	// ErrCommitMissing is returned for a bundle that builds on a commit which is not in this
	// repository.
	ErrCommitMissing = errors.New("a commit that it builds on is missing here")

	// ErrHeadDiffers is returned where HEAD is another commit than the one that the bundle's worktree
	// is based on. That commit is in this repository, and kept.
	ErrHeadDiffers = errors.New("HEAD is another commit than where the work was")

	// ErrDirty is returned where the worktree has uncommitted work that is not in the bundle.
	ErrDirty = errors.New("there is uncommitted work here")

	// ErrBlocked is returned where a file of the bundle would replace something that cannot be
	// saved first, and that is therefore left alone.
	ErrBlocked = errors.New("not all files can be put in place")

	// ErrTurnActive is returned where the session is in mid-turn.
	ErrTurnActive = errors.New("the session is in the middle of a turn here")

	// ErrBadBundle is returned, wrapped, for a bundle with content that no sender writes.
	ErrBadBundle = errors.New("it is refused")
)

// maxReceivedBytes is how many bytes the changed files of a received worktree may have.
const maxReceivedBytes = 4 << 30

// Receive is a bundle being received. Before Keep or Release, nothing of the bundle is in the
// repository.
type Receive struct {
	Bundle
	s          *sessionstate.Env
	quarantine *git.Quarantine
	tip        git.Commit
}

// ReceiveBundle begins to receive a bundle: it checks the bundle's header and opens a quarantine for its
// objects.
func ReceiveBundle(ctx context.Context, s *sessionstate.Env, p Bundle) (*Receive, error) {
	format := "sha1"
	if s.Repo.SHA256 {
		format = "sha256"
	}
	if p.Format != format {
		return nil, fmt.Errorf("its repository has %s objects, this one %s", p.Format, format)
	}
	if p.Worktree && s.Repo.Top == "" {
		return nil, errors.New("a bare repository has no files to go on with")
	}
	q, err := s.Repo.Quarantine()
	if err != nil {
		return nil, err
	}
	return &Receive{Bundle: p, s: s, quarantine: q}, nil
}

// Close discards the objects that were not released.
func (l *Receive) Close() error { return l.quarantine.Close() }

// missingCommits returns the commits that the bundle needs and that are not in this repository.
func (l *Receive) missingCommits(ctx context.Context) (missing []git.OID, err error) {
	for _, oid := range l.Needs {
		_, there, err := l.s.Repo.Reader(ctx).CommitOf(oid.String())
		if err != nil {
			return nil, err
		}
		if !there {
			missing = append(missing, oid)
		}
	}
	return missing, nil
}

// FetchMissing fetches the session's branch from the remotes, as `entire resume` does, until no commit is
// missing. It returns the commits that are still missing.
func (l *Receive) FetchMissing(ctx context.Context, req resume.Request) ([]git.OID, error) {
	remotes, err := resume.PreferredRemotes(ctx, l.s)
	if err != nil {
		return nil, err
	}
	missing, err := l.missingCommits(ctx)
	for _, remote := range remotes {
		if len(missing) == 0 || err != nil {
			return missing, err
		}
		if l.Branch != "" {
			if req.Say != nil {
				req.Say("Fetching " + l.Branch + " from " + remote + "...")
			}
			ferr := resume.FetchInto(ctx, l.s, req, remote, "refs/heads/"+l.Branch, "refs/remotes/"+remote+"/"+l.Branch)
			if ferr != nil {
				l.s.Log.Info("branch not fetched", "remote", remote, "branch", l.Branch, "err", ferr)
			}
		}
		missing, err = l.missingCommits(ctx)
	}
	return missing, err
}

// AddPack reads the bundle's pack into the quarantine.
func (l *Receive) AddPack(ctx context.Context, pack io.Reader, max int64) error {
	if err := l.quarantine.Take(ctx, pack, max); err != nil {
		return fmt.Errorf("%w: %w", ErrBadBundle, err)
	}
	return nil
}

// ChangedFiles returns the files that differ between the commit of the bundle's HEAD and its worktree.
// Line counts are -1.
func (l *Receive) ChangedFiles(ctx context.Context) ([]restore.PlannedChange, error) {
	changes, err := l.worktreeChanges(ctx)
	var list []restore.PlannedChange
	for _, c := range changes {
		list = append(list, restore.PlannedChange{Path: c.Path, Action: restore.ActionOf(c), Insertions: -1, Deletions: -1, Change: c})
	}
	return list, err
}

// Release moves the bundle's objects into the repository and merges the session's checkpoints into
// the metadata branch. It changes nothing of the user's.
func (l *Receive) Release(ctx context.Context) error {
	if err := l.KeepObjects(ctx); err != nil {
		return err
	}
	if l.Metadata.IsZero() {
		return nil
	}
	_, err := merge.Merge(ctx, l.s.Repo, l.Metadata)
	return err
}

// KeepObjects moves the bundle's objects into the repository, and keeps them by refs below
// refs/entire/received/.
func (l *Receive) KeepObjects(ctx context.Context) error {
	if err := l.quarantine.Release(); err != nil {
		return err
	}
	if !l.Tip.IsZero() {
		if err := setRef(ctx, l.s, receivedRef(l.Session), l.Tip); err != nil {
			return err
		}
	}
	if l.Ahead > 0 || l.Worktree {
		if err := setRef(ctx, l.s, receivedRef(l.Session)+"-head", l.Head); err != nil {
			return err
		}
	}
	return nil
}

// DropRefs drops the refs that kept the bundle's objects while its steps were on no branch and
// HEAD's commit was missing.
func (l *Receive) DropRefs(ctx context.Context) error {
	for _, name := range []string{receivedRef(l.Session), receivedRef(l.Session) + "-head"} {
		oid, there, err := l.s.Repo.Ref(ctx, name)
		if err == nil && there {
			err = l.s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: name, Old: oid}})
		}
		if err != nil && !errors.Is(err, git.ErrRefMoved) {
			return err
		}
	}
	return nil
}

// receivedRef returns the ref that keeps the received objects of a session.
func receivedRef(sid id.SessionID) string { return "refs/entire/received/" + sid.String() }

// setRef makes one of our refs point to a commit, wherever it pointed before.
func setRef(ctx context.Context, s *sessionstate.Env, name string, oid git.OID) error {
	for {
		old, _, err := s.Repo.Ref(ctx, name)
		if err != nil || old == oid {
			return err
		}
		err = s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: name, New: oid, Old: old}})
		if !errors.Is(err, git.ErrRefMoved) {
			return err
		}
	}
}
