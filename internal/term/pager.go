package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Page shows text on the terminal t.Out: through the pager, a shell command,
// if the text is longer than the screen, otherwise as it is. Where t.Out is no
// terminal, or no pager can be started, the text is written as it is.
func (t Terminal) Page(ctx context.Context, pager string, env []string, text string) error {
	out, ok := t.Out.(*os.File)
	if height := Height(t.Out); !ok || pager == "" || height == 0 || strings.Count(text, "\n") < height {
		return t.write(text)
	}
	err := page(ctx, pager, env, out, text)
	if errors.Is(err, errNoPager) {
		return t.write(text)
	}
	return err
}

var errNoPager = errors.New("pager not started")

// page runs the pager by the shell, as git does, so that it may have arguments.
// A pager that is left before it has read everything is not an error.
func page(ctx context.Context, pager string, env []string, out *os.File, text string) error {
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("%w: %w", errNoPager, err)
	}
	shell, args := "/bin/sh", []string{"sh", "-c", pager}
	p, err := os.StartProcess(shell, args, &os.ProcAttr{Env: env, Files: []*os.File{r, out, os.Stderr}})
	r.Close()
	if err != nil {
		w.Close()
		return fmt.Errorf("%w: %w", errNoPager, err)
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		io.WriteString(w, text) // fails when the pager is left early
		w.Close()
	}()
	state, err := p.Wait()
	<-written
	if err == nil && state.ExitCode() == 127 {
		return fmt.Errorf("%w: %s", errNoPager, pager)
	}
	if ctx.Err() != nil {
		return ErrCancelled
	}
	return err
}

func (t Terminal) write(text string) error {
	_, err := io.WriteString(t.Out, text)
	return err
}
