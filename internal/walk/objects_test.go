package walk

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

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
