package config

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/durable"
)

// Attributes are the files of attributes that git reads for the paths of a worktree.
type Attributes struct {
	top        string
	folders    map[string]mentions // of the file in a folder
	everywhere mentions            // of the files for all paths
}

// mentions are the kinds of attributes that files name, for whatever path. A macro that sets one names it,
// too.
type mentions struct {
	filters bool // by which git changes a file that has no carriage return and no `$Id`
	eol     bool // the line ends that git writes
	crlf    bool // that these are CRLF
}

func (m mentions) or(o mentions) mentions {
	return mentions{m.filters || o.filters, m.eol || o.eol, m.crlf || o.crlf}
}

// Attributes returns the attributes of the worktree at top. A file is not read again.
func (c *Config) Attributes(top string) *Attributes {
	return &Attributes{top: top, folders: map[string]mentions{}, everywhere: c.mentionedEverywhere()}
}

// Plain reports that no attribute of a path names a filter or an encoding: git then stores
// a file without a carriage return and without `$Id` as it is. The path is relative to the
// top, with slashes. False means that git must be asked.
func (a *Attributes) Plain(path string) bool { return !a.of(path).filters }

// mayName reports whether an attribute may say which line ends git writes for a path; crlf asks for CRLF
// only.
func (a *Attributes) mayName(path string, crlf bool) bool {
	m := a.of(path)
	return m.crlf || m.eol && !crlf
}

// of returns what the files that apply to a path mention.
func (a *Attributes) of(path string) mentions {
	all := a.everywhere
	for at := 0; ; {
		dir := path[:at]
		m, known := a.folders[dir]
		if !known {
			m = mentioned(filepath.Join(a.top, filepath.FromSlash(dir), ".gitattributes"), durable.ReadPlain)
			a.folders[dir] = m
		}
		all = all.or(m)
		next := strings.IndexByte(path[min(at+1, len(path)):], '/')
		if next < 0 {
			return all
		}
		at += 1 + next
	}
}

// mentionedEverywhere looks at the files that apply to all paths of a repository.
func (c *Config) mentionedEverywhere() mentions {
	unknown := mentions{true, true, true}
	if len(c.all("attr.tree")) > 0 || c.place.env("GIT_ATTR_SOURCE") != "" {
		return unknown
	}
	files := []string{filepath.Join(c.place.CommonDir, "info", "attributes"), filepath.Join(c.user, "attributes")}
	for _, dir := range c.systems {
		files = append(files, filepath.Join(dir, "gitattributes"))
	}
	for _, value := range c.all("core.attributesfile") {
		file, ok := c.Path(value, "")
		if !ok {
			return unknown
		}
		files = append(files, file)
	}
	var all mentions
	for _, file := range files {
		all = all.or(mentioned(file, durable.Read))
	}
	return all
}

// mentioned returns what a file of attributes mentions: nothing if it is not there, everything if it cannot
// be read.
func mentioned(file string, read func(string, int64) ([]byte, error)) mentions {
	text, err := read(file, fileMax)
	if err != nil {
		there := !isAbsent(err)
		return mentions{there, there, there}
	}
	names := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(text, []byte(w)) })
	}
	return mentions{filters: names("filter", "working-tree-encoding"), eol: names("eol", "crlf"), crlf: names("crlf")}
}
