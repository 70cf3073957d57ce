package sealing

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"entire/checkpoint/shadow"
	"entire/internal/durable"
	"entire/internal/git"
)

// The file whose time is that of the last look at the branch, and its lock, in the common directory.
const (
	lookedName = "sealed"
	lockName   = "sealed.lock"
)

const (
	// lookEvery is the least time between two looks.
	lookEvery = time.Hour

	// idleLooks is how many looks are left out after one that found nothing to seal.
	idleLooks = 12
)

// Due reports whether the branch was not looked at for a while.
func Due(repo *git.Repo, now time.Time) bool {
	info, err := os.Lstat(lookedPath(repo))
	return err != nil || now.Sub(info.ModTime()) >= lookEvery
}

func lookedPath(repo *git.Repo) string { return filepath.Join(repo.CommonDir, "entire", lookedName) }

// ByItself seals the months before the present one, if the local branch has more than over checkpoints. Another call
// under way makes it return at once.
func ByItself(ctx context.Context, repo *git.Repo, now time.Time, over int) (done Done, err error) {
	if over <= 0 {
		return done, nil
	}
	lock, err := durable.AcquireWithin(filepath.Join(repo.CommonDir, "entire", lockName), 0)
	switch {
	case errors.Is(err, durable.ErrHeld):
		return done, nil
	case err != nil:
		return done, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if err := looked(repo, now); err != nil {
		return done, err
	}
	n, err := onBranch(ctx, repo)
	if err != nil || n <= over {
		return done, err
	}
	plan, err := Find(ctx, repo, now, nil)
	if err != nil {
		return done, err
	}
	if plan.Checkpoints() == 0 {
		return done, looked(repo, now.Add(idleLooks*lookEvery))
	}
	return Seal(ctx, repo, plan)
}

// looked notes when the branch was looked at.
func looked(repo *git.Repo, at time.Time) error {
	if err := durable.WriteCache(lookedPath(repo), nil, 0o600); err != nil {
		return err
	}
	return os.Chtimes(lookedPath(repo), at, at)
}

// onBranch counts the checkpoints of the local branch, and reads nothing below its shards.
func onBranch(ctx context.Context, repo *git.Repo) (int, error) {
	c, ok, err := repo.Reader(ctx).CommitOf(shadow.MetadataRef)
	if err != nil || !ok {
		return 0, err
	}
	folders, err := foldersBelow(repo.Reader(ctx), c.Tree)
	return len(folders), err
}
