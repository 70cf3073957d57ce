package attribsuite

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire/internal/testrepo"
)

// tally adds up what blame says of lines.
type tally struct{ lines, right, unknown, turn, wrong int }

func (c *tally) add(o tally) {
	c.lines, c.right, c.unknown, c.turn, c.wrong = c.lines+o.lines, c.right+o.right, c.unknown+o.unknown, c.turn+o.turn, c.wrong+o.wrong
}

// sort compares what blame says of a line with who wrote it, and reports whether it is right.
func (c *tally) sort(got blamed, want owner) bool {
	switch {
	case got.Class == "human" && want.who == "p", got.Class == "agent" && got.Session == want.who && got.Turn == want.turn:
		c.right++
		return true
	case got.Class == "unknown":
		c.unknown++
	case got.Class == "agent" && got.Session == want.who:
		c.turn++
	default:
		c.wrong++
	}
	return false
}

func (c tally) String() string {
	part := func(n int) string { return fmt.Sprintf("%.2f %%", 100*float64(n)/float64(max(c.lines, 1))) }
	return fmt.Sprintf("%d | %s | %s | %s | %s (%d)", c.lines, part(c.right), part(c.turn), part(c.unknown), part(c.wrong), c.wrong)
}

// counts adds up pull requests. equal are the lines of which the files that a commit, or the merge, touches had
// an equal one before, such as blank lines and braces: git and we may take another one of them for the new one, and a line that
// was moved keeps its owner.
type counts struct {
	tally
	equal        tally
	pulls, clean int
	copied       int // lines that a session had written in another file
}

func (c *counts) add(o counts) {
	c.tally.add(o.tally)
	c.equal.add(o.equal)
	c.pulls, c.clean, c.copied = c.pulls+o.pulls, c.clean+o.clean, c.copied+o.copied
}

func (c counts) row(name string) string {
	return fmt.Sprintf("| %s | %d | %s | %d |", name, c.pulls, c.tally, c.clean)
}

// blamedCommits returns the commit of each line, as git's blame names it.
func blamedCommits(r *testrepo.Repo, rev, path string) (out []string) {
	text, err := r.TryGit("blame", "-w", "--porcelain", rev, "--", path)
	if err != nil || text == "" {
		return nil
	}
	within := false
	for line := range strings.Lines(text + "\n") {
		if !within {
			out = append(out, strings.Fields(line)[0])
			within = true
		} else if line[0] == '\t' {
			within = false
		}
	}
	return out
}

// judge compares what the reader's program says of the lines that a pull request brought with who wrote them.
func (s *site) judge(t *testing.T, reader *world, m merged) (c counts) {
	c.pulls = 1
	brought := map[string]bool{}
	for _, commit := range strings.Fields(s.forge.Git("rev-list", m.before+".."+m.after)) {
		brought[commit] = true
	}
	there, evidence := map[string]map[string]bool{"": s.linesOf(m.before, m.after)}, ""
	for commit := range m.writers {
		there[commit] = s.linesOf(commit+"^", commit)
	}
	for _, path := range strings.Split(strings.TrimRight(s.forge.Git("diff", "--name-only", "-z", "--no-renames", "--diff-filter=d", m.before, m.after), "\x00"), "\x00") {
		if path == "" {
			continue
		}
		was := c.tally
		writers, commits := blamedCommits(s.forge, m.scratch, path), blamedCommits(s.forge, m.after, path)
		if !slices.ContainsFunc(writers, func(commit string) bool { _, ours := m.writers[commit]; return ours }) {
			continue
		}
		text := s.forge.Git("show", m.after+":"+path)
		if strings.ContainsRune(text[:min(len(text), 8000)], 0) {
			continue // binary
		}
		said, texts := reader.owners(path, m.after), strings.Split(text, "\n")
		for i, writer := range writers {
			want, ours := m.writers[writer]
			if !ours || i >= len(commits) || !brought[commits[i]] || i >= len(said) || i >= len(texts) {
				continue
			}
			got := said[i].told
			if line := strings.TrimSpace(texts[i]); there[""][line] || there[writer][line] {
				c.equal.lines++
				c.equal.sort(got, want)
				continue
			}
			if got.Class == "agent" && got.Session != want.who && s.wrote[unspaced(texts[i])][got.Session] {
				c.copied++ // from another file: whoever wrote the words owns them
				continue
			}
			c.lines++
			if got.Class == "unknown" {
				evidence = got.Evidence
			}
			if c.sort(got, want) {
				continue
			}
			if got.Class != "unknown" || chatty {
				t.Logf("%s, %s at %s: %s:%d is %s#%d, and blame says %s %s#%d (%s): %q", s.h.name, m.way, m.after[:10], path, i+1, want.who, want.turn, got.Class, got.Session, got.Turn, got.Evidence, texts[i])
			}
		}
		if n := c.unknown - was.unknown; n > 0 {
			t.Logf("%s, %s at %s: %s has %d unknown lines of %d, such as %s", s.h.name, m.way, m.after[:10], path, n, c.lines-was.lines, evidence)
		}
	}
	if c.lines == c.right {
		c.clean = 1
	}
	return c
}

// linesOf returns the lines of the files that differ between two commits, as the first one has them.
func (s *site) linesOf(before, after string) map[string]bool {
	out := map[string]bool{}
	for path := range strings.SplitSeq(s.forge.Git("diff", "--name-only", "-z", "--no-renames", "--diff-filter=DM", before, after), "\x00") {
		if path == "" {
			continue
		}
		for line := range strings.Lines(s.forge.Git("show", before+":"+path)) {
			out[strings.TrimSpace(line)] = true
		}
	}
	return out
}
