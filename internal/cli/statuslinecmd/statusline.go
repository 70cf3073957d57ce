package statuslinecmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/summarize"
)

// Name is the name of the command.
const Name = "statusline"

type options struct {
	payload, short, json, refresh, wait bool
	install, uninstall                  bool
	color                               string
}

// Register adds the command to parent.
func Register(parent *cobra.Command, env *cliui.Env) { parent.AddCommand(Command(env)) }

// Command returns the command. Package main runs it without the tree of all commands, which takes
// longer to build than the line.
func Command(env *cliui.Env) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   Name,
		Short: "Print one line for a status line or a prompt",
		Long: `Print one line for an agent's status line or a shell's prompt: the steps since the
commit, when the last one was captured, how much of the staged lines an agent wrote,
and an alarm if an agent works here and nothing is captured. It prints nothing where
Entire is not set up or switched off.`,
		Example: `  entire statusline
  entire statusline --install            # in the agents that show one
  entire statusline --short --color always

  # starship.toml
  [custom.entire]
  command = "entire statusline --short"
  when = "true"

  # Powerlevel10k, in ~/.p10k.zsh
  function prompt_entire() { p10k segment -t "$(entire statusline --short)" }`,
		Args:              cliui.NoArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		SilenceErrors:     true,
		SilenceUsage:      true,
		RunE:              func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), env, o) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.payload, "stdin", false, "take the folder from the JSON that an agent sends on standard input")
	f.BoolVar(&o.short, "short", false, "use few characters")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	f.StringVar(&o.color, "color", "auto", "`WHEN` to use colours: auto, always or never")
	f.BoolVar(&o.install, "install", false, "let the agents that show a status line show this one, in all repositories")
	f.BoolVar(&o.uninstall, "uninstall", false, "revert --install")
	f.BoolVar(&o.refresh, "refresh", false, "find what is staged, for later calls")
	f.BoolVar(&o.wait, "wait", false, "with --refresh: wait for another process that is at it")
	cliui.HideFlags(f, "refresh", "wait")
	cmd.RegisterFlagCompletionFunc("color", cobra.FixedCompletions([]string{"auto", "always", "never"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func run(ctx context.Context, env *cliui.Env, o options) error {
	switch {
	case o.install && o.uninstall:
		return cliui.Failf("use one of them", "cannot specify both --install and --uninstall")
	case o.color != "auto" && o.color != "always" && o.color != "never":
		return cliui.Failf("say auto, always or never", "--color is %q", o.color)
	}
	if o.install || o.uninstall {
		return install(env, o.install)
	}
	dir, err := env.Getwd()
	if err != nil {
		return nil // the folder is gone
	}
	if o.payload {
		dir = folderOf(env.In, dir)
	}
	place := workplace.FindPlace(dir)
	if !place.Active() || place.Folder {
		return nil
	}
	if o.refresh {
		return refresh(ctx, env, place, o.wait)
	}
	line := read(ctx, env, place)
	if line.stale {
		startRefresh(env, place)
	}
	if o.json {
		return env.PrintJSON(line)
	}
	t := env.Screen()
	t.Color = o.color == "always" || o.color == "auto" && (t.Color || o.payload && env.Getenv("NO_COLOR") == "")
	_, err = fmt.Fprintln(env.Out, line.text(t, env.Now(), o.short))
	return err
}

// payloadMax bounds what is read of an agent's JSON.
const payloadMax = 1 << 20

// folderOf returns the folder that an agent's JSON names, or else dir.
func folderOf(in io.Reader, dir string) string {
	var sent struct {
		Folder    string `json:"cwd"`
		Workspace struct {
			Current string `json:"current_dir"`
		} `json:"workspace"`
	}
	data, err := io.ReadAll(io.LimitReader(in, payloadMax))
	if err != nil || json.Unmarshal(data, &sent) != nil {
		return dir
	}
	for _, named := range []string{sent.Workspace.Current, sent.Folder} {
		if filepath.IsAbs(named) && cliui.IsDir(named) {
			return named
		}
	}
	return dir
}

// startRefresh starts the process that finds what takes longer.
func startRefresh(env *cliui.Env, place workplace.Place) {
	if program, err := os.Executable(); err == nil {
		summarize.Detach(program, []string{Name, "--refresh"}, place.Top, env.Environ) // without it, the next call tries again
	}
}
