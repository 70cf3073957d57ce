package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tidwall/gjson"
)

// figure is how many of the bytes that an exhibit lost came back where Entire was installed only afterwards: bytes of
// lines that neither the files have any more, nor the commit that is checked out.
type figure struct {
	lost, back int
	missing    []string // the files that did not come back whole
}

// figures are those of all exhibits, by name.
type figures struct {
	mu sync.Mutex
	of map[string]figure
}

// lateParams are the exhibits that are also tried with Entire installed only afterwards, up to the loss.
func lateParams(t *testing.T, m *museum, list []exhibit) testscript.Params {
	dir := t.TempDir()
	for _, e := range list {
		if !e.late {
			continue
		}
		archive, err := txtar.ParseFile(filepath.Join(museumDir(), filepath.FromSlash(e.file)))
		if err != nil {
			t.Fatal(err)
		}
		var until strings.Builder
		for line := range strings.Lines(string(archive.Comment)) {
			until.WriteString(line)
			if word, _, _ := strings.Cut(strings.TrimSpace(line), " "); word == "lost" {
				break
			}
		}
		archive.Comment = []byte(until.String())
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(e.file)), txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return museumParams(m, filepath.Join(dir, "*.txtar"))
}

// rescueAll asks for everything that was kept and is lost, as a person would who has just installed Entire: what is
// lost, then each file by name, then every version of it that is known.
func rescueAll(ts *testscript.TestScript, v *visit, is map[string]string) {
	var f figure
	found := map[string][]string{}
	rescued(ts, found, "aside/all")
	var wanted []string
	for _, path := range slices.Sorted(maps.Keys(v.kept)) {
		if is[path] != v.kept[path] {
			wanted = append(wanted, path)
		}
	}
	for i, full := range wanted {
		_, path, _ := strings.Cut(full, "/")
		if _, text, _ := strings.Cut(v.kept[full], "\x00"); !slices.Contains(found[path], text) {
			rescued(ts, found, fmt.Sprintf("aside/%d", i), "--", path)
			versionsOf(ts, found, path, text)
		}
	}
	unnamed := contentsWithoutName(ts)
	for _, path := range slices.Sorted(maps.Keys(v.kept)) {
		if is[path] == v.kept[path] {
			continue
		}
		_, was, _ := strings.Cut(v.kept[path], "\x00")
		_, now, _ := strings.Cut(is[path], "\x00")
		_, inside, _ := strings.Cut(path, "/")
		committed := ""
		if ts.Exec("git", "cat-file", "blob", "HEAD:"+inside) == nil {
			committed = ts.ReadFile("stdout")
		}
		lost := linesBeside(strings.Join(linesBeside(was, now), ""), committed)
		best := 0
		for _, text := range append(found[inside], unnamed[was]) {
			best = max(best, sumOf(lost)-sumOf(linesBeside(strings.Join(lost, ""), text)))
		}
		f.lost, f.back = f.lost+sumOf(lost), f.back+best
		if best < sumOf(lost) {
			f.missing = append(f.missing, path)
		}
	}
	figures := &v.museum.figures
	figures.mu.Lock()
	defer figures.mu.Unlock()
	if figures.of == nil {
		figures.of = map[string]figure{}
	}
	figures.of[ts.Name()] = f
}

// rescued runs `rescue files --out` and adds what it wrote.
func rescued(ts *testscript.TestScript, found map[string][]string, dir string, args ...string) {
	out := filepath.Join(ts.Getenv("WORK"), filepath.FromSlash(dir))
	command := []string{"rescue", "files", "--out", out}
	if _, err := os.Lstat(ts.MkAbs(".git")); err != nil {
		return
	}
	for path := range visitOf(ts).kept { // a worktree that is gone
		if dir := filepath.Join(ts.Getenv("WORK"), strings.SplitN(path, "/", 2)[0]); filepath.Base(dir) != "repo" && !slices.Contains(command, dir) {
			command = append(command, "--was", dir)
		}
	}
	if err := ts.Exec("entire", append(command, args...)...); err != nil {
		return
	}
	err := filepath.WalkDir(out, func(full string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		path, err := filepath.Rel(out, full)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(filepath.ToSlash(path), ".partial")
		found[name] = append(found[name], ts.ReadFile(full))
		return nil
	})
	if !os.IsNotExist(err) {
		ts.Check(err)
	}
}

// versionsOf adds the versions of a file that are known, until it has the one that is wanted.
func versionsOf(ts *testscript.TestScript, found map[string][]string, path, want string) {
	if ts.Exec("entire", "rescue", "files", "--list", "--json", "--", path) != nil {
		return
	}
	versions := gjson.Get(ts.ReadFile("stdout"), "files.0.versions.#").Int()
	for n := int64(1); n <= versions && !slices.Contains(found[path], want); n++ {
		if ts.Exec("entire", "rescue", "files", "--show", fmt.Sprintf("%s@%d", path, n)) == nil {
			found[path] = append(found[path], ts.ReadFile("stdout"))
		}
	}
}

// contentsWithoutName are contents that were staged and never committed; only their hashes are known.
func contentsWithoutName(ts *testscript.TestScript) map[string]string {
	out := map[string]string{}
	if ts.Exec("entire", "rescue", "files", "--json") != nil {
		return out
	}
	for _, one := range gjson.Get(ts.ReadFile("stdout"), "unnamed.#.hash").Array() {
		if ts.Exec("git", "cat-file", "blob", one.String()) == nil {
			text := ts.ReadFile("stdout")
			out[text] = text
		}
	}
	return out
}

// linesBeside are the lines of a text that another does not have.
func linesBeside(text, other string) []string {
	has := map[string]int{}
	for line := range strings.Lines(other) {
		has[line]++
	}
	var out []string
	for line := range strings.Lines(text) {
		if has[line] > 0 {
			has[line]--
			continue
		}
		out = append(out, line)
	}
	return out
}

func sumOf(lines []string) int {
	n := 0
	for _, line := range lines {
		n += len(line)
	}
	return n
}

// table is the second table of museum.md.
func (f *figures) table(t *testing.T, list []exhibit) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| exhibit | bytes lost | came back | | what does not come back, and why |\n|---|---:|---:|---:|---|\n")
	lost, back, n, shares := 0, 0, 0, 0.0
	for _, e := range list {
		name := strings.TrimSuffix(filepath.Base(e.file), ".txtar")
		one, ok := f.of[name]
		if !e.late {
			continue
		}
		if !ok {
			t.Errorf("%s lost nothing where Entire was installed afterwards", e.file)
			continue
		}
		why := ""
		if one.back < one.lost {
			why = e.gone
			if why == "-" {
				t.Logf("%s does not say why it lacks %s", e.file, one.missing)
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %s | %s |\n", name, one.lost, one.back, percent(one.back, one.lost), why)
		lost, back, n, shares = lost+one.lost, back+one.back, n+1, shares+float64(one.back)/float64(max(one.lost, 1))
	}
	fmt.Fprintf(&b, "\n%d exhibits: %d of %d bytes came back, %s; on average %.1f %% of an exhibit's.\n", n, back, lost, percent(back, lost), 100*shares/float64(max(n, 1)))
	return b.String()
}

func percent(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}
