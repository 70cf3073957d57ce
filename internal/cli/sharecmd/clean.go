package sharecmd

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"entire/internal/redact"
)

// A cleaner takes secrets and the folders of this machine out of texts, and counts what it has taken.
type cleaner struct {
	explain *redact.Explainer
	shorten *strings.Replacer
	taken   map[string]int // by rule
	before  int            // that were taken out when the text was stored
}

// newCleaner returns a cleaner that shows paths from the top of the repository and from the home directory.
func newCleaner(top, home string) *cleaner {
	var pairs []string
	for _, dir := range []struct{ path, below, self string }{{top, "", "."}, {home, "~/", "~"}} {
		if path := filepath.ToSlash(dir.path); len(path) > 1 {
			pairs = append(pairs, path+"/", dir.below, path, dir.self)
		}
	}
	return &cleaner{explain: redact.NewExplainer(), shorten: strings.NewReplacer(pairs...), taken: map[string]int{}}
}

// text returns a text without secrets.
func (c *cleaner) text(s string) string {
	c.before += strings.Count(s, redact.Token)
	clean := redact.Text(s)
	if clean != s {
		c.count(c.explain.Text(s))
	}
	return c.shorten.Replace(clean)
}

// json returns a JSON value without secrets.
func (c *cleaner) json(raw json.RawMessage) json.RawMessage {
	c.before += strings.Count(string(raw), redact.Token)
	clean := redact.JSON(raw)
	if string(clean) != string(raw) {
		c.count(c.explain.Line(raw))
	}
	return json.RawMessage(c.shorten.Replace(string(clean)))
}

func (c *cleaner) count(found []redact.Finding) {
	for _, f := range found {
		c.taken[f.Rule]++
	}
}

// patch returns a patch without secrets, also those that go over several lines. Its lines stay lines.
func (c *cleaner) patch(text []byte) []byte {
	lines := strings.Split(string(text), "\n")
	begin := -1 // of the hunk
	for i := 0; i <= len(lines); i++ {
		if begin >= 0 && (i == len(lines) || strings.HasPrefix(lines[i], "@@") || strings.HasPrefix(lines[i], "diff ")) {
			c.hunk(lines[begin:i])
			begin = -1
		}
		if i < len(lines) && strings.HasPrefix(lines[i], "@@") {
			begin = i + 1
		}
	}
	return []byte(strings.Join(lines, "\n"))
}

// hunk cleans the lines of a hunk: first what goes over several of them, then each alone.
func (c *cleaner) hunk(lines []string) {
	var all strings.Builder
	begins := make([]int, len(lines))
	for i, line := range lines {
		begins[i] = all.Len()
		all.WriteString(rest(line) + "\n")
	}
	c.before += strings.Count(all.String(), redact.Token)
	found := c.explain.Text(all.String())
	c.count(found)
	for i, line := range lines {
		if len(line) < 2 || line[0] == '\\' {
			continue
		}
		text := rest(line)
		for k := len(found) - 1; k >= 0; k-- {
			from, to := max(found[k].Start-begins[i], 0), min(found[k].End-begins[i], len(text))
			if from < to {
				text = text[:from] + redact.Token + text[to:]
			}
		}
		lines[i] = line[:1] + c.line(text)
	}
}

// line cleans a line that has lost what goes over several lines.
func (c *cleaner) line(s string) string {
	clean := redact.Text(s)
	if clean != s {
		c.count(c.explain.Text(s))
	}
	return strings.ReplaceAll(c.shorten.Replace(clean), "\n", " ")
}

// rest returns a line of a hunk without its sign.
func rest(line string) string {
	if line == "" {
		return ""
	}
	return line[1:]
}

// subject cleans everything that a page shows.
func (c *cleaner) subject(s *subject) {
	s.Title, s.Branch, s.Patch = c.text(s.Title), c.text(s.Branch), c.patch(s.Patch)
	for i := range s.Parts {
		p := &s.Parts[i]
		for k := range p.Said {
			m := &p.Said[k]
			m.Content = c.text(m.Content)
			for n := range m.ToolCalls {
				m.ToolCalls[n].Input = c.json(m.ToolCalls[n].Input)
			}
		}
	}
}
