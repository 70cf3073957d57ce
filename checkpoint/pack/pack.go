package pack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/internal/durable"
	"entire/internal/git"
)

const (
	// stateName is a file in the common directory: the values of our refs at the last run, one a line. Its
	// time is that of the last run.
	stateName = "packed"
	stateMax  = 64 << 20
	lockName  = "packed.lock"

	// sampled is the folder whose loose objects stand for all 256, as in git's own estimate; dueAt of
	// them are about 1,000 in all.
	sampled = "17"
	dueAt   = 4

	// every is the least time between two runs by themselves.
	every = 10 * time.Minute

	// fewest is the least number of objects for which a run by itself makes a pack, so that packs do not
	// become many.
	fewest = 500
)

// Report is what a run did.
type Report struct {
	Objects int   `json:"objects"` // put into a pack
	Bytes   int64 `json:"bytes"`   // of the pack
	Busy    bool  `json:"busy,omitempty"`
}

// Due reports whether so many objects are loose that a run is worth while, and the last one is some time ago.
func Due(repo *git.Repo, now time.Time) bool {
	names, err := os.ReadDir(filepath.Join(repo.CommonDir, "objects", sampled))
	if err != nil || len(names) < dueAt {
		return false
	}
	info, err := os.Lstat(statePath(repo))
	return err != nil || now.Sub(info.ModTime()).Abs() >= every
}

// Run packs the loose objects that our refs reach. By itself, it does so only if they are many and git's
// configuration allows maintenance. Another run under way makes it return at once.
func Run(ctx context.Context, repo *git.Repo, now time.Time, byItself bool) (r Report, err error) {
	if byItself {
		if wanted, err := allowed(ctx, repo); err != nil || !wanted {
			return Report{}, err
		}
	}
	lock, err := durable.AcquireWithin(filepath.Join(repo.CommonDir, "entire", lockName), 0)
	switch {
	case errors.Is(err, durable.ErrHeld):
		return Report{Busy: true}, nil // the other run does the work
	case err != nil:
		return Report{}, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	tips, err := tips(ctx, repo)
	if err != nil || len(tips) == 0 {
		return Report{}, err
	}
	loose, err := looseObjects(ctx, repo, tips)
	if err != nil {
		return Report{}, err
	}
	n := bytes.Count(loose, []byte("\n"))
	switch {
	case byItself && n < fewest:
		return Report{}, touch(statePath(repo), now)
	case n > 0:
		if r, err = writePack(ctx, repo, loose, n); err != nil {
			return Report{}, err
		}
	}
	return r, durable.WriteCache(statePath(repo), []byte(strings.Join(tips, "\n")+"\n"), 0o600)
}

func statePath(repo *git.Repo) string { return filepath.Join(repo.CommonDir, "entire", stateName) }

// touch moves the time of the last run, and keeps what it packed.
func touch(path string, now time.Time) error {
	f, err := durable.OpenOwn(path, os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Chtimes(path, now, now))
}

// allowed reports whether git's configuration lets maintenance run by itself. The options with which this
// program calls git count for nothing here.
func allowed(ctx context.Context, repo *git.Repo) (bool, error) {
	out, err := repo.Run(ctx, "config", "--null", "--show-scope", "--get-regexp", `^(gc|maintenance)\.auto$`)
	if err != nil {
		return false, err
	}
	gc, maintenance := true, true
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i] == "command" {
			continue
		}
		switch key, value, _ := strings.Cut(fields[i+1], "\n"); {
		case key == "gc.auto":
			gc = value != "0"
		case key == "maintenance.auto":
			maintenance = !slices.Contains([]string{"false", "no", "off", "0"}, strings.ToLower(value))
		}
	}
	return gc && maintenance, nil
}

// tips returns the values of our refs.
func tips(ctx context.Context, repo *git.Repo) ([]string, error) {
	out, err := repo.Run(ctx, "for-each-ref", "--format=%(objectname)", "refs/heads/entire", "refs/entire")
	return strings.Fields(string(out)), err
}

// looseObjects lists what the refs reach and no pack holds, with the names that pack-objects compares by. It
// does not walk what the last run packed, and fetches nothing.
func looseObjects(ctx context.Context, repo *git.Repo, tips []string) ([]byte, error) {
	before, err := durable.ReadPlain(statePath(repo), stateMax)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var in strings.Builder
	in.WriteString(strings.Join(tips, "\n") + "\n")
	for _, oid := range strings.Fields(string(before)) {
		in.WriteString("^" + oid + "\n")
	}
	return repo.RunInput(ctx, []byte(in.String()), "rev-list", "--objects", "--unpacked", "--missing=allow-any", "--ignore-missing", "--stdin")
}

func writePack(ctx context.Context, repo *git.Repo, objects []byte, n int) (Report, error) {
	base := filepath.Join(repo.CommonDir, "objects", "pack", "pack")
	name, err := repo.RunInput(ctx, objects, "-c", "pack.threads=1", "pack-objects", "-q", "--local", base)
	if err != nil {
		return Report{}, fmt.Errorf("pack %d objects: %w", n, err)
	}
	info, err := os.Stat(base + "-" + strings.TrimSpace(string(name)) + ".pack")
	if err != nil {
		return Report{}, err
	}
	_, err = repo.Run(ctx, "prune-packed", "-q")
	return Report{Objects: n, Bytes: info.Size()}, err
}
