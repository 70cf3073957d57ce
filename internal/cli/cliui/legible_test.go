package cliui

import (
	"bytes"
	"fmt"
	"testing"

	"entire/internal/legible"
	"entire/internal/term"
)

// Our own colours pass, without their mark; those that a text brings along do not.
func TestColoursPass(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	env := &Env{Out: legible.NewWriter(&out, "4711"), Mark: "4711"}
	screen := env.Screen()
	screen.Color = true
	fmt.Fprintln(env.Out, screen.Styled(term.Good, "good \x1b[31mred"), "\x1b[31mred")
	env.Flush()
	if got, want := out.String(), "\x1b[32mgood \\x1b[31mred\x1b[m \\x1b[31mred\n"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
}
