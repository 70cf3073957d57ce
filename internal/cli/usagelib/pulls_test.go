package usagelib

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"entire/internal/testrepo"
)

func TestPullOf(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ message, name, title string }{
		{"Merge pull request #12 from me/greet\n\nGreet the world\n", "#12", "Greet the world"},
		{"Merge pull request #12 from me/greet\n\nCo-authored-by: A <a@b>\n", "#12", "from me/greet"},
		{"Greet the world (#7)\n\n* one\n\nEntire-Checkpoint: a3b2c4d5e6f7\n", "#7", "Greet the world"},
		{"Revert \"Greet the world (#7)\" (#8)", "#8", `Revert "Greet the world (#7)"`},
		{"Revert \"Greet the world (#7)\"", "", ""},
		{"Merge branch 'greet' into 'main'\n\nGreet the world\n\nSee merge request group/sub/project!31\n", "!31", "Greet the world"},
		{"Merge branch 'greet' into 'main'\n\nSee merge request !31", "!31", "Merge branch 'greet' into 'main'"},
		{"Merged in greet (pull request #5)\n\nGreet the world\n\nApproved-by: Tess", "#5", "Greet the world"},
		{"Merged PR 44: Greet the world\n\nGreet the world", "#44", "Greet the world"},
		{"Merge pull request 'Greet' (#3) from greet into main", "#3", "Greet"},
		{"Merge pull request 'It's (#2)' (#3) from o/greet into main", "#3", "It's (#2)"},
		{"Merge pull request 'Greet' (#3)", "#3", "Merge pull request 'Greet'"},
		{"Merge branch 'main' into greet", "", ""},
		{"Fix #12", "", ""},
		{"Greet (#12a)", "", ""},
		{"Greet (#)", "", ""},
		{"Greet (#0)", "", ""},
		{"Merge pull request #9999999999999999 from x", "", ""},
		{"", "", ""},
	} {
		got, ok := pullOf(tc.message)
		if got != (pull{tc.name, tc.title}) || ok != (tc.name != "") {
			t.Errorf("%q: got %+v", tc.message, got)
		}
	}
}

func FuzzPullOf(f *testing.F) {
	f.Add("Merge pull request #12 from me/greet\n\nGreet")
	f.Add("Merge branch 'a'\n\nSee merge request a/b!1")
	f.Add("Greet (#1)")
	f.Fuzz(func(t *testing.T, message string) {
		if got, ok := pullOf(message); ok != (len(got.name) > 1) {
			t.Fatalf("%+v", got)
		}
	})
}

// TestBringers makes random histories, and compares with git which commits a merge brought.
func TestBringers(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	random := rand.New(rand.NewPCG(1, 2))
	commit := func(parents ...string) string {
		args := []string{"commit-tree", "-m", "c", "HEAD^{tree}"}
		for _, p := range parents {
			args = append(args, "-p", p)
		}
		return strings.TrimSpace(r.Git(args...))
	}
	commits := []string{r.Head()}
	at := func() string { return commits[max(len(commits)-1-random.IntN(8), 0)] }
	merges := map[string]pull{}
	var order []string
	for n := range 60 {
		a, b := at(), at()
		if a == b || n%3 > 0 {
			commits = append(commits, commit(a))
			continue
		}
		m := commit(a, b)
		commits = append(commits, m)
		if n%6 == 0 {
			merges[m] = pull{name: fmt.Sprint("#", n+1)}
			order = append(order, m)
		}
		r.Git("update-ref", fmt.Sprint("refs/heads/b", n), m)
	}
	lines := r.Git("rev-list", "--topo-order", "--parents", "--branches")
	g := newGraph(lines)
	want := map[string]string{}
	for _, m := range order { // a merge is made after its parents, and nothing claims a commit twice
		for oid := range strings.FieldsSeq(r.Git("rev-list", m+"^2", "--not", m+"^1")) {
			if slices.Contains(g.oids, m) {
				want[oid] += merges[m].name
			}
		}
	}
	got := bringers(g, merges)
	if len(want) != len(got) || len(got) < 5 {
		t.Errorf("git has %d commits that merges brought, we have %d", len(want), len(got))
	}
	for oid, of := range got {
		if !strings.Contains(want[oid], of.name) {
			t.Errorf("%s was brought by %s; git says one of %s", oid, of.name, want[oid])
		}
	}
}
