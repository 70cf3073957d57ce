package strategy

import (
	"context"
	"errors"
	"fmt"
	"io"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
)

var (
	// ErrCommitMissing is returned for a bundle that builds on a commit which is not in this
	// repository.
	ErrCommitMissing = errors.New("a commit that it builds on is missing here")

	// ErrOtherHead is returned where HEAD is another commit than the one that the bundle's worktree
	// is based on. That commit is in this repository, and kept.
	ErrOtherHead = errors.New("HEAD is another commit than where the work was")

	// ErrDirty is returned where the worktree has uncommitted work that is not in the bundle.
	ErrDirty = errors.New("there is uncommitted work here")

	// ErrInTheWay is returned where a file of the bundle would replace something that cannot be
	// saved first, and that is therefore left alone.
	ErrInTheWay = errors.New("not all files can be put in place")

	// ErrAtWork is returned where the session is in mid-turn.
	ErrAtWork = errors.New("the session is in the middle of a turn here")

	// ErrBadParcel is returned, wrapped, for a bundle with content that no sender writes.
	ErrBadParcel = errors.New("it is refused")
)

// maxLanding is how many bytes the changed files of a received worktree may have.
const maxLanding = 4 << 30

// Landing is a bundle being received. Before Keep or Release, nothing of the bundle is in the
// repository.
type Landing struct {
	Parcel
	s   *ManualCommitStrategy
	q   *git.Quarantine
	tip git.Commit
}

// Land begins to receive a bundle: it checks the bundle's header and opens a quarantine for its
// objects.
func (s *ManualCommitStrategy) Land(ctx context.Context, p Parcel) (*Landing, error) {
	format := "sha1"
	if s.repo.SHA256 {
		format = "sha256"
	}
	if p.Format != format {
		return nil, fmt.Errorf("its repository has %s objects, this one %s", p.Format, format)
	}
	if p.Worktree && s.repo.Top == "" {
		return nil, errors.New("a bare repository has no files to go on with")
	}
	q, err := s.repo.Quarantine()
	if err != nil {
		return nil, err
	}
	return &Landing{Parcel: p, s: s, q: q}, nil
}

// Close discards the objects that were not released.
func (l *Landing) Close() error { return l.q.Close() }

// Missing returns the commits that the bundle needs and that are not in this repository.
func (l *Landing) Missing(ctx context.Context) (missing []git.OID, err error) {
	for _, oid := range l.Needs {
		_, there, err := l.s.repo.Reader(ctx).CommitOf(oid.String())
		if err != nil {
			return nil, err
		}
		if !there {
			missing = append(missing, oid)
		}
	}
	return missing, nil
}

// Bring fetches the session's branch from the remotes, as `entire resume` does, until no commit is
// missing. It returns the commits that are still missing.
func (l *Landing) Bring(ctx context.Context, req ResumeRequest) ([]git.OID, error) {
	remotes, err := l.s.preferredRemotes(ctx)
	if err != nil {
		return nil, err
	}
	missing, err := l.Missing(ctx)
	for _, remote := range remotes {
		if len(missing) == 0 || err != nil {
			return missing, err
		}
		if l.Branch != "" {
			if req.Say != nil {
				req.Say("Fetching " + l.Branch + " from " + remote + "...")
			}
			ferr := l.s.fetchInto(ctx, req, remote, "refs/heads/"+l.Branch, "refs/remotes/"+remote+"/"+l.Branch)
			if ferr != nil {
				l.s.Log.Info("branch not fetched", "remote", remote, "branch", l.Branch, "err", ferr)
			}
		}
		missing, err = l.Missing(ctx)
	}
	return missing, err
}

// TakePack reads the bundle's pack into the quarantine.
func (l *Landing) TakePack(ctx context.Context, pack io.Reader, max int64) error {
	if err := l.q.Take(ctx, pack, max); err != nil {
		return fmt.Errorf("%w: %w", ErrBadParcel, err)
	}
	return nil
}

// Files returns the files that differ between the commit of the bundle's HEAD and its worktree.
// Line counts are -1.
func (l *Landing) Files(ctx context.Context) ([]PlannedChange, error) {
	changes, err := l.changes(ctx)
	var list []PlannedChange
	for _, c := range changes {
		list = append(list, PlannedChange{Path: c.Path, Action: actionOf(c), Insertions: -1, Deletions: -1, change: c})
	}
	return list, err
}

// Release moves the bundle's objects into the repository and merges the session's checkpoints into
// the metadata branch. It changes nothing of the user's.
func (l *Landing) Release(ctx context.Context) error {
	if err := l.Keep(ctx); err != nil {
		return err
	}
	if l.Metadata.IsZero() {
		return nil
	}
	_, err := checkpoint.Merge(ctx, l.s.repo, l.Metadata)
	return err
}

// Keep moves the bundle's objects into the repository, and keeps them by refs below
// refs/entire/received/.
func (l *Landing) Keep(ctx context.Context) error {
	if err := l.q.Release(); err != nil {
		return err
	}
	if !l.Tip.IsZero() {
		if err := l.s.setRef(ctx, receivedRef(l.Session), l.Tip); err != nil {
			return err
		}
	}
	if l.Ahead > 0 || l.Worktree {
		if err := l.s.setRef(ctx, receivedRef(l.Session)+"-head", l.Head); err != nil {
			return err
		}
	}
	return nil
}

// Settled drops the refs that kept the bundle's objects while its steps were on no branch and
// HEAD's commit was missing.
func (l *Landing) Settled(ctx context.Context) error {
	for _, name := range []string{receivedRef(l.Session), receivedRef(l.Session) + "-head"} {
		oid, there, err := l.s.repo.Ref(ctx, name)
		if err == nil && there {
			err = l.s.repo.UpdateRefs(ctx, []git.RefUpdate{{Name: name, Old: oid}})
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
func (s *ManualCommitStrategy) setRef(ctx context.Context, name string, oid git.OID) error {
	for {
		old, _, err := s.repo.Ref(ctx, name)
		if err != nil || old == oid {
			return err
		}
		err = s.repo.UpdateRefs(ctx, []git.RefUpdate{{Name: name, New: oid, Old: old}})
		if !errors.Is(err, git.ErrRefMoved) {
			return err
		}
	}
}
