package gather

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"entire/agent/filelog"
	"entire/internal/rescue/versions"
)

// maxMoves bounds the files that got other names.
const maxMoves = 20_000

// moved is a file that got another name, or was copied.
type moved struct {
	from, to versions.Evidence // what becomes of the old name, and of the new one
	changes  []versions.Edit
	stays    bool
}

// move notes that a file got another name at a time: its content is known once all evidence is there.
func (c *Collector) move(e versions.Evidence, f filelog.Fact, changes []versions.Edit) {
	to, ok := c.insideAny(f.To, f.Dir)
	if !ok || len(c.moves) >= maxMoves {
		return
	}
	if info, err := os.Lstat(filepath.Join(c.Repo.Top, filepath.FromSlash(to))); strings.HasSuffix(f.To, "/") || err == nil && info.IsDir() {
		to = path.Join(to, path.Base(e.Path))
	}
	m := moved{from: e, to: e, changes: changes, stays: f.Stay}
	m.from.Kind, m.from.Kept, m.to.Path = versions.Gone, true, to
	c.moves = append(c.moves, m)
}

// follow gives the new names of files the contents that the old ones had at that time, in the order of time.
func (c *Collector) follow() error {
	slices.SortStableFunc(c.moves, func(a, b moved) int { return a.from.At.Compare(b.from.At) })
	for _, m := range c.files(c.moves) {
		until := slices.DeleteFunc(slices.Clone(c.Evidence[m.from.Path]), func(e versions.Evidence) bool { return e.At.After(m.from.At) })
		list, err := versions.Build(until, c.Pool)
		if err != nil {
			return err
		}
		if n := len(list); n > 0 && !list[n-1].Gone && list[n-1].Sure > versions.Partial {
			v := list[n-1]
			m.to.Content, m.to.Size, m.to.Mode, m.to.Loose = v.Content, v.Size, v.Mode, v.Sure != versions.Exact
			m.to.Source += ", before: " + path.Base(m.from.Path)
			c.add(m.to)
			if len(m.changes) > 0 {
				m.to.Kind, m.to.Edits = versions.Edited, m.changes
				c.add(m.to)
			}
		}
		if !m.stays && len(list) > 0 {
			c.add(m.from)
		}
	}
	return nil
}

// files returns the moves with those of the files in a folder in place of the folder's.
func (c *Collector) files(moves []moved) []moved {
	var out []moved
	for _, m := range moves {
		out = append(out, m)
		if len(c.Evidence[m.from.Path]) > 0 {
			continue
		}
		for _, p := range c.knownPaths() {
			rest, below := strings.CutPrefix(p, m.from.Path+"/")
			if !below || len(out) >= maxMoves {
				continue
			}
			one := m
			one.from.Path, one.to.Path = p, path.Join(m.to.Path, rest)
			out = append(out, one)
		}
	}
	return out
}
