package rewindwalk

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/histories"
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
	histories.Main(m, func(dir string) {
		template, programs = filepath.Join(dir, "template"), filepath.Join(dir, "bin")
		makeTemplate()
	})
}

// makeTemplate is a repository with a file or two of each sort, and a branch that
// does not merge without conflicts.
func makeTemplate() {
	h := &history{top: filepath.Join(template, "repo"), Player: &histories.Player{Repo: histories.NewRepo(template, programs, "repo")}}
	for path, text := range map[string]string{"outside/secret": "outside\n", "outside/in/c.txt": "outside too\n"} {
		histories.Put(template, path, histories.File{Mode: "644", Text: text})
	}
	h.Repo.Init()
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
		h.Repo.Must(program(), "enable", "--agent", agent, "--telemetry=false")
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
