package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"entire/internal/durable"
	"entire/internal/git/object"
)

// Quarantine holds objects from another repository until they have been checked. Other
// readers of the repository do not see them; a git in quarantine also sees the
// repository's own.
type Quarantine struct {
	repo *Repo
	dir  string
	c    Command
	pack string // without their file extensions
}

// Quarantine returns an empty quarantine.
func (r *Repo) Quarantine() (*Quarantine, error) {
	objects := filepath.Join(r.CommonDir, "objects")
	dir, err := os.MkdirTemp(objects, "tmp_objdir-entire-") // git's own name for it: gc removes it after a crash
	if err != nil {
		return nil, fmt.Errorf("quarantine: %w", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "pack"), 0o750); err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("quarantine: %w", err)
	}
	c := r.Command(nil)
	alternate := objects
	if strings.ContainsAny(objects, string(filepath.ListSeparator)+`"`) {
		alternate = strconv.Quote(objects) // as git parses the path
	}
	c.Env = append(slices.Clone(c.Env), "GIT_OBJECT_DIRECTORY="+dir, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+alternate)
	return &Quarantine{repo: r, dir: dir, c: c}, nil
}

// Close deletes what was not released.
func (q *Quarantine) Close() error { return os.RemoveAll(q.dir) }

// Take adds a pack of at most max bytes. It returns an error for objects that fail git's
// own checks (names such as `..` or `.git` in a tree, a tree out of order).
func (q *Quarantine) Take(ctx context.Context, pack io.Reader, max int64) error {
	c := q.c
	c.Stdin, c.Flags = pack, DurableConfig
	out, err := c.Output(ctx, "index-pack", "--stdin", "--strict", "--threads=1", fmt.Sprintf("--max-input-size=%d", max))
	if err != nil {
		return err
	}
	_, name, ok := strings.Cut(strings.TrimSpace(string(out)), "\t")
	if !ok || strings.Trim(name, "0123456789abcdef") != "" {
		return errors.New("git index-pack: it does not say what it made")
	}
	q.pack = filepath.Join("pack", "pack-"+name)
	return nil
}

// Run runs git with the quarantined objects visible.
func (q *Quarantine) Run(ctx context.Context, args ...string) ([]byte, error) {
	return q.c.Output(ctx, args...)
}

// Complete returns an error unless tips are commits and everything that they reach exists.
func (q *Quarantine) Complete(ctx context.Context, tips ...object.OID) error {
	args := []string{"rev-list", "--objects", "--quiet"}
	for _, oid := range tips {
		if kind, err := q.Run(ctx, "cat-file", "-t", oid.String()); err != nil || strings.TrimSpace(string(kind)) != "commit" {
			return fmt.Errorf("%s is not a commit that is there: %w", oid.Short(), cmpErr(err, errors.New("another object")))
		}
		args = append(args, oid.String())
	}
	_, err := q.Run(ctx, append(args, "--not", "--all")...)
	return err
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// Release moves the quarantined objects to the repository. It keeps existing objects.
func (q *Quarantine) Release() error {
	if q.pack == "" {
		return nil
	}
	to := filepath.Join(q.repo.CommonDir, "objects", "pack")
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	for _, ext := range []string{".pack", ".rev", ".idx"} { // the index last: it makes the pack visible
		err := os.Rename(filepath.Join(q.dir, q.pack+ext), filepath.Join(to, filepath.Base(q.pack)+ext))
		if err != nil && !(ext == ".rev" && errors.Is(err, fs.ErrNotExist)) {
			return fmt.Errorf("release a pack: %w", err)
		}
	}
	if err := durable.SyncDir(to); err != nil { // before a ref names an object in it
		return fmt.Errorf("release a pack: %w", err)
	}
	q.pack = ""
	return nil
}

// RunInput is Run with stdin.
func (q *Quarantine) RunInput(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	c := q.c
	c.Stdin = bytes.NewReader(stdin)
	return c.Output(ctx, args...)
}
