package histories

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Repo is a repository with its worktrees, in a folder with a home of its own.
type Repo struct {
	Root  string
	Trees []string // the folders of the worktrees below Root, the main one first
	Env   []string

	cmd *exec.Cmd // `git cat-file`, which reads all objects
	in  io.WriteCloser
	out *bufio.Reader
}

// Dir returns the folder of a worktree.
func (r *Repo) Dir(wt int) string { return filepath.Join(r.Root, r.Trees[wt]) }

// GitDir returns a worktree's own git directory.
func (r *Repo) GitDir(wt int) string {
	return filepath.Join(r.Dir(0), ".git", filepath.FromSlash(r.Ref(wt, "")))
}

// Ref names a pseudo ref, such as HEAD, of a worktree for commands in the main one.
func (r *Repo) Ref(wt int, name string) string {
	if wt == 0 {
		return name
	}
	return "worktrees/" + r.Trees[wt] + "/" + name
}

// Head names a worktree's HEAD for commands in the main one.
func (r *Repo) Head(wt int) string { return r.Ref(wt, "HEAD") }

// A Command is one call of a program in a worktree.
type Command struct {
	WT    int
	Sub   string // the folder below the worktree to run it in
	Env   []string
	Stdin string
	Args  []string
	By    *Session // whose agent runs it, nil for a person
}

// Do runs the command as a session's agent, in a call of its shell, or as a person.
func (c Command) Do(run func()) {
	if c.By == nil {
		run()
		return
	}
	c.By.Shell(strings.Join(c.Args, " "), run)
}

// An Outcome is what a command did, as a person sees it.
type Outcome struct {
	Code int
	Out  string
}

// Run runs a command to its end.
func (r *Repo) Run(c Command) Outcome {
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Dir = filepath.Join(r.Dir(c.WT), c.Sub)
	cmd.Env = append(append([]string(nil), r.Env...), c.Env...)
	cmd.Stdin = strings.NewReader(c.Stdin)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		Fail("run", "%v", err)
	}
	return Outcome{cmd.ProcessState.ExitCode(), string(out)}
}

// Git runs git, which must succeed, and returns what it prints.
func (r *Repo) Git(wt int, args ...string) string {
	o := r.Run(Command{WT: wt, Args: append([]string{"git", "--no-optional-locks"}, args...)})
	if o.Code != 0 {
		Fail("git", "git %v: %d %s", args, o.Code, o.Out)
	}
	return o.Out
}

// Close ends the process that reads objects.
func (r *Repo) Close() {
	if r.cmd != nil {
		_ = r.in.Close()
		_ = r.cmd.Wait()
	}
}

// An Object is what a name stands for; Kind is "" when there is nothing.
type Object struct{ ID, Kind, Data string }

// Object reads an object.
func (r *Repo) Object(spec string) (o Object) {
	if r.cmd == nil {
		cmd := exec.Command("git", "cat-file", "--batch")
		cmd.Dir, cmd.Env = r.Dir(0), r.Env
		in, err := cmd.StdinPipe()
		Check("git", err)
		out, err := cmd.StdoutPipe()
		Check("git", err)
		Check("git", cmd.Start())
		r.cmd, r.in, r.out = cmd, in, bufio.NewReader(out)
	}
	_, err := fmt.Fprintf(r.in, "%s\n", spec)
	Check("git", err)
	line, err := r.out.ReadString('\n')
	Check("git", err)
	var size int
	if n, _ := fmt.Sscanf(line, "%s %s %d", &o.ID, &o.Kind, &size); n != 3 {
		return Object{}
	}
	data := make([]byte, size+1)
	_, err = io.ReadFull(r.out, data)
	Check("git", err)
	o.Data = string(data[:size])
	return o
}

// A Commit is a commit as an oracle looks at it.
type Commit struct {
	ID, Tree string
	Parents  []string
	People   string // author and committer with their dates
	Message  string
}

// Commit reads a commit.
func (r *Repo) Commit(spec string) Commit {
	o := r.Object(spec + "^{commit}")
	if o.Kind != "commit" {
		return Commit{}
	}
	head, message, _ := strings.Cut(o.Data, "\n\n")
	c := Commit{ID: o.ID, Message: message}
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "tree":
			c.Tree = value
		case "parent":
			c.Parents = append(c.Parents, value)
		case "author", "committer":
			c.People += value + "\n"
		}
	}
	return c
}

// Subject returns the first line of the message.
func (c Commit) Subject() string {
	line, _, _ := strings.Cut(c.Message, "\n")
	return line
}

// modeOf returns the mode of a File for git's.
func modeOf(git string) string {
	switch git {
	case "120000":
		return "link"
	case "100755":
		return "755"
	}
	return "644"
}

// Files reads a tree object, or that of a commit, whole, without what is in the folders at its top that skip names.
func (r *Repo) Files(id string, skip ...string) Tree {
	out := Tree{}
	r.addFiles(id, "", skip, out)
	return out
}

func (r *Repo) addFiles(id, prefix string, skip []string, into Tree) {
	tree := r.Object(id + "^{tree}")
	data, size := tree.Data, len(tree.ID)/2
	for len(data) > 0 {
		mode, rest, _ := strings.Cut(data, " ")
		name, rest, _ := strings.Cut(rest, "\x00")
		oid := fmt.Sprintf("%x", rest[:size])
		data = rest[size:]
		path := prefix + name
		switch {
		case slices.Contains(skip, path):
		case mode == "40000":
			r.addFiles(oid, path+"/", skip, into)
		default:
			into[path] = File{modeOf(mode), r.Object(oid).Data}
		}
	}
}
