//go:build soak

package soak

import (
	"bufio"
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/testrepo"
)

// place is a repository in which entire is enabled for Claude Code.
type place struct {
	*testrepo.Repo
	t      testing.TB
	logged map[string]int // lines of each log that were looked at
}

func newPlace(t testing.TB) *place {
	t.Helper()
	files := map[string]string{".gitignore": "*.log\n.env\nbuild/\n"}
	for i := range 40 {
		files[fmt.Sprintf("src/d%d/f%d.txt", i%5, i)] = text(i, 3000)
	}
	r := testrepo.New(t, testrepo.Files(files))
	r.Setenv("PATH", filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
	p := &place{Repo: r, t: t, logged: map[string]int{}}
	p.Write(".env", "TOKEN=mine\n")
	p.Write("build/out.o", "objects\n")
	p.entire("enable", "--agent", "claude-code", "--telemetry=false")
	p.Git("add", "-A")
	p.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "enable entire")
	return p
}

// entire runs a command of ours to its end and returns its standard output.
func (p *place) entire(args ...string) string {
	p.t.Helper()
	cmd := p.Command(binary, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("entire %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}

// text is deterministic prose of about n bytes, another one for each number.
func text(number, n int) string {
	words := strings.Fields("buffer cache client codec cursor digest driver event filter frame handler index kernel layout mapper object packet parser queue reader")
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "the %s of %s %d keeps its %s\n", words[(i+number)%20], words[(i*7+number)%20], number, words[(i*3)%20])
	}
	return b.String()
}

// files are the worktree's files with their contents, without git's and ours.
func (p *place) files() map[string]string {
	p.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(p.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(p.Dir, path)
		switch {
		case rel == ".git" || rel == ".entire" || rel == ".claude":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		data, err := os.ReadFile(path)
		out[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

// differing names the paths in which two states differ.
func differing(a, b map[string]string) []string {
	var out []string
	for path, content := range a {
		if other, ok := b[path]; !ok || other != content {
			out = append(out, path)
		}
	}
	for path := range b {
		if _, ok := a[path]; !ok {
			out = append(out, path)
		}
	}
	return out
}

// differsFrom names the paths whose file is not as in the commit. Files that
// git ignores and ours are left out.
func (p *place) differsFrom(commit string) []string {
	p.t.Helper()
	stored, files := map[string]string{}, map[string]string{}
	for _, entry := range strings.Split(p.Git("ls-tree", "-r", "-z", commit), "\x00") {
		meta, path, ok := strings.Cut(entry, "\t")
		if ok && !strings.HasPrefix(path, ".entire/") && !strings.HasPrefix(path, ".claude/") {
			stored[path] = strings.Fields(meta)[2]
		}
	}
	for path, content := range p.files() {
		if path != ".env" && !strings.HasPrefix(path, "build/") {
			files[path] = fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(content), content)))
		}
	}
	return differing(stored, files)
}

// fsck reports what git finds wrong.
func (p *place) fsck(whole bool) error {
	args := []string{"fsck", "--no-dangling", "--no-progress"}
	if !whole {
		args = append(args, "--connectivity-only")
	}
	out, err := p.TryGit(args...)
	if err == nil && out != "" {
		err = fmt.Errorf("git fsck: %s", out)
	}
	return err
}

// gitLocks are the lock files of git that stand in the repository.
func (p *place) gitLocks() []string {
	var out []string
	_ = filepath.WalkDir(filepath.Join(p.Dir, ".git"), func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(filepath.Join(p.Dir, ".git"), path)
		ours := strings.HasPrefix(rel, "entire") // advisory locks: their files stay
		if err == nil && !d.IsDir() && strings.HasSuffix(rel, ".lock") && !ours {
			out = append(out, rel)
		}
		return nil
	})
	return out
}

// complaints are the errors that hooks logged since the last call. A hook never
// fails aloud.
func (p *place) complaints() []string {
	var out []string
	logs, _ := filepath.Glob(filepath.Join(p.Dir, ".entire", "logs", "*.log"))
	for _, path := range logs {
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		n := 0
		for sc := bufio.NewScanner(f); sc.Scan(); {
			if n++; n <= p.logged[path] {
				continue
			}
			var rec struct{ Level, Msg, Err string }
			if json.Unmarshal(sc.Bytes(), &rec) == nil && (rec.Level == "ERROR" || rec.Level == "WARN") {
				out = append(out, rec.Level+" "+rec.Msg+": "+rec.Err)
			}
		}
		p.logged[path] = n
		f.Close()
	}
	return out
}

// withoutPostCommit is a PATH on which post-commit finds an entire that does
// nothing: the test runs the hook itself.
func (p *place) withoutPostCommit() string {
	p.t.Helper()
	dir := filepath.Join(p.Home, "bin")
	script := "#!/bin/sh\n[ \"$3\" = post-commit ] || exec '" + binary + "' \"$@\"\n"
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	testrepo.WriteScript(p.t, filepath.Join(dir, "entire"), script)
	return dir + string(os.PathListSeparator) + os.Getenv("PATH")
}
