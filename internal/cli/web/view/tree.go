package view

import (
	"path"
	"slices"
	"strings"

	"entire/internal/timeline"
)

// treeMax is how many files a tree shows.
const treeMax = 400

// A Tree is the folders and files of a change. Folders with nothing but one folder in them are one entry.
type Tree struct {
	Name  string
	Files []TreeFile
	Trees []*Tree
	Left  int // files that are not shown; only at the top
}

// A TreeFile is a file of a Tree.
type TreeFile struct {
	timeline.Change
	Name string
	Link string
}

// NewTree returns the tree of changes; link returns the address of a file's change.
func NewTree(changes []timeline.Change, link func(path string) string) *Tree {
	top := &Tree{}
	top.Left = max(len(changes)-treeMax, 0)
	for _, c := range changes[:len(changes)-top.Left] {
		at := top
		dir, name := path.Split(c.Path)
		for part := range strings.SplitSeq(strings.TrimSuffix(dir, "/"), "/") {
			if part != "" {
				at = at.folder(part)
			}
		}
		at.Files = append(at.Files, TreeFile{c, name, link(c.Path)})
	}
	top.fold()
	return top
}

func (t *Tree) folder(name string) *Tree {
	if i := slices.IndexFunc(t.Trees, func(sub *Tree) bool { return sub.Name == name }); i >= 0 {
		return t.Trees[i]
	}
	t.Trees = append(t.Trees, &Tree{Name: name})
	return t.Trees[len(t.Trees)-1]
}

// fold makes folders with nothing but a folder in them one entry.
func (t *Tree) fold() {
	for _, sub := range t.Trees {
		for len(sub.Files) == 0 && len(sub.Trees) == 1 {
			only := sub.Trees[0]
			sub.Name, sub.Files, sub.Trees = sub.Name+"/"+only.Name, only.Files, only.Trees
		}
		sub.fold()
	}
}
