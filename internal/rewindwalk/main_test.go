package rewindwalk

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"entire/internal/testrepo"
)

// What TestMain sets before any test runs.
var (
	template  = "" // a repository, a folder beside it and a home, ready to be copied
	sequences = number("REWINDWALK_SEQUENCES", 12)
	length    = number("REWINDWALK_OPS", 16)
	seed      = number("REWINDWALK_SEED", 1)
	limit     = time.Duration(number("REWINDWALK_SECONDS", 3600)) * time.Second
	shrinking = time.Duration(number("REWINDWALK_SHRINK", 60)) * time.Second
	replay    = os.Getenv("REWINDWALK_REPLAY")
	keep      = os.Getenv("REWINDWALK_KEEP") // a folder for the repository of a failed history
)

func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

func TestMain(m *testing.M) {
	if _, err := os.Stat("/dev/shm"); err == nil && os.Getenv("TMPDIR") == "" {
		os.Setenv("TMPDIR", "/dev/shm")
	}
	dir, err := os.MkdirTemp("", "rewindwalk-")
	if err == nil {
		template = dir
		err = makeTemplate()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rewindwalk:", err)
		os.Exit(1)
	}
	code := m.Run()
	if code != 0 {
		fmt.Printf("REWINDWALK_SEQUENCES=%d REWINDWALK_OPS=%d REWINDWALK_SEED=%d\n", sequences, length, seed)
	}
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
func makeTemplate() error {
	h := &history{root: template, top: filepath.Join(template, "repo")}
	h.env = testrepo.Environ(filepath.Join(template, "home"))
	for _, dir := range []string{"repo", "home", "outside/in"} {
		if err := os.MkdirAll(filepath.Join(template, dir), 0o755); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(template, "home", ".gitconfig"), []byte(gitconfig), 0o644); err != nil {
		return err
	}
	for name, text := range map[string]string{"outside/secret": "outside\n", "outside/in/c.txt": "outside too\n"} {
		if err := os.WriteFile(filepath.Join(template, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	h.git("init", "-q", "--template=")
	h.git("init", "-q", "--template=", "nested")
	for _, path := range []string{"a.txt", "b.txt", "dir/c.txt", "dir/d.txt"} {
		h.put(path, file{"644", numbered(path, 14)})
	}
	h.put("run.sh", file{"755", numbered("run.sh", 3)})
	h.put("link", file{"link", "a.txt"})
	h.put(".gitignore", file{"644", "*.log\n"})
	h.put("nested/file", file{"644", "theirs\n"})
	h.put("own.log", file{"644", "mine\n"})
	h.git("add", "-A", "--", ":!nested")
	h.git("commit", "-q", "-m", "first")
	h.git("switch", "-q", "-c", "side")
	h.put("a.txt", file{"644", strings.Replace(numbered("a.txt", 14), "a.txt 7\n", "side of a.txt 7\n", 1)})
	h.put("side.txt", file{"644", "side\n"})
	h.git("add", "-A", "--", ":!nested")
	h.git("commit", "-q", "-m", "side")
	h.git("switch", "-q", "main")
	h.put("a.txt", file{"644", strings.Replace(numbered("a.txt", 14), "a.txt 7\n", "main of a.txt 7\n", 1)})
	h.git("commit", "-q", "-a", "-m", "second")
	return nil
}

func numbered(name string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d\n", name, i+1)
	}
	return b.String()
}

// git runs git as a person does.
func (h *history) git(args ...string) string {
	out, err := h.tryGit(args...)
	if err != nil {
		panic(failure{"git", fmt.Sprintf("git %v: %v: %s", args, err, out)})
	}
	return out
}

func (h *history) tryGit(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = h.top, h.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}
