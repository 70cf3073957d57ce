package review

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"entire/agent"
)

// Place says where the document was made. The HTML page shows it; the JSON form does not have it.
type Place struct {
	Repository string
	Branch     string // "" if the change is not on the branch

	// LineLink and CommitLink return a page of the forge about lines of the range's end or about a commit, "" if there
	// is none. They may be nil. Stretches with a count of 0 are a place between lines.
	LineLink   func(path string, at Stretch) string
	CommitLink func(id string) string
}

// authorsNamed is the most authors that the page names.
const authorsNamed = 5

// Authors returns the commits' authors, in the commits' order.
func (d *Document) Authors() string {
	var names []string
	for _, c := range d.Commits {
		if name := visible(cmp.Or(c.Author, c.Email)); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if n := len(names) - authorsNamed; n > 0 {
		names = append(names[:authorsNamed], fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}

// Dates returns the commits' date, or the first and the last date.
func (d *Document) Dates() string {
	var times []string
	for _, c := range d.Commits {
		if _, err := time.Parse(time.RFC3339, c.Time); err == nil {
			times = append(times, c.Time)
		}
	}
	if len(times) == 0 {
		return ""
	}
	day := func(text string) string {
		at, _ := time.Parse(time.RFC3339, text)
		return at.UTC().Format("2 January 2006")
	}
	slices.Sort(times)
	first, last := day(times[0]), day(times[len(times)-1])
	if first == last {
		return last
	}
	return first + " – " + last
}

// tokenKind is the number of tokens of one kind.
type tokenKind struct {
	Name  string
	Count int
}

// tokenKinds returns the tokens of u by kind, including those of subagents.
func tokenKinds(u agent.TokenUsage) []tokenKind {
	if u.SubagentTokens != nil {
		sub := *u.SubagentTokens
		u.SubagentTokens = nil
		sum := tokenKinds(u)
		for i, k := range tokenKinds(sub) {
			sum[i].Count += k.Count
		}
		return sum
	}
	return []tokenKind{{"input", u.InputTokens}, {"cache write", u.CacheCreationTokens}, {"cache read", u.CacheReadTokens}, {"output", u.OutputTokens}}
}

// scaled is a tally with the largest tally of its list, which sets the scale of its bar.
type scaled struct {
	Tally
	Most int
}

// Part returns the CSS width of n lines in the bar.
func (s scaled) Part(n int) template.CSS {
	return template.CSS(fmt.Sprintf("width:%.2f%%", float64(n)*100/float64(max(1, s.Most))))
}

// ownersShown is the most owners that can be selected on the page.
const ownersShown = 30

// choice is an owner whose lines the page can show alone: an agent's session, people, or unknown.
type choice struct {
	ID, Class, Name string
	Lines           int
}

// choices returns the owners of lines, largest first, and for each of the document's owners its index
// in the list, or -1.
func (d *Document) choices() (list []choice, at []int) {
	lines := make([]int, len(d.Owners))
	for i := range d.Files {
		for _, r := range slices.Concat(d.Files[i].Ranges, d.Files[i].Gone) {
			lines[r.Owner] += r.Count
		}
	}
	byName := map[string]*choice{}
	for i, o := range d.Owners {
		name := o.name()
		if byName[name] == nil {
			byName[name] = &choice{Class: o.Class, Name: name}
		}
		byName[name].Lines += lines[i]
	}
	for _, c := range byName {
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b choice) int { return cmp.Or(b.Lines-a.Lines, cmp.Compare(a.Name, b.Name)) })
	list = list[:min(len(list), ownersShown)]
	for i := range list {
		list[i].ID = fmt.Sprintf("w%d", i)
	}
	for _, o := range d.Owners {
		name := o.name()
		at = append(at, slices.IndexFunc(list, func(c choice) bool { return c.Name == name }))
	}
	return list, at
}
