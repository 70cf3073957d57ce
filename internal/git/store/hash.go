package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"entire/internal/durable"
	"entire/internal/git/config"
	"entire/internal/git/object"
)

// RawOID returns the ID that the bytes of the file at an absolute path would have as a
// blob, without filters. It stores nothing.
func (r *Repo) RawOID(path string) (object.OID, error) {
	f, err := os.Open(path)
	if err != nil {
		return object.OID{}, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return object.OID{}, err
	}
	return object.HashBlob(r.NewHash(), f, fi.Size())
}

// LineEnds returns which line ends git writes into the worktree.
func (r *Repo) LineEnds() *config.LineEnds {
	c, _ := r.gitConfig()
	return c.LineEnds(r.Top)
}

// HashResult is the result of HashFiles.
type HashResult struct {
	OIDs    map[string]object.OID // by path
	ByGit   []string              // not certainly stored as they are: a filter may have changed them
	Raw     []string              // stored without their clean filter, which cannot run here
	Skipped map[string]string     // path -> why it could not be read
}

// hashTries bounds how many files with a failing filter are found one by one before all
// files with that filter are stored without it.
const hashTries = 4

// HashFiles stores regular files of the worktree as blobs, through git's clean filters
// (line endings, LFS, encodings), in one git process if possible, and without git those
// that no filter changes. Paths are relative to the top. A file whose required filter cannot run is stored unfiltered and named in Raw.
// A file that is missing, unreadable or not regular (git would follow a link, and wait for
// a pipe) is named in Skipped. The blobs are durable after [Writer.Sync].
func (r *Repo) HashFiles(ctx context.Context, paths []string) (HashResult, error) {
	res := HashResult{OIDs: make(map[string]object.OID, len(paths)), Skipped: map[string]string{}}
	if len(paths) == 0 {
		return res, nil
	}
	var batch, odd []string
	plain := r.plainFiles(ctx)
	for _, p := range paths {
		if ctx.Err() != nil {
			return res, fmt.Errorf("hash files: %w", ctx.Err())
		}
		switch reason := r.unreadable(p); {
		case reason != "":
			res.Skipped[p] = reason
		case plain.store(p, &res):
		case strings.ContainsAny(p, "\n\r") || strings.HasPrefix(p, `"`):
			odd = append(odd, p)
		default:
			batch = append(batch, p)
		}
	}
	res.ByGit = append(append(res.ByGit, batch...), odd...)
	if err := r.hashAll(ctx, batch, &res); err != nil {
		return res, err
	}
	for _, p := range odd {
		if err := r.hashSingle(ctx, p, &res); err != nil {
			return res, err
		}
	}
	return res, nil
}

// unreadable returns why path cannot be hashed, "" if no reason is known.
func (r *Repo) unreadable(path string) string {
	fi, err := os.Lstat(filepath.Join(r.Top, filepath.FromSlash(path)))
	switch {
	case err != nil:
		return skipReason(err)
	case fi.Mode()&fs.ModeSymlink != 0:
		return "a symbolic link"
	case fi.IsDir():
		return "a folder"
	case !fi.Mode().IsRegular():
		return "not a regular file"
	}
	return ""
}

// skipReason returns the text for Skipped, "" for an error that is not specific to the
// file.
func skipReason(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "not readable"
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return "gone"
	case errors.Is(err, durable.ErrNoFile):
		return "not a regular file"
	}
	return ""
}

// hashAll hashes paths without newlines. Git ends at the first file that it cannot store:
// that file is tried by itself, the rest together.
func (r *Repo) hashAll(ctx context.Context, paths []string, res *HashResult) error {
	for tries := 0; len(paths) > 0; {
		n, err := r.hashBatch(ctx, paths, res, "--stdin-paths")
		if paths = paths[n:]; err == nil {
			return nil
		}
		if ctx.Err() != nil || len(paths) == 0 {
			return fmt.Errorf("hash files: %w", err)
		}
		raw := len(res.Raw)
		if err := r.hashSingle(ctx, paths[0], res); err != nil {
			return err
		}
		bad := paths[0]
		paths = paths[1:]
		if tries += len(res.Raw) - raw; tries >= hashTries {
			if paths, err = r.hashUnfiltered(ctx, bad, paths, res); err != nil {
				return err
			}
			tries = 0
		}
	}
	return nil
}

// hashUnfiltered stores without a filter those of paths that have the same filter as the
// file bad, and returns the others.
func (r *Repo) hashUnfiltered(ctx context.Context, bad string, paths []string, res *HashResult) (rest []string, err error) {
	out, err := r.RunInput(ctx, []byte(strings.Join(append([]string{bad}, paths...), "\x00")+"\x00"), "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return nil, fmt.Errorf("hash files: %w", err)
	}
	fields := strings.Split(string(out), "\x00") // path, attribute, value
	if len(fields) != 3*(len(paths)+1)+1 {
		return nil, fmt.Errorf("hash files: git answered with %d attributes for %d files", len(fields)/3, len(paths)+1)
	}
	if driver := fields[2]; driver == "unspecified" || driver == "unset" {
		return paths, nil // the failure was not a filter's
	}
	var same []string
	for i, p := range paths {
		if fields[3*i+5] == fields[2] {
			same = append(same, p)
		} else {
			rest = append(rest, p)
		}
	}
	n, err := r.hashBatch(ctx, same, res, "--no-filters", "--stdin-paths")
	res.Raw = append(res.Raw, same[:n]...)
	if err != nil { // a file vanished, or the disk is full: try one by one
		for _, p := range same[n:] {
			if err := r.hashSingle(ctx, p, res); err != nil {
				return nil, err
			}
		}
	}
	return rest, nil
}

// hashBatch hashes paths in one process; n is how many it stored before it ended.
func (r *Repo) hashBatch(ctx context.Context, paths []string, res *HashResult, how ...string) (n int, err error) {
	if len(paths) == 0 {
		return 0, nil
	}
	c := r.hashCommand(strings.NewReader(strings.Join(paths, "\n") + "\n"))
	out, err := c.Output(ctx, append([]string{"hash-object", "-w"}, how...)...)
	for line := range strings.Lines(string(out)) {
		oid, perr := object.ParseOID(strings.TrimSuffix(line, "\n"))
		if perr != nil || n >= len(paths) {
			break // git ended within the line
		}
		res.OIDs[paths[n]] = oid
		r.stored(oid)
		n++
	}
	if err == nil && n < len(paths) {
		err = fmt.Errorf("git answered for %d of %d files", n, len(paths))
	}
	return n, err
}

// hashCommand leaves durability to Sync where that is cheaper: `hash-object` makes an
// fsync for each object.
func (r *Repo) hashCommand(stdin io.Reader) Command {
	c := r.Command(stdin)
	c.Flags = DurableConfig
	if object.CheapFlush {
		c.Flags = []string{"-c", "core.fsync=none"}
	}
	return c
}

func (r *Repo) stored(oid object.OID) {
	if object.CheapFlush {
		r.loose = append(r.loose, r.loosePath(oid))
	}
}

func (r *Repo) hashSingle(ctx context.Context, path string, res *HashResult) error {
	oid, err := r.hashStdin(ctx, path, "--path="+path)
	var exit *ExitError
	if errors.As(err, &exit) {
		if oid, err = r.hashStdin(ctx, path, "--no-filters"); err == nil {
			res.Raw = append(res.Raw, path)
		}
	}
	if err == nil {
		res.OIDs[path] = oid
		r.stored(oid)
		return nil
	}
	if reason := skipReason(err); reason != "" {
		res.Skipped[path] = reason
		return nil
	}
	return fmt.Errorf("hash %q: %w", object.Clip(path), err)
}

func (r *Repo) hashStdin(ctx context.Context, path, how string) (object.OID, error) {
	f, err := durable.OpenPlain(filepath.Join(r.Top, filepath.FromSlash(path)))
	if err != nil {
		return object.OID{}, err
	}
	defer f.Close()
	out, err := r.hashCommand(f).Output(ctx, "hash-object", "-w", how, "--stdin")
	if err != nil {
		return object.OID{}, err
	}
	return object.ParseOID(strings.TrimSpace(string(out)))
}
