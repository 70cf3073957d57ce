package hooks_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/hooks"
	"entire/internal/git"
	"entire/internal/testrepo"
)

// place is a repository with a stand-in for entire on PATH that logs its calls.
type place struct {
	*testrepo.Repo
	t      *testing.T
	target hooks.Target
	log    string
}

// standIn logs one line per call: arguments in brackets, for pre-push also the
// URL and standard input. It empties the message as the tool does.
const standIn = `#!/bin/sh
{
	printf 'entire'
	for arg; do printf ' [%s]' "$arg"; done
	if [ "$3" = pre-push ]; then printf ' url=%s stdin=' "$ENTIRE_PUSH_URL"; tr '\n' ';'; fi
	echo
} >>"$ENTIRE_TEST_LOG"
if [ "$3" = commit-msg ] && ! grep -q '^[a-z]' "$4"; then : >"$4"; fi
`

func newPlace(t *testing.T, repo *testrepo.Repo) *place {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "bin")
	p := &place{Repo: repo, t: t, log: filepath.Join(t.TempDir(), "log")}
	write(t, filepath.Join(bin, "entire"), standIn, 0o755)
	repo.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	repo.Setenv("ENTIRE_TEST_LOG", p.log)
	p.locate()
	return p
}

func (p *place) locate() {
	p.t.Helper()
	repo, err := git.Discover(p.t.Context(), p.Dir, p.Env)
	if err != nil {
		p.t.Fatal(err)
	}
	if p.target, err = hooks.Locate(p.t.Context(), repo); err != nil {
		p.t.Fatal(err)
	}
}

// missing takes the stand-in off PATH.
func (p *place) missing() { p.Setenv("PATH", os.Getenv("PATH")) }

func (p *place) install(opts hooks.Options) hooks.Report {
	p.t.Helper()
	report, err := hooks.Install(p.t.Context(), p.target, opts)
	if err != nil {
		p.t.Fatal(err)
	}
	return report
}

func (p *place) uninstall() hooks.Report {
	p.t.Helper()
	report, err := hooks.Uninstall(p.t.Context(), p.target)
	if err != nil {
		p.t.Fatal(err)
	}
	return report
}

// hook writes a foreign hook.
func (p *place) hook(name, content string, mode os.FileMode) {
	p.t.Helper()
	write(p.t, filepath.Join(p.target.Dir, name), content, mode)
}

// calls returns the log since the last call, without the names of message files.
func (p *place) calls() string {
	p.t.Helper()
	data, err := os.ReadFile(p.log)
	if err != nil && !os.IsNotExist(err) {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.log, nil, 0o644); err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

func (p *place) state() hooks.State { return hooks.Installed(p.target) }

func write(t testing.TB, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestCommitCallsUs(t *testing.T) {
	t.Parallel()
	p := newPlace(t, testrepo.New(t))
	if got := p.state(); got != hooks.None {
		t.Errorf("state before: %s", got)
	}
	p.install(hooks.Options{})
	if got := p.state(); got != hooks.All {
		t.Errorf("state after: %s", got)
	}
	p.Commit("work")
	want := "entire [hooks] [git] [prepare-commit-msg] [.git/COMMIT_EDITMSG] [message]\n" +
		"entire [hooks] [git] [post-commit]\n"
	if got := p.calls(); got != want {
		t.Errorf("calls:\n%swant:\n%s", got, want)
	}
}

func TestPushCallsUsWithNameURLAndRefs(t *testing.T) {
	t.Parallel()
	p := newPlace(t, testrepo.New(t))
	remote := p.Clone("--bare").Dir
	p.Git("remote", "add", "there", remote)
	p.install(hooks.Options{})
	p.Commit("work")
	p.calls()
	p.Git("push", "-q", "there", "main")
	want := "entire [hooks] [git] [pre-push] [there] url=" + remote + " stdin=refs/heads/main " + p.Head() + " refs/heads/main "
	if got := p.calls(); !strings.HasPrefix(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
}

func TestNoHookFailsGitForUs(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		damage func(p *place)
		opts   hooks.Options
	}{
		{"missing", (*place).missing, hooks.Options{}},
		{"missing where it was recorded, too", (*place).missing, hooks.Options{Program: "/no/such/entire"}},
		{"failing", func(p *place) { p.replaceTool("#!/bin/sh\necho oops >&2\nexit 3\n", 0o755) }, hooks.Options{}},
		{"not for this machine", func(p *place) { p.replaceTool("\x7fELF\x00\x00", 0o755) }, hooks.Options{}},
		{"without go", func(p *place) { p.onlyGit() }, hooks.Options{LocalDev: true}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, testrepo.New(t))
			p.Git("remote", "add", "there", p.Clone("--bare").Dir)
			p.install(row.opts)
			row.damage(p)
			p.Write("a", "1")
			p.Commit("work")
			p.Git("push", "-q", "there", "main")
			p.Write("message", "\nEntire-Checkpoint: a3b2c4d5e6f7\n")
			p.Git("commit", "-q", "--allow-empty", "-F", "message")
		})
	}
}

func (p *place) replaceTool(content string, mode os.FileMode) {
	for _, entry := range p.Env {
		if path, ok := strings.CutPrefix(entry, "PATH="); ok {
			bin, _, _ := strings.Cut(path, string(os.PathListSeparator))
			write(p.t, filepath.Join(bin, "entire"), content, mode)
		}
	}
}

// onlyGit leaves a PATH without go and entire.
func (p *place) onlyGit() {
	p.t.Helper()
	bin := p.t.TempDir()
	for _, name := range []string{"git", "cat"} {
		path, err := p.lookPath(name)
		if err != nil {
			p.t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			p.t.Fatal(err)
		}
	}
	p.Setenv("PATH", bin)
}

func (p *place) lookPath(name string) (string, error) {
	out, err := p.Command("sh", "-c", `command -v "$1"`, "sh", name).Output()
	return strings.TrimSpace(string(out)), err
}

// With another PATH, as in a login shell or a graphical client, the hooks use the program
// whose place was recorded, wherever they and the worktree are; no script names it.
func TestProgramIsFoundWhereItWasRecorded(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		repo func(t *testing.T) *testrepo.Repo
	}{
		{"plain", func(t *testing.T) *testrepo.Repo { return testrepo.New(t) }},
		{"odd name", func(t *testing.T) *testrepo.Repo { return testrepo.New(t, testrepo.Named("a 'b' \"c\" $d\\\n`e`")) }},
		{"linked worktree", func(t *testing.T) *testrepo.Repo { return testrepo.New(t).Worktree("side") }},
		{"submodule", func(t *testing.T) *testrepo.Repo { return testrepo.New(t).Submodule("lib") }},
		{"separate git dir", func(t *testing.T) *testrepo.Repo { return testrepo.New(t, testrepo.SeparateGitDir()) }},
		{"core.hooksPath in the worktree", func(t *testing.T) *testrepo.Repo {
			r := testrepo.New(t)
			r.Git("config", "core.hooksPath", "my hooks")
			return r
		}},
		{"core.hooksPath in a linked worktree", func(t *testing.T) *testrepo.Repo {
			r := testrepo.New(t)
			r.Git("config", "core.hooksPath", ".githooks")
			return r.Worktree("side")
		}},
		{"husky", func(t *testing.T) *testrepo.Repo {
			r := testrepo.New(t)
			r.Write(".husky/_/h", "#!/usr/bin/env sh\nexit 0\n")
			r.Git("config", "core.hooksPath", ".husky/_")
			return r
		}},
		{"an earlier hook of the person's", func(t *testing.T) *testrepo.Repo {
			r := testrepo.New(t)
			r.Write(".git/hooks/post-commit", "#!/bin/sh -e\nfalse || true\n")
			if err := os.Chmod(r.Path(".git/hooks/post-commit"), 0o755); err != nil {
				t.Fatal(err)
			}
			return r
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, row.repo(t))
			program := filepath.Join(t.TempDir(), `it's "$HOME"\ mine`, "entire")
			write(t, program, standIn, 0o755)
			p.install(hooks.Options{Program: program})
			p.missing()
			p.Write("sub/a", "1")
			p.Git("add", "-A")
			p.In("sub").Git("commit", "-q", "-m", "work")
			if got := p.calls(); strings.Count(got, "\n") != 2 || !strings.Contains(got, "[post-commit]") {
				t.Errorf("calls: %q", got)
			}
			for _, name := range hooks.Names() {
				if got := read(t, filepath.Join(p.target.Dir, name)); strings.Contains(got, "mine") {
					t.Errorf("a script names a program of this machine:\n%s", got)
				}
			}
			write(t, program, "", 0o644)
			if out, err := p.TryGit("commit", "--allow-empty", "-m", "more"); err != nil || strings.Contains(out, "entire") {
				t.Errorf("without the program: %v, output %s", err, out)
			}
		})
	}
}

// What is on PATH comes before what was recorded: the recorded one may be older.
func TestProgramOnPathComesFirst(t *testing.T) {
	t.Parallel()
	p := newPlace(t, testrepo.New(t))
	program := filepath.Join(t.TempDir(), "entire")
	write(t, program, "#!/bin/sh\necho recorded >>\"$ENTIRE_TEST_LOG\"\n", 0o755)
	p.install(hooks.Options{Program: program})
	p.Commit("work")
	if got := p.calls(); strings.Contains(got, "recorded") || !strings.Contains(got, "[post-commit]") {
		t.Errorf("calls: %q", got)
	}
}

func TestHooksThatMayBeCommittedRunNoSource(t *testing.T) {
	t.Parallel()
	p := newPlace(t, testrepo.New(t))
	p.Git("config", "core.hooksPath", ".githooks")
	p.locate()
	p.install(hooks.Options{LocalDev: true})
	for _, name := range hooks.Names() {
		if got := p.Read(".githooks/" + name); strings.Contains(got, "go run") {
			t.Errorf("a hook that may be committed runs the worktree's source:\n%s", got)
		}
	}
}

// The scripts of an earlier version are told apart from those that somebody has edited.
func TestOutdated(t *testing.T) {
	t.Parallel()
	p := newPlace(t, testrepo.New(t))
	p.install(hooks.Options{LocalDev: true})
	if !hooks.Outdated(p.target, hooks.Options{}) {
		t.Error("scripts written with other options are as they should be")
	}
	p.install(hooks.Options{})
	if hooks.Outdated(p.target, hooks.Options{}) {
		t.Error("scripts just written are outdated")
	}
	p.hook("commit-msg", p.Read(".git/hooks/commit-msg")+"# mine\n", 0o755)
	p.hook("pre-push", "#!/bin/sh\n# Entire CLI hooks\nentire hooks git pre-push \"$1\" || true\n", 0o755)
	if hooks.Outdated(p.target, hooks.Options{}) {
		t.Error("an edited script, or another tool's, is outdated")
	}
	p.Git("config", "core.hooksPath", ".githooks")
	p.locate()
	p.install(hooks.Options{})
	p.hook("post-commit", hooks.Render("post-commit", hooks.Options{LocalDev: true}), 0o755)
	if hooks.Outdated(p.target, hooks.Options{}) {
		t.Error("a script in the worktree is to be changed without being asked")
	}
}

func TestInstallIsIdempotent(t *testing.T) {
	t.Parallel()
	p := newPlace(t, testrepo.New(t))
	p.hook("commit-msg", "#!/bin/sh\nexit 0\n", 0o755)
	p.install(hooks.Options{})
	before := p.In(".git/hooks").Snapshot()
	report := p.install(hooks.Options{})
	after := p.In(".git/hooks").Snapshot()
	if len(report.Written) > 0 || len(after) != len(before) {
		t.Errorf("second install: %+v", report)
	}
	for path, file := range before {
		if after[path] != file {
			t.Errorf("%s changed: %v, was %v", path, after[path], file)
		}
	}
	if got := p.install(hooks.Options{LocalDev: true}); len(got.Written) != len(hooks.Names()) {
		t.Errorf("other options rewrote %v", got.Written)
	}
}

func TestInstallReplacesTheOtherToolsHooks(t *testing.T) {
	t.Parallel()
	p := newPlace(t, testrepo.New(t))
	p.hook("commit-msg", "#!/bin/sh\n# Entire CLI hooks\nentire hooks git commit-msg \"$1\" || exit 1\n", 0o755)
	if got := p.state(); got != hooks.Partial {
		t.Errorf("state %s", got)
	}
	if report := p.install(hooks.Options{}); len(report.Chained)+len(report.Warnings) > 0 {
		t.Errorf("report %+v", report)
	}
	p.uninstall()
	if p.Exists(".git/hooks/commit-msg") || p.Exists(".git/hooks/commit-msg.pre-entire") {
		t.Error("the other tool's hook outlived uninstall")
	}
}

func TestEditedHookIsKept(t *testing.T) {
	t.Parallel()
	p := newPlace(t, testrepo.New(t))
	p.install(hooks.Options{})
	edited := p.Read(".git/hooks/post-commit") + "echo mine\n"
	p.hook("post-commit", edited, 0o755)
	report := p.install(hooks.Options{})
	if got := p.Read(".git/hooks/post-commit.entire-edited"); got != edited || len(report.Warnings) != 1 {
		t.Errorf("kept %q, report %+v", got, report)
	}
	p.hook("post-commit", edited+"echo more\n", 0o755)
	p.uninstall()
	if got := p.Read(".git/hooks/post-commit.entire-edited.1"); got != edited+"echo more\n" {
		t.Errorf("kept %q", got)
	}
	if p.Exists(".git/hooks/post-commit") {
		t.Error("an edited hook outlived uninstall")
	}
}
