package main

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire/internal/legible"
	"entire/internal/term"
)

// world is all that a command knows of its surroundings.
type world struct {
	in       io.Reader
	out, err io.Writer
	mark     string // of colours, by which out and err know them
	environ  []string
	getwd    func() (string, error)
	now      func() time.Time
}

// theWorld is the process's own. All that commands print goes through a writer that
// lets nothing pass which a terminal would obey, but colours with this run's mark.
func theWorld() *world {
	mark := strconv.FormatUint(rand.Uint64(), 10)
	return &world{
		in: os.Stdin, out: legible.NewWriter(os.Stdout, mark), err: legible.NewWriter(os.Stderr, mark), mark: mark,
		environ: os.Environ(), getwd: os.Getwd, now: time.Now,
	}
}

// flush writes the last of what was printed, such as half a character.
func (w *world) flush() {
	for _, out := range []io.Writer{w.out, w.err} {
		if held, ok := out.(*legible.Writer); ok {
			held.Flush()
		}
	}
}

// printable is text of others as it may be shown, and shownLine as it may stand in a
// line: where its width counts, or where it is taken apart, before it is printed.
func printable(text string) string { return legible.Text(text) }
func shownLine(text string) string { return legible.Line(text) }

// raw is standard output for what must stay byte for byte as it is kept; a
// terminal gets it as text.
func (w *world) raw() io.Writer {
	if term.IsTerminal(w.out) {
		return w.out
	}
	return term.Raw(w.out)
}

// redrawn is standard error for what git tells of its progress.
func (w *world) redrawn() io.Writer { return legible.Redrawing(term.Raw(w.err)) }

// env is the value of an environment variable, "" when it is not set.
func (w *world) env(name string) string {
	value, _ := w.lookup(name)
	return value
}

func (w *world) lookup(name string) (string, bool) {
	for i := len(w.environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(w.environ[i], name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// home is the user's home directory, "" when nobody says where it is.
func (w *world) home() string {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if dir := w.env(name); filepath.IsAbs(dir) {
			return dir
		}
	}
	return ""
}

// testTTY is what tests say about a terminal: ENTIRE_TEST_TTY set to "1" means
// that a person is there, set to anything else that nobody is.
func (w *world) testTTY() (person, set bool) {
	value, set := w.lookup("ENTIRE_TEST_TTY")
	return value == "1", set
}

// terminal is where a person can be asked. Questions go to standard error, so
// that standard output stays what was asked for.
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

// screen is standard output, for what is shown rather than asked.
func (w *world) screen() term.Terminal {
	return term.Terminal{Out: w.out, Color: w.wantsColor(w.out), Mark: w.mark}
}

func (w *world) wantsColor(out io.Writer) bool {
	return term.WantsColor(out, w.env("NO_COLOR"), w.env("TERM"))
}

// agentShells are variables that agents set in the shells they open: whoever
// commits there is not a person, whatever terminal it is in.
var agentShells = []string{"CLAUDECODE", "GEMINI_CLI", "CURSOR_AGENT", "CODEX_SANDBOX"}

// agentShell reports a shell that an agent has opened.
func (w *world) agentShell() bool {
	return slices.ContainsFunc(agentShells, func(name string) bool { return w.env(name) != "" })
}

// personPresent reports whether somebody sits at the terminal that this process
// belongs to, even where its own streams are redirected, as in a git hook.
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
