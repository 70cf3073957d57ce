package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"entire/internal/legible"
)

// Page shows text on the terminal t.Out: through the pager, a shell command,
// if the text is longer than the screen, otherwise as it is. Where t.Out is no
// terminal, or no pager can be started, the text is written as it is.
func (t Terminal) Page(ctx context.Context, pager string, env []string, text string) error {
	out, ok := Raw(t.Out).(*os.File)
	if height := Height(t.Out); !ok || pager == "" || height == 0 || strings.Count(text, "\n") < height {
		return t.write(text)
	}
	err := t.page(ctx, pager, env, out, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	if errors.Is(err, errNoPager) {
		return t.write(text)
	}
	return err
}

// Paged lets write write what the pager, a shell command, shows while it comes.
// Where t.Out is no terminal, or no pager can be started, it writes to t.Out
// itself; in the latter case it may have been called before. A pager that is left
// early ends write with an error that is not reported.
func (t Terminal) Paged(ctx context.Context, pager string, env []string, write func(io.Writer) error) error {
	out, ok := Raw(t.Out).(*os.File)
	if !ok || pager == "" || !IsTerminal(out) {
		return write(t.Out)
	}
	err := t.page(ctx, pager, env, out, write)
	if errors.Is(err, errNoPager) {
		return write(t.Out)
	}
	return err
}

var errNoPager = errors.New("pager not started")

// page runs the pager by the shell, as git does, so that it may have arguments.
// A pager that is left before it has read everything is not an error.
func (t Terminal) page(ctx context.Context, pager string, env []string, out *os.File, write func(io.Writer) error) error {
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
	written := make(chan error, 1)
	go func() {
		defer w.Close()
		safe := legible.NewWriter(w, t.Mark)
		written <- errors.Join(write(safe), safe.Flush())
	}()
	state, err := p.Wait()
	wrote := <-written
	switch {
	case err == nil && state.ExitCode() == 127:
		return fmt.Errorf("%w: %s", errNoPager, pager)
	case ctx.Err() != nil:
		return ErrCancelled
	case err == nil && !errors.Is(wrote, syscall.EPIPE): // the pager was left early
		err = wrote
	}
	return err
}

func (t Terminal) write(text string) error {
	_, err := io.WriteString(t.Out, text)
	return err
}
