package index

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// A sum is a table whose rows add up rows of another one.
type sum struct {
	table, from string
	keys        []string // columns; of the table from, as "column" or "column=expression"
	values      []string // columns, as "column=expression"
}

var lineValues = []string{"agent_lines=agent_lines", "person_lines=person_lines", "unknown_lines=unknown_lines"}

var workValues = append([]string{"checkpoints=1", "stated=CASE WHEN stated THEN 1 ELSE 0 END", "signed=CASE WHEN signed THEN 1 ELSE 0 END"}, lineValues...)

var tokenValues = []string{"sessions=1", "input=input", "cache_read=cache_read", "cache_write=cache_write", "output=output", "answers=answers"}

// sums are all of them. Their values are whole numbers, so that adding and taking away leaves what was there before.
func sums() []sum {
	return []sum{
		{"lines_month", "file", []string{"repo", "month", "folder", "team"}, append([]string{"files=1"}, lineValues...)},
		{"work_month", "checkpoint", []string{"repo", "month", "email", "team", "agent"}, workValues},
		{"work_total", "checkpoint", []string{"repo", "email", "team", "agent"}, workValues},
		{"usage_day", "session", []string{"repo", "day", "agent", "model"}, tokenValues},
		{"usage_month", "session", []string{"repo", "month=substr(day, 1, 7)", "email", "team", "agent", "model"}, tokenValues},
		{"usage_total", "session", []string{"repo", "email", "team", "agent", "model"}, tokenValues},
	}
}

func split(list []string) (names, expressions []string) {
	for _, c := range list {
		name, expression, ok := strings.Cut(c, "=")
		if !ok {
			expression = name
		}
		names, expressions = append(names, name), append(expressions, expression)
	}
	return names, expressions
}

// of returns the query that adds up rows for which a condition holds, with sign "" or "-".
func (s sum) of(sign, condition string) (columns, query string) {
	keys, keyOf := split(s.keys)
	values, valueOf := split(s.values)
	for i, v := range valueOf {
		valueOf[i] = "CAST(" + sign + "SUM(" + v + ") AS BIGINT)"
	}
	numbers := make([]string, len(keys))
	for i := range keys {
		numbers[i] = fmt.Sprint(i + 1)
	}
	// In this order, so that two replicas that change the same rows do not wait for each other in a circle.
	return strings.Join(append(keys, values...), ", "),
		"SELECT " + strings.Join(append(keyOf, valueOf...), ", ") + " FROM " + s.from + condition + " GROUP BY " + strings.Join(numbers, ", ") + " ORDER BY " + strings.Join(numbers, ", ")
}

// change returns the statement that adds the rows of a batch to the sum, or with sign "-" takes them away.
func (x *Index) change(s sum, sign string) string {
	id := "checkpoint"
	if s.from == "checkpoint" {
		id = "id"
	}
	columns, query := s.of(sign, " WHERE repo = ? AND "+x.among(id))
	keys, _ := split(s.keys)
	values, _ := split(s.values)
	set := make([]string, len(values))
	for i, v := range values {
		set[i] = fmt.Sprintf("%s = %s.%s + excluded.%s", v, s.table, v, v)
	}
	return fmt.Sprintf("INSERT INTO %s (%s) %s ON CONFLICT (%s) DO UPDATE SET %s", s.table, columns, query, strings.Join(keys, ", "), strings.Join(set, ", "))
}

// count changes all sums by the rows of checkpoints.
func (x *Index) count(ctx context.Context, tx *sql.Tx, repo int64, ids []string, sign string) error {
	for _, s := range sums() {
		if _, err := tx.ExecContext(ctx, x.bind(x.change(s, sign)), repo, list(x, ids)); err != nil {
			return fmt.Errorf("count %s: %w", s.table, err)
		}
		if sign == "" {
			continue
		}
		first, _ := split(s.values[:1])
		if _, err := tx.ExecContext(ctx, x.bind(fmt.Sprintf("DELETE FROM %s WHERE repo = ? AND %s = 0", s.table, first[0])), repo); err != nil {
			return fmt.Errorf("count %s: %w", s.table, err)
		}
	}
	return nil
}

// Check compares the sums with the rows that they add up, and returns what differs.
func (x *Index) Check(ctx context.Context) (problems []string, err error) {
	for _, s := range sums() {
		columns, query := s.of("", "")
		keep := "SELECT " + columns + " FROM " + s.table
		q := fmt.Sprintf("SELECT (SELECT COUNT(*) FROM (SELECT * FROM (%s) a EXCEPT %s) b) + (SELECT COUNT(*) FROM (%s EXCEPT SELECT * FROM (%s) c) d)", query, keep, keep, query)
		var n int64
		if err := x.db.QueryRowContext(ctx, q).Scan(&n); err != nil {
			return nil, fmt.Errorf("check %s: %w", s.table, err)
		}
		if n > 0 {
			problems = append(problems, fmt.Sprintf("%s: %d rows are not the sums of %s", s.table, n, s.from))
		}
	}
	for _, child := range []string{"session", "file", "statement"} {
		var n int64
		q := fmt.Sprintf("SELECT COUNT(*) FROM %s c WHERE NOT EXISTS (SELECT 1 FROM checkpoint p WHERE p.repo = c.repo AND p.id = c.checkpoint)", child)
		if err := x.db.QueryRowContext(ctx, q).Scan(&n); err != nil {
			return nil, fmt.Errorf("check %s: %w", child, err)
		}
		if n > 0 {
			problems = append(problems, fmt.Sprintf("%s: %d rows belong to no checkpoint", child, n))
		}
	}
	return problems, nil
}
