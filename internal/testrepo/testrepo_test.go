package testrepo

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestNewCommitsOnMain(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		opts   []Option
		hexLen int
	}{
		{"default", nil, 40},
		{"sha256", []Option{SHA256()}, 64},
		{"separate git dir", []Option{SeparateGitDir()}, 40},
		{"odd name", []Option{Named("it's a \"repo\"\nhere")}, 40},
		{"unborn", []Option{Unborn()}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := New(t, row.opts...)
			if got := len(r.Head()); got != row.hexLen {
				t.Errorf("HEAD has %d hex digits, want %d", got, row.hexLen)
			}
			if got := r.Git("symbolic-ref", "HEAD"); got != "refs/heads/main" {
				t.Errorf("HEAD is %s", got)
			}
			r.Fsck()
		})
	}
}

func TestEnvironIsHermetic(t *testing.T) {
	t.Parallel()
	r := New(t)
	if got := r.Git("log", "-1", "--format=%an <%ae> %cn <%ce>"); got != "Tess Ter <tess@example.com> Tess Ter <tess@example.com>" {
		t.Errorf("identity %s", got)
	}
	origins := r.Git("config", "--list", "--show-scope")
	for line := range strings.Lines(origins) {
		if strings.HasPrefix(line, "system") {
			t.Errorf("system configuration leaked: %s", line)
		}
	}
	for _, entry := range r.Env {
		key, _, _ := strings.Cut(entry, "=")
		switch {
		case key == "HOME" && entry != "HOME="+r.Home:
			t.Errorf("%s is not %s", entry, r.Home)
		case strings.HasPrefix(key, "GIT_DIR"), strings.HasPrefix(key, "GIT_INDEX"), strings.HasPrefix(key, "GIT_WORK"):
			t.Errorf("%s leaked", entry)
		}
	}
}

func TestTryGitWrapsTheExitStatus(t *testing.T) {
	t.Parallel()
	_, err := New(t).TryGit("no-such-command")
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !strings.Contains(err.Error(), "not a git command") {
		t.Errorf("error %v", err)
	}
}

func TestWorktreeSubmoduleClone(t *testing.T) {
	t.Parallel()
	r := New(t)
	linked := r.Worktree("side")
	if got := linked.Git("symbolic-ref", "--short", "HEAD"); got != "side" {
		t.Errorf("linked worktree is on %s", got)
	}
	sub := r.Submodule("lib")
	if got := sub.Git("rev-parse", "--show-superproject-working-tree"); got != r.Dir {
		t.Errorf("submodule belongs to %q, want %q", got, r.Dir)
	}
	if got := r.Clone("--depth=1").Git("rev-list", "--count", "HEAD"); got != "1" {
		t.Errorf("shallow clone has %s commits", got)
	}
	if got := r.Clone("--shared").Head(); got != r.Head() {
		t.Errorf("clone is at %s, want %s", got, r.Head())
	}
}

func TestSnapshotSeesEverythingButGit(t *testing.T) {
	t.Parallel()
	r := New(t)
	r.Write(".gitignore", "*.log\n")
	r.Write("a/x.log", "ignored")
	r.Write(".entire/state", "ours")
	r.Symlink("nowhere", "link")
	r.Chmod("README.md", 0o755)
	tree := r.Snapshot(".entire")
	want := map[string]string{".gitignore": "*.log\n", "a/x.log": "ignored", "link": "nowhere", "README.md": "hello\n"}
	got := tree.Contents()
	for path, content := range want {
		if got[path] != content {
			t.Errorf("%s is %q, want %q", path, got[path], content)
		}
	}
	if len(got) != len(want) {
		t.Errorf("snapshot %v, want %v", got, want)
	}
	if !tree["a"].Mode.IsDir() || tree["README.md"].Mode.Perm() != 0o755 {
		t.Errorf("modes: %v", tree)
	}
}

func TestFsckReportsDamage(t *testing.T) {
	t.Parallel()
	r := New(t)
	if err := os.WriteFile(r.GitPath("refs/heads/empty"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	spy := &recorder{TB: t}
	damaged := r.at(r.Dir)
	damaged.t = spy
	damaged.Fsck()
	if !spy.failed {
		t.Error("Fsck accepts an empty ref file")
	}
}

type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }

func TestIndexBytes(t *testing.T) {
	t.Parallel()
	r := New(t)
	data, err := os.ReadFile(filepath.Join(r.Dir, ".git", "index"))
	if err != nil || string(r.IndexBytes()) != string(data) {
		t.Errorf("index differs from the file (%v)", err)
	}
	if got := New(t, Unborn()).IndexBytes(); got != nil {
		t.Errorf("unborn repository has an index of %d bytes", len(got))
	}
}
