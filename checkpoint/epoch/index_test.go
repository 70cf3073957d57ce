package epoch

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
)

// sealedMonth writes a manifest with n checkpoints, and returns their IDs.
func sealedMonth(t *testing.T, repo *git.Repo, m Month, seed, n int) (ids []id.CheckpointID) {
	t.Helper()
	tree := git.ObjectOID(repo.NewHash(), "tree", []byte("x"))
	var rows []Row
	for i := range n {
		cp := id.MustCheckpointID(fmt.Sprintf("%02x%04x%06x", i*37%256, seed, i))
		ids, rows = append(ids, cp), append(rows, Row{ID: cp, Tree: tree, Author: "a <a@b>"})
	}
	manifest, _, err := Build(repo, m, rows, 0)
	if err != nil {
		t.Fatal(err)
	}
	old, _, err := repo.Ref(t.Context(), m.Ref())
	if err != nil {
		t.Fatal(err)
	}
	if err := repo.UpdateRefs(t.Context(), []git.RefUpdate{{Name: m.Ref(), New: manifest, Old: old}}); err != nil {
		t.Fatal(err)
	}
	return ids
}

func monthsOf(set Set) (names []Month) {
	for _, m := range set {
		names = append(names, m.Month)
	}
	return names
}

// With the index a lookup opens the month of an ID and no other; after any change of the refs, by whomever, the index
// does not count until it is made again.
func TestLookupByIndex(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"files", "packed"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			r := testrepo.New(t)
			r.Write("a.txt", "a\n")
			r.Commit("first")
			repo, err := git.Discover(t.Context(), r.Dir, r.Env)
			if err != nil {
				t.Fatal(err)
			}
			defer repo.Close()
			var all [][]id.CheckpointID
			for i := range 12 {
				all = append(all, sealedMonth(t, repo, Month(fmt.Sprintf("2025-%02d", i+1)), i, 20))
			}
			if format == "packed" {
				r.Git("pack-refs", "--all")
			}
			if err := WriteIndex(t.Context(), repo); err != nil {
				t.Fatal(err)
			}
			check := func(what string, months ...int) {
				t.Helper()
				var ask []id.CheckpointID
				var want []Month
				for _, m := range months {
					ask = append(ask, all[m][3])
					want = append(want, Month(fmt.Sprintf("2025-%02d", m+1)))
				}
				slices.Sort(want)
				slices.Reverse(want)
				set, err := LoadFor(t.Context(), repo, ask)
				if err != nil || !slices.Equal(monthsOf(set), want) {
					t.Errorf("%s: opened %v, want %v, %v", what, monthsOf(set), want, err)
				}
				found, _, err := set.Find(repo.Reader(t.Context()), ask)
				absent := 0
				for _, cp := range ask {
					if _, ok := found[cp]; !ok {
						absent++
					}
				}
				if err != nil || absent > 0 {
					t.Errorf("%s: %d not found, %v", what, absent, err)
				}
			}
			check("one month", 4)
			check("three months", 2, 11, 7)
			check("none")
			if set, err := LoadFor(t.Context(), repo, []id.CheckpointID{id.MustCheckpointID("fffffffffff0")}); err != nil || len(set) > 0 {
				t.Errorf("an ID that is not sealed: %v, %v", monthsOf(set), err)
			}
			time.Sleep(2 * settled)
			check("with old times", 4)
			check("with a key", 5)

			// git packs the refs: the same refs in other files.
			r.Git("pack-refs", "--all")
			check("packed", 6)
			// Another process moves a ref, at once after the key was written.
			fresh := sealedMonth(t, repo, "2025-03", 99, 30)
			set, err := LoadFor(t.Context(), repo, fresh[:1])
			if err != nil || len(set) != 12 {
				t.Errorf("after a move %d manifests are opened, want all: %v", len(set), err)
			}
			if err := WriteIndex(t.Context(), repo); err != nil {
				t.Fatal(err)
			}
			all[2] = fresh
			check("after the move", 2)
			// A damaged file does not count.
			if err := os.WriteFile(path(repo, indexName), []byte("entire epochs 1\nx\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if set, err := LoadFor(t.Context(), repo, fresh[:1]); err != nil || len(set) != 12 {
				t.Errorf("with a damaged index %d manifests are opened: %v", len(set), err)
			}
		})
	}
}

func FuzzIndex(f *testing.F) {
	set := Set{{Month: "2026-05"}, {Month: "2026-04"}}
	data, err := encodeIndex(set, "state", func(m *Manifest) ([]id.CheckpointID, error) {
		return []id.CheckpointID{id.MustCheckpointID("a3b2c4d5e6f7")}, nil
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, "a3b2c4d5e6f7")
	f.Add([]byte(indexForm+"\nx\n2026-05\n99\n"), "000000000000")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		cp, err := id.NewCheckpointID(name)
		if err != nil {
			return
		}
		file := bytes.NewReader(data)
		x, err := readIndex(file)
		if err != nil {
			return
		}
		months, err := x.find(file, cp)
		for _, m := range months {
			if !slices.Contains(x.months, m) && err == nil {
				t.Errorf("%s is no month of %v", m, x.months)
			}
		}
	})
}
