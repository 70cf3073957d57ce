package session

import (
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
// file that was recorded later had not been changed until then. A file that
// existed says of the folders above it that they did; what was no folder says of
// everything below it that it did not.
func goals(entries []entry) map[string]goal {
	out := map[string]goal{}
	unknown := map[string]bool{}
	for _, e := range entries {
		for up := above(e.Path); up != ""; up = above(up) {
			if _, known := out[up]; known {
				continue
			}
			if unknown[up] = !e.Exists; e.Exists {
				out[up] = goal{snap: FileSnapshot{Path: up, Exists: true, Mode: modeFolder}}
			}
		}
		g, known := out[e.Path]
		if !known {
			g.snap, g.from = e.FileSnapshot, e.from
		}
		g.tracked = g.tracked || e.Exists || !isFolder(e.FileSnapshot)
		out[e.Path] = g
	}
	for path := range unknown {
		if _, known := out[path]; !known && !underFolders(out, path) {
			out[path] = goal{}
		}
	}
	for path, g := range out {
		if !g.snap.Exists || !underFolders(out, path) {
			g.snap = FileSnapshot{}
		}
		g.snap.Path, g.snap.RecordedAt = path, time.Time{}
		out[path] = g
	}
	return out
}

// underFolders reports that nothing above path is meant to be something else than
// a folder.
func underFolders(goals map[string]goal, path string) bool {
	for up := above(path); up != ""; up = above(up) {
		if g, known := goals[up]; known && (!g.snap.Exists || !isFolder(g.snap)) {
			return false
		}
	}
	return true
}

// above is the folder that holds path, "" for the session's own.
func above(path string) string { return path[:max(strings.LastIndexByte(path, '/'), 0)] }
