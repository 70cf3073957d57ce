package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"entire/internal/bounded"
	"entire/internal/redact"
)

// Prefix begins the name of every plug-in's program; the name of its agent follows.
const Prefix = "entire-agent-"

// protocolVersion is the version of the protocol.
const protocolVersion = 1

// Limits of a plug-in.
const (
	eventTimeout      = 5 * time.Second  // the agent waits for it
	commandTimeout    = 15 * time.Second // a person waits for it, and can interrupt it
	transcriptTimeout = 15 * time.Second
	maxAnswer         = 1 << 20
	maxTranscript     = 64 << 20
	maxComplaint      = 4 << 10
	grace             = 300 * time.Millisecond
	maxReason         = 200 // bytes of an error that a plug-in's own words may have
)

// A Plugin is a program that is the adapter of an agent.
type Plugin struct {
	Name    string // of the agent, on the command line
	Path    string // of the program; "" if it is not on PATH
	Dir     string // where it runs: the top of the repository
	Environ []string
}

// ValidName reports whether a plug-in may have that name: it becomes part of a program's name and of
// paths.
func ValidName(name string) bool {
	if name == "" || len(name) > 40 || name[0] == '-' {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// ask runs one command of the plug-in with the question on its standard input, and decodes the answer.
func (p *Plugin) ask(ctx context.Context, command string, timeout time.Duration, question, answer any) error {
	out, err := p.run(ctx, command, question, timeout, maxAnswer)
	if err != nil {
		return err
	}
	out = bytes.TrimSpace(out)
	if len(out) == 0 || out[0] != '{' {
		return p.failed(command, fmt.Errorf("its answer is no JSON object: %q", short(string(out))))
	}
	if err := json.Unmarshal(out, answer); err != nil {
		return p.failed(command, fmt.Errorf("its answer cannot be read: %w", err))
	}
	return nil
}

func (p *Plugin) run(ctx context.Context, command string, question any, timeout time.Duration, limit int) ([]byte, error) {
	if p.Path == "" {
		return nil, p.failed(command, errors.New("it is not on PATH"))
	}
	in, err := json.Marshal(question)
	if err != nil {
		return nil, p.failed(command, err)
	}
	out, complaint, err := bounded.Program{
		Path: p.Path, Args: []string{command}, Dir: p.Dir, Environ: p.Environ, In: bytes.NewReader(append(in, '\n')),
		Timeout: timeout, Grace: grace, Out: limit, Err: maxComplaint,
	}.Run(ctx)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		why := fmt.Sprintf("exit status %d", exit.ExitCode())
		if said := short(string(complaint)); said != "" {
			why += ": " + said
		}
		err = errors.New(why)
	case err == nil:
		return out, nil
	}
	return nil, p.failed(command, err)
}

func (p *Plugin) failed(command string, err error) error {
	return fmt.Errorf("plug-in %s%s, %s: %w", Prefix, p.Name, command, err)
}

// short returns the beginning of a plug-in's words as one line without secrets.
func short(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text[:min(len(text), 2*maxReason)], "")), " ")
	if text = redact.Text(text); len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	return text
}
