package evidence

import (
	"slices"
	"testing"

	"entire/internal/git"
)

// TestIsCommitEntry: git's words tell which entries of a reflog are no commits of its own; all other words may be those
// of a commit.
func TestIsCommitEntry(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]bool{
		"commit: work": true, "commit (amend): work": true, "commit (merge): x": true, "commit (initial): x": true,
		"": true, "refresh": true, "new": true, "export from jj": true, "git-revise rewrite": true, "merge the two lists": true,
		"push": false, "am: work": false, "pull: Fast-forward": false, "pull --rebase origin main: Fast-forward": false,
		"merge origin/main: Fast-forward": false, "rebase (finish): returning to refs/heads/main": false, "rebase: work": false,
		"checkout: moving from a to b": false, "reset: moving to HEAD~": false, "cherry-pick: work": false, "clone: from x": false,
	} {
		if got := isCommitEntry(what); got != want {
			t.Errorf("isCommitEntry(%q) = %v", what, got)
		}
	}
}

// TestMakersOf: a program's one move of HEAD brings all commits down to the next one that the reflog names.
func TestMakersOf(t *testing.T) {
	t.Parallel()
	oid := func(n byte) (o git.OID) {
		o, _ = git.ParseOID("00000000000000000000000000000000000000" + string([]byte{'0', n}))
		return o
	}
	commits := []git.Commit{{OID: oid('5')}, {OID: oid('4')}, {OID: oid('3')}, {OID: oid('2')}, {OID: oid('1')}}
	entry := func(n byte, what string) git.ReflogEntry { return git.ReflogEntry{New: oid(n), What: what} }
	for _, tc := range []struct {
		name    string
		entries []git.ReflogEntry
		unnamed bool
		want    []maker
	}{
		{"a stack made anew", []git.ReflogEntry{entry('5', "git-revise rewrite")}, false, []maker{otherProgram, otherProgram, otherProgram, otherProgram, otherProgram}},
		{"on top of a commit of git", []git.ReflogEntry{entry('3', "commit: x"), entry('5', "refresh")}, false, []maker{otherProgram, otherProgram, gitHere, notHere, notHere}},
		{"on top of a pull", []git.ReflogEntry{entry('4', "pull: Fast-forward"), entry('5', "commit: x")}, false, []maker{gitHere, notHere, notHere, notHere, notHere}},
		{"no entry, on top of a pull", []git.ReflogEntry{entry('4', "pull: Fast-forward")}, true, []maker{otherProgram, notHere, notHere, notHere, notHere}},
		{"reset to a commit made before", []git.ReflogEntry{entry('4', "commit: x"), entry('5', "commit: y"), entry('4', "reset: moving to HEAD~1"), entry('5', "commit: z")}, false, []maker{gitHere, gitHere, notHere, notHere, notHere}},
		{"a rebase", []git.ReflogEntry{entry('5', "rebase (finish): returning to refs/heads/main")}, false, []maker{notHere, notHere, notHere, notHere, notHere}},
	} {
		if got := makersOf(commits, tc.entries, tc.unnamed); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}
