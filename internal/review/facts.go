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

// Place is where a document was made. It is shown on the page and no part of the JSON form.
type Place struct {
	Repository string
	Branch     string // "" where the change is none of the branch's
}

// authorsNamed is how many authors the page names.
const authorsNamed = 5

// Authors names who made the commits, in their order.
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

// Dates are the day of the commits, or the first and the last.
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

// tokenKind is a kind of token with its number.
type tokenKind struct {
	Name  string
	Count int
}

// tokenKinds are the tokens of u by kind, subagents' included.
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

// scaled is a tally beside the largest of its list: its bar is as long as it is large.
type scaled struct {
	Tally
	Most int
}

// Part is the style of n lines' piece of the bar.
func (s scaled) Part(n int) template.CSS {
	return template.CSS(fmt.Sprintf("width:%.2f%%", float64(n)*100/float64(max(1, s.Most))))
}

// ownersShown is how many owners can be chosen one by one.
const ownersShown = 30

// choice is an owner whose lines can be shown alone: an agent's session, people, or unknown.
type choice struct {
	ID, Class, Name string
	Lines           int
}

// choices are the owners of lines, the largest first, and the place of each of the document's
// owners in them, -1 for none.
func (d *Document) choices() (list []choice, at []int) {
	lines := make([]int, len(d.Owners))
	for i := range d.Files {
		for _, r := range slices.Concat(d.Files[i].Ranges, d.Files[i].Gone) {
			lines[r.Owner] += r.Count
		}
	}
	byName := map[string]*choice{}
	for i, o := range d.Owners {
		name := o.whose()
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
		name := o.whose()
		at = append(at, slices.IndexFunc(list, func(c choice) bool { return c.Name == name }))
	}
	return list, at
}
