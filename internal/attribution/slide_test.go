package attribution

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// gitDiffers returns the numbers of the lines that git's diff shows as added to the older text, and as removed.
func gitDiffers(t rapid.TB, dir, older, newer string) (added, removed []int) {
	t.Helper()
	for name, text := range map[string]string{"a": older, "b": newer} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("git", "diff", "--no-index", "--no-color", "--no-ext-diff", "--minimal", "--indent-heuristic", "-U0", "a", "b")
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "@@ ") {
			continue
		}
		f := strings.Fields(line)
		for side, list := range []*[]int{&removed, &added} {
			from, n := 0, 1
			if _, err := fmt.Sscanf(f[1+side][1:], "%d,%d", &from, &n); err != nil && from == 0 {
				t.Fatal(line)
			}
			for k := range n {
				*list = append(*list, from+k)
			}
		}
	}
	return added, removed
}

func marked(list []bool) (out []int) {
	for i, is := range list {
		if is {
			out = append(out, i+1)
		}
	}
	return out
}

// TestSlideAsGit: where a block of lines was added, or removed, the lines are those that git shows.
func TestSlideAsGit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	line := rapid.SampledFrom([]string{"\n", "}\n", "\t}\n", "\t\t}\n", "func a() {\n", "\tfor {\n", "\t\tcall()\n", "    x = 1\n", "  y: 2\n", "// a comment\n", "\treturn nil\n"})
	var r Workspace
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, most int) string {
			return strings.Join(rapid.SliceOfN(line, 0, most).Draw(t, name), "")
		}
		head, tail := draw("head", 12), draw("tail", 12)
		block := draw("block", 6)
		if rapid.Bool().Draw(t, "as before") { // a copy of lines of the file, as of a function
			all := strings.SplitAfter(head+tail, "\n")
			i := rapid.IntRange(0, len(all)-1).Draw(t, "from")
			block = strings.Join(all[i:rapid.IntRange(i, len(all)-1).Draw(t, "to")], "")
		}
		without, with := head+tail, head+block+tail
		added, removed := gitDiffers(t, dir, without, with)
		if runs(added) > 1 || len(removed) > 0 {
			t.Skip("git shows more than one block")
		}
		gotAdded, _ := r.Diff([]byte(without), []byte(with))
		if !slices.Equal(marked(gotAdded), added) {
			t.Fatalf("added lines %v, as git says %v\n--- without\n%s--- with\n%s", marked(gotAdded), added, without, with)
		}
		_, gone := gitDiffers(t, dir, with, without)
		_, gotGone := r.Diff([]byte(with), []byte(without))
		if !slices.Equal(marked(gotGone), gone) {
			t.Fatalf("removed lines %v, as git says %v\n--- with\n%s--- without\n%s", marked(gotGone), gone, with, without)
		}
	})
}

func runs(list []int) (n int) {
	for i, k := range list {
		if i == 0 || list[i-1] != k-1 {
			n++
		}
	}
	return n
}

// TestSlideOfAFunction: the end of a new function is not the end of the one before it, also beside other changes.
func TestSlideOfAFunction(t *testing.T) {
	t.Parallel()
	function := func(name string) string { return "func " + name + "() {\n\tfor range list {\n\t\tk++\n\t}\n}\n\n" }
	older := "package a\n\n" + function("one") + "var last = 1\n"
	newer := "package b\n\n" + function("one") + function("two") + "var last = 1\n"
	for name, of := range map[string][]int32{"Trace": Trace([]byte(older), []byte(newer)), "Kept": new(Workspace).Kept([]byte(older), []byte(newer))} {
		var fresh []int
		for j, i := range of {
			if i < 0 {
				fresh = append(fresh, j+1)
			}
		}
		if want := []int{1, 9, 10, 11, 12, 13, 14}; !slices.Equal(fresh, want) {
			t.Errorf("%s: lines %v are new, want %v", name, fresh, want)
		}
	}
	h := new(Workspace).Begin([]byte(older))
	h.Step(Version{Text: []byte(newer), Owner: Owner{Class: Agent, Session: "s"}})
	for i, l := range h.Commit([]byte(older)).Lines {
		if is := bytes.Contains([]byte{1, 9, 10, 11, 12, 13, 14}, []byte{byte(i + 1)}); l.Added != is || is && l.Owner.Class != Agent {
			t.Errorf("line %d: added %t, %+v", i+1, l.Added, l.Owner)
		}
	}
}
