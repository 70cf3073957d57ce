package auditcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"entire/checkpoint/audit"
	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
	"entire/internal/git"
)

// maxSigners bounds a file of allowed signers, in bytes.
const maxSigners = 4 << 20

type options struct {
	signers           string
	strict, json, csv bool
	history           bool
}

// Register adds the command audit to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	cmd := &cobra.Command{
		Use:   "audit COMMAND",
		Short: "Prove what the checkpoints say, and that nobody changed them",
		Long: `Prove what the checkpoints say, and that nobody changed them since.

Where the settings say so, each write of a checkpoint adds a statement: which objects
the checkpoint consists of, which commit it belongs to, which agents, models and
sessions worked on it, and who is accountable. The statements of a clone form a chain,
and git's key signs them:

  "strategy_options": {"audit": {"enabled": true, "sign": true}}

What this proves and what not: docs/audit.md.`,
	}
	cmd.AddCommand(verifyCommand(env), exportCommand(env))
	parent.AddCommand(cmd)
}

func verifyCommand(env *cliui.Env) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "verify [COMMIT | A..B]",
		Short: "Check every checkpoint against its statement",
		Long: `Check every checkpoint against its statement, and the commits of the current branch, or
those of a range, against the statements of their checkpoints. It reads every object of
the checkpoints, and needs no network.

Keys are trusted that a file of allowed signers has: that of --signers, or the one that
git's gpg.ssh.allowedSignersFile names. Without one, signatures are checked, and nobody
knows whose they are.

It ends with status 1 if anything is wrong.`,
		Example: `  entire audit verify
  entire audit verify main..HEAD --signers .github/allowed_signers --strict
  entire audit verify --json`,
		Args:              cliui.AtMostOneArgument,
		RunE:              func(cmd *cobra.Command, args []string) error { return runVerify(cmd.Context(), env, args, o) },
		ValidArgsFunction: cliui.FirstOnly(workplace.CompleteRevisions(env)),
	}
	cmd.Flags().BoolVar(&o.strict, "strict", false, "a checkpoint without a statement or without a signature is wrong, too")
	cmd.Flags().BoolVar(&o.history, "history", false, "also check all that earlier commits of the branch had, and their signatures")
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON object")
	addSigners(cmd, &o)
	return cmd
}

func exportCommand(env *cliui.Env) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "export [COMMIT | A..B]",
		Short: "List commits with what the statements say of them",
		Long: `List the commits of the current branch, or of a range, with what the statements of
their checkpoints say: agents, models, sessions, whose lines, who is accountable, who
signed, and what is proved. The checkpoints are checked as ` + "`audit verify`" + ` does.

As a table; --json prints an array, --csv a table for a spreadsheet.`,
		Example: `  entire audit export v1.0..HEAD --csv > release.csv
  entire audit export --json | jq '.[] | select(.state != "proved")'`,
		Args:              cliui.AtMostOneArgument,
		RunE:              func(cmd *cobra.Command, args []string) error { return runExport(cmd.Context(), env, args, o) },
		ValidArgsFunction: cliui.FirstOnly(workplace.CompleteRevisions(env)),
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON array")
	cmd.Flags().BoolVar(&o.csv, "csv", false, "print comma-separated values")
	cmd.MarkFlagsMutuallyExclusive("json", "csv")
	addSigners(cmd, &o)
	return cmd
}

func addSigners(cmd *cobra.Command, o *options) {
	cmd.Flags().StringVar(&o.signers, "signers", "", "the keys that are trusted are in `FILE`, in the form of ssh-keygen's allowed signers")
}

// examined is what both commands need.
type examined struct {
	result  *audit.Result
	commits []audit.Commit
	signers string // the file that was used; "" for none
	passed  []int  // its lines that cannot be used
}

// examine checks the branch, and the commits that args name.
func examine(ctx context.Context, env *cliui.Env, args []string, o options) (*examined, error) {
	wp, err := workplace.OpenWithoutRecovery(ctx, env)
	if err != nil {
		return nil, err
	}
	defer wp.Close()
	wp.FetchPromised(ctx, env)
	_, tip, err := metadata.Tip(ctx, wp.Repo)
	if err != nil {
		return nil, err
	}
	own, err := wp.Repo.Refs(ctx, metadata.CheckpointRefs)
	if err != nil {
		return nil, err
	}
	if tip.IsZero() && len(own) == 0 {
		return nil, cliui.Failf("`"+metadata.FetchCommand(id.CheckpointID{})+"` gets those of others; `entire enable` starts recording", "there are no checkpoints here")
	}
	revisions := []string{"HEAD"}
	if len(args) > 0 {
		revisions = args
	}
	if strings.HasPrefix(revisions[0], "-") {
		return nil, cliui.Failf("", "not a commit: %s", cliui.ShownName(revisions[0]))
	}
	x := &examined{}
	signers, err := x.trusted(ctx, env, wp, o.signers)
	if err != nil {
		return nil, err
	}
	show, done := env.Progress()
	x.result, err = audit.Verify(ctx, wp.Repo, tip, audit.Options{Signers: signers, Strict: o.strict, Keep: true, History: o.history,
		Progress: func(n, total int) { show("checkpoints", n, total) }})
	done()
	if err != nil {
		return nil, fmt.Errorf("check the checkpoints: %w", err)
	}
	return x, x.readCommits(ctx, wp, tip, revisions)
}

func (x *examined) readCommits(ctx context.Context, wp *workplace.Workplace, tip git.OID, revisions []string) error {
	rd := wp.Repo.Reader(ctx)
	if _, born, err := rd.CommitOf("HEAD"); err != nil || !born && revisions[0] == "HEAD" {
		return err
	}
	var roots []git.OID
	if !tip.IsZero() {
		c, err := rd.Commit(tip)
		if err != nil {
			return err
		}
		roots = append(roots, c.Tree)
	}
	links, err := metadata.ReadLinks(rd, roots)
	if err != nil {
		return err
	}
	gone, err := metadata.ReadForgotten(rd, roots...)
	if err != nil {
		return err
	}
	x.commits, err = audit.Commits(ctx, wp.Repo, x.result, links, gone, revisions...)
	var exit *git.ExitError
	if errors.As(err, &exit) {
		return cliui.Failf("any name or range of commits will do, as for `git log`", "not a commit or a range: %s", cliui.ShownName(revisions[0]))
	}
	return err
}

// trusted reads the file of allowed signers; nil if there is none.
func (x *examined) trusted(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, named string) (*audit.Signers, error) {
	const key = "gpg.ssh.allowedsignersfile"
	values, err := wp.Repo.Config(ctx, key)
	if err != nil {
		return nil, err
	}
	file := cmp.Or(named, values[key])
	if file == "" {
		return nil, nil
	}
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		file = filepath.Join(env.Home(), rest)
	}
	if !filepath.IsAbs(file) {
		base := wp.Repo.Top
		if named != "" {
			if base, err = env.Here(); err != nil {
				return nil, err
			}
		}
		file = filepath.Join(base, file)
	}
	data, err := durable.Read(file, maxSigners)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cliui.Failf("--signers names another file", "there is no file of allowed signers at %s", cliui.ShownName(file))
	}
	if err != nil {
		return nil, fmt.Errorf("read the allowed signers: %w", err)
	}
	s := audit.ReadSigners(data)
	x.signers, x.passed = file, s.PassedOver
	return s, nil
}
