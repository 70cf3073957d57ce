package files

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// goal is the state that a rewind wants at a path.
type goal struct {
	snap FileSnapshot // a file, a link or a folder; nothing if not Exists
	from string       // the checkpoint that records it
	// tracked says that some checkpoint lists the path, so that a file there may be replaced.
	// Otherwise the path is a folder above a listed one, or was a missing folder.
	tracked bool
}

func (g goal) isFile() bool { return isFile(g.snap) }

// isFile reports whether s is a file or a link.
func isFile(s FileSnapshot) bool { return s.Exists && !isFolder(s) }

// entry is one snapshot and the checkpoint that has it.
type entry struct {
	FileSnapshot
	from string
}

// entriesSince returns everything recorded from the creation of checkpoint id on, in order. ok is
// false if all, which is in order, has no such checkpoint.
func entriesSince(all []CheckpointManifest, id string) (out []entry, ok bool) {
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

// goals returns the wanted state of each path: its earliest entry, because a file that was
// recorded later had not changed before. An existing path implies that the folders above it
// existed, and a path that was no folder implies that nothing below it existed.
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
		for up := parentOf(e.Path); e.Exists && up != ""; up = parentOf(up) {
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

// pathsOf returns all paths of entries and the folders above them, sorted.
func pathsOf(entries []entry) []string {
	seen := map[string]bool{}
	for _, e := range entries {
		for path := e.Path; path != "" && !seen[path]; path = parentOf(path) {
			seen[path] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// parentOf returns the folder that holds path, "" for the session's folder.
func parentOf(path string) string { return path[:max(strings.LastIndexByte(path, '/'), 0)] }
