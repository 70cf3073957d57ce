package project

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/internal/git"
	"entire/internal/testrepo"
)

// TestMain lets the tests run this program as a process of its own.
func TestMain(m *testing.M) {
	if dir := os.Getenv("PROJECT_TEST_DIR"); dir != "" {
		id, err := Key(context.Background(), dir, os.Environ())
		fmt.Println(id.Key, err)
		return
	}
	os.Exit(m.Run())
}

func keyOf(t *testing.T, dir string, environ []string) Identity {
	t.Helper()
	id, err := Key(t.Context(), dir, environ)
	if err != nil {
		t.Fatal(err)
	}
	if !valid(id.Key) {
		t.Fatalf("key %q of %s", id.Key, dir)
	}
	return id
}

func open(t *testing.T, dir string, environ []string) *git.Repo {
	t.Helper()
	repo, err := git.Discover(t.Context(), dir, environ)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	return repo
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestClonesShareOneKey takes every shape of repository that shares a history.
func TestClonesShareOneKey(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	root := r.Git("rev-parse", "HEAD")
	r.Write("a", "1\n")
	r.Commit("second")
	top := filepath.Dir(r.Dir)
	in := func(name string) string { return filepath.Join(top, name) }
	r.Git("worktree", "add", "-q", in("linked"))
	r.Git("clone", "-q", r.Dir, in("clone"))
	r.Git("clone", "-q", "--bare", r.Dir, in("bare.git"))
	r.Git("clone", "-q", "--separate-git-dir", in("elsewhere.git"), r.Dir, in("separate"))
	r.Git("init", "-q", in("super"))
	r.Git("-C", in("super"), "commit", "-q", "--allow-empty", "-m", "another project")
	r.Git("-C", in("super"), "submodule", "--quiet", "add", r.Dir, "sub")
	want := rootPrefix + root
	for _, dir := range []string{r.Dir, in("linked"), in("clone"), in("bare.git"), in("separate"), in("super/sub")} {
		for _, again := range []string{"first", "recorded"} {
			if got := keyOf(t, dir, r.Env); got.Key != want || !got.Lasting() || !got.Git || len(got.Former) > 0 {
				t.Errorf("%s, %s: %+v, want %s", dir, again, got, want)
			}
		}
	}
	if got := keyOf(t, in("super"), r.Env); got.Key == want || !got.Lasting() {
		t.Errorf("superproject: %+v", got)
	}
	write(t, filepath.Join(r.Dir, "deep", "er", "f"), "")
	if got := keyOf(t, filepath.Join(r.Dir, "deep", "er"), r.Env); got.Key != want || got.Top != r.Dir {
		t.Errorf("below: %+v", got)
	}
	if got := keyOf(t, "/", append(r.Env, "GIT_DIR="+filepath.Join(r.Dir, ".git"))); got.Key != want {
		t.Errorf("by GIT_DIR: %+v", got)
	}
}

// TestAnotherBranchIsTheSameProject: HEAD may be on a branch with a beginning of
// its own.
func TestAnotherBranchIsTheSameProject(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	root := r.Git("rev-parse", "HEAD")
	r.Git("checkout", "-q", "--orphan", "pages")
	r.Git("commit", "-q", "--allow-empty", "-m", "pages")
	if got := keyOf(t, r.Dir, r.Env); got.Key != rootPrefix+root {
		t.Errorf("key %s, want that of main, %s", got.Key, root)
	}
}

func TestMovedAndCopiedKeepTheirKey(t *testing.T) {
	t.Parallel()
	for name, option := range map[string][]testrepo.Option{"with commits": nil, "unborn": {testrepo.Unborn()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := testrepo.New(t, option...)
			was := keyOf(t, r.Dir, r.Env)
			if was.Lasting() != (name == "with commits") {
				t.Errorf("key %+v", was)
			}
			copied, moved := r.Dir+"-copy", r.Dir+"-moved"
			if err := os.CopyFS(copied, os.DirFS(r.Dir)); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(r.Dir, moved); err != nil {
				t.Fatal(err)
			}
			for _, dir := range []string{copied, moved} {
				if got := keyOf(t, dir, r.Env); got.Key != was.Key {
					t.Errorf("%s: %s, was %s", dir, got.Key, was.Key)
				}
			}
		})
	}
}

// TestPromotion: the key of a repository without commits is replaced when there
// is one, and what was stored follows.
func TestPromotion(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Unborn())
	data := filepath.Join(t.TempDir(), "data")
	first := keyOf(t, r.Dir, r.Env)
	session := func(id Identity, name string) string { return filepath.Join(id.Dir(data), "sessions", name) }
	write(t, filepath.Join(session(first, "s1"), "messages.jsonl"), "one\n")
	repo := open(t, r.Dir, r.Env)
	if got, err := Promote(t.Context(), repo, time.Minute); err != nil || got.Key != first.Key {
		t.Fatalf("promoted without a commit: %+v, %v", got, err)
	}
	root := r.Commit("first")
	second, err := Promote(t.Context(), repo, time.Minute)
	if err != nil || second.Key != rootPrefix+root || len(second.Former) != 1 || second.Former[0] != first.Key {
		t.Fatalf("promoted: %+v, %v", second, err)
	}
	settle := func() {
		t.Helper()
		if err := Settle(t.Context(), data, keyOf(t, r.Dir, r.Env), time.Unix(7, 0)); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	if text, _ := os.ReadFile(filepath.Join(session(second, "s1"), "messages.jsonl")); string(text) != "one\n" {
		t.Errorf("after settling s1 holds %q", text)
	}
	// A process that still knew the old key comes late.
	write(t, filepath.Join(session(first, "s1"), "messages.jsonl"), "again\n")
	write(t, filepath.Join(session(first, "s2"), "messages.jsonl"), "two\n")
	write(t, filepath.Join(session(first, "s3"), "metadata.json"), "{}")
	write(t, filepath.Join(session(second, "s3"), "messages.jsonl"), "three\n")
	write(t, filepath.Join(first.Dir(data), "sessions", "index.cache"), "x")
	settle()
	for path, want := range map[string]string{
		filepath.Join(session(second, "s1"), "messages.jsonl"):                      "one\n",
		filepath.Join(session(second, "s2"), "messages.jsonl"):                      "two\n",
		filepath.Join(session(second, "s3"), "messages.jsonl"):                      "three\n",
		filepath.Join(second.Dir(data), "trash", "s1.7000000000", "messages.jsonl"): "again\n",
	} {
		if text, err := os.ReadFile(path); string(text) != want {
			t.Errorf("%s: %q, %v; want %q", path, text, err, want)
		}
	}
	if exists(first.Dir(data)) {
		t.Error("the old folder is still there")
	}
	settle() // nothing to do
}

func TestShallowCloneIsPromotedWhenDeepened(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	root := r.Git("rev-parse", "HEAD")
	r.Write("a", "1\n")
	r.Commit("second")
	dir := filepath.Join(filepath.Dir(r.Dir), "shallow")
	r.Git("clone", "-q", "--depth=1", "file://"+r.Dir, dir)
	first := keyOf(t, dir, r.Env)
	if first.Lasting() {
		t.Fatalf("a shallow clone knows its first commit: %+v", first)
	}
	repo := open(t, dir, r.Env)
	if got, err := Promote(t.Context(), repo, 0); err != nil || got.Key != first.Key {
		t.Fatalf("still shallow: %+v, %v", got, err)
	}
	r.Git("-C", dir, "fetch", "-q", "--unshallow")
	if got, err := Promote(t.Context(), repo, 0); err != nil || got.Key != rootPrefix+root {
		t.Fatalf("deepened: %+v, %v", got, err)
	}
	if got := keyOf(t, dir, r.Env); got.Key != rootPrefix+root || len(got.Former) != 1 || got.Former[0] != first.Key {
		t.Errorf("recorded: %+v", got)
	}
}

// TestFolderBecomesRepository keeps its key while there is no commit, and names
// it as a former one then.
func TestFolderBecomesRepository(t *testing.T) {
	t.Parallel()
	home := testrepo.NewHome(t)
	env := testrepo.Environ(home)
	dir := filepath.Join(filepath.Dir(home), "plain")
	write(t, filepath.Join(dir, "sub", "f"), "")
	plain := keyOf(t, dir, env)
	if plain.Lasting() || plain.Git || !strings.HasPrefix(plain.Key, randomPrefix) {
		t.Fatalf("plain folder: %+v", plain)
	}
	if got := keyOf(t, filepath.Join(dir, "sub"), env); got.Key != plain.Key || got.Top != dir {
		t.Errorf("below it: %+v", got)
	}
	moved := dir + "-moved"
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	if got := keyOf(t, moved, env); got.Key != plain.Key {
		t.Errorf("moved: %+v", got)
	}
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = moved, env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	if got, err := Find(t.Context(), moved, env); err != nil || got.Key != plain.Key || !got.Git {
		t.Errorf("looked at before anything was recorded: %+v, %v", got, err)
	}
	if got := keyOf(t, moved, env); got.Key != plain.Key || !got.Git {
		t.Errorf("unborn: %+v", got)
	}
	git("commit", "-q", "--allow-empty", "-m", "first")
	got, err := Promote(t.Context(), open(t, moved, env), 0)
	if err != nil || got.Key != rootPrefix+git("rev-parse", "HEAD") || len(got.Former) != 1 || got.Former[0] != plain.Key {
		t.Errorf("with a commit: %+v, %v", got, err)
	}
}

func TestSetUpFolderIsTheProject(t *testing.T) {
	t.Parallel()
	env := testrepo.Environ(testrepo.NewHome(t))
	top := t.TempDir()
	write(t, filepath.Join(top, "a", ".entire", "settings.json"), "{}")
	write(t, filepath.Join(top, "a", "b", "f"), "")
	outer := keyOf(t, top, env)
	inner := keyOf(t, filepath.Join(top, "a", "b"), env)
	if inner.Top != filepath.Join(top, "a") || inner.Key == outer.Key {
		t.Errorf("inner %+v, outer %+v", inner, outer)
	}
	if exists(filepath.Join(top, "a", "b", ".entire")) {
		t.Error("a key was left where nothing is set up")
	}
}

func TestFindRecordsNothing(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	plain := t.TempDir()
	for _, dir := range []string{r.Dir, plain} {
		id, err := Find(t.Context(), dir, r.Env)
		if err != nil || !valid(id.Key) {
			t.Errorf("%s: %+v, %v", dir, id, err)
		}
	}
	if exists(filepath.Join(r.Dir, ".git", "entire", "project")) || exists(filepath.Join(plain, ".entire")) {
		t.Error("something was written")
	}
}

func TestUnwritablePlaces(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		// Root writes anywhere: a file in the way does for it.
		t.Log("as root: a file in place of the folder")
	}
	env := testrepo.Environ(testrepo.NewHome(t))
	plain := t.TempDir()
	write(t, filepath.Join(plain, ".entire"), "in the way")
	a, b := keyOf(t, plain, env), keyOf(t, plain, env)
	if a.Key != b.Key || !strings.HasPrefix(a.Key, pathPrefix) {
		t.Errorf("plain: %+v and %+v", a, b)
	}
	r := testrepo.New(t)
	write(t, filepath.Join(r.Dir, ".git", "entire"), "in the way")
	if got := keyOf(t, r.Dir, r.Env); got.Key != rootPrefix+r.Git("rev-parse", "HEAD") {
		t.Errorf("repository: %+v", got)
	}
	u := testrepo.New(t, testrepo.Unborn())
	write(t, filepath.Join(u.Dir, ".git", "entire"), "in the way")
	a, b = keyOf(t, u.Dir, u.Env), keyOf(t, u.Dir, u.Env)
	if a.Key != b.Key || !strings.HasPrefix(a.Key, pathPrefix) {
		t.Errorf("unborn: %+v and %+v", a, b)
	}
}

// TestHostileRecords: nothing but a key is ever taken from a file.
func TestHostileRecords(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty": "", "upwards": "../../../etc\n", "absolute": "/tmp/x\n", "upper case": "G-ABCDEF0123\n", "short": "g-1\n",
		"device": "nul\n", "not text": "g-\x00\x01abcdefgh\n", "very long": "g-" + strings.Repeat("a", 5000),
		"long": "g-" + strings.Repeat("a", 79), "good, then bad": "g-0123456789\n../x\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := testrepo.New(t)
			write(t, filepath.Join(r.Dir, ".git", "entire", "project"), text)
			want := rootPrefix + r.Git("rev-parse", "HEAD")
			if got := keyOf(t, r.Dir, r.Env); got.Key != want {
				t.Errorf("key %q", got.Key)
			}
			if text, _ := os.ReadFile(filepath.Join(r.Dir, ".git", "entire", "project")); string(text) != want+"\n" {
				t.Errorf("the record is %q after it was put right", text)
			}
			plain := t.TempDir()
			write(t, filepath.Join(plain, ".entire", "project-id"), text)
			if got := keyOf(t, plain, r.Env); !strings.HasPrefix(got.Key, randomPrefix) {
				t.Errorf("folder's key %q", got.Key)
			}
		})
	}
	r := testrepo.New(t)
	if err := os.MkdirAll(filepath.Join(r.Dir, ".git", "entire"), 0o755); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside")
	write(t, outside, "p-0123456789abcdef\n")
	if err := os.Symlink(outside, filepath.Join(r.Dir, ".git", "entire", "project")); err != nil {
		t.Fatal(err)
	}
	if got := keyOf(t, r.Dir, r.Env); !got.Lasting() {
		t.Errorf("through a link: %+v", got)
	}
	plain := t.TempDir()
	write(t, filepath.Join(plain, ".entire", "project-id"), rootPrefix+r.Git("rev-parse", "HEAD")+"\n")
	if got := keyOf(t, plain, r.Env); !strings.HasPrefix(got.Key, randomPrefix) {
		t.Errorf("a folder that says it is a repository: %+v", got)
	}
}

// TestProcessesAgree races processes for the first key of a project.
func TestProcessesAgree(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Unborn())
	plain := t.TempDir()
	for _, dir := range []string{r.Dir, plain} {
		var outs [6]strings.Builder
		var cmds []*exec.Cmd
		for i := range outs {
			cmd := exec.Command(os.Args[0])
			cmd.Env, cmd.Stdout = append(r.Env, "PROJECT_TEST_DIR="+dir), &outs[i]
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			cmds = append(cmds, cmd)
		}
		for i, cmd := range cmds {
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			if outs[i].String() != outs[0].String() || !strings.HasPrefix(outs[i].String(), randomPrefix) {
				t.Errorf("%s: %q and %q", dir, outs[0].String(), outs[i].String())
			}
		}
	}
}

// TestRecordedKeyStartsNoProcess takes git off the path.
func TestRecordedKeyStartsNoProcess(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	want := keyOf(t, r.Dir, r.Env)
	linked := r.Dir + "-linked"
	r.Git("worktree", "add", "-q", linked)
	for _, dir := range []string{r.Dir, linked} {
		if got := keyOf(t, dir, []string{"PATH=/nonexistent"}); got.Key != want.Key || got.Top != dir {
			t.Errorf("%s: %+v", dir, got)
		}
	}
}

func TestDeadlineGivesAProvisionalKey(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := open(t, r.Dir, r.Env)
	if got := rootKey(t.Context(), repo, time.Nanosecond); got != "" {
		t.Errorf("root %q in no time", got)
	}
}

// TestSlowGit: a command waits for git as long as it takes. Otherwise it would show none of the project's sessions on a
// busy machine.
func TestSlowGit(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	r := testrepo.New(t)
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(r.Home, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	testrepo.WriteScript(t, filepath.Join(bin, "git"), "#!/bin/sh\nsleep 1\nexec '"+git+"' \"$@\"\n")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(slices.Clone(r.Env), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "PROJECT_TEST_DIR="+r.Dir)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), KeyOfRoot(r.Head())+" ") {
		t.Errorf("%s, %v; want %s", out, err, KeyOfRoot(r.Head()))
	}
}

func TestDataDir(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, goos, home string
		env              []string
		want             string
	}{
		{"linux", "linux", "/home/u", nil, "/home/u/.local/share/entire"},
		{"xdg", "linux", "/home/u", []string{"XDG_DATA_HOME=/data"}, "/data/entire"},
		{"the last one counts", "linux", "/home/u", []string{"XDG_DATA_HOME=/a", "XDG_DATA_HOME=/b"}, "/b/entire"},
		{"relative xdg", "linux", "/home/u", []string{"XDG_DATA_HOME=data"}, "/home/u/.local/share/entire"},
		{"mac", "darwin", "/Users/u", nil, "/Users/u/Library/Application Support/entire"},
		{"xdg on a mac", "darwin", "/Users/u", []string{"XDG_DATA_HOME=/data"}, "/data/entire"},
		{"windows", "windows", "/u", []string{"LOCALAPPDATA=/local"}, "/local/entire"},
		{"windows without", "windows", "/u", nil, "/u/AppData/Local/entire"},
		{"no home", "linux", "", nil, ""},
		{"relative home", "linux", "u", nil, ""},
		{"no home but xdg", "linux", "", []string{"XDG_DATA_HOME=/data"}, "/data/entire"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := DataDir(tc.env, tc.home, tc.goos); filepath.ToSlash(got) != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

func FuzzReadKeys(f *testing.F) {
	f.Add([]byte("g-0123456789abcdef\np-0123456789\n"))
	f.Add([]byte("../x"))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "project")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, key := range readKeys(path) {
			if !valid(key) || filepath.Base(key) != key || !filepath.IsLocal(key) {
				t.Errorf("key %q", key)
			}
		}
	})
}
