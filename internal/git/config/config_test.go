package config

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/testrepo"
)

// at reads the configuration of r's git.
func at(t testing.TB, r *testrepo.Repo) (*Config, bool) {
	t.Helper()
	dir := filepath.Join(r.Dir, ".git")
	return Read(Place{Env: r.Env, Program: git(t), CommonDir: dir, GitDir: dir})
}

// git returns a program, not a script, that is called git: folders above it have no files of git.
func git(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "git")
	write(t, file, "\x7fELF")
	return file
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// pieces that random configurations are made of.
var pieces = []string{
	"[core]\n", "[Core]", "[core \"a b\"]\n", `[core "x\"y"]`, "[core.Sub]\n", "[user]\n\t", "[user] ", "name = A\n", "Name=B C\n", "\tname = \"quoted # here\" ; comment\n",
	"name = a\\tb\\\n c\n", "name\n", "name = \n", "name = x  y \t z\n", "name = \\x\n", "# comment\n", "; [user]\n", "  \t\n", "\r\n", "name = end\r\n", "name = \"un\n", "é", "name = é ü\n",
	"[user]name=now # then\n", "name = a\"b c\"d  \n", "name = \\\\ \\\" \\n\n", "email-x = 1\n", "name = x  \\\n\n", "name = \va\fb\v\n", "\f\n", "2 = 3\n", "[bad section]\n", "[core]]\n", "name = last", "[user]\nname = last",
}

func TestAValueIsTheOneThatGitReads(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	file := filepath.Join(r.Home, "random")
	random := rand.New(rand.NewPCG(1, 2))
	agreed := 0
	for range testrepo.Amount(200, 4000) {
		var text strings.Builder
		text.WriteString("[user]\n")
		for range 1 + random.IntN(5) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		write(t, file, text.String())
		out, err := r.TryGit("config", "--file", file, "-z", "--list")
		want := map[string]string{}
		for record := range strings.SplitSeq(out, "\x00") {
			key, value, _ := strings.Cut(record, "\n")
			want[key] = value
		}
		c := &Config{}
		if !c.read(file, true, 0) {
			continue
		}
		if err != nil {
			t.Fatalf("read what git refuses: %v\n%s", err, text.String())
		}
		for _, e := range c.entries {
			value, set, sure := c.Last(e.key)
			if had, there := want[e.key]; !set || !there || sure && had != value {
				t.Errorf("%s is %q, git says %q (%v)\n%s", e.key, value, had, there, text.String())
			}
			if sure {
				agreed++
			}
		}
		if got := len(c.entries); got < len(want)-1 {
			t.Errorf("%d variables, git knows %d\n%s", got, len(want), text.String())
		}
	}
	if agreed < 50 {
		t.Errorf("only %d values were certain", agreed)
	}
}

func FuzzParse(f *testing.F) {
	for _, piece := range pieces {
		f.Add("[a]\n" + piece)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parse(text, func(key, _ string, _ bool) {
			if !strings.Contains(key, ".") {
				t.Errorf("key %q", key)
			}
		})
	})
}

func TestTheLastFileCounts(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	r.Unsetenv("GIT_CONFIG_GLOBAL")
	write(t, filepath.Join(r.Home, ".config/git/config"), "[one]\na=xdg\n[two]\na=xdg\n[three]\na=xdg\n")
	write(t, filepath.Join(r.Home, ".gitconfig"), "[two]\na=home\n[three]\na=home\n[include]\npath=more\npath=~/none\n[includeIf \"gitdir:/nowhere/\"]\npath=some\n")
	write(t, filepath.Join(r.Home, "more"), "[four]\na=included\n")
	write(t, filepath.Join(r.Home, "some"), "[four]\na=perhaps\n[three]\na=perhaps\n[five]\na=perhaps\n")
	r.Git("config", "three.a", "repository")
	r.Git("config", "extensions.worktreeConfig", "true")
	r.Git("config", "--worktree", "six.a", "worktree")
	c, ok := at(t, r)
	if !ok {
		t.Fatal("not understood")
	}
	got := ""
	for _, key := range []string{"one.a", "two.a", "three.a", "four.a", "five.a", "six.a", "seven.a"} {
		value, set, sure := c.Last(key)
		if now, err := r.TryGit("config", key); sure && set != (err == nil) || sure && now != value {
			t.Errorf("%s: %q, git says %q", key, value, now)
		}
		got += fmt.Sprint(value, " ", set, " ", sure, "; ")
	}
	if want := "xdg true true; home true true; repository true true; perhaps true false; perhaps true false; worktree true true;  false true; "; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestWhatOnlyGitCanRead(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(r *testrepo.Repo){
		"on the command line":   func(r *testrepo.Repo) { r.Setenv("GIT_CONFIG_PARAMETERS", "'a.b'='c'") },
		"in the environment":    func(r *testrepo.Repo) { r.Setenv("GIT_CONFIG_COUNT", "0") },
		"no home":               func(r *testrepo.Repo) { r.Unsetenv("HOME") },
		"global, relative":      func(r *testrepo.Repo) { r.Setenv("GIT_CONFIG_GLOBAL", "more") },
		"system, relative":      func(r *testrepo.Repo) { r.Unsetenv("GIT_CONFIG_NOSYSTEM"); r.Setenv("GIT_CONFIG_SYSTEM", "more") },
		"user's, relative":      func(r *testrepo.Repo) { r.Unsetenv("GIT_CONFIG_GLOBAL"); r.Setenv("XDG_CONFIG_HOME", ".config") },
		"global in an empty":    func(r *testrepo.Repo) { r.Setenv("GIT_CONFIG_GLOBAL", "") },
		"a folder":              func(r *testrepo.Repo) { r.Setenv("GIT_CONFIG_GLOBAL", r.Dir) },
		"no configuration":      func(r *testrepo.Repo) { write(t, filepath.Join(r.Home, ".gitconfig"), "[user\n") },
		"include of ~other":     func(r *testrepo.Repo) { write(t, filepath.Join(r.Home, ".gitconfig"), "[include]\npath=~other/x\n") },
		"include in a circle":   func(r *testrepo.Repo) { write(t, filepath.Join(r.Home, ".gitconfig"), "[include]\npath=.gitconfig\n") },
		"include without value": func(r *testrepo.Repo) { write(t, filepath.Join(r.Home, ".gitconfig"), "[include]\npath\n") },
	} {
		r := testrepo.New(t)
		if _, ok := at(t, r); !ok {
			t.Fatal("an ordinary configuration is not understood")
		}
		change(r)
		if _, ok := at(t, r); ok {
			t.Errorf("%s: read without git", name)
		}
	}
}

// TestAnotherProgramMayStartAnyGit: a script, and a program that is called by the names of many, as managers of versions do.
func TestAnotherProgramMayStartAnyGit(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	folder := t.TempDir()
	script, manager, shim, link := filepath.Join(folder, "git"), filepath.Join(folder, "manager"), filepath.Join(folder, "shims/git"), filepath.Join(folder, "bin/git")
	write(t, script, "#!/bin/sh\nexec /opt/git \"$@\"\n")
	write(t, manager, "\x7fELF")
	for at, to := range map[string]string{shim: manager, link: git(t)} {
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, at); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(r.Dir, ".git")
	for file, want := range map[string]bool{script: false, shim: false, link: true} {
		if _, ok := Read(Place{Env: r.Env, Program: file, CommonDir: dir, GitDir: dir}); ok != want {
			t.Errorf("%s: read without git: %t", file, ok)
		}
	}
}

// TestFilesOfTheMachine: they are found in every folder above the program, and what they say
// counts only until a certain file says it, too.
func TestFilesOfTheMachine(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	r.Unsetenv("GIT_CONFIG_NOSYSTEM")
	prefix := t.TempDir()
	program := filepath.Join(prefix, "Cellar/git/2/bin/git")
	write(t, program, "\x7fELF")
	write(t, filepath.Join(prefix, "etc/gitconfig"), "[x]\na=machine\nb=machine\n")
	r.Git("config", "x.b", "repository")
	dir := filepath.Join(r.Dir, ".git")
	read := func() *Config {
		c, ok := Read(Place{Env: r.Env, Program: program, CommonDir: dir, GitDir: dir})
		if !ok {
			t.Fatal("not understood")
		}
		return c
	}
	if value, set, sure := read().Last("x.a"); value != "machine" || !set || sure {
		t.Errorf("%q %v %v", value, set, sure)
	}
	if value, _, sure := read().Last("x.b"); value != "repository" || !sure {
		t.Errorf("%q %v", value, sure)
	}
	if !read().Attributes(r.Dir).Plain("a/b") {
		t.Error("no attributes, and not plain")
	}
	for _, file := range []string{"etc/gitattributes", "Cellar/share/git-core/gitattributes"} {
		file = filepath.Join(prefix, file)
		write(t, file, "*.x filter=y\n")
		if read().Attributes(r.Dir).Plain("a/b") {
			t.Errorf("%s is not seen", file)
		}
		os.Remove(file)
	}
}
