package attribsuite

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// fixtures is a module of the Go proxy that has the packs of public repositories.
const fixtures = "github.com/go-git/go-git-fixtures/v4@v4.2.1"

// publicRepositories are those of its packs in which pull requests were merged.
var publicRepositories = []struct{ name, pack, head string }{
	{"jamesob/desk", "4ec6344877f494690fc800aceaf2ca0e86786acb", "d2313db6e7ca7bac79b819d767b2a1449abb0a5d"},
	{"tyba/storable", "0d3d824fb5c930e7e7e1f0f399f2976847d31fd3", ""},
	{"rumpkernel/rumprun-xen", "7861f2632868833a35fe5e4ab94f99638ec5129b", ""},
	{"src-d/go-git", "3559b3b47e695b33b0913237a4df3357e739831c", "e8788ad9165781196e917292d6055cba1d78664e"},
	{"spinnaker/spinnaker", "f2e0a8889a746f7600e07d2246a2e29a72f696be", "06ce06d0fc49646c4de733c45b7788aabad98a6f"},
}

// publicHistory is a public repository, read only.
type publicHistory struct {
	t    *testing.T
	name string
	dir  string
	line []string // the first parents from the first commit to the head
}

// publicHistories unpacks the repositories.
func publicHistories(t *testing.T) (out []*publicHistory) {
	t.Helper()
	text, err := exec.Command("go", "mod", "download", "-json", fixtures).Output()
	var module struct{ Dir string }
	if err != nil || json.Unmarshal(text, &module) != nil || module.Dir == "" {
		t.Fatalf("get %s: %v\n%s", fixtures, err, text)
	}
	for _, p := range publicRepositories {
		h := &publicHistory{t: t, name: p.name, dir: filepath.Join(t.TempDir(), "public.git")}
		h.must(exec.Command("git", "init", "-q", "--bare", h.dir))
		pack, err := os.Open(filepath.Join(module.Dir, "data", "pack-"+p.pack+".pack"))
		if err != nil {
			t.Fatal(err)
		}
		unpack := exec.Command("git", "-C", h.dir, "index-pack", "--stdin")
		unpack.Stdin = pack
		h.must(unpack)
		pack.Close()
		head := p.head
		if head == "" {
			head = h.newestTip()
		}
		h.line = strings.Fields(h.git("rev-list", "--first-parent", "--reverse", head))
		out = append(out, h)
	}
	return out
}

func (h *publicHistory) must(cmd *exec.Cmd) string {
	h.t.Helper()
	out, err := cmd.Output()
	if err != nil {
		h.t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}

func (h *publicHistory) git(args ...string) string {
	h.t.Helper()
	return strings.TrimRight(h.must(exec.Command("git", append([]string{"-C", h.dir}, args...)...)), "\n")
}

// newestTip returns the commit that no other one has as a parent, and that has the longest history.
func (h *publicHistory) newestTip() (best string) {
	most := 0
	for line := range strings.Lines(h.git("fsck", "--lost-found")) {
		if f := strings.Fields(line); len(f) == 3 && f[1] == "commit" {
			if n, _ := strconv.Atoi(h.git("rev-list", "--count", f[2])); n > most {
				most, best = n, f[2]
			}
		}
	}
	return best
}

// A pull is a pull request: its commits, from base, the oldest first.
type pull struct {
	base    string
	commits []string
	subject string
}

// Bounds of a pull request that is played.
const (
	maxPullCommits = 30
	maxPullFiles   = 60
)

// pullAt returns the pull request that a commit of the main line merged; nil if it merged none, or one that
// cannot be played: with merges inside, links or submodules, or very large. With direct, a commit that was
// pushed without one counts, too.
func (h *publicHistory) pullAt(commit string, direct bool) *pull {
	parents := strings.Fields(h.git("rev-list", "--parents", "-n1", commit))[1:]
	if len(parents) == 1 && direct {
		return h.pullOf(parents[0], commit, commit)
	}
	if len(parents) != 2 {
		return nil
	}
	base, err := exec.Command("git", "-C", h.dir, "merge-base", parents[0], parents[1]).Output()
	if err != nil {
		return nil
	}
	return h.pullOf(strings.TrimSpace(string(base)), parents[1], commit)
}

func (h *publicHistory) pullOf(base, head, named string) *pull {
	p := &pull{base: base, commits: strings.Fields(h.git("rev-list", "--reverse", "--first-parent", base+".."+head)), subject: h.git("log", "-1", "--format=%s", named)}
	if len(p.commits) == 0 || len(p.commits) > maxPullCommits || h.git("rev-list", "--merges", base+".."+head) != "" {
		return nil
	}
	raw := h.git("diff-tree", "-r", "--no-renames", base, head)
	if strings.Count(raw, "\n") > maxPullFiles || strings.Contains(raw, "160000") || strings.Contains(raw, "120000") {
		return nil
	}
	return p
}

// A fileChange is what a commit did to a file.
type fileChange struct {
	path string
	text []byte
	gone bool
	exec bool
}

func (h *publicHistory) changes(commit string) (out []fileChange) {
	fields := strings.Split(strings.TrimRight(h.git("diff-tree", "-r", "-z", "--no-renames", "--no-commit-id", commit+"^", commit), "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		meta := strings.Fields(fields[i])
		c := fileChange{path: fields[i+1], gone: meta[4] == "D", exec: meta[1] == "100755"}
		if !c.gone {
			c.text = []byte(h.must(exec.Command("git", "-C", h.dir, "cat-file", "blob", meta[3])))
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b fileChange) int {
		return strings.Compare(fmt.Sprint(!a.gone, a.path), fmt.Sprint(!b.gone, b.path))
	})
	return out
}

// agentCanWrite reports whether a payload can hold the text.
func (c fileChange) agentCanWrite() bool {
	return !c.gone && len(c.text) > 0 && utf8.Valid(c.text) && !strings.Contains(string(c.text), "\x00")
}
