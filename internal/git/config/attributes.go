package config

import (
	"bytes"
	"path/filepath"
	"strings"

	"entire/internal/durable"
)

// Attributes are the files of attributes that git reads for the paths of a worktree.
type Attributes struct {
	top     string
	folders map[string]bool // whether the file in a folder leaves paths alone
	plain   bool            // whether those for all paths do
}

// Attributes returns the attributes of the worktree at top. What [Attributes.Plain] found
// in a folder is not read again.
func (c *Config) Attributes(top string) *Attributes {
	return &Attributes{top: top, folders: map[string]bool{}, plain: c.plainEverywhere()}
}

// Plain reports that no attribute of a path names a filter or an encoding: git then stores
// a file without a carriage return and without `$Id` as it is. The path is relative to the
// top, with slashes. False means that git must be asked.
func (a *Attributes) Plain(path string) bool {
	if !a.plain {
		return false
	}
	for at := 0; ; {
		dir := path[:at]
		plain, known := a.folders[dir]
		if !known {
			plain = leavesAlone(filepath.Join(a.top, filepath.FromSlash(dir), ".gitattributes"), durable.ReadPlain)
			a.folders[dir] = plain
		}
		if !plain {
			return false
		}
		next := strings.IndexByte(path[min(at+1, len(path)):], '/')
		if next < 0 {
			return true
		}
		at += 1 + next
	}
}

// plainEverywhere looks at the files that apply to all paths of a repository.
func (c *Config) plainEverywhere() bool {
	if len(c.all("attr.tree")) > 0 || c.place.env("GIT_ATTR_SOURCE") != "" {
		return false
	}
	files := []string{filepath.Join(c.place.CommonDir, "info", "attributes"), filepath.Join(c.user, "attributes")}
	for _, dir := range c.systems {
		files = append(files, filepath.Join(dir, "gitattributes"))
	}
	for _, value := range c.all("core.attributesfile") {
		file, ok := c.Path(value, "")
		if !ok {
			return false
		}
		files = append(files, file)
	}
	for _, file := range files {
		if !leavesAlone(file, durable.Read) {
			return false
		}
	}
	return true
}

// transforming are the attributes by which git changes a file that has no carriage return
// and no `$Id`. A macro that sets one names it, too.
var transforming = [][]byte{[]byte("filter"), []byte("working-tree-encoding")}

// leavesAlone reports that a file of attributes is not there, or names no such attribute.
func leavesAlone(file string, read func(string, int64) ([]byte, error)) bool {
	text, err := read(file, fileMax)
	if err != nil {
		return isAbsent(err)
	}
	for _, name := range transforming {
		if bytes.Contains(text, name) {
			return false
		}
	}
	return true
}
