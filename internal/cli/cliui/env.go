package cliui

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"entire/internal/legible"
	"entire/internal/term"
)

// An Env is what a command knows of its surroundings.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	Mark     string // marks the colours that Out and Err let through
	Environ  []string
	screenOf *term.Terminal // made on first use; nil before
	Getwd    func() (string, error)
	Now      func() time.Time
	Version  string           // of this program
	Quit     func(status int) // ends the process
}

// Flush writes what the writers still hold, such as half a character.
func (w *Env) Flush() {
	for _, out := range []io.Writer{w.Out, w.Err} {
		if held, ok := out.(*legible.Writer); ok {
			held.Flush()
		}
	}
}

// Printable makes foreign text safe to print, and ShownLine also puts it in one line. Callers need
// them where the text is measured or split before it is printed.
func Printable(text string) string { return legible.Text(text) }

func ShownLine(text string) string { return legible.Line(text) }

// Raw returns standard output for bytes that must not change; a terminal gets them as text.
func (w *Env) Raw() io.Writer {
	if term.IsTerminal(w.Out) {
		return w.Out
	}
	return term.Raw(w.Out)
}

// Redrawn returns standard error for git's progress.
func (w *Env) Redrawn() io.Writer { return legible.Redrawing(term.Raw(w.Err)) }

// Getenv returns the value of an environment variable, "" if it is not set.
func (w *Env) Getenv(name string) string {
	value, _ := w.LookupEnv(name)
	return value
}

func (w *Env) LookupEnv(name string) (string, bool) {
	for i := len(w.Environ) - 1; i >= 0; i-- {
		if entry := w.Environ[i]; len(entry) > len(name) && entry[len(name)] == '=' && entry[:len(name)] == name {
			return entry[len(name)+1:], true
		}
	}
	return "", false
}

// Home returns the user's home directory, "" if it is unknown.
func (w *Env) Home() string {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if dir := w.Getenv(name); filepath.IsAbs(dir) {
			return dir
		}
	}
	return ""
}

// TestTTY returns what tests say about a terminal: "1" in ENTIRE_TEST_TTY means that a person is
// there, any other value that nobody is.
func (w *Env) TestTTY() (person, set bool) {
	value, set := w.LookupEnv("ENTIRE_TEST_TTY")
	return value == "1", set
}

// Terminal returns the terminal where a person can be asked. Questions go to standard error, so
// that standard output has only the requested output.
func (w *Env) Terminal() term.Terminal {
	_, pretend := w.TestTTY()
	return term.Terminal{
		In: w.In, Out: w.Err,
		Interactive: !pretend && term.IsTerminal(w.In) && term.IsTerminal(w.Err),
		Accessible:  w.Getenv("ACCESSIBLE") != "",
		Color:       w.wantsColor(w.Err),
		Mark:        w.Mark,
	}
}

// Screen returns standard output as a terminal, for output without questions.
func (w *Env) Screen() term.Terminal {
	if w.screenOf == nil || w.screenOf.Out != w.Out {
		w.screenOf = &term.Terminal{Out: w.Out, Color: w.wantsColor(w.Out), Mark: w.Mark}
	}
	return *w.screenOf
}

func (w *Env) wantsColor(out io.Writer) bool {
	return term.WantsColor(out, w.Getenv("NO_COLOR"), w.Getenv("TERM"))
}

// agentShells are variables that agents set in the shells they open: a commit made there is not a
// person's, in whatever terminal.
var agentShells = []string{"CLAUDECODE", "GEMINI_CLI", "CURSOR_AGENT", "CODEX_SANDBOX"}

// AgentShell reports whether an agent opened this shell.
func (w *Env) AgentShell() bool {
	return slices.ContainsFunc(agentShells, func(name string) bool { return w.Getenv(name) != "" })
}

// PersonPresent reports whether a person sits at the terminal of this process, even if its own
// streams are redirected, as in a git hook.
func (w *Env) PersonPresent() bool {
	if person, set := w.TestTTY(); set {
		return person
	}
	if w.AgentShell() {
		return false
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	tty.Close()
	return true
}
