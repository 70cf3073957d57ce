package session

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// goal is what a rewind wants at a path.
type goal struct {
	snap FileSnapshot // not Exists: nothing; a folder; or a file or link
	from string       // the checkpoint that says so
	// tracked: some checkpoint lists the path, so that a file there may be
	// replaced. Otherwise it is a folder above one, or one that was missing.
	tracked bool
}

func (g goal) isFile() bool { return isFile(g.snap) }

// isFile reports a file or a link.
func isFile(s FileSnapshot) bool { return s.Exists && !isFolder(s) }

// entry is one snapshot with its place in the order in which all were recorded.
type entry struct {
	FileSnapshot
	from string
}

// since returns what was recorded from the creation of checkpoint id on, in
// order; ok is false if all has no such checkpoint. all is in order.
func since(all []CheckpointManifest, id string) (out []entry, ok bool) {
	at := slices.IndexFunc(all, func(c CheckpointManifest) bool { return c.CheckpointID == id })
	if at < 0 {
		return nil, false
	}
	begun := all[at].CreatedAt
	for i, c := range all {
		for _, f := range c.Files {
			if f.RecordedAt.IsZero() {
				f.RecordedAt = c.CreatedAt
			}
			if f.RecordedAt.After(begun) || f.RecordedAt.Equal(begun) && i >= at {
				out = append(out, entry{f, c.CheckpointID})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b entry) int { return a.RecordedAt.Compare(b.RecordedAt) })
	return out, true
}

// goals are the states to come back to: of each path the earliest one, because a
// file that was recorded later had not been changed until then. What was there
// says of the folders above it that they were, and what was no folder says of
// everything below it that it was not.
func goals(entries []entry) map[string]goal {
	paths := pathsOf(entries)
	out := map[string]goal{}
	first := func(path string, g goal) {
		if _, known := out[path]; !known {
			out[path] = g
		}
	}
	tracked := map[string]bool{}
	for _, e := range entries {
		for up := above(e.Path); e.Exists && up != ""; up = above(up) {
			first(up, goal{snap: FileSnapshot{Path: up, Exists: true, Mode: modeFolder}})
		}
		snap := FileSnapshot{Path: e.Path}
		if e.Exists {
			snap = e.FileSnapshot
			snap.RecordedAt = time.Time{}
		}
		first(e.Path, goal{snap: snap, from: e.from})
		if e.Exists || !isFolder(e.FileSnapshot) {
			tracked[e.Path] = true
		}
		if e.Exists && isFolder(e.FileSnapshot) {
			continue
		}
		below := e.Path + "/"
		from, _ := slices.BinarySearch(paths, below)
		for _, path := range paths[from:] {
			if !strings.HasPrefix(path, below) {
				break
			}
			first(path, goal{snap: FileSnapshot{Path: path}})
		}
	}
	for path := range tracked {
		g := out[path]
		g.tracked = true
		out[path] = g
	}
	return out
}

// pathsOf are all paths of entries, and the folders above them, in order.
func pathsOf(entries []entry) []string {
	seen := map[string]bool{}
	for _, e := range entries {
		for path := e.Path; path != "" && !seen[path]; path = above(path) {
			seen[path] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// above is the folder that holds path, "" for the session's own.
func above(path string) string { return path[:max(strings.LastIndexByte(path, '/'), 0)] }
