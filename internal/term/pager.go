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

// Page shows text on the terminal t.Out: through the pager, a shell command, if the text
// is longer than the screen. If the text fits, t.Out is not a terminal, or no pager can be
// started, it writes the text directly.
func (t Terminal) Page(ctx context.Context, pager string, env []string, text string) error {
	out, ok := Raw(t.Out).(*os.File)
	if height := heightOf(t.Out); !ok || pager == "" || height == 0 || strings.Count(text, "\n") < height {
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

// Paged calls write with a writer to the pager, a shell command, which shows the text as
// it arrives. If t.Out is not a terminal, or no pager can be started, write gets t.Out; in
// the latter case it may be called a second time. If the person quits the pager early,
// write gets an error, which is not reported.
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

// page runs the pager through the shell, as git does, so that it may have arguments.
// Quitting the pager before it has read everything is no error.
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
	case err == nil && !errors.Is(wrote, syscall.EPIPE): // the person quit the pager early
		err = wrote
	}
	return err
}

func (t Terminal) write(text string) error {
	_, err := io.WriteString(t.Out, text)
	return err
}
