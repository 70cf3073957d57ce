//go:build unix

package export_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"entire/internal/hub/export"
	"entire/internal/hub/hubtest"
	"entire/internal/hub/index"
)

func TestMain(m *testing.M) { os.Exit(hubtest.Run(m)) }

// TestParquet: the files have every row of every table, value by value, and an export over an earlier one replaces it.
func TestParquet(t *testing.T) {
	r := hubtest.NewRepository(t, "shop")
	r.Add(60)
	s := hubtest.Serve(t, map[string]string{"shop": "file://" + r.Dir}, hubtest.Options{Postgres: hubtest.Postgres(t)})
	s.Await(map[string]int{"shop": 60})
	folder := filepath.Join(t.TempDir(), "tables")
	for range 2 {
		list, err := export.Parquet(t.Context(), s.Index, folder)
		if err != nil || len(list) != len(index.Tables()) {
			t.Fatalf("%+v, %v", list, err)
		}
	}
	want := map[string][]string{}
	table := ""
	err := s.Index.Dump(t.Context(), func(name string) error { table = name; want[name] = nil; return nil }, func(values []any) error {
		want[table] = append(want[table], text(index.Columns(table), values))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for table, rows := range want {
		got := read(t, filepath.Join(folder, table+".parquet"), index.Columns(table))
		if table != "repository" && strings.Join(got, "\n") != strings.Join(rows, "\n") {
			t.Errorf("%s: %d rows, not these %d:\n%.300s\n%.300s", table, len(got), len(rows), strings.Join(got, "\n"), strings.Join(rows, "\n"))
		}
		if table != "forgotten" && len(got) == 0 {
			t.Errorf("%s is empty", table)
		}
	}
	left, _ := filepath.Glob(filepath.Join(folder, ".*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func text(columns []index.Column, values []any) string {
	var b strings.Builder
	for i, c := range columns {
		fmt.Fprintf(&b, "%s=%v ", c.Name, values[i])
	}
	return b.String()
}

// read returns the rows of a file.
func read(t *testing.T, path string, columns []index.Column) (list []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := parquet.NewGenericReader[any](f)
	defer r.Close()
	for {
		rows := make([]map[string]any, 50)
		into := make([]any, len(rows))
		for i := range rows {
			rows[i] = map[string]any{}
			into[i] = rows[i]
		}
		n, err := r.Read(into)
		for _, row := range into[:n] {
			values := make([]any, len(columns))
			for i, c := range columns {
				values[i] = row.(map[string]any)[c.Name]
				if data, ok := values[i].([]byte); ok {
					values[i] = string(data)
				}
			}
			list = append(list, text(columns, values))
		}
		if err != nil || n == 0 {
			return list
		}
	}
}
