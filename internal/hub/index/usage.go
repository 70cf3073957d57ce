package index

import (
	"cmp"
	"fmt"
	"slices"

	"entire/internal/hub/rows"
)

// A Used is the tokens of one model in a group.
type Used struct {
	Name, Model string
	Sessions    int64 // parts of sessions: one for each checkpoint that a session made
	rows.Tokens
}

var usageWays = map[string]struct {
	table, column string
}{
	"day": {"usage_day", "day"}, "month": {"usage_month", "month"}, "agent": {"usage", "agent"}, "model": {"usage", "model"},
	"author": {"usage", "email"}, "team": {"usage", "team"}, "repository": {"usage", "repo"},
}

// UsageWays are the ways to group tokens, in the order of a menu.
func UsageWays() []string {
	return []string{"day", "month", "author", "team", "agent", "model", "repository"}
}

// Usage returns the tokens, grouped in one of UsageWays and by model, in the order of the groups' names.
func (v *View) Usage(by string, f Filter) ([]Used, error) {
	way, ok := usageWays[by]
	if !ok {
		return nil, fmt.Errorf("tokens cannot be grouped by %q", by)
	}
	if way.table == "usage" {
		way.table = f.summed("usage")
	}
	w := v.scoped("repo")
	w.equal("agent", f.Agent)
	if by == "day" {
		w.between("day", f.Days)
	} else {
		w.between("month", f.Months)
		w.equal("email", f.Author)
		w.equal("team", f.Team)
	}
	names, err := v.names()
	if err != nil {
		return nil, err
	}
	list := []Used{}
	q := "SELECT " + way.column + ", model, " + whole("sessions") + ", " + whole("input") + ", " + whole("cache_read") + ", " + whole("cache_write") + ", " + whole("output") + ", " + whole("answers") +
		" FROM " + way.table + w.String() + " GROUP BY 1, 2"
	err = v.rows(q, w.args, func(scan func(...any) error) error {
		var u Used
		var number int64
		to := any(&u.Name)
		if by == "repository" {
			to = &number
		}
		if err := scan(to, &u.Model, &u.Sessions, &u.Input, &u.CacheRead, &u.CacheWrite, &u.Output, &u.Answers); err != nil {
			return err
		}
		if by == "repository" {
			u.Name = names[number]
		}
		list = append(list, u)
		return nil
	})
	slices.SortFunc(list, func(a, b Used) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Model, b.Model)) })
	return list, err
}
