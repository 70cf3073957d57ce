package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"entire/internal/bounded"
	"entire/internal/git/config"
)

// fixedConfig overrides configuration that would change the output, change the user's
// files or start maintenance.
var fixedConfig = []string{
	"-c", "core.quotePath=false", "-c", "color.ui=false", "-c", "core.safecrlf=false",
	"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "core.filesRefLockTimeout=1000",
}

// DurableConfig makes what git writes survive a power cut.
var DurableConfig = []string{"-c", "core.fsync=loose-object,pack,pack-metadata,reference", "-c", "core.fsyncMethod=batch"}

// waitDelay bounds how long a cancelled git may take to end, and how long a grandchild (an
// fsmonitor daemon) with an inherited pipe can delay us after git has ended.
const waitDelay = time.Second

// ExitError is a git command that ended with a non-zero status.
type ExitError struct {
	Args   []string
	Code   int
	Stderr string // trimmed
}

func (e *ExitError) Error() string {
	return fmt.Sprintf("git %s: %s", subcommand(e.Args), e.Reason())
}

// Is reports whether git failed for a reason of the system that a person can mend: the disk is full, or cannot be written.
func (e *ExitError) Is(target error) bool {
	switch target {
	case syscall.ENOSPC:
		return strings.Contains(e.Stderr, "No space left on device")
	case syscall.EDQUOT:
		return strings.Contains(e.Stderr, "Disk quota exceeded")
	case syscall.EROFS:
		return strings.Contains(e.Stderr, "Read-only file system")
	}
	return false
}

// Reason returns one line: git's fatal message or, without one, its first line.
func (e *ExitError) Reason() string {
	first := ""
	for line := range strings.Lines(e.Stderr) {
		line = strings.Join(strings.Fields(line), " ")
		if strings.HasPrefix(line, "fatal: ") {
			return line
		}
		if first == "" {
			first = line
		}
	}
	if first == "" {
		return fmt.Sprintf("exit status %d", e.Code)
	}
	return first
}

// subcommand returns the first of args that is not an option.
func subcommand(args []string) string {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return strings.Join(args, " ")
}

// Command is a git process that has not been started.
type Command struct {
	Dir   string
	Env   []string
	Stdin io.Reader
	Flags []string // before the subcommand
	Apart bool     // protected from a signal to this program's process group
}

func (c Command) Cmd(ctx context.Context, args ...string) *exec.Cmd {
	full := slices.Concat(fixedConfig, c.Flags, args)
	cmd := exec.CommandContext(ctx, "git", full...)
	cmd.Dir, cmd.Env, cmd.Stdin = c.Dir, c.Env, c.Stdin
	cmd.WaitDelay = waitDelay
	if c.Apart {
		cmd.SysProcAttr = bounded.OwnGroup()
	}
	cmd.Cancel = func() error { return bounded.End(cmd.Process) }
	return cmd
}

// Output runs git and returns its stdout.
func (c Command) Output(ctx context.Context, args ...string) ([]byte, error) {
	out, _, err := c.Outputs(ctx, args...)
	return out, err
}

// Outputs is output and also returns git's warnings.
func (c Command) Outputs(ctx context.Context, args ...string) (out []byte, warned string, err error) {
	out, said, err := bounded.Capture(c.Cmd(ctx, args...), waitDelay, nil)
	if err == nil {
		return out, string(said), nil
	}
	return out, "", WrapExit(ctx, err, args, string(said))
}

func WrapExit(ctx context.Context, err error, args []string, stderr string) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("git %s: %w", subcommand(args), ctx.Err())
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &ExitError{Args: args, Code: exit.ExitCode(), Stderr: strings.TrimSpace(stderr)}
	}
	return fmt.Errorf("start git %s: %w", subcommand(args), err)
}

func (r *Repo) Command(stdin io.Reader) Command {
	return Command{Dir: r.Dir(), Env: r.Env, Stdin: stdin}
}

// Run runs git in this repository and returns its stdout. The environment allows no
// prompt, no network, no optional lock. A non-zero exit is an [*ExitError].
func (r *Repo) Run(ctx context.Context, args ...string) ([]byte, error) {
	return r.Command(nil).Output(ctx, args...)
}

// RunInput is Run with stdin.
func (r *Repo) RunInput(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	return r.Command(bytes.NewReader(stdin)).Output(ctx, args...)
}

// gitConfig reads git's configuration without git. ok is false if only git can.
func (r *Repo) gitConfig() (c *config.Config, ok bool) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, false
	}
	return config.Read(config.Place{Env: r.Env, Program: program, CommonDir: r.CommonDir, GitDir: r.GitDir})
}

// Config returns the last value of each key that is set. Keys are written as git prints
// them: section and variable in lower case. The value of a key without a value is "true",
// as in git. It asks git only where git's files alone do not tell.
func (r *Repo) Config(ctx context.Context, keys ...string) (map[string]string, error) {
	if c, ok := r.gitConfig(); ok {
		if values, ok := c.Values(keys); ok {
			return values, nil
		}
	}
	quoted := make([]string, len(keys))
	for i, k := range keys {
		quoted[i] = regexp.QuoteMeta(k)
	}
	return r.ConfigMatching(ctx, "^("+strings.Join(quoted, "|")+")$")
}

// ConfigMatching is Config for the keys that match an extended regular expression.
func (r *Repo) ConfigMatching(ctx context.Context, pattern string) (map[string]string, error) {
	out, err := r.Run(ctx, "config", "-z", "--get-regexp", pattern)
	values := map[string]string{}
	var exit *ExitError
	if errors.As(err, &exit) && exit.Code == 1 {
		return values, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	for _, rec := range strings.Split(string(out), "\x00") {
		if key, value, ok := strings.Cut(rec, "\n"); ok {
			values[key] = value
		} else if rec != "" {
			values[rec] = "true"
		}
	}
	return values, nil
}
