package tui

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/cliui"
	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/paint"
	"entire/internal/term"
)

// framesPerSecond bounds how long a finished frame waits for the terminal: 8 milliseconds.
const framesPerSecond = 120

// heapGrowth is by how many hundredths of what the program holds its memory grows until garbage is collected:
// it stays open for hours beside others. A limit of its memory would make it collect all the time near the limit.
const heapGrowth = 50

// Run shows the program on the terminal until the person leaves it. perform runs the commands that a
// person chooses there.
func Run(ctx context.Context, env *cliui.Env, perform facts.Performer) error {
	debug.SetGCPercent(heapGrowth)
	program, err := os.Executable()
	if err != nil {
		program = ""
	}
	src, err := facts.Open(ctx, env, perform, program)
	if err != nil {
		return err
	}
	defer src.Close()
	app := newApp(ctx, src, Options{Look: paint.Look{ASCII: !speaksUTF8(env)}, Zone: time.Local, Every: 2 * time.Second, Rest: 60 * time.Millisecond})
	defer app.close()
	_, err = tea.NewProgram(app, tea.WithContext(ctx), tea.WithInput(env.In), tea.WithOutput(term.Raw(env.Out)),
		tea.WithEnvironment(env.Environ), tea.WithFPS(framesPerSecond)).Run()
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return nil
	}
	return err
}

// Possible reports whether a person, and no agent, is at a terminal that can move its cursor.
func Possible(env *cliui.Env) bool {
	return !env.AgentShell() && env.Terminal().Interactive && term.IsTerminal(env.Out) && env.Getenv("TERM") != "dumb"
}

// speaksUTF8 reports whether the terminal shows more than ASCII. Where the environment says nothing,
// it does.
func speaksUTF8(env *cliui.Env) bool {
	if env.Getenv("TERM") == "linux" {
		return false // the console's font lacks most signs
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := env.Getenv(name); value != "" {
			value = strings.ToUpper(strings.ReplaceAll(value, "-", ""))
			return strings.Contains(value, "UTF8")
		}
	}
	return true
}
