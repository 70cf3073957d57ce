//go:build linux

package clients

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"entire/internal/fakemodel"
)

// A World is where programs run: a home of its own, a repository, and the model.
type World struct {
	Home  string
	Repo  string
	Bin   string // a folder with `entire` in it, first on PATH; "" for none
	Cache string // where the clients are installed
	Model *fakemodel.Server
}

// Env returns the environment of everything that runs in the world.
func (w *World) Env(clients ...Client) []string {
	path := []string{binFolders(w.Cache, "node")}
	if w.Bin != "" {
		path = append([]string{w.Bin}, path...)
	}
	var more []string
	for _, client := range clients {
		path = append(path, binFolders(w.Cache, client.Name))
		if client.env != nil {
			more = append(more, client.env(w)...)
		}
	}
	path = append(path, "/usr/local/bin", "/usr/bin", "/bin")
	return append([]string{"HOME=" + w.Home, "PATH=" + strings.Join(path, ":"), "TMPDIR=" + filepath.Join(w.Home, "tmp"),
		"TERM=dumb", "NO_COLOR=1", "LANG=C.UTF-8", "USER=dana", "GIT_CONFIG_NOSYSTEM=1",
		"HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1,localhost", // nothing goes to the programs' makers
		// Gemini CLI runs git without the person's own configuration.
		"GIT_AUTHOR_NAME=Dana", "GIT_AUTHOR_EMAIL=dana@example.com", "GIT_COMMITTER_NAME=Dana", "GIT_COMMITTER_EMAIL=dana@example.com"}, more...)
}

// Prepare writes the files of the client's home that are not there yet, and those that name the model.
func (w *World) Prepare(ctx context.Context, client Client) error {
	if err := os.MkdirAll(filepath.Join(w.Home, "tmp"), 0o755); err != nil {
		return fmt.Errorf("make a home for %s: %w", client.Name, err)
	}
	files := map[string]string{}
	if client.prepare != nil {
		for name, content := range client.prepare(w) {
			files[filepath.Join(w.Home, name)] = content
		}
	}
	for name, content := range client.inRepo {
		files[filepath.Join(w.Repo, name)] = content
	}
	for file, content := range files {
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if err == nil {
			err = os.WriteFile(file, []byte(content), 0o644)
		}
		if err != nil {
			return fmt.Errorf("make a home for %s: %w", client.Name, err)
		}
	}
	if client.setup == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := w.start(ctx, client, client.setup(w))
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("set up %s: %w: %s", client.Name, err, lastLines(string(said), 5))
	}
	return nil
}

// A Run is a program at work on one turn.
type Run struct {
	Command []string

	cmd    *exec.Cmd
	said   screen
	cancel context.CancelFunc
	left   atomic.Bool // the person has quit after the turn; how the program ends says nothing then
	done   chan struct{}
	err    error
	began  time.Time
}

// ErrNoContinuation is returned where a program cannot continue a session headless.
var ErrNoContinuation = errors.New("the program continues a session only in its own interface")

// Start begins a new session with the prompt.
func (w *World) Start(ctx context.Context, client Client, prompt string) (*Run, error) {
	return w.run(ctx, client, client.command(w, prompt))
}

// Continue sends the prompt to the session with that ID, or to the newest if it is "".
func (w *World) Continue(ctx context.Context, client Client, id, prompt string) (*Run, error) {
	if client.again == nil {
		return nil, ErrNoContinuation
	}
	if client.terminal != nil {
		return w.typed(ctx, client, client.again(w, id, prompt), prompt)
	}
	return w.run(ctx, client, client.again(w, id, prompt))
}

// turnLimit ends a turn of a program that hangs.
const turnLimit = 5 * time.Minute

func (w *World) run(ctx context.Context, client Client, command []string) (*Run, error) {
	ctx, cancel := context.WithTimeout(ctx, turnLimit)
	r := &Run{Command: command, cancel: cancel, done: make(chan struct{}), began: time.Now()}
	r.cmd = w.start(ctx, client, command)
	r.cmd.Stdout, r.cmd.Stderr = &r.said, &r.said
	r.cmd.WaitDelay = 2 * time.Second // what a program leaves running may hold its output open
	if err := r.cmd.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("start %s: %w", client.Name, err)
	}
	go func() {
		defer close(r.done)
		r.err = r.cmd.Wait()
	}()
	return r, nil
}

// start makes the command; ending its context ends its whole process group.
func (w *World) start(ctx context.Context, client Client, command []string) *exec.Cmd {
	env := w.Env(client)
	cmd := exec.CommandContext(ctx, lookIn(env, command[0]), command[1:]...)
	cmd.Dir, cmd.Env = w.Repo, env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}

// lookIn finds a program on the PATH of an environment, which exec does not use for that.
func lookIn(env []string, program string) string {
	for _, entry := range env {
		path, ok := strings.CutPrefix(entry, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(path) {
			file := filepath.Join(dir, program)
			if info, err := os.Stat(file); err == nil && info.Mode()&0o111 != 0 && !info.IsDir() {
				return file
			}
		}
	}
	return program
}

// Wait waits until the program has ended and returns what it printed.
func (r *Run) Wait() (string, error) {
	<-r.done
	r.cancel()
	if r.err != nil && !errors.Is(r.err, exec.ErrWaitDelay) && !r.left.Load() {
		return r.said.String(), fmt.Errorf("%s: %w: %s", strings.Join(r.Command[:min(2, len(r.Command))], " "), r.err, lastLines(r.said.String(), 12))
	}
	return r.said.String(), nil
}

// Kill ends the program and all that it started with SIGKILL, as a crash of the machine would.
func (r *Run) Kill() {
	_ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL)
	<-r.done
	r.cancel()
}

// newest returns the ID in the name of the newest file that the pattern below HOME matches: what is before the first dot.
func (w *World) newest(pattern string) string {
	files, _ := filepath.Glob(filepath.Join(w.Home, pattern))
	best, at := "", time.Time{}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.ModTime().After(at) {
			best, at = file, info.ModTime()
		}
	}
	id, _, _ := strings.Cut(filepath.Base(best), ".")
	return id
}

// Transcripts returns the files that the client keeps its conversations in; none where it has a database.
func (w *World) Transcripts(client Client) []string {
	if client.sessions == "" {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(w.Home, client.sessions))
	return files
}

// KeepsFiles reports whether the client writes its conversations to files; others have a database.
func (c Client) KeepsFiles() bool { return c.sessions != "" }

// Sweep ends what programs of this world left running, such as a daemon: those whose HOME is the world's.
func (w *World) Sweep() {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, environ := range environs {
		text, err := os.ReadFile(environ)
		if err != nil || !bytes.Contains(append([]byte{0}, text...), []byte("\x00HOME="+w.Home+"\x00")) {
			continue
		}
		if pid, err := strconv.Atoi(strings.Split(environ, "/")[2]); err == nil && pid != os.Getpid() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
