package shadow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"entire/internal/git"
)

// captureFiles returns the edits that set paths of a tree to their state in the worktree: files
// through git's clean filters, links as links, and missing files removed. Folders, submodules,
// special files and unreadable files keep the entry they have. It refuses a path that could
// lead out of the worktree or into .git, and never captures .entire.
func captureFiles(ctx context.Context, repo *git.Repo, base git.OID, paths []string) ([]git.Edit, error) {
	wt, err := repo.OpenWorktree()
	if err != nil {
		return nil, err
	}
	defer wt.Close()
	var edits []git.Edit
	modes := map[string]uint32{}
	var regular []string
	for _, p := range paths {
		if err := git.ValidPath(p); err != nil {
			return nil, fmt.Errorf("capture %q: %w", p, err)
		}
		if _, seen := modes[p]; seen || inEntireDir(p) {
			continue
		}
		fi, err := wt.Lstat(p)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			edits = append(edits, git.Edit{Path: p})
		case err != nil:
		case fi.Mode().IsRegular():
			modes[p] = fileMode(ctx, repo, base, p, fi)
			regular = append(regular, p)
		case fi.Mode()&fs.ModeSymlink != 0:
			target, _, err := wt.Read(p)
			if err != nil {
				return nil, fmt.Errorf("capture %q: %w", p, err)
			}
			oid, err := repo.Writer().Blob(target)
			if err != nil {
				return nil, fmt.Errorf("capture %q: %w", p, err)
			}
			edits = append(edits, git.Edit{Path: p, Mode: git.ModeSymlink, OID: oid})
		}
	}
	hashed, err := repo.HashFiles(ctx, regular)
	if err != nil {
		return nil, err
	}
	for _, p := range regular {
		if oid, ok := hashed.OIDs[p]; ok {
			edits = append(edits, git.Edit{Path: p, Mode: modes[p], OID: oid})
		}
	}
	return edits, nil
}

// fileMode returns the mode that git would record: the mode on disk, or, if the file system
// does not keep modes, the one recorded before.
func fileMode(ctx context.Context, repo *git.Repo, base git.OID, path string, fi fs.FileInfo) uint32 {
	if !repo.FileMode {
		e, found, err := repo.Reader(ctx).Path(base, path)
		if err == nil && found && e.Mode == git.ModeExec {
			return git.ModeExec
		}
		return git.ModeFile
	}
	if fi.Mode()&0o111 != 0 {
		return git.ModeExec
	}
	return git.ModeFile
}

func inEntireDir(path string) bool {
	return path == ".entire" || strings.HasPrefix(path, ".entire/")
}

// ChangedPaths returns every path that git reports as changed in the worktree, except
// submodules.
func ChangedPaths(ctx context.Context, repo *git.Repo) ([]string, error) {
	status, err := repo.Status(ctx)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range status.Entries {
		if !e.Submodule {
			paths = append(paths, e.Path)
		}
	}
	return paths, nil
}
