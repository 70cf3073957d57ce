package attributioncmd

import (
	"bytes"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/cli/workplace"
	"entire/internal/forge"
	"entire/internal/policy"
	"entire/internal/review"
	"entire/internal/review/reading"
)

type reviewOptions struct {
	attributionOptions
	base, linkBase, forge string
	comment               bool
}

// reviewCommand shows a change in the order in which to review it.
func reviewCommand(env *cliui.Env) *cobra.Command {
	var o reviewOptions
	cmd := &cobra.Command{
		Use:   "review [COMMIT | A..B | BRANCH] [FILE]",
		Short: "Show a change in the order in which to review it",
		Long: `Show what to read first in a commit, a range or a branch: pieces that an agent wrote
and nobody has touched since, that no test accompanies, or that lie outside what the
prompt names come first, each with the prompt behind it and why it is there. It also
says what was tried and undone.

A branch means what it adds to the default branch, or to --base. Without an argument it
is the current branch; on the default branch it is the last commit. Pieces that only
people wrote are not listed. FILE is where --json, --markdown or --html write.
docs/review.md describes the points.

With --comment, in a job of GitHub Actions, GitLab CI or Gitea Actions, it keeps one
comment at the pull request up to date: it writes a new comment only if there is none of
its own. With --check the comment and the exit status also say whether the change keeps
the limits or the policy of ` + "`entire report --check`" + `: 1 if not, and 2 after an error.`,
		Example: `  entire review                                # the current branch
  entire review HEAD                           # the last commit
  entire review origin/topic --base origin/main
  entire review main..topic --markdown >comment.md
  entire review main..topic --html review.html
  entire review --check .entire/policy.json --comment main...HEAD`,
		Args: func(cmd *cobra.Command, args []string) error { return o.unanswered(o.refuseReview(cmd, args)) },
		RunE: func(cmd *cobra.Command, args []string) error {
			args = o.takeOutput(args)
			if err := o.refuseToReplace(env); err != nil {
				return o.unanswered(err)
			}
			return o.unanswered(runReview(cmd.Context(), env, args, o))
		},
		ValidArgsFunction: cliui.FirstOnly(workplace.CompleteRevisions(env)),
	}
	cliui.WrongFlagExits(cmd, 2)
	f := cmd.Flags()
	f.StringVar(&o.base, "base", "", "the `BRANCH` into which the change is to be merged")
	f.StringVar(&o.check, "check", "", "also check these `LIMITS`, or the policy in a file, as entire report does")
	f.StringVar(&o.linkBase, "link-base", "", "the `URL` of the repository's page, for links to lines (default: from the remote)")
	f.StringVar(&o.forge, "forge", "", "the `KIND` of that page: "+strings.Join(forge.Kinds(), ", "))
	f.StringVarP(&o.output, "output", "o", "", "write to `FILE` instead of standard output")
	f.BoolVar(&o.json, "json", false, "print JSON, as docs/attribution.md describes it")
	f.BoolVar(&o.markdown, "markdown", false, "print Markdown that fits a comment")
	f.BoolVar(&o.html, "html", false, "print one page of HTML, with the lines")
	f.BoolVar(&o.comment, "comment", false, "keep one comment at the pull request of this CI job up to date")
	f.BoolVar(&o.noPager, "no-pager", false, "never use a pager")
	cmd.RegisterFlagCompletionFunc("base", workplace.CompleteRevisions(env))
	cmd.RegisterFlagCompletionFunc("forge", cobra.FixedCompletions(forge.Kinds(), cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("check", completeLimits)
	return cmd
}

// refuseReview returns an error for arguments and flags that exclude each other.
func (o *reviewOptions) refuseReview(cmd *cobra.Command, args []string) error {
	forms := 0
	for _, on := range []bool{o.json, o.markdown, o.html, o.comment} {
		if on {
			forms++
		}
	}
	given := cmd.Flags().Changed
	for _, name := range []string{"base", "check", "link-base", "forge", "output"} {
		if given(name) && cmd.Flag(name).Value.String() == "" {
			return cliui.Failf("`entire review --help` shows what it takes", "--%s needs a value", name)
		}
	}
	switch {
	case forms > 1:
		return cliui.Failf("use one of them", "cannot specify multiple of --json, --markdown, --html, --comment")
	case o.comment && given("output"):
		return cliui.Failf("run the command again with --markdown", "--comment writes no file")
	case len(args) > 2, len(args) > 1 && (forms == 0 || o.comment || given("output")):
		return cliui.Failf(oneWord, "unexpected argument %q", args[1])
	case o.forge != "" && !slices.Contains(forge.Kinds(), o.forge):
		return cliui.Failf("they are "+strings.Join(forge.Kinds(), ", "), "there is no kind of forge %s", cliui.ShownName(o.forge))
	}
	return nil
}

func runReview(ctx context.Context, env *cliui.Env, args []string, o reviewOptions) error {
	limits, rules, err := o.readCheck(env)
	if err != nil {
		return err
	}
	var job *job
	if o.comment {
		if job, err = jobOf(env); err != nil {
			return err
		}
	}
	defer debug.SetGCPercent(debug.SetGCPercent(heapGrowth))
	wp, err := workplace.OpenWithoutRecovery(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	wp.FetchPromised(ctx, env)
	d, err := reviewOf(ctx, env, wp, args, o)
	if err != nil {
		return err
	}
	kept, err := checkRules(ctx, wp, d, limits, rules)
	if err != nil {
		return err
	}
	reading.Order(d)
	if o.comment {
		err = job.keep(ctx, env, d)
	} else {
		err = printReview(ctx, env, d, o)
	}
	if err != nil {
		return err
	}
	if !kept {
		tellBroken(env, d)
		return cliui.ErrTold
	}
	return nil
}

// reviewOf returns the document of the change that the arguments mean, without its order.
func reviewOf(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, args []string, o reviewOptions) (*review.Document, error) {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	name, err := ownerlib.ChangeMeant(ctx, wp, name, o.base)
	if err != nil {
		return nil, err
	}
	site, err := o.site(ctx, env, wp)
	if err != nil {
		return nil, err
	}
	show, done := slowProgress(env)
	d, err := ownerlib.ReviewInOrder(ctx, wp, name, show)
	done()
	if err != nil {
		return nil, err
	}
	for _, p := range d.Problems {
		fmt.Fprintf(env.Err, "warning: %s\n", cliui.ShownLine(p))
	}
	if o.html {
		ownerlib.Surround(ctx, wp, d)
	}
	addLinks(d, site)
	return d, nil
}

// addLinks lets the document link to lines and commits at a forge.
func addLinks(d *review.Document, site forge.Site) {
	d.Place.LineLink = func(path string, at review.Stretch) string { return site.Lines(d.Range.Head, path, at.Start, at.Count) }
	d.Place.CommitLink = site.Commit
}

// checkRules compares a document with limits and a policy, and reports whether it keeps them.
func checkRules(ctx context.Context, wp *workplace.Workplace, d *review.Document, limits []review.Limit, rules *policy.Policy) (bool, error) {
	kept := d.ApplyLimits(limits)
	if rules == nil {
		return kept, nil
	}
	commits, err := ownerlib.Messages(ctx, wp, d)
	if err != nil {
		return false, err
	}
	d.Violations = rules.Check(d, commits)
	return kept && len(d.Violations) == 0, nil
}

// site returns the repository's page: the one given, the one that a CI job is told, or that of the remote.
func (o *reviewOptions) site(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) (forge.Site, error) {
	base, kind := o.linkBase, forge.Kind(o.forge)
	if base == "" {
		base, kind = pageOfJob(env, kind)
	}
	if base != "" {
		site, err := forge.SiteAt(base, kind)
		if err != nil && o.linkBase != "" {
			return site, cliui.Failf("as in --link-base https://git.example.com/team/app", "--link-base: %w", err)
		}
		return site, nil
	}
	url, err := wp.Repo.FetchURL(ctx, "origin")
	if err != nil {
		return forge.Site{}, nil // a repository without a remote has no page
	}
	site := forge.SiteOf(url)
	if site.Kind == "" && kind != "" {
		return forge.SiteOfKind(url, kind), nil
	}
	return site, nil
}

// printReview writes the document in the requested format.
func printReview(ctx context.Context, env *cliui.Env, d *review.Document, o reviewOptions) error {
	var out bytes.Buffer
	switch {
	case o.json, o.markdown, o.html:
		if err := writeForm(&out, d, o.json, o.html, d.ReviewMarkdown); err != nil {
			return err
		}
	case o.output == "":
		return env.Show(ctx, reviewText(d, env.Screen(), env.Width()), o.noPager)
	default:
		plain := *env
		plain.Out = &out
		out.WriteString(reviewText(d, plain.Screen(), 0))
	}
	return writeOut(env, out.Bytes(), o.output)
}
