package gather

import (
	"bytes"
	"context"
	"hash/maphash"
	"maps"
	"slices"

	"entire/internal/rescue/versions"
)

// Bounds of the search for the names of contents.
const (
	maxCompared  = 1 << 20  // size of one content, in bytes
	maxCandidate = 64 << 20 // size of all files that are compared
)

// name finds the paths of nameless contents: a content that shares most of its lines with one file, and with no
// other as many, was a version of it. Those that are known by another source are dropped.
func (c *Collector) name(ctx context.Context) error {
	known := map[versions.Hash]bool{}
	for _, list := range c.Evidence {
		for _, e := range list {
			known[e.Content] = true
		}
	}
	c.Nameless = slices.DeleteFunc(c.Nameless, func(n Nameless) bool { return known[n.Content] })
	if len(c.Nameless) == 0 {
		return nil
	}
	m := newMatcher()
	for i, n := range c.Nameless {
		if n.Size <= maxCompared {
			if content, err := c.Pool.Get(n.Content); err == nil {
				m.want(i, content)
			}
		}
	}
	budget := int64(maxCandidate)
	compare := func(path string, hash versions.Hash) {
		content, err := c.Pool.Get(hash)
		if err == nil && len(content) <= maxCompared {
			budget -= int64(len(content))
			m.compare(path, content)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(c.Evidence)) {
		seen := 0
		for _, e := range slices.Backward(c.Evidence[path]) {
			if e.Kind == versions.Whole && seen < 3 && budget > 0 {
				compare(path, e.Content)
				seen++
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(c.Listed)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if budget > 0 && c.wanted(path) {
			compare(path, versions.Hash(c.Listed[path].OID))
		}
	}
	c.takeNames(m)
	return nil
}

// takeNames adds the contents whose path was found, and leaves the others.
func (c *Collector) takeNames(m *matcher) {
	var rest []Nameless
	for i, n := range c.Nameless {
		path := m.best(i)
		if path == "" {
			if !n.merged {
				rest = append(rest, n)
			}
			continue
		}
		c.add(versions.Evidence{Path: path, At: n.At, Source: "staged and never committed (the path is a guess from its lines)", Content: n.Content, Size: n.Size, Computed: n.merged, Filtered: true})
	}
	c.Nameless = rest
}

// matcher counts the lines that contents share with files.
type matcher struct {
	seed  maphash.Seed
	lines map[uint64][]int // the contents that have a line
	sizes map[int]int      // how many different lines a content has
	found map[int]map[string]float64
}

func newMatcher() *matcher {
	return &matcher{seed: maphash.MakeSeed(), lines: map[uint64][]int{}, sizes: map[int]int{}, found: map[int]map[string]float64{}}
}

// lineSet returns the lines of a text that say something, each once.
func (m *matcher) lineSet(content []byte) map[uint64]bool {
	out := map[uint64]bool{}
	if bytes.IndexByte(content[:min(len(content), 8000)], 0) >= 0 {
		return out
	}
	for line := range bytes.Lines(content) {
		if line = bytes.TrimSpace(line); len(line) >= 2 {
			out[maphash.Bytes(m.seed, line)] = true
		}
	}
	return out
}

func (m *matcher) want(i int, content []byte) {
	set := m.lineSet(content)
	m.sizes[i] = len(set)
	for line := range set {
		m.lines[line] = append(m.lines[line], i)
	}
}

// compare counts the lines that a file shares with the contents.
func (m *matcher) compare(path string, content []byte) {
	set, shared := m.lineSet(content), map[int]int{}
	for line := range set {
		for _, i := range m.lines[line] {
			shared[i]++
		}
	}
	for i, n := range shared {
		score := float64(n) / float64(max(1, min(len(set), m.sizes[i])))
		if m.found[i] == nil {
			m.found[i] = map[string]float64{}
		}
		if n >= 2 || m.sizes[i] == 1 {
			m.found[i][path] = max(m.found[i][path], score)
		}
	}
}

// best returns the file that a content is most like, "" if there is none or if another is nearly as like.
func (m *matcher) best(i int) string {
	best, second, path := 0.0, 0.0, ""
	for p, score := range m.found[i] {
		switch {
		case score > best:
			best, second, path = score, best, p
		case score > second:
			second = score
		}
	}
	if best < 0.5 || second > best-0.1 {
		return ""
	}
	return path
}
