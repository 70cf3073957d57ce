package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A large index is one from this size on, that of about 40,000 files. There, one more process costs little beside what
// git's cache of untracked files saves.
const largeIndex = 4 << 20

// untrackedMode returns the mode in which `git status` lists untracked files: "all", or "normal", which names only the
// folder where nothing in it is tracked, if git has a cache of untracked files for that mode. With "all" it would not
// use the cache, and read every folder.
func (r *Repo) untrackedMode(ctx context.Context) string {
	fi, err := os.Stat(r.indexPath())
	if err != nil || fi.Size() < largeIndex {
		return "all"
	}
	conf, err := r.Config(ctx, "core.untrackedcache", "feature.manyfiles", "status.showuntrackedfiles")
	if err != nil {
		return "all"
	}
	cached := conf["core.untrackedcache"]
	if cached == "" {
		cached = conf["feature.manyfiles"]
	}
	shown := strings.ToLower(conf["status.showuntrackedfiles"])
	if isTrue(cached) && (shown == "" || shown == "normal") {
		return "normal"
	}
	return "all"
}

// isTrue reads a truth value as git does.
func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// fewFolders is how many folders a command line names at most.
const fewFolders = 500

// openFolders replaces the untracked folders that git did not look into by what is in them.
func (r *Repo) openFolders(ctx context.Context, st *Status) error {
	var folders, nested []string
	for _, dir := range st.Nested {
		if _, err := os.Lstat(filepath.Join(r.Dir(), filepath.FromSlash(dir), ".git")); err == nil {
			nested = append(nested, dir)
		} else {
			folders = append(folders, dir)
		}
	}
	st.Nested = nested
	for some := range slices.Chunk(folders, fewFolders) {
		out, warned, err := r.Command(nil).Outputs(ctx, append([]string{"ls-files", "-z", "--others", "--exclude-standard", "--"}, some...)...)
		if err != nil {
			return fmt.Errorf("list untracked files: %w", err)
		}
		for path := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			if path != "" {
				st.untracked(path)
			}
		}
		st.Closed = append(st.Closed, closedFolders(warned)...)
	}
	slices.Sort(st.Nested)
	slices.Sort(st.Unstorable)
	slices.SortStableFunc(st.Entries, func(a, b StatusEntry) int { // git's order: what is tracked comes first
		switch {
		case a.Untracked && b.Untracked:
			return strings.Compare(a.Path, b.Path)
		case a.Untracked:
			return 1
		case b.Untracked:
			return -1
		}
		return 0
	})
	return nil
}
