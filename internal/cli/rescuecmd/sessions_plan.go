package rescuecmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rescuelib"
	"entire/internal/rescue/origin"
	"entire/internal/term"
)

// soon is how long before an agent deletes a conversation it is told.
const soon = 14 * 24 * time.Hour

// A group is conversations with something in common.
type group struct {
	name, where string
	git, here   bool
	items       []*rescuelib.Item
}

// sum is what is said of some conversations.
type sum struct {
	count, fresh, more int
	size, wanted       int64
	first, last        time.Time
	agents             []string
	deletes            time.Time // the next time that an agent deletes one that is wanted
	soon               int
}

func sumOf(items []*rescuelib.Item, now time.Time) (s sum) {
	of := map[string]int{}
	for _, it := range items {
		s.count++
		s.size += it.Size
		of[string(it.Agent)]++
		if s.first.IsZero() || it.First.Before(s.first) {
			s.first = it.First
		}
		if it.Last.After(s.last) {
			s.last = it.Last
		}
		if !it.Wanted() {
			continue
		}
		s.wanted += it.Size
		if it.State == rescuelib.New {
			s.fresh++
		} else {
			s.more++
		}
		if !it.Deletes.IsZero() && it.Deletes.Sub(now) < soon {
			s.soon++
			if s.deletes.IsZero() || it.Deletes.Before(s.deletes) {
				s.deletes = it.Deletes
			}
		}
	}
	for name := range of {
		s.agents = append(s.agents, name)
	}
	slices.SortFunc(s.agents, func(a, b string) int { return cmp.Or(of[b]-of[a], strings.Compare(a, b)) })
	return s
}

// state says in words what is to be done.
func (s sum) state() string {
	var parts []string
	if s.fresh > 0 {
		parts = append(parts, fmt.Sprintf("%d new", s.fresh))
	}
	if s.more > 0 {
		parts = append(parts, fmt.Sprintf("%d continued", s.more))
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, ", ")
}

func (s sum) deletion(now time.Time) string {
	if s.soon == 0 {
		return "-"
	}
	return fmt.Sprintf("%d %s", s.soon, until(s.deletes.Sub(now)))
}

// until says when something happens.
func until(d time.Duration) string {
	switch {
	case d <= 0:
		return "any time now"
	case d < 24*time.Hour:
		return "today"
	}
	return fmt.Sprintf("in %s", cliui.Count(int(d/(24*time.Hour)), "day"))
}

// groupsOf groups conversations by project, the present one first, the latest next.
func groupsOf(s *rescuelib.Survey, items []*rescuelib.Item) []*group {
	of := map[string]*group{}
	var out []*group
	for _, it := range items {
		key := it.Project.Key
		if key == "" || !it.Project.Git {
			key = "folder " + it.Folder
		}
		g := of[key]
		if g == nil {
			g = &group{name: s.Name(it), where: cmp.Or(it.Project.Top, it.Folder), git: it.Project.Git, here: s.IsHere(it)}
			of[key], out = g, append(out, g)
		}
		g.items = append(g.items, it)
	}
	rank := func(g *group) int {
		switch {
		case g.here:
			return 0
		case g.git:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(out, func(a, b *group) int { return rank(a) - rank(b) })
	return out
}

// table returns a table of groups of conversations.
func table(env *cliui.Env, groups []*group) string {
	t, now := env.Screen(), env.Now()
	rows := [][]term.Cell{cliui.FaintRow(t, []string{"PROJECT", "CONVERSATIONS", "SIZE", "WHEN", "TO IMPORT", "DELETED BY AGENT", "AGENTS"})}
	for _, g := range groups {
		s := sumOf(g.items, now)
		name := cliui.ShownLine(g.name)
		switch {
		case g.here:
			name += " (here)"
		case !g.git:
			name += " (no repository)"
		}
		row := term.Plain(term.Cut(name, 28), fmt.Sprint(s.count), cliui.ByteCount(s.size), span(s.first, s.last, now), s.state(), s.deletion(now), strings.Join(s.agents, ", "))
		row[0].Style = t.Style(term.Strong)
		if s.soon > 0 {
			row[5].Style = t.Style(term.Bad)
		}
		rows = append(rows, row)
	}
	return term.Columns(rows, env.Width(), 1, 2)
}

// span returns the days of the first and last thing said.
func span(first, last, now time.Time) string {
	a, b := cliui.ShortAge(now.Sub(first), first), cliui.ShortAge(now.Sub(last), last)
	if a == b {
		return a
	}
	return a + " – " + b
}

// showAll shows what is on the machine.
func (o *sessionsOptions) showAll(ctx context.Context, env *cliui.Env, s *rescuelib.Survey, since time.Time) error {
	var items []*rescuelib.Item
	for i := range s.Items {
		if it := &s.Items[i]; !it.Last.Before(since) && (o.project == "" || inProject(s, it, o.project)) {
			items = append(items, it)
		}
	}
	if o.json {
		return env.PrintJSON(viewOf(s, items))
	}
	var b strings.Builder
	if len(items) == 0 {
		b.WriteString("No conversations were found on this machine.\n")
		return env.Show(ctx, b.String()+notes(s, items), false)
	}
	all := sumOf(items, env.Now())
	fmt.Fprintf(&b, "On this machine: %s of %s, %s\n\n", cliui.Count(all.count, "conversation"), cliui.Enumerated(all.agents), cliui.ByteCount(all.size))
	if o.project != "" {
		b.WriteString(conversations(env, items))
	} else {
		b.WriteString(table(env, groupsOf(s, items)))
	}
	b.WriteString(notes(s, items))
	if all.fresh+all.more > 0 {
		b.WriteString("\n`entire rescue` in a project imports its conversations, `entire rescue --all` those of every repository.\n")
	}
	return env.Show(ctx, b.String(), false)
}

// conversations returns a table of single conversations.
func conversations(env *cliui.Env, items []*rescuelib.Item) string {
	t, now := env.Screen(), env.Now()
	rows := [][]term.Cell{cliui.FaintRow(t, []string{"ID", "AGENT", "SIZE", "WHEN", "STATE", "DELETED BY AGENT", "FOLDER"})}
	for _, it := range items {
		deleted := "-"
		if !it.Deletes.IsZero() {
			deleted = until(it.Deletes.Sub(now))
		}
		row := term.Plain(cliui.ShownSession(it.Session), string(it.Agent), cliui.ByteCount(it.Size), cliui.ShortAge(now.Sub(it.Last), it.Last), it.State, deleted, cliui.ShownName(it.Folder))
		row[0].Style = t.Style(term.Strong)
		rows = append(rows, row)
	}
	return term.Columns(rows, env.Width(), 2)
}

// notes says what the table does not.
func notes(s *rescuelib.Survey, items []*rescuelib.Item) string {
	var b strings.Builder
	unread := map[string]int{}
	elsewhere := map[string]int{}
	for _, it := range items {
		if it.Unread != "" {
			unread[it.Unread]++
		}
		if s.IsHere(it) && it.Project.How != origin.ByFolder {
			elsewhere[cliui.ShownName(it.Folder)+" ("+reasons[it.Project.How]+")"]++
		}
	}
	for _, why := range sorted(unread) {
		fmt.Fprintf(&b, "%s cannot be read: %s\n", cliui.Count(unread[why], "conversation"), why)
	}
	for _, where := range sorted(elsewhere) {
		fmt.Fprintf(&b, "%s of this project in %s\n", cliui.Count(elsewhere[where], "conversation"), where)
	}
	for i, p := range s.Problems {
		if i == maxShown {
			fmt.Fprintf(&b, "%s more could not be read; --json lists them\n", cliui.Count(len(s.Problems)-i, "file"))
			break
		}
		fmt.Fprintf(&b, "%s: %s\n", cliui.ShownName(p.Path), cliui.ShownLine(p.Err.Error()))
	}
	for _, err := range s.Stores.Unread {
		fmt.Fprintf(&b, "%s\n", cliui.ShownLine(err.Error()))
	}
	if b.Len() > 0 {
		return "\n" + b.String()
	}
	return ""
}

// maxShown bounds the lines of one kind.
const maxShown = 5

// reasons say why a conversation belongs to a project that its folder is not in.
var reasons = map[string]string{
	origin.ByWorktree: "a worktree or folder of it that is gone",
	origin.ByRoot:     "the same first commit",
	origin.ByRemote:   "the same remote",
	origin.ByStore:    "its sessions were recorded there",
	origin.ByCommits:  "it shows commits of it",
	origin.ByName:     "--was",
}

func sorted(of map[string]int) []string {
	var out []string
	for name := range of {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
