package epoch

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"entire/id"
	"entire/internal/git"
)

// Row is what a page says about one checkpoint.
type Row struct {
	ID          id.CheckpointID
	Tree        git.OID   // the checkpoint's folder
	Bytes       int64     // the size of its files
	First, Last time.Time // when its sessions' parts were written, in UTC; zero if unknown
	Author      string    // who added it to the branch, as in "Name <email>"; "" if unknown
	Sessions    []string  // in the order of the checkpoint
}

// encodePage returns the rows, which are sorted by ID, one on each line: fields divided by tabs.
func encodePage(rows []Row) []byte {
	var b bytes.Buffer
	for _, r := range rows {
		fmt.Fprintf(&b, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", r.ID, r.Tree, r.Bytes, stamp(r.First), stamp(r.Last), oneField(r.Author), strings.Join(r.Sessions, ","))
	}
	return b.Bytes()
}

// rowFields is the number of fields of a row.
const rowFields = 7

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// oneField removes from a text what ends a field.
func oneField(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}

func parseRow(line string) (Row, error) {
	f := strings.Split(line, "\t")
	if len(f) != rowFields {
		return Row{}, fmt.Errorf("a row has %d fields, not %d", len(f), rowFields)
	}
	var r Row
	var err error
	if r.ID, err = id.NewCheckpointID(f[0]); err != nil {
		return Row{}, err
	}
	if r.Tree, err = git.ParseOID(f[1]); err != nil || r.Tree.IsZero() {
		return Row{}, fmt.Errorf("row of %s: no tree", r.ID)
	}
	if r.Bytes, err = strconv.ParseInt(f[2], 10, 64); err != nil || r.Bytes < 0 {
		return Row{}, fmt.Errorf("row of %s: no size", r.ID)
	}
	for i, into := range []*time.Time{&r.First, &r.Last} {
		if text := f[3+i]; text != "" {
			if *into, err = time.Parse(time.RFC3339, text); err != nil {
				return Row{}, fmt.Errorf("row of %s: %w", r.ID, err)
			}
		}
	}
	r.Author = f[5]
	if f[6] != "" {
		r.Sessions = strings.Split(f[6], ",")
	}
	return r, nil
}

// parsePage returns the rows of a page, which must be sorted.
func parsePage(page []byte) ([]Row, error) {
	var rows []Row
	for line := range strings.Lines(string(page)) {
		text, whole := strings.CutSuffix(line, "\n")
		r, err := parseRow(text)
		if err == nil && !whole {
			err = fmt.Errorf("the last line has no end")
		}
		if err == nil && len(rows) > 0 && rows[len(rows)-1].ID.String() >= r.ID.String() {
			err = fmt.Errorf("the row of %s is not in its place", r.ID)
		}
		if err != nil {
			return nil, fmt.Errorf("read a page: %w", err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// findLine returns the line of sorted text whose first field is key, without its end; ok is false if there is none.
func findLine(text []byte, key string) (line string, ok bool) {
	from, to := 0, len(text)
	for from < to {
		mid := from + (to-from)/2
		start := from + bytes.LastIndexByte(text[from:mid], '\n') + 1
		length := bytes.IndexByte(text[start:to], '\n')
		if length < 0 {
			return "", false
		}
		whole := string(text[start : start+length])
		first, _, _ := strings.Cut(whole, "\t")
		switch strings.Compare(first, key) {
		case 0:
			return whole, true
		case -1:
			from = start + length + 1
		default:
			to = start
		}
	}
	return "", false
}

func sortRows(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.ID.String(), b.ID.String()) })
}

// linesWithPrefix returns the lines of sorted text that begin with prefix.
func linesWithPrefix(text []byte, prefix string) []string {
	lines := strings.SplitAfter(string(text), "\n")
	from := sort.SearchStrings(lines[:max(len(lines)-1, 0)], prefix)
	var out []string
	for _, line := range lines[from:] {
		if line == "" || !strings.HasPrefix(line, prefix) {
			break
		}
		out = append(out, strings.TrimSuffix(line, "\n"))
	}
	return out
}
