//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A cost is what a command takes, with the processes that it starts.
type cost struct {
	cpu, clock time.Duration
	gits       int
	memory     int64 // of the largest process, in bytes
}

func (c cost) String() string {
	return fmt.Sprintf("%.2f / %.2f s, %d, %d MB", c.cpu.Seconds(), c.clock.Seconds(), c.gits, c.memory>>20)
}

// A question is one line of the table.
type question struct {
	name string
	args []string // of the program, in which CP, SESSION and LOCAL stand for IDs
	ask  func(l *lab, dir string, q question) (cost, error)
}

// questions are the commands that a person, a shell or an agent runs.
var questions = func() []question {
	var list []question
	for line := range strings.Lines(`sessions list
sessions list --recent --project
sessions list --json
sessions current
sessions show SESSION
sessions show LOCAL
sessions check
sessions clean --dry-run --keep 10
log --no-pager
log --no-pager --oneline -n 1000
log --no-pager --session SESSION
show CP
show SESSION
show LOCAL
show HEAD
explain --no-pager
explain --no-pager --checkpoint CP
explain --no-pager --commit HEAD
explain --no-pager --session SESSION
status
rewind --list
recap
recap --since 30d
usage --since 30d
usage --by session
search WORD
search --titles WORD
blame --no-pager src/1.txt
why src/1.txt:1
report HEAD
report --no-pager HEAD~100..HEAD
review HEAD
review HEAD~20..HEAD
doctor
doctor clean
audit verify HEAD
audit verify
redact scan
rescue files
share list
share send LOCAL --to OUT --force --yes
share send SESSION --to OUT --force --yes
share seal --dry-run
web export --out OUT HEAD
export otel --dry-run
statusline
agent list
config list
__complete explain --checkpoint CP4
__complete sessions show SES4
__complete show CP4
__complete rewind CP4
`) {
		line = strings.TrimSpace(line)
		list = append(list, question{name: line, args: strings.Fields(line), ask: (*lab).once})
	}
	for _, page := range []string{"/timeline", "/point/CP", "/sessions", "/session/SESSION", "/review", "/search?q=WORD", "/usage", "/status", "/doctor", "/files", "/file?path=src/1.txt", "/why?path=src/1.txt&line=1"} {
		list = append(list, question{name: "web " + page, args: []string{page}, ask: (*lab).page})
	}
	for _, call := range []string{`recall {"query":"WORD"}`, `open {"id":"CP"}`, `open {"id":"SESSION"}`, `why {"path":"src/1.txt","line":1}`, `changes {}`} {
		name, args, _ := strings.Cut(call, " ")
		list = append(list, question{name: "mcp " + name + " " + args, args: []string{name, args}, ask: (*lab).tool})
	}
	return append(list, question{name: "entire (the first picture)", ask: (*lab).picture})
}()

// commands prints what every question costs in repositories of these sizes, the first time and the second; only
// questions with a text in their name.
func (l *lab) commands(sizes, only string) error {
	var dirs []string
	fmt.Print("| CPU / clock, processes of git, memory |")
	for size := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			return err
		}
		dir := filepath.Join(l.root, "work"+size)
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) { // with -keep it may be there
			if err := l.workRepo(dir, n); err != nil {
				return err
			}
		}
		dirs = append(dirs, dir)
		fmt.Printf(" %s checkpoints, first | again |", thousands(n))
	}
	fmt.Println("\n|---" + strings.Repeat("|---|---", len(dirs)) + "|")
	for _, q := range questions {
		if !strings.Contains(q.name, only) {
			continue
		}
		fmt.Printf("| `%s` |", strings.ReplaceAll(q.name, "|", "\\|"))
		for _, dir := range dirs {
			asked, err := l.named(dir, q)
			if err != nil {
				return err
			}
			for range 2 {
				c, err := q.ask(l, dir, asked)
				if err != nil {
					fmt.Printf(" %s", strings.ReplaceAll(firstLine(err.Error()), "|", "\\|"))
				}
				fmt.Printf(" %s |", c)
			}
		}
		fmt.Println()
	}
	return nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// named puts IDs of the middle of a repository's history into a question.
func (l *lab) named(dir string, q question) (question, error) {
	cmd := exec.Command("git", "log", "--format=%(trailers:key=Entire-Checkpoint,valueonly,separator=)", "-n", "1", "HEAD~400")
	cmd.Dir, cmd.Env = dir, l.env
	cp, err := cmd.Output()
	if err != nil {
		return q, err
	}
	id := strings.TrimSpace(string(cp))
	cmd = exec.Command("git", "cat-file", "-p", "refs/heads/entire/checkpoints/v1:"+id[:2]+"/"+id[2:]+"/0/metadata.json")
	cmd.Dir, cmd.Env = dir, l.env
	meta, err := cmd.Output()
	if err != nil {
		return q, err
	}
	_, rest, _ := strings.Cut(string(meta), `"session_id":"`)
	session, _, _ := strings.Cut(rest, `"`)
	r := strings.NewReplacer("WORD", newMaker().words[0], "CP4", id[:4], "SES4", session[:4], "CP", id, "SESSION", session, "LOCAL", fmt.Sprintf("%08x-0000-4000-9000-%012x", 0xf0000000+7919, 1), "OUT", filepath.Join(l.root, "out"))
	args := make([]string, len(q.args))
	for i, a := range q.args {
		args[i] = r.Replace(a)
	}
	q.args = args
	return q, nil
}

// traced is the environment of a command whose processes of git are counted.
func (l *lab) traced() (env []string, count func() int, err error) {
	dir, err := os.MkdirTemp(l.root, "trace")
	return append(l.env, "GIT_TRACE2_EVENT="+dir), func() int {
		files, _ := os.ReadDir(dir)
		os.RemoveAll(dir)
		return len(files)
	}, err
}

// once runs a command, whatever its exit status.
func (l *lab) once(dir string, q question) (cost, error) {
	env, gits, err := l.traced()
	if err != nil {
		return cost{}, err
	}
	cmd := exec.Command(l.bin, q.args...)
	cmd.Dir, cmd.Env = dir, env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	err = cmd.Run()
	c := used(cmd, time.Since(began))
	c.gits = gits()
	if l.show {
		fmt.Fprintf(os.Stderr, "$ %s\n%.600s\n", strings.Join(q.args, " "), out.String())
	}
	if err != nil && cmd.ProcessState == nil {
		return c, err
	}
	if err != nil {
		err = errors.New(firstLine(out.String()))
	}
	return c, err
}

// tool asks the MCP server once.
func (l *lab) tool(dir string, q question) (cost, error) {
	env, gits, err := l.traced()
	if err != nil {
		return cost{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, l.bin, "mcp")
	cmd.Dir, cmd.Env = dir, env
	in, err := cmd.StdinPipe()
	if err != nil {
		return cost{}, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return cost{}, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return cost{}, err
	}
	fmt.Fprintf(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"scale","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}
`, q.args[0], q.args[1])
	said, buf := "", make([]byte, 64<<10)
	for !strings.Contains(said, `"id":2`) {
		n, err := out.Read(buf)
		said += string(buf[:n])
		if err != nil {
			break
		}
	}
	took := time.Since(began)
	in.Close()
	_, _ = io.Copy(io.Discard, out)
	err = cmd.Wait()
	c := used(cmd, took)
	c.gits = gits()
	if l.show {
		fmt.Fprintf(os.Stderr, "mcp %s\n%.900s\n", q.args, said)
	}
	return c, err
}
