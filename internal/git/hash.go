package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// HashResult is what HashFiles stored.
type HashResult struct {
	OIDs    map[string]OID    // by path
	Raw     []string          // stored without their clean filter, because it does not run here
	Skipped map[string]string // path -> why it could not be read
}

// HashFiles stores regular files of the worktree as blobs, through git's clean
// filters (line endings, LFS, encodings), in one git process. Paths are
// relative to the top. A file whose required filter cannot run is stored as it
// is and named in Raw; one that cannot be read is named in Skipped. Symlinks
// must not be passed: git would follow them.
func (r *Repo) HashFiles(ctx context.Context, paths []string) (HashResult, error) {
	res := HashResult{OIDs: make(map[string]OID, len(paths)), Skipped: map[string]string{}}
	var batch, single []string
	for _, p := range paths {
		if strings.ContainsAny(p, "\n\r") || strings.HasPrefix(p, `"`) {
			single = append(single, p)
		} else {
			batch = append(batch, p)
		}
	}
	if len(batch) > 0 && r.hashBatch(ctx, batch, res.OIDs) != nil {
		// One bad file fails the whole batch, so each is tried by itself.
		if ctx.Err() != nil {
			return res, ctx.Err()
		}
		single = append(single, batch...)
	}
	for _, p := range single {
		if _, done := res.OIDs[p]; done {
			continue
		}
		if err := r.hashSingle(ctx, p, &res); err != nil {
			return res, err
		}
	}
	return res, nil
}

func (r *Repo) hashBatch(ctx context.Context, paths []string, into map[string]OID) error {
	c := r.command(strings.NewReader(strings.Join(paths, "\n") + "\n"))
	c.flags = durableConfig
	out, err := c.output(ctx, "hash-object", "-w", "--stdin-paths")
	lines := bytes.Split(bytes.TrimSuffix(out, []byte("\n")), []byte("\n"))
	if err != nil {
		return err
	}
	if len(lines) != len(paths) {
		return fmt.Errorf("hash %d files: git answered for %d", len(paths), len(lines))
	}
	for i, line := range lines {
		oid, err := ParseOID(string(line))
		if err != nil {
			return fmt.Errorf("hash %s: %w", clip(paths[i]), err)
		}
		into[paths[i]] = oid
	}
	return nil
}

func (r *Repo) hashSingle(ctx context.Context, path string, res *HashResult) error {
	oid, err := r.hashStdin(ctx, path, "--path="+path)
	var exit *ExitError
	if errors.As(err, &exit) {
		if oid, err = r.hashStdin(ctx, path, "--no-filters"); err == nil {
			res.Raw = append(res.Raw, path)
		}
	}
	switch {
	case err == nil:
		res.OIDs[path] = oid
	case errors.Is(err, os.ErrPermission):
		res.Skipped[path] = "not readable"
	case errors.Is(err, os.ErrNotExist):
		res.Skipped[path] = "gone"
	default:
		return fmt.Errorf("hash %s: %w", clip(path), err)
	}
	return nil
}

func (r *Repo) hashStdin(ctx context.Context, path, how string) (OID, error) {
	f, err := os.Open(filepath.Join(r.Top, filepath.FromSlash(path)))
	if err != nil {
		return OID{}, err
	}
	defer f.Close()
	c := r.command(f)
	c.flags = durableConfig
	out, err := c.output(ctx, "hash-object", "-w", how, "--stdin")
	if err != nil {
		return OID{}, err
	}
	return ParseOID(strings.TrimSpace(string(out)))
}
