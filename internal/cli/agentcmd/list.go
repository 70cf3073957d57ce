package agentcmd

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/term"
)

func listCommand(env *cliui.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Show each agent: its hooks, whether it is here, when it was last heard",
		Args:  cliui.NoArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), env, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func list(ctx context.Context, env *cliui.Env, asJSON bool) error {
	p, err := workplace.PlaceHere(env)
	if err != nil {
		return err
	}
	all, broken := agentlib.Look(ctx, question(ctx, env, p))
	for _, err := range broken {
		fmt.Fprintf(env.Err, "warning: %s\n", cliui.ShownLine(err.Error()))
	}
	if asJSON {
		views := make([]agentlib.View, len(all))
		for i := range all {
			views[i] = all[i].View()
		}
		return env.PrintJSON(views)
	}
	t := env.Screen()
	rows := [][]term.Cell{cliui.FaintRow(t, []string{"AGENT", "NAME", "HOOKS", "HERE", "HEARD", "NOTE"})}
	for i := range all {
		rows = append(rows, row(t, &all[i], env.Now()))
	}
	text := term.Columns(rows, env.Width())
	for i := range all {
		if a := all[i].Alarm; a != nil {
			text += fmt.Sprintf("\n%s: %s\n", t.Styled(term.Bad, string(all[i].Agent.Type())), a.Text(env.Now()))
			if a.Hint != "" {
				text += "  hint: " + a.Hint + "\n"
			}
		}
	}
	if !p.SetUp {
		text += "\nEntire is not set up here: run `entire enable`.\n"
	}
	_, err = fmt.Fprint(env.Out, text)
	return err
}

func row(t term.Terminal, s *agentlib.Standing, now time.Time) []term.Cell {
	installed := "no"
	switch {
	case s.HookFile == "":
		installed = "-"
	case s.Installed:
		installed = "yes"
	}
	row := term.Plain(string(s.Agent.Type()), string(s.Agent.Name()), installed, where(s), cliui.ShortAge(now.Sub(s.Heard), s.Heard), note(s))
	if s.Installed {
		row[2].Style = func(text string) string { return t.Styled(term.Good, text) }
	}
	return row
}

// where says in a word or two where the agent was found.
func where(s *agentlib.Standing) string {
	switch {
	case len(s.Programs) > 0:
		return filepath.Base(s.Programs[0])
	case len(s.Folders) > 0:
		return cliui.ShownName(s.Folders[0])
	case len(s.HomeFolders) > 0:
		return "~/" + s.HomeFolders[0]
	}
	return "-"
}

func note(s *agentlib.Standing) string {
	var notes []string
	about := s.Agent.Profile()
	if about.Preview != "" {
		notes = append(notes, about.Preview)
	}
	if trust := s.Trust(); s.NeverHeard() && trust != "" {
		notes = append(notes, trust)
	}
	if s.HookFile == "" {
		notes = append(notes, "calls the hooks itself")
	}
	return strings.Join(notes, "; ")
}
