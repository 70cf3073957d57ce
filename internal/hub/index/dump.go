package index

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// A Kind is what a column holds.
type Kind int

// The kinds.
const (
	Text Kind = iota
	Number64
	Truth
)

// A Column is a column of a table.
type Column struct {
	Name string
	Kind Kind
}

// texts are the columns that hold text, truths those that hold yes or no; all others hold numbers.
var (
	texts = strings.Fields("name url id tree month branch author email team agent commit_id title prompts checkpoint session_id day model path folder clone person digest previous reason")
	// In a sum the last two are numbers.
	truths = []string{"recorded", "stated", "signed"}
)

// Columns returns the columns of a table that are worth exporting, and the number of those that its rows are ordered by.
func Columns(table string) []Column {
	names := map[string][]string{"checkpoint": checkpointColumns(), "session": sessionColumns(), "file": fileColumns(), "statement": statementColumns(), "forgotten": forgottenColumns(),
		"repository": {"id", "name", "url", "indexed_at", "checked_at"}}[table]
	summed := false
	for _, s := range sums() {
		if s.table == table {
			keys, _ := split(s.keys)
			values, _ := split(s.values)
			names, summed = append(keys, values...), true
		}
	}
	var out []Column
	for _, name := range names {
		c := Column{name, Number64}
		switch {
		case name == "id" && table == "repository":
		case slices.Contains(texts, name):
			c.Kind = Text
		case slices.Contains(truths, name) && !summed:
			c.Kind = Truth
		}
		out = append(out, c)
	}
	return out
}

// Dump calls each for every row of every table, of one moment: begin before the first row of a table, each with the values of
// its Columns, which are string, int64 or bool.
func (x *Index) Dump(ctx context.Context, begin func(table string) error, each func(values []any) error) error {
	tx, err := x.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: x.Postgres(), Isolation: isolation(x)})
	if err != nil {
		return fmt.Errorf("read the index: %w", err)
	}
	defer tx.Rollback()
	for _, t := range Tables() {
		if err := begin(t); err != nil {
			return err
		}
		if err := dump(ctx, tx, t, each); err != nil {
			return err
		}
	}
	return nil
}

func isolation(x *Index) sql.IsolationLevel {
	if x.Postgres() {
		return sql.LevelRepeatableRead
	}
	return sql.LevelDefault
}

func dump(ctx context.Context, tx *sql.Tx, table string, each func([]any) error) error {
	columns := Columns(table)
	names := make([]string, len(columns))
	values, to := make([]any, len(columns)), make([]any, len(columns))
	for i, c := range columns {
		names[i] = c.Name
		switch c.Kind {
		case Text:
			to[i] = new(string)
		case Truth:
			to[i] = new(bool)
		default:
			to[i] = new(int64)
		}
	}
	order := strings.Join(names[:min(len(names), 3)], ", ")
	for _, s := range sums() {
		if s.table == table {
			keys, _ := split(s.keys)
			order = strings.Join(keys, ", ")
		}
	}
	rows, err := tx.QueryContext(ctx, "SELECT "+strings.Join(names, ", ")+" FROM "+table+" ORDER BY "+order)
	if err != nil {
		return fmt.Errorf("read the table %s: %w", table, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return fmt.Errorf("read the table %s: %w", table, err)
		}
		for i, p := range to {
			switch p := p.(type) {
			case *string:
				values[i] = *p
			case *bool:
				values[i] = *p
			case *int64:
				values[i] = *p
			}
		}
		if err := each(values); err != nil {
			return err
		}
	}
	return rows.Err()
}
