package summarize

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
	"unicode"

	"entire/agent"
	"entire/checkpoint/metadata"
	"entire/internal/redact"
)

// ErrNotFound is wrapped by the error for a program that is not installed.
var ErrNotFound = errors.New("CLI not found")

const (
	maxStdout = 4 << 20
	maxStderr = 64 << 10

	// grace is how long a program may take to end after it was asked to.
	grace = 2 * time.Second
)

// Request is one question to an agent's program.
type Request struct {
	Agent   agent.AgentType // the agent of the session
	Model   string          // "" for the default
	Environ []string
	Home    string
	Dir     string        // an existing folder outside of any repository
	Timeout time.Duration // for the complete answer
}

// Program returns the name of the program that Summarize runs.
func (r Request) Program() string { return toolFor(r.Agent).Program }

// Summarize asks for a summary of a conversation (see [Text]). When it returns, no process of the
// program's group is running.
func (r Request) Summarize(ctx context.Context, conversation string) (*metadata.Summary, error) {
	t := toolFor(r.Agent)
	args, err := t.arguments(r.Model)
	if err != nil {
		return nil, err
	}
	path, err := t.find(r.Environ, r.Home)
	if err != nil {
		return nil, err
	}
	stdout, err := r.run(ctx, t, path, args, Prompt(conversation))
	if err != nil {
		return nil, err
	}
	answer, err := unwrap(stdout)
	if err != nil {
		return nil, fmt.Errorf("%s CLI gave an unusable answer: %w", t.Program, err)
	}
	summary, err := parseSummary(answer)
	if err != nil {
		return nil, fmt.Errorf("%s CLI gave no summary: %w", t.Program, err)
	}
	return summary, nil
}

func (r Request) run(ctx context.Context, t tool, path string, args []string, question string) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	stdout, stderr := &bounded{limit: maxStdout, full: cancel}, &bounded{limit: maxStderr}
	cmd := exec.CommandContext(limited, path, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = r.Dir, childEnviron(r.Environ), strings.NewReader(question)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.SysProcAttr = ownGroup()
	cmd.Cancel = func() error { return endGroup(cmd.Process) }
	cmd.WaitDelay = grace
	err := cmd.Run()
	if cmd.Process != nil && (limited.Err() != nil || errors.Is(err, exec.ErrWaitDelay)) {
		killGroup(cmd.Process)
	}
	var exit *exec.ExitError
	switch {
	case stdout.over:
		return nil, fmt.Errorf("%s CLI gave more than %d bytes", t.Program, maxStdout)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("ask %s CLI: %w", t.Program, context.Cause(ctx))
	case limited.Err() != nil:
		return nil, fmt.Errorf("%s CLI gave no answer within %s", t.Program, r.Timeout)
	case errors.As(err, &exit):
		return nil, fmt.Errorf("%s CLI failed (exit %d): %s", t.Program, exit.ExitCode(), reason(stderr.buf.Bytes(), stdout.buf.Bytes()))
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return nil, fmt.Errorf("start %s CLI: %w", t.Program, err)
	}
	return stdout.buf.Bytes(), nil
}

// reason returns the line that best explains why a program failed.
func reason(stderr, stdout []byte) string {
	if line := firstLine(string(stderr)); line != "" {
		return line
	}
	if _, err := unwrap(stdout); err != nil && strings.HasPrefix(err.Error(), "it reports") {
		return err.Error()
	}
	if line := firstLine(string(stdout)); line != "" {
		return line
	}
	return "it does not say why"
}

// firstLine returns the first line that is not empty, redacted and cut.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		line = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return -1
			}
			return r
		}, strings.TrimSpace(line))
		if line = redact.Text(line); len(line) > 300 {
			line = strings.ToValidUTF8(line[:300], "") + "…"
		}
		if line != "" {
			return line
		}
	}
	return ""
}

// bounded keeps the first limit bytes and calls full if there are more.
type bounded struct {
	buf   bytes.Buffer
	limit int
	over  bool
	full  func()
}

func (b *bounded) Write(p []byte) (int, error) {
	room := b.limit - b.buf.Len()
	b.buf.Write(p[:min(room, len(p))])
	if len(p) > room && b.full != nil && !b.over {
		b.over = true
		b.full()
	}
	return len(p), nil
}
