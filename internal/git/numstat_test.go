package git

import (
	"testing"

	"entire/internal/git/object"
	"entire/internal/testrepo"
)

func TestCountLines(t *testing.T) {
	t.Parallel()
	for _, opts := range [][]testrepo.Option{nil, {testrepo.SHA256()}} {
		tr := testrepo.New(t, opts...)
		tr.Write("kept.txt", "one\ntwo\n")
		first := tr.Commit("first")
		tr.Write("kept.txt", "one\n2\nthree\n")
		tr.Write("tab\there\nand more", "x\n")
		tr.Write("binary", "\x00\x01")
		second := tr.Commit("second")
		r, err := Discover(t.Context(), tr.Dir, tr.Env)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		a, b := object.MustOID(tr.Git("rev-parse", first+"^{tree}")), object.MustOID(tr.Git("rev-parse", second+"^{tree}"))
		got, err := r.CountLines(t.Context(), [][2]object.OID{{a, b}, {a, a}, {{}, a}, {b, a}})
		if err != nil {
			t.Fatal(err)
		}
		type counts struct{ added, removed int }
		want := []map[string]counts{
			{"kept.txt": {2, 1}, "tab\there\nand more": {1, 0}, "binary": {-1, -1}},
			{},
			{"kept.txt": {2, 0}},
			{"kept.txt": {1, 2}, "tab\there\nand more": {0, 1}, "binary": {-1, -1}},
		}
		for i, pair := range got {
			n := 0
			for _, c := range pair {
				w, ok := want[i][c.Path]
				if !ok {
					continue // files that every test repository has
				}
				n++
				if (counts{c.Added, c.Removed}) != w {
					t.Errorf("pair %d, %q: %+v, want %+v", i, c.Path, c, w)
				}
			}
			if n != len(want[i]) {
				t.Errorf("pair %d: %d of %d paths", i, n, len(want[i]))
			}
		}
	}
}

func FuzzParseLineCounts(f *testing.F) {
	raw := ":100644 100644 " + someOID + " " + otherOID + " M\x00a b\x001\t2\ta b\x00"
	f.Add([]byte(someOID + " " + otherOID + "\n" + raw))
	f.Add([]byte(someOID + " " + otherOID + "\n" + otherOID + " " + someOID + "\n"))
	f.Add([]byte(raw))
	f.Fuzz(func(t *testing.T, out []byte) {
		pairs, err := parseLineCounts(out)
		for _, pair := range pairs {
			for _, c := range pair {
				if err == nil && (c.Added < -1 || c.Removed < -1) {
					t.Errorf("%+v", c)
				}
			}
		}
	})
}
