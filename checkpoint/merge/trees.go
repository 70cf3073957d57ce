package merge

import (
	"slices"
	"strings"

	"entire/id"
	"entire/internal/bodies"
	"entire/internal/git"
)

// threeWay is the entry of one name in the common base and on both sides; Mode 0 if it is absent.
type threeWay struct{ base, a, b git.TreeEntry }

// resolved returns the merged entry if at most one side changed it, or both made the same
// change.
func (t threeWay) resolved() (e git.TreeEntry, ok bool) {
	switch {
	case sameEntry(t.a, t.b), sameEntry(t.b, t.base):
		return t.a, true
	case sameEntry(t.a, t.base):
		return t.b, true
	}
	return git.TreeEntry{}, false
}

func sameEntry(a, b git.TreeEntry) bool { return a.Mode == b.Mode && a.OID == b.OID }

// bothFolders reports whether both sides have a folder, or one has a folder and the other nothing.
func (t threeWay) bothFolders() bool {
	return isFolder(t.a) && isFolder(t.b) && (t.a.Mode != 0 || t.b.Mode != 0)
}

func isFolder(e git.TreeEntry) bool { return e.Mode == 0 || e.Mode == git.ModeTree }

// trees merges two folders at path, which is "" for the root or ends in a slash, and reads only
// what differs on both sides. The result is zero for an empty folder.
func (m *merger) trees(path string, base, a, b git.OID) (git.OID, error) {
	found, err := m.rd.Trees(base, a, b)
	if err != nil {
		return git.OID{}, err
	}
	var merged []git.TreeEntry
	for _, t := range alignByName(found[0], found[1], found[2]) {
		e, ok := t.resolved()
		if !ok {
			if e, err = m.entry(path, t); err != nil {
				return git.OID{}, err
			}
		}
		if e.Mode != 0 {
			merged = append(merged, e)
		}
	}
	if len(merged) == 0 {
		return git.OID{}, nil
	}
	return m.w.Tree(merged)
}

// alignByName lists the names of three folders, each once, sorted.
func alignByName(base, a, b []git.TreeEntry) []threeWay {
	byName := map[string]*threeWay{}
	var names []string
	at := func(name string) *threeWay {
		t := byName[name]
		if t == nil {
			t = &threeWay{}
			byName[name] = t
			names = append(names, name)
		}
		return t
	}
	for _, e := range base {
		at(e.Name).base = e
	}
	for _, e := range a {
		at(e.Name).a = e
	}
	for _, e := range b {
		at(e.Name).b = e
	}
	slices.Sort(names)
	list := make([]threeWay, len(names))
	for i, name := range names {
		list[i] = *byName[name]
	}
	return list
}

func (t threeWay) name() string {
	if t.a.Mode != 0 {
		return t.a.Name
	}
	return t.b.Name
}

// entry merges a name that both sides changed.
func (m *merger) entry(path string, t threeWay) (git.TreeEntry, error) {
	name := t.name()
	if cp, err := id.NewCheckpointID(strings.TrimSuffix(path, "/") + name); err == nil && len(path) == 3 && t.bothFolders() {
		return m.checkpoint(cp, t)
	}
	switch {
	case t.bothFolders():
		tree, err := m.trees(path+name+"/", folderOID(t.base), folderOID(t.a), folderOID(t.b))
		if err != nil || tree.IsZero() {
			return git.TreeEntry{}, err
		}
		return git.TreeEntry{Mode: git.ModeTree, Name: name, OID: tree}, nil
	case t.a.Mode == 0, t.b.Mode == git.ModeTree:
		return t.b, nil
	case t.b.Mode == 0, t.a.Mode == git.ModeTree:
		return t.a, nil
	}
	return m.larger(t.a, t.b)
}

func folderOID(e git.TreeEntry) git.OID {
	if e.Mode == git.ModeTree {
		return e.OID
	}
	return git.OID{}
}

// larger picks one of two versions of a file that cannot be merged: the longer, because stored
// files grow, or, of equal lengths, the one with the greater object ID. The other version stays
// in the history.
func (m *merger) larger(a, b git.TreeEntry) (git.TreeEntry, error) {
	na, err := m.size(a)
	if err != nil {
		return git.TreeEntry{}, err
	}
	nb, err := m.size(b)
	if err != nil {
		return git.TreeEntry{}, err
	}
	if na > nb || na == nb && entryText(a) > entryText(b) {
		return a, nil
	}
	return b, nil
}

func entryText(e git.TreeEntry) string { return e.OID.String() + string(rune(e.Mode)) }

// size returns a file's length, or that of the text it stands for; 0 for a submodule, which is stored elsewhere.
func (m *merger) size(e git.TreeEntry) (int, error) {
	if e.Mode == git.ModeGitlink {
		return 0, nil
	}
	data, err := m.rd.RawBlob(e.OID)
	return int(bodies.PlainSize(data)), err
}
