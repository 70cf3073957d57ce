package checkpointcmd

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/risk"
	"entire/strategy/turn"
)

// Limits of guard save: a person waits for it.
const (
	guardLimit  = 5 * time.Second
	maxTypedLen = 256 << 10
)

// guardSave is the command that the snippets run.
const guardSave = "entire guard save"

// The command that a person typed stands between these in what guard save reads, as in a hook's payload, whose
// filter is used.
const typedBegin, typedEnd = `:"`, `"`

// snippets are what `guard shell` prints. %s is the filter, which can be quoted for any shell.
var snippets = map[string]string{
	"zsh": `# In ~/.zshrc: eval "$(entire guard shell zsh)"
_entire_guard() { printf ':"%%s"' "$1" | command sh -c '%s'; }
autoload -Uz add-zsh-hook && add-zsh-hook preexec _entire_guard
`,
	"bash": `# In ~/.bashrc, for bash 4.4 or later: eval "$(entire guard shell bash)"
_entire_guard() { printf ':"%%s"' "$(HISTTIMEFORMAT= builtin history 1)" | command sh -c '%s'; }
case $PS0 in *_entire_guard*) ;; *) PS0=$PS0'$(_entire_guard)' ;; esac
`,
	"fish": `# In ~/.config/fish/config.fish: entire guard shell fish | source
function _entire_guard --on-event fish_preexec
    printf ':"%%s"' "$argv[1]" | command sh -c '%s'
end
`,
}

func guardCommand(env *cliui.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "guard COMMAND",
		Short: "Save the files before your own commands that may lose work",
		Long: `Before an agent runs a command that may lose work, the files are saved: that guard is
part of the agent's hooks (entire enable --no-guard switches it off). ` + "`entire guard shell`" + `
prints what does the same in your own shell.`,
		Args: cliui.NoSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	shell := &cobra.Command{
		Use:   "shell [zsh | bash | fish]",
		Short: "Print what to add to your shell's settings",
		Long: `Print what to add to the settings of your shell: before a command that you type and that
may lose work, such as git reset --hard, the files are saved, in every worktree where
Entire is enabled. Without an argument, $SHELL says which shell.`,
		Example: `  eval "$(entire guard shell zsh)"      # in ~/.zshrc
  entire guard shell fish | source     # in ~/.config/fish/config.fish`,
		Args:      cliui.AtMostOneArgument,
		ValidArgs: []string{"bash", "fish", "zsh"},
		RunE: func(_ *cobra.Command, args []string) error {
			name := filepath.Base(env.Getenv("SHELL"))
			if len(args) > 0 {
				name = args[0]
			}
			snippet, ok := snippets[name]
			if !ok {
				return cliui.Failf("name one of bash, fish and zsh", "there is no snippet for the shell %q", name)
			}
			_, err := fmt.Fprintf(env.Out, snippet, risk.FilterText(guardSave))
			return err
		},
	}
	save := &cobra.Command{
		Use: "save", Short: "Save the files before a command", Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), guardLimit)
			defer cancel()
			if err := saveBefore(ctx, env); err != nil {
				fmt.Fprintf(env.Err, "entire: the files were not saved before this command: %s\n", cliui.ShownLine(err.Error()))
			}
			return nil // the command runs whatever happens here
		},
	}
	cmd.AddCommand(shell, save)
	return cmd
}

// saveBefore saves the files if the command on standard input may lose work.
func saveBefore(ctx context.Context, env *cliui.Env) error {
	text, err := io.ReadAll(io.LimitReader(env.In, maxTypedLen))
	if err != nil {
		return err
	}
	dir, err := env.Here()
	if err != nil {
		return err
	}
	p := workplace.FindPlace(dir)
	s, err := config.Load(p.Settings)
	if !p.Active() || !config.Readable(err) || !s.Guard() {
		return nil
	}
	what := risk.CommandIn(typed(string(text)), workplace.ContentIn(dir))
	if what == "" {
		return nil
	}
	wp, err := workplace.OpenEnabled(ctx, env)
	if err != nil || wp == nil {
		return err
	}
	defer wp.Close()
	saved, err := turn.SaveBefore(ctx, wp.Engine, what)
	if err != nil || saved.IsZero() {
		return err
	}
	beyond := risk.Beyond(what)
	if beyond != "" {
		beyond = "; " + beyond
	}
	_, err = fmt.Fprintf(env.Err, "entire: saved the files as %s before this command (%s); undo with: entire rewind %[1]s --code%[3]s\n", saved.Short(), cliui.ShownLine(what), beyond)
	return err
}

// typed returns the command in what guard save reads. bash puts its number in the history before it.
func typed(text string) string {
	text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimRight(text, "\n"), typedBegin), typedEnd)
	words := strings.Fields(text)
	if len(words) > 1 && strings.Trim(words[0], "0123456789*") == "" && slices.Contains([]byte("0123456789"), words[0][0]) {
		return text[strings.Index(text, words[0])+len(words[0]):]
	}
	return text
}
