package notescmd

import (
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/formats/authorship"
)

// Register adds the command notes to parent, and `import notes`, another name of `notes import`.
func Register(parent *cobra.Command, env *cliui.Env) {
	cmd := &cobra.Command{
		Use:   "notes COMMAND",
		Short: "Exchange who wrote which line with git-ai",
		Long: `Exchange who wrote which line with git-ai, which keeps that in git notes
(` + authorship.Ref + `). Nothing is sent: git fetches and pushes the notes, as in

  git fetch origin ` + authorship.Ref + `:` + authorship.Ref + `
  git push origin ` + authorship.Ref,
	}
	cmd.AddCommand(syncCommand(env), importCommand(env, "import"))
	other := &cobra.Command{
		Use: "import", Short: "Import what other programs recorded", Hidden: true,
		Long: `Import what other programs recorded. What agents keep on this machine is brought back
by ` + "`entire rescue`" + `, an export of Entire's own by ` + "`entire sessions import`" + `.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(*cobra.Command, []string) error {
			return cliui.Failf("`entire rescue` brings back what agents keep on this machine, `entire sessions import FILE` an export, `entire import notes` reads notes of git-ai", "import what?")
		},
	}
	other.AddCommand(importCommand(env, "notes"))
	parent.AddCommand(cmd, other)
}

func syncCommand(env *cliui.Env) *cobra.Command {
	var o syncOptions
	cmd := &cobra.Command{
		Use:   "sync [COMMIT | A..B]",
		Short: "Write our records of commits as notes of git-ai",
		Long: `Write who wrote the lines of a commit, or of each commit of a range, as notes of
git-ai: an agent's lines with their session and model, no prompt and no text. Without
an argument it is HEAD.

A note that another program wrote stays as it is. A commit without an agent's lines
gets no note. Run again, it renews our notes that say something else by now.`,
		Example: `  entire notes sync                         # the last commit
  entire notes sync origin/main..HEAD       # a branch
  entire notes sync --dry-run v1.0..HEAD`,
		Args: cliui.AtMostOneArgument,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSync(cmd.Context(), env, append(args, "HEAD")[0], o)
		},
		ValidArgsFunction: cliui.FirstOnly(workplace.CompleteRevisions(env)),
	}
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "only say what would be written")
	addCommon(cmd, &o.ref, &o.json)
	return cmd
}

func importCommand(env *cliui.Env, name string) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   name,
		Short: "Let the notes of git-ai say who wrote lines",
		Long: `Let the notes of git-ai that this repository has say who wrote a line that no record
of ours knows: ` + "`blame`, `why` and `report`" + ` then say "noted by git-ai". A recorded edit
always counts more than a note.

Whoever can push to ` + authorship.Ref + ` can write notes. So only the notes that are there
now count; run it again after a fetch. It reads what can be read, and says what not.`,
		Example: `  entire notes import
  entire notes import --none     # notes count no longer`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runImport(cmd.Context(), env, o) },
	}
	cmd.Flags().BoolVar(&o.none, "none", false, "let notes say nothing any more")
	addCommon(cmd, &o.ref, &o.json)
	return cmd
}

// addCommon adds the flags that both commands have.
func addCommon(cmd *cobra.Command, ref *string, json *bool) {
	cmd.Flags().StringVar(ref, "ref", authorship.Ref, "the notes are in `REF`")
	cmd.Flags().BoolVar(json, "json", false, "print a JSON object")
	cmd.RegisterFlagCompletionFunc("ref", cobra.NoFileCompletions)
}

// plainName is what the name of a notes ref is made of.
const plainName = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./"

// checkRef returns an error for a ref that has no notes.
func checkRef(ref string) error {
	name, found := strings.CutPrefix(ref, "refs/notes/")
	if !found || name == "" || strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune(plainName, r) }) || strings.Contains(name, "..") {
		return cliui.Failf("as in --ref "+authorship.Ref, "not a ref of notes: %s", cliui.ShownName(ref))
	}
	return nil
}
