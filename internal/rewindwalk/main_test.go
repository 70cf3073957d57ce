package rewindwalk

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/histories"
	"entire/internal/testrepo"
)

// template has a repository that uses entire, a folder beside it, a home and the program, ready to be copied. TestMain
// makes it before any test runs.
var template = ""

// programs is where the program is; no history copies it.
var programs = ""

func program() string { return filepath.Join(programs, "entire") }

// names are the paths that are worked at: some lie where others would be folders.
var names = []string{"a.txt", "b.txt", "dir/c.txt", "dir/d.txt", "run.sh", "link", "n1", "n2", "sub/s", "sub/deep/t", "thing", "thing/x", "thing/y.log",
	"own.log", "dir/z.log", "out/o", "out/p.log", "secret", "dir", "odd \"name\n", "-rf", "side.txt"}

func TestMain(m *testing.M) {
	if _, err := os.Stat("/dev/shm"); err == nil && os.Getenv("TMPDIR") == "" {
		os.Setenv("TMPDIR", "/dev/shm")
	}
	dir, err := os.MkdirTemp("", "rewindwalk-")
	if err == nil {
		template, programs = filepath.Join(dir, "template"), filepath.Join(dir, "bin")
		if failed := histories.Guard(makeTemplate); failed != nil {
			err = failed
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rewindwalk:", err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

const gitconfig = `[user]
	name = Tess Ter
	email = tess@example.com
[init]
	defaultBranch = main
[gc]
	auto = 0
[maintenance]
	auto = false
[core]
	fsync = none
`

// makeTemplate is a repository with a file or two of each sort, and a branch that
// does not merge without conflicts.
func makeTemplate() {
	histories.Check("setup", testrepo.BuildInto(programs, "entire"))
	histories.Check("setup", histories.WriteEditor(programs))
	h := &history{top: filepath.Join(template, "repo")}
	h.Player = &histories.Player{Repo: &histories.Repo{Root: template, Trees: []string{"repo"}, Env: environ(template)}}
	for path, text := range map[string]string{"home/.gitconfig": gitconfig, "outside/secret": "outside\n", "outside/in/c.txt": "outside too\n"} {
		histories.Put(template, path, histories.File{Mode: "644", Text: text})
	}
	histories.Check("setup", os.MkdirAll(h.top, 0o755))
	h.git("init", "-q", "--template=")
	h.git("init", "-q", "--template=", "nested")
	for _, path := range []string{"a.txt", "b.txt", "dir/c.txt", "dir/d.txt"} {
		h.put(path, histories.File{Mode: "644", Text: numbered(path, 14)})
	}
	h.put("run.sh", histories.File{Mode: "755", Text: numbered("run.sh", 3)})
	h.put("link", histories.File{Mode: "link", Text: "a.txt"})
	h.put(".gitignore", histories.File{Mode: "644", Text: "*.log\n"})
	h.put("nested/file", histories.File{Mode: "644", Text: "theirs\n"})
	h.put("own.log", histories.File{Mode: "644", Text: "mine\n"})
	for _, agent := range []string{"claude-code", "generic"} {
		if o := h.Repo.Run(histories.Command{Args: []string{program(), "enable", "--agent", agent, "--telemetry=false"}}); o.Code != 0 {
			histories.Fail("setup", "enable: %s", o.Out)
		}
	}
	h.git("add", "-A", "--", ":!nested")
	h.git("commit", "-q", "-m", "first")
	h.git("switch", "-q", "-c", "side")
	h.put("a.txt", histories.File{Mode: "644", Text: strings.Replace(numbered("a.txt", 14), "a.txt 7\n", "side of a.txt 7\n", 1)})
	h.put("side.txt", histories.File{Mode: "644", Text: "side\n"})
	h.git("add", "-A", "--", ":!nested")
	h.git("commit", "-q", "-m", "side")
	h.git("switch", "-q", "main")
	h.put("a.txt", histories.File{Mode: "644", Text: strings.Replace(numbered("a.txt", 14), "a.txt 7\n", "main of a.txt 7\n", 1)})
	h.git("commit", "-q", "-a", "-m", "second")
}

func numbered(name string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d\n", name, i+1)
	}
	return b.String()
}

func environ(root string) []string {
	return append(testrepo.Environ(filepath.Join(root, "home")), "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"), "ENTIRE_TEST_TTY=0")
}
