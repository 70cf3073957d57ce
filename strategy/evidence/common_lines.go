package evidence

import (
	"bytes"
	"path"
	"strings"

	"entire/internal/git"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// isCommonLine reports whether a line is in several files of the repository; such lines identify
// nobody. A nil function means that no line is common.
type isCommonLine func(line string) bool

const (
	// At most commonFiles files of the same kind are read, of commonBytes at most each, from
	// commonTrees folders: first the file's own folder, then from the top down.
	commonFiles, commonBytes, commonTrees = 16, 64 << 10, 32
)

// CommonLines returns which lines several of HEAD's files with the file's extension share. The files
// are read when the first line is asked for.
func (e *evidence) CommonLines(file string) isCommonLine {
	return func(line string) bool {
		kind := path.Ext(file)
		counts, known := e.commonCounts[kind]
		if !known {
			counts = e.countLines(file)
			e.commonCounts[kind] = counts
		}
		return counts[line] > 1
	}
}

// countLines counts for each line in how many files of the same kind it is. A file that cannot be
// read has no lines.
func (e *evidence) countLines(file string) map[string]int {
	counts := map[string]int{}
	head, err := HeadCommit(e.ctx, e.s)
	if err != nil || head.IsZero() {
		return counts
	}
	tree, err := worktree.HeadTree(e.ctx, e.s, head)
	if err != nil {
		return counts
	}
	var specs []string
	for _, oid := range e.sameKindFiles(tree, file) {
		specs = append(specs, oid.String())
	}
	objs, err := e.s.Repo.Reader(e.ctx).Small(commonBytes, specs...)
	if err != nil {
		return counts
	}
	for _, o := range objs {
		if o.Type != "blob" || o.Large || bytes.IndexByte(o.Data, 0) >= 0 {
			continue
		}
		for line := range SignificantLines(o.Data) {
			counts[line]++
		}
	}
	return counts
}

// sameKindFiles returns files of a tree with the same extension as a file, without the file itself.
func (e *evidence) sameKindFiles(tree git.OID, file string) (out []git.OID) {
	rd := e.s.Repo.Reader(e.ctx)
	queue, read := []git.TreeEntry{{Mode: git.ModeTree, OID: tree}}, 0
	if dir := path.Dir(file); dir != "." {
		if own, found, err := rd.Path(tree, dir); err == nil && found && own.Mode == git.ModeTree {
			own.Name = dir
			queue = append([]git.TreeEntry{own}, queue...)
		}
	}
	for len(queue) > 0 && read < commonTrees && len(out) < commonFiles {
		at := queue[0]
		queue = queue[1:]
		read++
		entries, err := rd.Tree(at.OID)
		if err != nil {
			return out
		}
		for _, entry := range entries {
			entry.Name = path.Join(at.Name, entry.Name)
			switch {
			case entry.Mode == git.ModeTree && !strings.HasPrefix(entry.Name, "."):
				queue = append(queue, entry)
			case step.IsBlob(entry.Mode) && path.Ext(entry.Name) == path.Ext(file) && entry.Name != file && len(out) < commonFiles:
				out = append(out, entry.OID)
			}
		}
	}
	return out
}
