package lineage

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"entire/internal/git"
)

// renamedChange is a changed file with its path before the change; "" if it was not renamed.
type renamedChange struct {
	git.Change
	from string
}

func (c renamedChange) oldPath() string { return cmp.Or(c.from, c.Path) }

// parseRenames reads the output of `git diff-tree -z --raw`.
func parseRenames(out []byte) (list []renamedChange, err error) {
	for len(out) > 0 {
		var ch renamedChange
		if ch, out, err = cutRenamed(out); err != nil {
			return nil, fmt.Errorf("read git diff-tree: %w", err)
		}
		list = append(list, ch)
	}
	return list, nil
}

// cutRenamed reads one file, which has two paths if it was renamed.
func cutRenamed(out []byte) (c renamedChange, rest []byte, err error) {
	meta, rest, _ := bytes.Cut(out, []byte{0})
	path, rest, ok := bytes.Cut(rest, []byte{0})
	if i := bytes.LastIndexByte(meta, ' '); ok && i >= 0 && strings.ContainsAny(string(meta[i:]), "RC") {
		c.from = string(path)
		path, rest, ok = bytes.Cut(rest, []byte{0})
	}
	if !ok {
		return c, nil, fmt.Errorf("it ends in the middle of a file")
	}
	one, err := git.ParseRaw(bytes.Join([][]byte{meta, path, nil}, []byte{0}))
	if err == nil {
		c.Change = one[0]
	}
	return c, rest, err
}
