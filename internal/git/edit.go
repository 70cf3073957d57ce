package git

import (
	"context"
	"fmt"
	"strings"
)

// Edit sets one path of a tree. Mode 0 removes the path, and what is below it
// if it is a folder. Mode [ModeTree] with an OID puts a whole subtree there,
// to which edits of paths below it then apply.
type Edit struct {
	Path string
	Mode uint32
	OID  OID
}

// editNode is one level of the edits, by name.
type editNode struct {
	edit     *Edit
	children map[string]*editNode
	base     OID // the tree that stands here before the edits
	entries  []TreeEntry
}

// EditTree applies edits to the tree base (zero for the empty tree) and returns
// the new tree, reading and writing only the trees on the way to an edit. A
// folder that becomes empty disappears; the root may become the empty tree. New
// trees are written through the Repo's [Writer]; hostile paths are refused
// before anything is written.
func (r *Repo) EditTree(ctx context.Context, base OID, edits []Edit) (OID, error) {
	root := &editNode{base: base}
	for i := range edits {
		if err := ValidPath(edits[i].Path); err != nil {
			return OID{}, fmt.Errorf("edit tree: %w", err)
		}
		root.add(&edits[i])
	}
	if len(edits) == 0 && !base.IsZero() {
		return base, nil
	}
	if err := r.loadLevels(ctx, root); err != nil {
		return OID{}, fmt.Errorf("edit tree %s: %w", base.Short(), err)
	}
	oid, _, err := r.Writer().fold(root)
	return oid, err
}

func (n *editNode) add(e *Edit) {
	for _, name := range strings.Split(e.Path, "/") {
		if n.children == nil {
			n.children = map[string]*editNode{}
		}
		next := n.children[name]
		if next == nil {
			next = &editNode{}
			n.children[name] = next
		}
		n = next
	}
	n.edit = e
}

// loadLevels reads the trees that edits go through, one round trip a level.
func (r *Repo) loadLevels(ctx context.Context, root *editNode) error {
	for level := []*editNode{root}; len(level) > 0; {
		oids := make([]OID, len(level))
		for i, n := range level {
			oids[i] = n.base
		}
		trees, err := r.Reader(ctx).Trees(oids...)
		if err != nil {
			return err
		}
		var next []*editNode
		for i, n := range level {
			n.entries = trees[i]
			next = n.descend(next)
		}
		level = next
	}
	return nil
}

// descend finds which children have a tree beneath them.
func (n *editNode) descend(next []*editNode) []*editNode {
	for name, c := range n.children {
		if c.children == nil || c.replaces() {
			continue
		}
		if c.edit != nil && c.edit.Mode == ModeTree {
			c.base = c.edit.OID
			next = append(next, c)
			continue
		}
		if i := indexOf(n.entries, name); i >= 0 && n.entries[i].Mode == ModeTree {
			c.base = n.entries[i].OID
			next = append(next, c)
		}
	}
	return next
}

// replaces reports an edit that puts something here, whatever was below.
func (n *editNode) replaces() bool {
	return n.edit != nil && n.edit.Mode != 0 && n.edit.Mode != ModeTree
}

// fold writes the node's tree bottom-up. empty is true when nothing is left.
func (w *Writer) fold(n *editNode) (oid OID, empty bool, err error) {
	entries := make([]TreeEntry, 0, len(n.entries)+len(n.children))
	for _, e := range n.entries {
		if _, edited := n.children[e.Name]; !edited {
			entries = append(entries, e)
		}
	}
	for name, c := range n.children {
		e, keep, err := w.child(n, name, c)
		if err != nil {
			return OID{}, false, err
		}
		if keep {
			entries = append(entries, e)
		}
	}
	oid, err = w.Tree(entries)
	return oid, len(entries) == 0, err
}

// child is the entry that name has after its edits.
func (w *Writer) child(parent *editNode, name string, c *editNode) (e TreeEntry, keep bool, err error) {
	if c.replaces() || c.edit != nil && c.children == nil {
		return TreeEntry{Mode: c.edit.Mode, Name: name, OID: c.edit.OID}, c.edit.Mode != 0, nil
	}
	oid, empty, err := w.fold(c)
	if err != nil {
		return TreeEntry{}, false, err
	}
	if !empty {
		return TreeEntry{Mode: ModeTree, Name: name, OID: oid}, true, nil
	}
	// Only removals below a path that is a file here: the file stays unless it
	// is itself edited.
	if i := indexOf(parent.entries, name); i >= 0 && parent.entries[i].Mode != ModeTree && c.edit == nil {
		return parent.entries[i], true, nil
	}
	return TreeEntry{}, false, nil
}
