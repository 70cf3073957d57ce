package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"entire/internal/legible"
	"entire/strategy/condense"
)

// A failure is an error with a hint: one line that says what to do.
type failure struct {
	err  error
	hint string
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// failf returns an error for the user with a hint; "" for none.
func failf(hint, format string, args ...any) error {
	return &failure{fmt.Errorf(format, args...), hint}
}

// withHint adds a hint to err unless it has one.
func withHint(err error, hint string) error {
	if hintOf(err) != "" {
		return err
	}
	return &failure{err, hint}
}

// errTold ends a command with status 1 after the command has printed everything itself.
var errTold = errors.New("already reported")

// A statusError ends the program with a status of its own.
type statusError struct {
	error
	status int
}

func (e *statusError) Unwrap() error { return e.error }

// exitWith gives an error the status with which it ends the program.
func exitWith(status int, err error) error { return &statusError{err, status} }

// exit prints err, if there is one, and returns the process's exit status.
func (w *world) exit(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errTold):
		return 1
	}
	fmt.Fprintf(w.err, "entire: %s\n", toldOf(err))
	if hint := hintOf(err); hint != "" {
		fmt.Fprintf(w.err, "hint: %s\n", hint)
	}
	var own *statusError
	if errors.As(err, &own) {
		return own.status
	}
	return 1
}

// hintOf returns the hint for an error, "" for none.
func hintOf(err error) string {
	var f *failure
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
// that cannot be written, it keeps the first.
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
	return shownLine(strings.Join(lines, "\n"))
}

// allOrNothing prints a command's standard output only if the command succeeds.
func (w *world) allOrNothing(command func(*world) error) error {
	var out bytes.Buffer
	buffered := *w
	buffered.out = &out
	if err := command(&buffered); err != nil {
		return err
	}
	_, err := w.out.Write(out.Bytes())
	return err
}

// oneLine turns text into a single line.
func oneLine(s string) string { return legible.Line(s) }
