package store

import (
	"context"
	"fmt"
	"strings"

	"entire/internal/git/object"
)

// Edit sets one path of a tree. Mode 0 removes the path and, if it is a folder, everything
// below it. Mode [object.ModeTree] with an OID sets a whole subtree, to which edits of paths
// below it then apply.
type Edit struct {
	Path string
	Mode uint32
	OID  object.OID
}

// EditNode is one level of the edits, by name.
type EditNode struct {
	edit     *Edit
	Children map[string]*EditNode
	Base     object.OID // the tree at this place before the edits
	entries  []object.TreeEntry
}

// EditTree applies edits to the tree base (zero for the empty tree) and returns the new
// tree. It reads and writes only the trees above the edited paths. A folder that becomes
// empty disappears; the root may become the empty tree. The Repo's [Writer] writes new
// trees. Unsafe paths are an error before anything is written.
func (r *Repo) EditTree(ctx context.Context, base object.OID, edits []Edit) (object.OID, error) {
	root := &EditNode{Base: base}
	for i := range edits {
		if err := edits[i].check(r.HashLen()); err != nil {
			return object.OID{}, fmt.Errorf("edit tree: %w", err)
		}
		root.Add(&edits[i])
	}
	if len(edits) == 0 && !base.IsZero() {
		return base, nil
	}
	if err := r.loadLevels(ctx, root); err != nil {
		return object.OID{}, fmt.Errorf("edit tree %s: %w", base.Short(), err)
	}
	entries, err := r.Writer().fold(root)
	if err != nil {
		return object.OID{}, err
	}
	return r.Writer().Tree(entries)
}

func (e *Edit) check(hashLen int) error {
	if err := object.ValidPath(e.Path); err != nil {
		return err
	}
	switch e.Mode {
	case 0:
		return nil
	case object.ModeFile, object.ModeExec, object.ModeSymlink, object.ModeTree, object.ModeGitlink:
		if len(e.OID.Bytes()) == hashLen {
			return nil
		}
		return fmt.Errorf("path %q: %q is no object of this repository", object.Clip(e.Path), e.OID)
	}
	return fmt.Errorf("path %q: mode %o is none of git's", object.Clip(e.Path), e.Mode)
}

func (n *EditNode) Add(e *Edit) {
	for _, name := range strings.Split(e.Path, "/") {
		if n.Children == nil {
			n.Children = map[string]*EditNode{}
		}
		next := n.Children[name]
		if next == nil {
			next = &EditNode{}
			n.Children[name] = next
		}
		n = next
	}
	n.edit = e
}

// loadLevels reads the trees above the edited paths, one round trip for each level.
func (r *Repo) loadLevels(ctx context.Context, root *EditNode) error {
	for level := []*EditNode{root}; len(level) > 0; {
		oids := make([]object.OID, len(level))
		for i, n := range level {
			oids[i] = n.Base
		}
		trees, err := r.Reader(ctx).Trees(oids...)
		if err != nil {
			return err
		}
		var next []*EditNode
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
func (n *EditNode) descend(next []*EditNode) []*EditNode {
	deeper := false
	for _, c := range n.Children {
		if c.Children == nil {
			continue
		}
		if c.edit != nil && c.edit.Mode == object.ModeTree {
			c.Base = c.edit.OID
		}
		deeper = deeper || c.edit == nil
		next = append(next, c)
	}
	if !deeper {
		return next
	}
	for _, e := range n.entries {
		if c := n.Children[e.Name]; c != nil && c.Children != nil && c.edit == nil && e.Mode == object.ModeTree {
			c.Base = e.OID
		}
	}
	return next
}

// fold writes the trees below n bottom-up and returns n's own entries.
func (w *Writer) fold(n *EditNode) ([]object.TreeEntry, error) {
	entries := make([]object.TreeEntry, 0, len(n.entries)+len(n.Children))
	was := make(map[string]object.TreeEntry, len(n.Children))
	for _, e := range n.entries {
		if _, edited := n.Children[e.Name]; edited {
			was[e.Name] = e
		} else {
			entries = append(entries, e)
		}
	}
	for name, c := range n.Children {
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
func (w *Writer) child(name string, c *EditNode, was object.TreeEntry) (object.TreeEntry, error) {
	if c.edit != nil && (c.Children == nil || c.edit.Mode != 0 && c.edit.Mode != object.ModeTree) {
		return object.TreeEntry{Mode: c.edit.Mode, Name: name, OID: c.edit.OID}, nil
	}
	entries, err := w.fold(c)
	if err != nil {
		return object.TreeEntry{}, err
	}
	if len(entries) > 0 {
		oid, err := w.Tree(entries)
		return object.TreeEntry{Mode: object.ModeTree, Name: name, OID: oid}, err
	}
	// Only removals below a path that is a file here: the file stays unless it
	// is itself edited.
	if was.Mode != object.ModeTree && c.edit == nil {
		return was, nil
	}
	return object.TreeEntry{}, nil
}
