package git

import (
	"context"
	"fmt"
	"strings"
)

// Edit sets one path of a tree. Mode 0 removes the path and, if it is a folder, everything
// below it. Mode [ModeTree] with an OID sets a whole subtree, to which edits of paths
// below it then apply.
type Edit struct {
	Path string
	Mode uint32
	OID  OID
}

// editNode is one level of the edits, by name.
type editNode struct {
	edit     *Edit
	children map[string]*editNode
	base     OID // the tree at this place before the edits
	entries  []TreeEntry
}

// EditTree applies edits to the tree base (zero for the empty tree) and returns the new
// tree. It reads and writes only the trees above the edited paths. A folder that becomes
// empty disappears; the root may become the empty tree. The Repo's [Writer] writes new
// trees. Unsafe paths are an error before anything is written.
func (r *Repo) EditTree(ctx context.Context, base OID, edits []Edit) (OID, error) {
	root := &editNode{base: base}
	for i := range edits {
		if err := edits[i].check(r.hashLen()); err != nil {
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
	entries, err := r.Writer().fold(root)
	if err != nil {
		return OID{}, err
	}
	return r.Writer().Tree(entries)
}

func (e *Edit) check(hashLen int) error {
	if err := ValidPath(e.Path); err != nil {
		return err
	}
	switch e.Mode {
	case 0:
		return nil
	case ModeFile, ModeExec, ModeSymlink, ModeTree, ModeGitlink:
		if len(e.OID.Bytes()) == hashLen {
			return nil
		}
		return fmt.Errorf("path %q: %q is no object of this repository", clip(e.Path), e.OID)
	}
	return fmt.Errorf("path %q: mode %o is none of git's", clip(e.Path), e.Mode)
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

// loadLevels reads the trees above the edited paths, one round trip for each level.
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

// descend finds the base of each child: a subtree that an edit sets, the tree that was
// there, or nothing, below which an edit may still add one.
func (n *editNode) descend(next []*editNode) []*editNode {
	deeper := false
	for _, c := range n.children {
		if c.children == nil {
			continue
		}
		if c.edit != nil && c.edit.Mode == ModeTree {
			c.base = c.edit.OID
		}
		deeper = deeper || c.edit == nil
		next = append(next, c)
	}
	if !deeper {
		return next
	}
	for _, e := range n.entries {
		if c := n.children[e.Name]; c != nil && c.children != nil && c.edit == nil && e.Mode == ModeTree {
			c.base = e.OID
		}
	}
	return next
}

// fold writes the trees below n bottom-up and returns n's own entries.
func (w *Writer) fold(n *editNode) ([]TreeEntry, error) {
	entries := make([]TreeEntry, 0, len(n.entries)+len(n.children))
	was := make(map[string]TreeEntry, len(n.children))
	for _, e := range n.entries {
		if _, edited := n.children[e.Name]; edited {
			was[e.Name] = e
		} else {
			entries = append(entries, e)
		}
	}
	for name, c := range n.children {
		e, err := w.child(name, c, was[name])
		if err != nil {
			return nil, err
		}
		if e.Mode != 0 {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// child returns the entry that name has after its edits; Mode 0 for none.
func (w *Writer) child(name string, c *editNode, was TreeEntry) (TreeEntry, error) {
	if c.edit != nil && (c.children == nil || c.edit.Mode != 0 && c.edit.Mode != ModeTree) {
		return TreeEntry{Mode: c.edit.Mode, Name: name, OID: c.edit.OID}, nil
	}
	entries, err := w.fold(c)
	if err != nil {
		return TreeEntry{}, err
	}
	if len(entries) > 0 {
		oid, err := w.Tree(entries)
		return TreeEntry{Mode: ModeTree, Name: name, OID: oid}, err
	}
	// Only removals below a path that is a file here: the file stays unless it
	// is itself edited.
	if was.Mode != ModeTree && c.edit == nil {
		return was, nil
	}
	return TreeEntry{}, nil
}
