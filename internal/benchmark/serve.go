package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Blame for an editor: a file of this many lines, written by that many linked commits.
const (
	servedLines   = 20_000
	servedCommits = 500
	servedEdits   = 200
)

// serves measures what an editor waits for: the first owners of a file beside git blame, and those
// after an edit of one line, by the clock. In the second half of the edits the buffer differs from the
// file at both ends.
func serves(l *lab) {
	commits := servedCommits
	if l.reps == short.reps {
		commits = blamedCommits
	}
	r := l.repo(l.sizes[0])
	path := r.writtenByCommits(servedLines, commits)
	s := map[string]series{}
	for range l.reps {
		if r.ok() {
			l.check(os.RemoveAll(filepath.Join(r.dir, ".git", "entire", "cache")))
		}
		s["git"] = append(s["git"], r.measure(r.dir, nil, "git", "blame", path))
		s["first"] = append(s["first"], r.editor(path, 0).first)
		s["again"] = append(s["again"], r.editor(path, 0).first)
		s["edit"] = append(s["edit"], r.editor(path, servedEdits).edits...)
	}
	size := fmt.Sprintf("%s lines, %d commits", thousands(servedLines), commits)
	l.times("blame --serve, first answer", size, s["git"], s["first"], median, 1.2, 0)
	l.times("blame --serve, first answer again", size, s["git"], s["again"], median, 1.2, 0)
	l.times("blame --serve, an edit (median, clock)", size, nil, s["edit"], median, 0, 30)
	l.times("blame --serve, an edit (longest, clock)", size, nil, s["edit"], longest, 0, 30)
}

// longest returns the largest time in milliseconds.
func longest(s series) float64 {
	if cpu := s.cpu(); len(cpu) > 0 {
		return cpu[len(cpu)-1]
	}
	return 0
}

// served is what one session of an editor cost: the processor time until the first answer, with the
// start and the end of the program, and the clock's time of each edit.
type served struct {
	first sample
	edits series
}

// editor is an editor that opens a file and edits it.
func (r *repo) editor(path string, edits int) (out served) {
	if !r.ok() {
		return out
	}
	cmd := exec.CommandContext(r.ctx, r.program("entire"), "blame", "--serve")
	cmd.Dir, cmd.Env, cmd.Stderr = r.dir, r.env, os.Stderr
	in, err := cmd.StdinPipe()
	r.check(err)
	stdout, err := cmd.StdoutPipe()
	if !r.check(err) || !r.check(cmd.Start()) {
		return out
	}
	answers := bufio.NewReaderSize(stdout, 1<<20)
	id := 0
	ask := func(method string, params any) time.Duration {
		id++
		line, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params})
		r.check(err)
		began := time.Now()
		_, err = in.Write(append(line, '\n'))
		for r.check(err) {
			var text []byte
			if text, err = answers.ReadBytes('\n'); err == nil && strings.HasPrefix(string(text), fmt.Sprintf(`{"id":%d,`, id)) {
				if strings.Contains(string(text[:min(200, len(text))]), `"error"`) {
					r.check(fmt.Errorf("entire blame --serve: %s", text))
				}
				break
			}
		}
		return time.Since(began)
	}
	ask("hello", map[string]any{"version": 1})
	first := ask("open", map[string]any{"path": path})
	out.first.Wall = first
	for n := range edits {
		if n == edits/2 {
			ask("edit", edit(path, 2, "begin()"))
			ask("edit", edit(path, servedLines-2, "end()"))
		}
		took := ask("edit", edit(path, servedLines/2, fmt.Sprintf("value = typed(%d)", n)))
		out.edits = append(out.edits, sample{CPU: took, Wall: took})
	}
	r.check(in.Close())
	r.check(cmd.Wait())
	out.first.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return out
}

func edit(path string, line int, text string) map[string]any {
	return map[string]any{"path": path, "changes": []any{map[string]any{"from": line, "to": line + 1, "lines": []string{text}}}}
}
