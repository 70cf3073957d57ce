package export

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"entire/internal/hub/index"
)

// A Written is a file that was written.
type Written struct {
	Table, Path string
	Rows        int64
}

// Parquet writes every table of the index into a folder, and replaces files of an earlier export.
func Parquet(ctx context.Context, x *index.Index, folder string) (list []Written, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	var open *file
	defer func() {
		if open != nil {
			open.abandon()
		}
	}()
	finish := func() error {
		if open == nil {
			return nil
		}
		f := open
		open = nil
		list = append(list, Written{f.table, f.path, f.rows})
		return f.close()
	}
	err = x.Dump(ctx, func(table string) (err error) {
		if err := finish(); err != nil {
			return err
		}
		open, err = create(folder, table)
		return err
	}, func(values []any) error { return open.add(values) })
	if err == nil {
		err = finish()
	}
	if err != nil {
		return list, fmt.Errorf("export to %s: %w", folder, err)
	}
	return list, nil
}

// A file is a Parquet file that is being written beside its place.
type file struct {
	table, path string
	rows        int64
	out         *os.File
	w           *parquet.GenericWriter[any]
	columns     []index.Column
	places      []int // of the index's columns in the file's
	batch       []parquet.Row
}

// rowsAtOnce is how many rows are handed to the writer together.
const rowsAtOnce = 1000

func create(folder, table string) (*file, error) {
	f := &file{table: table, path: filepath.Join(folder, table+".parquet"), columns: index.Columns(table)}
	group := parquet.Group{}
	for _, c := range f.columns {
		switch c.Kind {
		case index.Text:
			group[c.Name] = parquet.Compressed(parquet.Encoded(parquet.String(), &parquet.RLEDictionary), &parquet.Zstd)
		case index.Truth:
			group[c.Name] = parquet.Compressed(parquet.Leaf(parquet.BooleanType), &parquet.Zstd)
		default:
			group[c.Name] = parquet.Compressed(parquet.Int(64), &parquet.Zstd)
		}
	}
	names := make([]string, 0, len(f.columns))
	for _, c := range f.columns {
		names = append(names, c.Name)
	}
	sorted := slices.Sorted(slices.Values(names))
	for _, name := range names {
		f.places = append(f.places, slices.Index(sorted, name))
	}
	var err error
	if f.out, err = os.CreateTemp(folder, "."+table+"-*"); err != nil {
		return nil, err
	}
	f.w = parquet.NewGenericWriter[any](f.out, parquet.NewSchema(table, group), parquet.MaxRowsPerRowGroup(200_000), parquet.CreatedBy("entire-hub", "1", ""))
	return f, nil
}

// add adds a row.
func (f *file) add(values []any) error {
	row := make(parquet.Row, len(values))
	for i, v := range values {
		if s, ok := v.(string); ok {
			v = strings.Clone(s)
		}
		row[f.places[i]] = parquet.ValueOf(v).Level(0, 0, f.places[i])
	}
	f.rows++
	if f.batch = append(f.batch, row); len(f.batch) < rowsAtOnce {
		return nil
	}
	return f.write()
}

func (f *file) write() error {
	_, err := f.w.WriteRows(f.batch)
	f.batch = f.batch[:0]
	return err
}

// close finishes the file and moves it to its place.
func (f *file) close() error {
	err := f.write()
	if cerr := f.w.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = f.out.Chmod(0o644)
	}
	if cerr := f.out.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.out.Name(), f.path)
	}
	if err != nil {
		_ = os.Remove(f.out.Name())
	}
	return err
}

// abandon removes a file that will not be finished.
func (f *file) abandon() {
	_ = f.out.Close()
	_ = os.Remove(f.out.Name())
}
