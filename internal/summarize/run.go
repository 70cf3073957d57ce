package summarize

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"entire/agent"
	"entire/checkpoint/metadata"
	"entire/internal/bounded"
	"entire/internal/redact"
)

// errNotFound is wrapped by the error for a program that is not installed.
var errNotFound = errors.New("CLI not found")

const (
	maxStdout = 4 << 20
	maxStderr = 64 << 10

	// grace is how long a program may take to end after it was asked to.
	grace = 2 * time.Second
)

// Request is one question to an agent's program.
type Request struct {
	Agent   agent.AgentType // the agent of the session
	Source  Source          // asked in place of the agent's program, if set
	Model   string          // "" for the default
	Environ []string
	Home    string
	Dir     string        // an existing folder outside of any repository
	Timeout time.Duration // for the complete answer
}

// Program returns the name of the program, or the host, that Summarize asks.
func (r Request) Program() string {
	if !r.Source.IsZero() {
		return r.Source.Name()
	}
	return toolFor(r.Agent).Program
}

// Summarize asks for a summary of a conversation (see [Text]). When it returns, no process of the
// program's group is running.
func (r Request) Summarize(ctx context.Context, conversation string) (*metadata.Summary, error) {
	if err := r.Source.Check(); err != nil {
		return nil, err
	}
	answer, name, err := r.ask(ctx, promptFor(conversation))
	if err != nil {
		return nil, err
	}
	summary, err := parseSummary(answer)
	if err != nil {
		return nil, fmt.Errorf("%s gave no summary: %w", name, err)
	}
	return summary, nil
}

// ask returns the answer to a question, and the name of who gave it.
func (r Request) ask(ctx context.Context, question string) (answer, name string, err error) {
	switch {
	case r.Source.URL != "":
		name = r.Source.Name()
		answer, err = r.askService(ctx, question)
		return thought(answer), name, err
	case len(r.Source.Command) > 0:
		name = r.Source.Name()
		answer, err = r.askCommand(ctx, question)
		return thought(answer), name, err
	}
	t := toolFor(r.Agent)
	name = t.Program + " CLI"
	args, err := t.arguments(r.Model)
	if err != nil {
		return "", name, err
	}
	path, err := t.find(r.Environ, r.Home)
	if err != nil {
		return "", name, err
	}
	stdout, err := r.run(ctx, name, path, args, question)
	if err != nil {
		return "", name, err
	}
	if answer, err = unwrap(stdout); err != nil {
		return "", name, fmt.Errorf("%s gave an unusable answer: %w", name, err)
	}
	return answer, name, nil
}

// askCommand runs the source's command, which is found in the folders of PATH or named by an absolute path.
func (r Request) askCommand(ctx context.Context, question string) (string, error) {
	path, args := r.Source.Command[0], r.Source.Command[1:]
	if !filepath.IsAbs(path) {
		if filepath.Base(path) != path {
			return "", fmt.Errorf("the command for summaries, %.200q, is no name and no absolute path", path)
		}
		found, err := tool{Program: path}.find(r.Environ, "")
		if err != nil {
			return "", fmt.Errorf("the command for summaries, %s, is not on the PATH", path)
		}
		path = found
	}
	stdout, err := r.run(ctx, r.Source.Name(), path, args, question)
	if err != nil {
		return "", err
	}
	if answer, err := unwrap(stdout); err == nil { // it is an agent's program
		return answer, nil
	}
	return string(stdout), nil
}

// thought returns an answer without the thoughts that some models write before it.
func thought(answer string) string {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(answer), "<think>"); ok {
		if _, after, ended := strings.Cut(rest, "</think>"); ended {
			return after
		}
	}
	return answer
}

func (r Request) run(ctx context.Context, name, path string, args []string, question string) ([]byte, error) {
	stdout, stderr, err := bounded.Program{
		Path: path, Args: args, Dir: r.Dir, Environ: childEnviron(r.Environ), In: strings.NewReader(question),
		Timeout: r.Timeout, Grace: grace, Out: maxStdout, Err: maxStderr,
	}.Run(ctx)
	var exit *exec.ExitError
	switch {
	case errors.Is(err, bounded.ErrTooMuch):
		return nil, fmt.Errorf("%s gave more than %d bytes", name, maxStdout)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("ask %s: %w", name, context.Cause(ctx))
	case errors.Is(err, bounded.ErrTimeout):
		return nil, fmt.Errorf("%s gave no answer within %s", name, r.Timeout)
	case errors.As(err, &exit):
		return nil, fmt.Errorf("%s failed (exit %d): %s", name, exit.ExitCode(), reason(stderr, stdout))
	case err != nil:
		return nil, fmt.Errorf("start %s: %w", name, err)
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
