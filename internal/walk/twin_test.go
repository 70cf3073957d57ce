package walk

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// side is one of the two repositories: two worktrees, and a bare remote.
type side struct {
	root string
	env  []string
	cat  *catFile
}

// worktrees are the folders of a side; the first is the main one.
var worktrees = [2]string{"main", "wt"}

func (s *side) dir(wt int) string { return filepath.Join(s.root, worktrees[wt]) }

// gitDir is the worktree's own git directory.
func (s *side) gitDir(wt int) string {
	if wt == 0 {
		return filepath.Join(s.dir(0), ".git")
	}
	return filepath.Join(s.dir(0), ".git", "worktrees", worktrees[wt])
}

func (s *side) head(wt int) string {
	if wt == 0 {
		return "HEAD"
	}
	return "worktrees/" + worktrees[wt] + "/HEAD"
}

// outcome is what a command did, as a person sees it.
type outcome struct {
	code int
	out  string
}

// command is one call of a program, the same on both sides.
type command struct {
	wt    int
	sub   string // the folder below the worktree to run it in
	env   []string
	stdin string
	args  []string
}

func (s *side) run(c command) (outcome, error) {
	cmd := exec.Command(c.args[0], c.args[1:]...)
	cmd.Dir = filepath.Join(s.dir(c.wt), c.sub)
	cmd.Env = append(append([]string(nil), s.env...), c.env...)
	cmd.Stdin = strings.NewReader(c.stdin)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return outcome{}, err
	}
	return outcome{cmd.ProcessState.ExitCode(), string(out)}, nil
}

// git is a read of one side that must succeed.
func (s *side) git(wt int, args ...string) string {
	o, err := s.run(command{wt: wt, args: append([]string{"git", "--no-optional-locks"}, args...)})
	if err != nil || o.code != 0 {
		panic(failure{"git", fmt.Sprintf("git %v: %v %d %s", args, err, o.code, o.out)})
	}
	return o.out
}

var hexadecimal = regexp.MustCompile(`\b[0-9a-f]{7,40}\b`)

// comparable leaves out of a text what must differ between the sides.
func (s *side) comparable(text string) string {
	return hexadecimal.ReplaceAllString(strings.ReplaceAll(text, s.root, "ROOT"), "HEX")
}

// inBoth does something on both sides at once.
func (w *walk) inBoth(do func(*side)) {
	var wg sync.WaitGroup
	var failed [2]any
	for i, s := range []*side{w.real, w.twin} {
		wg.Go(func() {
			defer func() { failed[i] = recover() }()
			do(s)
		})
	}
	wg.Wait()
	for _, f := range failed {
		if f != nil {
			panic(f)
		}
	}
}

// both runs a command of git's on both sides; they must say the same.
func (w *walk) both(c command) outcome {
	w.clock++
	date := fmt.Sprintf("%d +0000", 1767225600+60*w.clock)
	c.env = append(c.env, "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	var got [2]outcome
	w.inBoth(func(s *side) {
		o, err := s.run(c)
		if err != nil {
			panic(failure{"run", err.Error()})
		}
		o.out = withoutTrailers(s.comparable(o.out))
		if s == w.real {
			got[0] = o
		} else {
			got[1] = o
		}
	})
	w.note("%d$ %s -> %d", c.wt, strings.Join(c.args, " "), got[0].code)
	if got[0] != got[1] {
		w.fail("output", "%v: with entire %d %q, without %d %q", c.args, got[0].code, got[0].out, got[1].code, got[1].out)
	}
	return got[0]
}

func (w *walk) git(wt int, args ...string) outcome {
	return w.both(command{wt: wt, args: append([]string{"git"}, args...)})
}

// catFile reads objects of one side in one process.
type catFile struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startCatFile(s *side) (*catFile, error) {
	cmd := exec.Command("git", "cat-file", "--batch")
	cmd.Dir, cmd.Env = s.dir(0), s.env
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &catFile{cmd, in, bufio.NewReader(out)}, cmd.Start()
}

func (c *catFile) close() {
	_ = c.in.Close()
	_ = c.cmd.Wait()
}

// object is what a name stands for; kind is "" when there is nothing.
type object struct{ id, kind, data string }

func (s *side) object(spec string) object {
	if _, err := fmt.Fprintf(s.cat.in, "%s\n", spec); err != nil {
		panic(failure{"git", "cat-file: " + err.Error()})
	}
	line, err := s.cat.out.ReadString('\n')
	if err != nil {
		panic(failure{"git", "cat-file: " + err.Error()})
	}
	var o object
	var size int
	if n, _ := fmt.Sscanf(line, "%s %s %d", &o.id, &o.kind, &size); n != 3 {
		return object{}
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(s.cat.out, data); err != nil {
		panic(failure{"git", "cat-file: " + err.Error()})
	}
	o.data = string(data[:size])
	return o
}

// commit is a commit as the walk looks at it.
type commit struct {
	id, tree string
	parents  []string
	people   string // author and committer with their dates
	message  string
}

func (s *side) commit(spec string) commit {
	o := s.object(spec + "^{commit}")
	if o.kind != "commit" {
		return commit{}
	}
	head, message, _ := strings.Cut(o.data, "\n\n")
	c := commit{id: o.id, message: message}
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "tree":
			c.tree = value
		case "parent":
			c.parents = append(c.parents, value)
		case "author", "committer":
			c.people += value + "\n"
		}
	}
	return c
}

func (c commit) subject() string {
	line, _, _ := strings.Cut(c.message, "\n")
	return line
}

// file is what stands at a path: mode "644", "755" or "link"; "" for nothing.
type file struct{ mode, text string }

// tree is files by path; nothing of git's or entire's.
type tree map[string]file

// ours reports paths that no walk touches.
func ours(path string) bool {
	top, _, _ := strings.Cut(path, "/")
	return top == ".git" || top == ".entire" || top == ".claude"
}

func modeOf(git string) string {
	switch git {
	case "120000":
		return "link"
	case "100755":
		return "755"
	}
	return "644"
}

// files reads a tree object whole.
func (s *side) files(id string, known map[string]tree) tree {
	if t, ok := known[id]; ok {
		return t
	}
	t := tree{}
	s.addFiles(id, "", t)
	known[id] = t
	return t
}

func (s *side) addFiles(id, prefix string, into tree) {
	data := s.object(id + "^{tree}").data
	for len(data) > 0 {
		mode, rest, _ := strings.Cut(data, " ")
		name, rest, _ := strings.Cut(rest, "\x00")
		oid := fmt.Sprintf("%x", rest[:20])
		data = rest[20:]
		path := prefix + name
		switch {
		case ours(path):
		case mode == "40000":
			s.addFiles(oid, path+"/", into)
		default:
			into[path] = file{modeOf(mode), s.object(oid).data}
		}
	}
}

// worktree reads the files that lie there, ignored ones included.
func (s *side) worktree(wt int) tree {
	t := tree{}
	top := s.dir(wt)
	err := filepath.WalkDir(top, func(full string, d fs.DirEntry, err error) error {
		if err != nil || full == top {
			return err
		}
		path, _ := filepath.Rel(top, full)
		if ours(path) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		t[path], err = readFile(full)
		return err
	})
	if err != nil {
		panic(failure{"read", err.Error()})
	}
	return t
}

func readFile(full string) (file, error) {
	info, err := os.Lstat(full)
	if err != nil {
		return file{}, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(full)
		return file{"link", target}, err
	}
	data, err := os.ReadFile(full)
	if info.Mode()&0o100 != 0 {
		return file{"755", string(data)}, err
	}
	return file{"644", string(data)}, err
}

// put makes the path of a worktree hold f.
func (s *side) put(wt int, path string, f file) {
	full := filepath.Join(s.dir(wt), path)
	err := os.Remove(full)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil && f.mode != "" {
		err = os.MkdirAll(filepath.Dir(full), 0o755)
	}
	if err == nil {
		switch f.mode {
		case "":
		case "link":
			err = os.Symlink(f.text, full)
		case "755":
			err = os.WriteFile(full, []byte(f.text), 0o755)
		default:
			err = os.WriteFile(full, []byte(f.text), 0o644)
		}
	}
	if err != nil {
		panic(failure{"write", err.Error()})
	}
}

func (w *walk) put(wt int, path string, f file) {
	w.real.put(wt, path, f)
	w.twin.put(wt, path, f)
}
