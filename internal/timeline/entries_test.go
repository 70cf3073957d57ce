package timeline

import (
	"iter"
	"slices"
	"strings"
	"testing"

	"entire/internal/git"
)

// TestMergeOfOneSecond puts steps and commits of one second into the order in which they were made,
// which the step's base tells.
func TestMergeOfOneSecond(t *testing.T) {
	t.Parallel()
	oid := func(digit string) git.OID { return git.MustOID(strings.Repeat(digit, 40)) }
	kind := func(k Kind) uint8 { return uint8(slices.Index(kinds, k)) }
	list := func(entries ...found) iter.Seq2[found, error] {
		return func(yield func(found, error) bool) {
			for _, e := range entries {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
	commit := func(digit string, when int64) found {
		return found{entry: entry{oid: oid(digit), when: when, kind: kind(Commit)}}
	}
	turn := func(digit, base string, when int64) found {
		return found{base: oid(base), entry: entry{oid: oid(digit), when: when, kind: kind(Turn)}}
	}
	commits := list(commit("c", 9), commit("b", 9), commit("a", 5))
	kept := list(turn("4", "b", 9), turn("3", "b", 9), turn("2", "a", 9), turn("1", "a", 5))
	var got strings.Builder
	for e, err := range merge(commits, kept) {
		if err != nil {
			t.Fatal(err)
		}
		got.WriteString(e.oid.String()[:1])
	}
	if got.String() != "c43b21a" {
		t.Errorf("the order is %s", got.String())
	}
}
