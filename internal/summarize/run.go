package summarize

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
	"unicode"

	"entire/agent"
	"entire/checkpoint/metadata"
	"entire/internal/bounded"
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
	stdout, stderr, err := bounded.Program{
		Path: path, Args: args, Dir: r.Dir, Environ: childEnviron(r.Environ), In: strings.NewReader(question),
		Timeout: r.Timeout, Grace: grace, Out: maxStdout, Err: maxStderr,
	}.Run(ctx)
	var exit *exec.ExitError
	switch {
	case errors.Is(err, bounded.ErrTooMuch):
		return nil, fmt.Errorf("%s CLI gave more than %d bytes", t.Program, maxStdout)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("ask %s CLI: %w", t.Program, context.Cause(ctx))
	case errors.Is(err, bounded.ErrTimeout):
		return nil, fmt.Errorf("%s CLI gave no answer within %s", t.Program, r.Timeout)
	case errors.As(err, &exit):
		return nil, fmt.Errorf("%s CLI failed (exit %d): %s", t.Program, exit.ExitCode(), reason(stderr, stdout))
	case err != nil:
		return nil, fmt.Errorf("start %s CLI: %w", t.Program, err)
	}
	return stdout, nil
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
