package gather

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"entire/internal/git"
	"entire/internal/rescue/versions"
)

// index reads what is staged: in this worktree's index, in others', and in what git left behind when it was
// interrupted. A content that HEAD has is not added, and what another worktree has staged is not lost.
func (c *Collector) index(ctx context.Context) error {
	files := []string{filepath.Join(c.Repo.GitDir, "index")}
	for _, pattern := range []string{
		filepath.Join(c.Repo.GitDir, "index.lock"), filepath.Join(c.Repo.GitDir, "next-index-*"),
		filepath.Join(c.Repo.CommonDir, "index"), filepath.Join(c.Repo.CommonDir, "worktrees", "*", "index"),
	} {
		more, _ := filepath.Glob(pattern)
		files = append(files, more...)
	}
	seen := map[string]bool{}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil || seen[file] || info.Size() == 0 {
			continue
		}
		seen[file] = true
		cmd := c.Repo.Command(nil)
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+file)
		out, err := cmd.Output(ctx, "diff-index", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", c.base(ctx))
		if err != nil {
			continue // an index that is not complete
		}
		words := strings.Split(string(out), "\x00")
		for i := 0; i+1 < len(words); i += 2 {
			change, ok := parseChange(strings.TrimPrefix(words[i], ":"))
			if ok && (change.mode == git.ModeFile || change.mode == git.ModeExec) {
				c.add(versions.Evidence{Path: words[i+1], At: c.objectTime(change.blob, info.ModTime()), Source: "staged", Content: versions.Hash(change.blob), Mode: change.mode, Size: -1, Filtered: true,
					Kept: !strings.HasPrefix(file, filepath.Join(c.Repo.GitDir, "index")) && !strings.HasPrefix(file, filepath.Join(c.Repo.GitDir, "next-index"))})
			}
		}
	}
	return nil
}

// base returns what an index is compared with: HEAD, or nothing.
func (c *Collector) base(ctx context.Context) string {
	if _, ok := c.Repo.Head(ctx); ok {
		return "HEAD"
	}
	return c.Repo.EmptyTree().String()
}
