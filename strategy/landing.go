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
	// ErrCommitMissing is returned for a parcel that builds on a commit which is not
	// here.
	ErrCommitMissing = errors.New("a commit that it builds on is missing here")

	// ErrOtherHead is returned where HEAD is another commit than the worktree in the
	// parcel stands on. The commit is here, and kept.
	ErrOtherHead = errors.New("HEAD is another commit than where the work was")

	// ErrDirty is returned where there is uncommitted work that is not in the parcel.
	ErrDirty = errors.New("there is uncommitted work here")

	// ErrInTheWay is returned where something stands in a file's place that cannot be saved,
	// and so is not replaced.
	ErrInTheWay = errors.New("not all files can be put in place")

	// ErrAtWork is returned where the session is in the middle of a turn.
	ErrAtWork = errors.New("the session is in the middle of a turn here")

	// ErrBadParcel is returned, wrapped, for a parcel with something in it that no
	// sender puts there.
	ErrBadParcel = errors.New("it is refused")
)

// maxLanding is how many bytes the changed files of a worktree may have.
const maxLanding = 4 << 30

// Landing is a parcel that has arrived, and what is to become of it. Nothing of it
// is in the repository before Release.
type Landing struct {
	Parcel
	s   *ManualCommitStrategy
	q   *git.Quarantine
	tip git.Commit
}

// Land begins to take in a parcel: what its head says of it.
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

// Close throws away what was not released.
func (l *Landing) Close() error { return l.q.Close() }

// Missing are the commits that the parcel needs and that are not here.
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

// Bring asks the remotes for the branch that the session worked on, as `entire
// resume` does, and returns what is missing then.
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

// TakePack takes in git's part of the parcel.
func (l *Landing) TakePack(ctx context.Context, pack io.Reader, max int64) error {
	if err := l.q.Take(ctx, pack, max); err != nil {
		return fmt.Errorf("%w: %w", ErrBadParcel, err)
	}
	return nil
}

// Files are those that applying the parcel's worktree changes against HEAD's commit.
func (l *Landing) Files(ctx context.Context) ([]PlannedChange, error) {
	changes, err := l.changes(ctx)
	var list []PlannedChange
	for _, c := range changes {
		list = append(list, PlannedChange{Path: c.Path, Action: actionOf(c), Insertions: -1, Deletions: -1, change: c})
	}
	return list, err
}

// Release makes the parcel's objects the repository's and adds the session's
// checkpoints to those here. Nothing of the user's is changed.
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

// Keep makes the parcel's objects the repository's, under refs of ours.
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

// Settled drops what kept the parcel's objects until its steps were on their branch and
// HEAD's commit was here.
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

// receivedRef keeps what was received of a session.
func receivedRef(sid id.SessionID) string { return "refs/entire/received/" + sid.String() }

// setRef makes a ref of ours name a commit, whatever it named.
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
