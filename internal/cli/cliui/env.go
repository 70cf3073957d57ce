package cliui

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"entire/agent"
	"entire/agent/agents"
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
func (env *Env) Flush() {
	for _, out := range []io.Writer{env.Out, env.Err} {
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
func (env *Env) Raw() io.Writer {
	if term.IsTerminal(env.Out) {
		return env.Out
	}
	return term.Raw(env.Out)
}

// Redrawn returns standard error for git's progress.
func (env *Env) Redrawn() io.Writer { return legible.Redrawing(term.Raw(env.Err)) }

// Getenv returns the value of an environment variable, "" if it is not set.
func (env *Env) Getenv(name string) string {
	value, _ := env.LookupEnv(name)
	return value
}

func (env *Env) LookupEnv(name string) (string, bool) {
	for i := len(env.Environ) - 1; i >= 0; i-- {
		if entry := env.Environ[i]; len(entry) > len(name) && entry[len(name)] == '=' && entry[:len(name)] == name {
			return entry[len(name)+1:], true
		}
	}
	return "", false
}

// Here returns the current directory.
func (env *Env) Here() (string, error) {
	dir, err := env.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the current directory: %w", err)
	}
	return dir, nil
}

// Abs returns a path that was given in the current directory as an absolute path.
func (env *Env) Abs(path string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	dir, err := env.Here()
	return filepath.Join(dir, path), err
}

// Home returns the user's home directory, "" if it is unknown.
func (env *Env) Home() string {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if dir := env.Getenv(name); filepath.IsAbs(dir) {
			return dir
		}
	}
	return ""
}

// TestTTY returns what tests say about a terminal: "1" in ENTIRE_TEST_TTY means that a person is
// there, any other value that nobody is.
func (env *Env) TestTTY() (person, set bool) {
	value, set := env.LookupEnv("ENTIRE_TEST_TTY")
	return value == "1", set
}

// Terminal returns the terminal where a person can be asked. Questions go to standard error, so
// that standard output has only the requested output.
func (env *Env) Terminal() term.Terminal {
	_, pretend := env.TestTTY()
	return term.Terminal{
		In: env.In, Out: env.Err,
		Interactive: !pretend && term.IsTerminal(env.In) && term.IsTerminal(env.Err),
		Accessible:  !env.Draws(),
		Color:       env.wantsColor(env.Err),
		Mark:        env.Mark,
	}
}

// Draws reports whether a line that was written may be changed: not for a screen reader (ACCESSIBLE), and not
// where the terminal cannot move its cursor (TERM=dumb, as in the shell of an editor).
func (env *Env) Draws() bool { return env.Getenv("ACCESSIBLE") == "" && env.Getenv("TERM") != "dumb" }

// Screen returns standard output as a terminal, for output without questions.
func (env *Env) Screen() term.Terminal {
	if env.screenOf == nil || env.screenOf.Out != env.Out {
		env.screenOf = &term.Terminal{Out: env.Out, Color: env.wantsColor(env.Out), Mark: env.Mark}
	}
	return *env.screenOf
}

func (env *Env) wantsColor(out io.Writer) bool {
	return term.WantsColor(out, env.Getenv("NO_COLOR"), env.Getenv("TERM"))
}

// AgentShell reports whether an agent opened this shell.
func (env *Env) AgentShell() bool {
	return slices.ContainsFunc(agents.All(), func(a agent.Agent) bool {
		return slices.ContainsFunc(a.Profile().ShellVars, func(name string) bool { return env.Getenv(name) != "" })
	})
}

// PersonPresent reports whether a person sits at the terminal of this process, even if its own
// streams are redirected, as in a git hook.
func (env *Env) PersonPresent() bool {
	if person, set := env.TestTTY(); set {
		return person
	}
	if env.AgentShell() {
		return false
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	tty.Close()
	return true
}
