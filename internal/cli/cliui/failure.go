package cliui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"entire/internal/legible"
	"entire/strategy/condense"
)

// A Failure is an error with a hint: one line that says what to do.
type Failure struct {
	err  error
	hint string
}

func (f *Failure) Error() string { return f.err.Error() }

func (f *Failure) Unwrap() error { return f.err }

// Failf returns an error for the user with a hint; "" for none.
func Failf(hint, format string, args ...any) error {
	return &Failure{fmt.Errorf(format, args...), hint}
}

// ToCorrect makes an error about a file that a person can correct. If the system refused to read or write the
// file, its hint says so instead: nothing is wrong in the file.
func ToCorrect(format string, args ...any) error {
	return WithHint(fmt.Errorf(format, args...), "correct the file or move it away")
}

// WithHint adds a hint to err unless it has one.
func WithHint(err error, hint string) error {
	if HintOf(err) != "" {
		return err
	}
	return &Failure{err, hint}
}

// ErrTold ends a command with status 1 after the command has printed everything itself.
var ErrTold = errors.New("already reported")

// A statusError ends the program with a status of its own.
type statusError struct {
	error
	status int
}

func (e *statusError) Unwrap() error { return e.error }

// ExitWith gives an error the status with which it ends the program.
func ExitWith(status int, err error) error { return &statusError{err, status} }

// WrongFlagExits lets a flag that a command does not have, or a value that a flag cannot have, end the program
// with a status: of a command whose status 1 is an answer.
func WrongFlagExits(cmd *cobra.Command, status int) {
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return ExitWith(status, err) })
}

// RunAlone runs the only command of a program with its arguments, and returns the process's exit status.
func (env *Env) RunAlone(ctx context.Context, cmd *cobra.Command, args []string) int {
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetHelpFunc(env.ShowHelp)
	cmd.SetArgs(args)
	cmd.SetOut(env.Out)
	cmd.SetErr(env.Err)
	return env.Exit(cmd.ExecuteContext(ctx))
}

// Exit prints err, if there is one, and returns the process's exit status.
func (env *Env) Exit(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrTold):
		return statusOf(err)
	}
	fmt.Fprintf(env.Err, "entire: %s\n", toldOf(err))
	if hint := HintOf(err); hint != "" {
		fmt.Fprintf(env.Err, "hint: %s\n", hint)
	}
	return statusOf(err)
}

// statusOf returns the status that ExitWith gave an error, or 1.
func statusOf(err error) int {
	var own *statusError
	if errors.As(err, &own) {
		return own.status
	}
	return 1
}

// HintOf returns the hint for an error, "" for none.
func HintOf(err error) string {
	var f *Failure
	switch {
	case errors.Is(err, condense.ErrRewindLog):
		return "`entire doctor --fix` keeps the readable part"
	case errors.As(err, &f) && f.hint != "":
		return f.hint
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "the disk is full: make room, then try again"
	case errors.Is(err, syscall.EROFS):
		return "the file system cannot be written"
	case errors.Is(err, fs.ErrPermission):
		return "check its owner and permissions"
	}
	return ""
}

// toldOf returns an error as one line. Of several errors with the same cause, such as a folder
// that cannot be written, it keeps the first. Of a command that a person ended (Ctrl-C) it says so.
func toldOf(err error) string {
	var lines []string
	causes := map[string]bool{}
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimSuffix(line, "\n")
		cause := line[strings.LastIndex(line, ": ")+1:]
		if !causes[cause] {
			lines = append(lines, line)
		}
		causes[cause] = true
	}
	told := ShownLine(strings.Join(lines, "\n"))
	if !errors.Is(err, context.Canceled) {
		return told
	}
	const canceled = "context canceled"
	told = strings.ReplaceAll(strings.ReplaceAll(told, ": "+canceled, ""), canceled, "")
	return strings.TrimSuffix("interrupted: "+told, ": ")
}

// AllOrNothing prints a command's standard output only if the command succeeds.
func (env *Env) AllOrNothing(command func(*Env) error) error {
	var out bytes.Buffer
	buffered := *env
	buffered.Out = &out
	if err := command(&buffered); err != nil {
		return err
	}
	_, err := env.Out.Write(out.Bytes())
	return err
}

// OneLine turns text into a single line.
func OneLine(s string) string { return legible.Line(s) }
