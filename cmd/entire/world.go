package main

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"entire/internal/legible"
	"entire/internal/term"
)

// A world is what a command knows of its surroundings.
type world struct {
	in       io.Reader
	out, err io.Writer
	mark     string // marks the colours that out and err let through
	environ  []string
	screenOf *term.Terminal // made on first use; nil before
	getwd    func() (string, error)
	now      func() time.Time
	version  string           // of this program
	quit     func(status int) // ends the process
}

// theWorld returns the process's own world. Its writers remove everything that a terminal would
// obey, except colours with this run's mark.
func theWorld() *world {
	mark := strconv.FormatUint(rand.Uint64(), 10)
	return &world{
		in: os.Stdin, out: legible.NewWriter(os.Stdout, mark), err: legible.NewWriter(os.Stderr, mark), mark: mark,
		environ: os.Environ(), getwd: os.Getwd, now: time.Now, version: version, quit: os.Exit,
	}
}

// flush writes what the writers still hold, such as half a character.
func (w *world) flush() {
	for _, out := range []io.Writer{w.out, w.err} {
		if held, ok := out.(*legible.Writer); ok {
			held.Flush()
		}
	}
}

// printable makes foreign text safe to print, and shownLine also puts it in one line. Callers need
// them where the text is measured or split before it is printed.
func printable(text string) string { return legible.Text(text) }
func shownLine(text string) string { return legible.Line(text) }

// raw returns standard output for bytes that must not change; a terminal gets them as text.
func (w *world) raw() io.Writer {
	if term.IsTerminal(w.out) {
		return w.out
	}
	return term.Raw(w.out)
}

// redrawn returns standard error for git's progress.
func (w *world) redrawn() io.Writer { return legible.Redrawing(term.Raw(w.err)) }

// env returns the value of an environment variable, "" if it is not set.
func (w *world) env(name string) string {
	value, _ := w.lookup(name)
	return value
}

func (w *world) lookup(name string) (string, bool) {
	for i := len(w.environ) - 1; i >= 0; i-- {
		if entry := w.environ[i]; len(entry) > len(name) && entry[len(name)] == '=' && entry[:len(name)] == name {
			return entry[len(name)+1:], true
		}
	}
	return "", false
}

// home returns the user's home directory, "" if it is unknown.
func (w *world) home() string {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if dir := w.env(name); filepath.IsAbs(dir) {
			return dir
		}
	}
	return ""
}

// testTTY returns what tests say about a terminal: "1" in ENTIRE_TEST_TTY means that a person is
// there, any other value that nobody is.
func (w *world) testTTY() (person, set bool) {
	value, set := w.lookup("ENTIRE_TEST_TTY")
	return value == "1", set
}

// terminal returns the terminal where a person can be asked. Questions go to standard error, so
// that standard output has only the requested output.
func (w *world) terminal() term.Terminal {
	_, pretend := w.testTTY()
	return term.Terminal{
		In: w.in, Out: w.err,
		Interactive: !pretend && term.IsTerminal(w.in) && term.IsTerminal(w.err),
		Accessible:  w.env("ACCESSIBLE") != "",
		Color:       w.wantsColor(w.err),
		Mark:        w.mark,
	}
}

// screen returns standard output as a terminal, for output without questions.
func (w *world) screen() term.Terminal {
	if w.screenOf == nil || w.screenOf.Out != w.out {
		w.screenOf = &term.Terminal{Out: w.out, Color: w.wantsColor(w.out), Mark: w.mark}
	}
	return *w.screenOf
}

func (w *world) wantsColor(out io.Writer) bool {
	return term.WantsColor(out, w.env("NO_COLOR"), w.env("TERM"))
}

// agentShells are variables that agents set in the shells they open: a commit made there is not a
// person's, in whatever terminal.
var agentShells = []string{"CLAUDECODE", "GEMINI_CLI", "CURSOR_AGENT", "CODEX_SANDBOX"}

// agentShell reports whether an agent opened this shell.
func (w *world) agentShell() bool {
	return slices.ContainsFunc(agentShells, func(name string) bool { return w.env(name) != "" })
}

// personPresent reports whether a person sits at the terminal of this process, even if its own
// streams are redirected, as in a git hook.
func (w *world) personPresent() bool {
	if person, set := w.testTTY(); set {
		return person
	}
	if w.agentShell() {
		return false
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	tty.Close()
	return true
}
