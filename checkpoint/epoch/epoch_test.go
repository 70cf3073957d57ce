package epoch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/id"
	"entire/internal/git"
)

func rowsFor(n int) []Row {
	var rows []Row
	for i := range n {
		at := time.Date(2026, 5, 1, 0, i, 0, 0, time.UTC)
		rows = append(rows, Row{ID: id.MustCheckpointID(fmt.Sprintf("%02x%010x", i*37%256, i)), Tree: git.MustOID(fmt.Sprintf("%040x", i+1)),
			Bytes: int64(i), First: at, Last: at.Add(time.Hour), Author: "A B <a@example.com>", Sessions: []string{"s1", "s2"}})
	}
	sortRows(rows)
	return rows
}

func TestPageIsReadAsWritten(t *testing.T) {
	rows := rowsFor(300)
	page := encodePage(rows)
	back, err := parsePage(page)
	if err != nil || !slices.EqualFunc(rows, back, func(a, b Row) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
		t.Fatalf("%d rows came back as %d, %v", len(rows), len(back), err)
	}
	for _, row := range rows {
		one, err := rowOf(page, row.ID)
		if err != nil || one.Tree != row.Tree {
			t.Fatalf("%s: %v, %v", row.ID, one, err)
		}
	}
	if _, err := rowOf(page, id.MustCheckpointID("ffffffffffff")); err == nil {
		t.Error("a row was found that is not there")
	}
}

func TestLookupAmongBothForms(t *testing.T) {
	names := []string{"01ARZ3NDEKTSV4RRFFQ69G5FAV", "012345678901", "01234567890123456789012345", "000000000000", "ffffffffffff"}
	slices.Sort(names)
	text := []byte(strings.Join(names, "\n") + "\n")
	for _, name := range names {
		if line, ok := findLine(text, name); !ok || line != name {
			t.Errorf("%s: found %q, %v", name, line, ok)
		}
	}
	if found := linesWithPrefix(text, "0123"); len(found) != 2 {
		t.Errorf("with the prefix 0123: %q", found)
	}
}

func TestShardsDivideIDs(t *testing.T) {
	for fan, most := range []int{1, 16, 256} {
		seen := map[string]bool{}
		for range 20000 {
			hex, err := id.Generate()
			if err != nil {
				t.Fatal(err)
			}
			ulid, err := id.GenerateULID(time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC))
			if err != nil {
				t.Fatal(err)
			}
			seen[shardOf(hex, fan)], seen[shardOf(ulid, fan)] = true, true
		}
		if len(seen) != most {
			t.Errorf("fan %d: %d shards", fan, len(seen))
		}
	}
}

func FuzzPage(f *testing.F) {
	f.Add(encodePage(rowsFor(3)), "000000000000")
	f.Add([]byte("page x\n\n\t"), "a")
	f.Fuzz(func(t *testing.T, data []byte, key string) {
		if line, ok := findLine(data, key); ok && !strings.Contains("\n"+string(data), "\n"+line+"\n") {
			t.Errorf("%q is no line of %q", line, data)
		}
		linesWithPrefix(data, key)
		parseShard(data)
		(&Manifest{Month: "2026-05"}).parseMeta(string(data))
		if rows, err := parsePage(data); err == nil {
			if again, err := parsePage(encodePage(rows)); err != nil || len(again) != len(rows) {
				t.Errorf("%d rows came back as %d, %v", len(rows), len(again), err)
			}
		}
	})
}
