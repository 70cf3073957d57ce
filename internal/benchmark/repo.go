package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// repo is one worktree in the lab.
type repo struct {
	*lab
	dir   string
	files []string // tracked files at the start
	words prose
}

// noHooks makes git commit without hooks.
var noHooks = []string{"-c", "core.hooksPath=/dev/null"}

// began is the start of the generated history, in Unix seconds.
const began = 1750000000

// plain makes a packed repository with n tracked files and a clean, settled index. Repositories of one
// size are copies.
func (l *lab) plain(n int) *repo {
	l.repos++
	r := &repo{lab: l, dir: filepath.Join(l.dir, fmt.Sprintf("r%d-%d", l.repos, n)), words: newProse(uint64(1000 + l.repos))}
	template := filepath.Join(l.dir, fmt.Sprintf("template-%d", n))
	r.files = newProse(uint64(n)).paths(n)
	if _, err := os.Stat(template); err != nil {
		l.template(template, r.files)
	}
	if l.ok() {
		l.check(os.CopyFS(filepath.Join(r.dir, ".git"), os.DirFS(filepath.Join(template, ".git"))))
	}
	r.git("reset", "-q", "--hard")
	r.settle()
	return r
}

// repo makes a repository like plain, with entire enabled and its files committed.
func (l *lab) repo(n int) *repo {
	r := l.plain(n)
	r.enable()
	return r
}

func (r *repo) enable() {
	r.run(r.dir, "entire", "enable", "--agent", "claude-code", "--telemetry=false")
	r.git("add", "-A")
	r.git(append(noHooks, "commit", "-q", "-m", "enable entire")...)
	r.settle()
}

func (r *repo) git(args ...string) string {
	return r.run(r.dir, append([]string{"git"}, args...)...)
}

// settle waits until the index is newer than the files it lists. Until then, git status would read all
// of them.
func (r *repo) settle() {
	if r.ok() {
		time.Sleep(1100 * time.Millisecond)
		r.git("update-index", "-q", "--refresh")
		r.git("status", "--porcelain")
	}
}

func (l *lab) template(dir string, files []string) {
	l.check(os.MkdirAll(dir, 0o755))
	l.run(dir, "git", "init", "-q")
	words := newProse(uint64(len(files)) + 1)
	l.fastImport(dir, func(w *stream) {
		w.commit("refs/heads/main", began, "first\n", "")
		w.file(".gitignore", "node_modules/\n*.log\n")
		few := words.bodies(1000)
		for i, path := range files {
			if len(files) >= largeFrom {
				w.file(path, few[i%len(few)])
				continue
			}
			w.file(path, words.text(800+words.IntN(6000)))
		}
		for i := range 10 {
			w.commit("refs/heads/main", began+3600*(i+1), words.sentence(5)+"\n", "")
			for range 5 {
				w.file(words.pick(files), words.text(3000))
			}
		}
	})
	l.run(dir, "git", "gc", "-q")
}

// stream is the input of git fast-import.
type stream struct{ *bufio.Writer }

func (w *stream) data(text string) { fmt.Fprintf(w, "data %d\n%s\n", len(text), text) }

// commit begins a commit on ref. from is only needed if ref exists and the stream has not written it.
func (w *stream) commit(ref string, when int, message, from string) {
	fmt.Fprintf(w, "commit %s\ncommitter Bench <bench@example.com> %d +0000\n", ref, when)
	w.data(message)
	if from != "" {
		fmt.Fprintf(w, "from %s\n", from)
	}
}

func (w *stream) file(path, content string) {
	fmt.Fprintf(w, "M 100644 inline %s\n", path)
	w.data(content)
}

func (l *lab) fastImport(dir string, fill func(*stream)) {
	if !l.ok() {
		return
	}
	in, out := io.Pipe()
	cmd := exec.CommandContext(l.ctx, "git", "fast-import", "--quiet", "--force")
	var stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stderr = dir, l.env, in, &stderr
	go func() {
		w := &stream{bufio.NewWriterSize(out, 1<<20)}
		fill(w)
		out.CloseWithError(w.Flush())
	}()
	err := cmd.Run()
	in.Close()
	if err != nil {
		l.check(fmt.Errorf("git fast-import: %w\n%s", err, stderr.String()))
	}
}

// touch appends a line to n tracked files, as a person's change.
func (r *repo) touch(n int) {
	for range n {
		path := filepath.Join(r.dir, r.words.pick(r.files))
		r.write(path, append(r.read(path), "// "+r.words.sentence(5)+strconv.Itoa(r.words.IntN(1e9))+"\n"...))
	}
}

// commitPlain stages everything and commits without hooks.
func (r *repo) commitPlain() sample {
	r.git("add", "-A")
	return r.measure(r.dir, nil, append(append([]string{"git"}, noHooks...), "commit", "-q", "-m", "plain work")...)
}

// commit stages everything and commits with the hooks.
func (r *repo) commit() sample {
	r.git("add", "-A")
	return r.measure(r.dir, nil, "git", "commit", "-q", "-m", "hooked work")
}

// commitLinked makes a commit and checks that it was linked.
func (r *repo) commitLinked() sample {
	s := r.commit()
	if r.trailer() == "" {
		r.check(fmt.Errorf("%s: a commit with an agent's work was not linked", r.dir))
	}
	return s
}

func (r *repo) trailer() string {
	return r.git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)")
}

// status runs git status, the reference for the agent's hooks.
func (r *repo) status() sample {
	return r.measure(r.dir, nil, "git", "--no-optional-locks", "status", "--porcelain")
}

// stored returns the size of .git: in bytes, and on disk.
func (r *repo) stored() (size, onDisk int64) {
	if !r.ok() {
		return 0, 0
	}
	err := filepath.WalkDir(filepath.Join(r.dir, ".git"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := d.Info()
		if err == nil {
			size += fi.Size()
			onDisk += blocks(fi)
		}
		return err
	})
	r.check(err)
	return size, onDisk
}

// replace makes path a new file with the same content and time.
func (l *lab) replace(path string) {
	fi, err := os.Stat(path)
	if !l.check(err) || fi.IsDir() || strings.HasSuffix(path, ".lock") {
		return
	}
	l.write(path+"~", l.read(path))
	l.check(os.Chtimes(path+"~", fi.ModTime(), fi.ModTime()))
	l.check(os.Rename(path+"~", path))
}
