package index

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"entire/internal/hub/rows"
)

// A Standing is a repository as readers see it.
type Standing struct {
	Name        string
	Checkpoints int64
	IndexedAt   int64 // when its rows changed last
	CheckedAt   int64
	Problem     bool // it could not be read the last time
	rows.Lines
	Stated, Signed, Forgotten int64
}

// Repositories returns the repositories that the reader sees, by name.
func (v *View) Repositories() ([]Standing, error) {
	w := v.scoped("r.id")
	q := `SELECT r.name, r.indexed_at, r.checked_at, r.problem <> '', COALESCE(m.n, 0), COALESCE(m.a, 0), COALESCE(m.p, 0), COALESCE(m.u, 0), COALESCE(m.s, 0), COALESCE(m.g, 0),
		(SELECT COUNT(*) FROM forgotten f WHERE f.repo = r.id)
		FROM repository r LEFT JOIN (SELECT repo, ` + whole("checkpoints") + ` AS n, ` + whole("agent_lines") + ` AS a, ` + whole("person_lines") + ` AS p, ` + whole("unknown_lines") + ` AS u, ` + whole("stated") + ` AS s, ` + whole("signed") + ` AS g
		FROM work_total GROUP BY repo) m ON m.repo = r.id` + w.String() + " ORDER BY r.name"
	var list []Standing
	err := v.rows(q, w.args, func(scan func(...any) error) error {
		var s Standing
		err := scan(&s.Name, &s.IndexedAt, &s.CheckedAt, &s.Problem, &s.Checkpoints, &s.AgentLines, &s.PersonLines, &s.UnknownLines, &s.Stated, &s.Signed, &s.Forgotten)
		list = append(list, s)
		return err
	})
	return list, err
}

// whole is a sum as a whole number, which PostgreSQL would make a decimal of.
func whole(column string) string { return "CAST(SUM(" + column + ") AS BIGINT)" }

// A Share is who wrote the lines of something.
type Share struct {
	Name  string
	Count int64 // checkpoints, or by path, team and month changes of files
	rows.Lines
}

// Total returns all lines.
func (s Share) Total() int64 { return s.AgentLines + s.PersonLines + s.UnknownLines }

// Ways to group lines: by what, and whether the number of a group is one of files.
var lineWays = map[string]struct {
	table, column string
}{
	"path": {"lines_month", "folder"}, "team": {"lines_month", "team"}, "month": {"lines_month", "month"}, "repository": {"lines_month", "repo"},
	"author": {"work", "email"}, "agent": {"work", "agent"},
}

// LineWays are the ways to group lines, in the order of a menu.
func LineWays() []string { return []string{"path", "team", "repository", "author", "agent", "month"} }

// summed returns the table with the sums of a kind: by month, or of all months for a filter that asks for none.
func (f Filter) summed(kind string) string {
	if f.Months == [2]string{} {
		return kind + "_total"
	}
	return kind + "_month"
}

// Attribution returns who wrote the lines, grouped in one of LineWays, most lines first (months: latest first). With by path,
// the filter's path is a folder whose folders are the groups.
func (v *View) Attribution(by string, f Filter) ([]Share, error) {
	way, ok := lineWays[by]
	if !ok {
		return nil, fmt.Errorf("lines cannot be grouped by %q", by)
	}
	w := v.scoped("repo")
	w.between("month", f.Months)
	w.equal("team", f.Team)
	count := "files"
	if way.table == "work" {
		way.table = f.summed("work")
		count = "checkpoints"
		w.equal("email", f.Author)
		w.equal("agent", f.Agent)
	} else {
		w.below("folder", f.Path)
	}
	groups := map[string]*Share{}
	names, err := v.names()
	if err != nil {
		return nil, err
	}
	err = v.rows("SELECT "+way.column+", "+whole(count)+", "+whole("agent_lines")+", "+whole("person_lines")+", "+whole("unknown_lines")+" FROM "+way.table+w.String()+" GROUP BY 1", w.args, func(scan func(...any) error) error {
		var s Share
		var number int64
		to := any(&s.Name)
		if by == "repository" {
			to = &number
		}
		if err := scan(to, &s.Count, &s.AgentLines, &s.PersonLines, &s.UnknownLines); err != nil {
			return err
		}
		switch by {
		case "repository":
			s.Name = names[number]
		case "path":
			s.Name = within(f.Path, s.Name)
		}
		g := groups[s.Name]
		if g == nil {
			g = &Share{Name: s.Name}
			groups[s.Name] = g
		}
		g.add(s)
		return nil
	})
	return sortedShares(groups, by), err
}

func (s *Share) add(o Share) {
	s.Count += o.Count
	s.AgentLines += o.AgentLines
	s.PersonLines += o.PersonLines
	s.UnknownLines += o.UnknownLines
}

func sortedShares(groups map[string]*Share, by string) []Share {
	list := make([]Share, 0, len(groups))
	for _, g := range groups {
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b Share) int {
		if by == "month" {
			return cmp.Compare(b.Name, a.Name)
		}
		return cmp.Or(cmp.Compare(b.Total(), a.Total()), cmp.Compare(a.Name, b.Name))
	})
	return list[:min(len(list), maxGroups)]
}

// maxGroups is the most groups of one answer.
const maxGroups = 1000

// within returns the folder directly in parent that has a folder, "" for parent itself.
func within(parent, folder string) string {
	if parent = strings.Trim(parent, "/"); parent != "" {
		if folder == parent {
			return ""
		}
		folder = strings.TrimPrefix(folder, parent+"/")
	}
	first, _, _ := strings.Cut(folder, "/")
	return first
}
