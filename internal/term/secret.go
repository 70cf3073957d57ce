package term

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/term"
)

// Secret asks for one line that is not shown while it is typed.
func (t Terminal) Secret(question string) (string, error) {
	f, ok := t.In.(interface{ Fd() uintptr })
	if !t.Interactive || !ok {
		return "", ErrNotInteractive
	}
	fmt.Fprint(t.Out, question+": ")
	line, err := term.ReadPassword(f.Fd())
	fmt.Fprintln(t.Out)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrCancelled, err)
	}
	return strings.TrimSuffix(string(line), "\r"), nil
}
