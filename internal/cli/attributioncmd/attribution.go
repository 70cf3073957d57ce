package attributioncmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/cli/workplace"
	"entire/internal/policy"
	"entire/internal/review"
)

type attributionOptions struct {
	by, check, validate, output   string
	format, annotations           string
	json, markdown, html, noPager bool
	unnamed                       bool // output is an argument, not the value of --output
}

// heapGrowth is by how many hundredths of what a command holds its memory grows until garbage is
// collected: it reads a history, keeps most of what it read, and ends.
const heapGrowth = 400

// Register adds the commands that say who wrote a line to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	parent.AddCommand(blameCommand(env), whyCommand(env), ReportCommand(env), reviewCommand(env))
}

// ReportCommand shows who wrote the lines of a change.
func ReportCommand(env *cliui.Env) *cobra.Command {
	var o attributionOptions
	cmd := &cobra.Command{
		Use:   "report [COMMIT | A..B] [FILE]",
		Short: "Show how much of a change agents wrote, for its review",
		Long: `Show who wrote the lines of a commit, or of a range of commits as a pull request
shows it: agents, people, or unknown; which files and hunks only agents have touched;
the prompts behind them, and what they cost in tokens.

For a commit it shows the lines as the checkpoint recorded them. For a range it
counts only the lines that are left at its end, from the commit where B branched
off A: A..B and A...B mean the same. It does not count lines that were only moved
or reformatted. Without an argument it shows HEAD. FILE is where --json, --markdown or
--html write.

With --format it writes an open format instead: agent-trace (a record of Agent Trace
for each commit), authorship (the note of git-ai; for a range a line of JSON for each
commit, with its note) or sarif (what a reviewer should look at, for a forge).

With --check the exit status is 1 if a limit is broken, and 2 after an error. The
limits are max-agent, max-human, max-unknown, min-agent, min-human, min-unknown, in
percent of the added lines. Instead of limits it takes the name of a policy file, with
limits for some paths, paths where agents' lines need a review, and trailers that
commits must or must not have; docs/attribution.md describes it.`,
		Example: `  entire report                                    # the last commit
  entire report main..HEAD                         # a branch, for its review
  entire report main..HEAD --by session
  entire report main..HEAD --markdown >comment.md  # for a pull request
  entire report main..HEAD --html who.html
  entire report --check max-agent=80,max-unknown=5 origin/main..HEAD
  entire report --check .entire/policy.json --annotations github main..HEAD
  entire report --format agent-trace main..HEAD >traces.jsonl
  entire report --json main..HEAD | entire report --validate -`,
		Args: func(cmd *cobra.Command, args []string) error { return o.refuse(cmd, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			args = o.takeOutput(args)
			if err := o.refuseToReplace(env); err != nil {
				return o.unanswered(err)
			}
			return o.unanswered(runAttribution(cmd.Context(), env, args, o))
		},
		ValidArgsFunction: cliui.FirstOnly(workplace.CompleteRevisions(env)),
	}
	f := cmd.Flags()
	f.StringVar(&o.by, "by", "", "sum the lines by `WHAT`: "+strings.Join(review.Axes(), ", "))
	f.StringVar(&o.format, "format", "", "write an open `FORMAT`: "+strings.Join(openFormats(), ", "))
	f.StringVar(&o.check, "check", "", "fail if one of these `LIMITS` is broken, as in max-agent=80,max-unknown=5, or the policy in a file")
	f.StringVar(&o.annotations, "annotations", "", "with a policy file: write what breaks it in this `FORM`: "+strings.Join(policy.Annotations(), ", "))
	f.StringVar(&o.validate, "validate", "", "only check whether `FILE` (- for standard input) is a valid document, or with --format one of that format")
	f.StringVarP(&o.output, "output", "o", "", "write to `FILE` instead of standard output")
	f.BoolVar(&o.json, "json", false, "print JSON, as docs/attribution.md describes it")
	f.BoolVar(&o.markdown, "markdown", false, "print Markdown for a comment")
	f.BoolVar(&o.html, "html", false, "print one page of HTML")
	f.BoolVar(&o.noPager, "no-pager", false, "never use a pager")
	cliui.WrongFlagExits(cmd, 2)
	cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(review.Axes(), cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(openFormats(), cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("annotations", cobra.FixedCompletions(policy.Annotations(), cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("check", completeLimits)
	return cmd
}

// completeLimits completes the names of limits that the list does not have yet.
func completeLimits(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	var out []string
	for _, name := range review.LimitNames() {
		if !strings.Contains(before, name+"=") {
			out = append(out, before+name+"=")
		}
	}
	if len(out) == 0 || typed != "" && !strings.Contains(typed, ",") && !slices.ContainsFunc(out, func(s string) bool { return strings.HasPrefix(s, typed) }) {
		return nil, cobra.ShellCompDirectiveDefault // a policy file
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// refuse returns an error for arguments and flags that exclude each other.
func (o attributionOptions) refuse(cmd *cobra.Command, args []string) error {
	forms := 0
	for _, on := range []bool{o.json, o.markdown, o.html, cmd.Flags().Changed("format")} {
		if on {
			forms++
		}
	}
	given := cmd.Flags().Changed
	switch {
	case forms > 1:
		return o.unanswered(cliui.Failf("use one of them", "cannot specify multiple of --json, --markdown, --html, --format"))
	case given("validate") && (o.format == agentTrace || o.format == authorship) && len(args) == 0 && forms == 1 && !given("by") && !given("check") && !given("output"):
		return nil
	case given("validate") && (len(args) > 0 || forms > 0 || given("by") || given("check") || given("output")):
		return o.unanswered(cliui.Failf("as in `entire report --validate FILE`", "--validate takes no other arguments"))
	case given("annotations") && o.checkAnnotations(forms) != nil:
		return o.unanswered(o.checkAnnotations(forms))
	case given("format") && o.checkFormat() != nil:
		return o.unanswered(o.checkFormat())
	case len(args) > 2, len(args) > 1 && (forms == 0 || given("output")):
		return o.unanswered(cliui.Failf(oneWord, "unexpected argument %q", args[1]))
	case given("check") && o.check == "", given("validate") && o.validate == "":
		return cliui.ExitWith(2, cliui.Failf("`entire report --help` shows what they take", "--check and --validate need a value"))
	case given("by") && o.by == "", given("output") && o.output == "":
		return o.unanswered(cliui.Failf("`entire report --help` shows what they take", "--by and --output need a value"))
	}
	return nil
}

// unanswered gives an error of a check exit status 2, so that a script can tell it from a broken
// limit (status 1).
func (o attributionOptions) unanswered(err error) error {
	if err == nil || errors.Is(err, cliui.ErrTold) || o.check == "" && o.validate == "" {
		return err
	}
	return cliui.ExitWith(2, err)
}

func runAttribution(ctx context.Context, env *cliui.Env, args []string, o attributionOptions) error {
	if o.validate != "" {
		return o.validateDocument(env, o.validate)
	}
	limits, rules, err := o.readCheck(env)
	if err != nil {
		return err
	}
	if o.by != "" {
		if err := (&review.Document{}).Group(o.by); err != nil {
			return err
		}
	}
	defer debug.SetGCPercent(debug.SetGCPercent(heapGrowth))
	wp, err := workplace.OpenWithoutRecovery(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	name := "HEAD"
	if len(args) > 0 {
		name = args[0]
	}
	wp.FetchNamed(ctx, env, "-n", "500", name, "--")
	if o.format != "" && o.format != findings {
		return writeFormat(ctx, env, wp, name, o)
	}
	show, done := slowProgress(env)
	d, err := ownerlib.Review(ctx, wp, name, show)
	done()
	if err != nil {
		return err
	}
	for _, p := range d.Problems {
		fmt.Fprintf(env.Err, "warning: %s\n", cliui.ShownLine(p))
	}
	if o.by != "" {
		if err := d.Group(o.by); err != nil {
			return err
		}
	}
	if o.html {
		ownerlib.Surround(ctx, wp, d)
	}
	if o.markdown {
		site, err := (&reviewOptions{}).site(ctx, env, wp)
		if err != nil {
			return err
		}
		addLinks(d, site)
	}
	kept, err := checkRules(ctx, wp, d, limits, rules)
	if err != nil {
		return err
	}
	if err := printDocument(ctx, env, d, o); err != nil {
		return err
	}
	if !kept {
		tellBroken(env, d)
		return cliui.ErrTold
	}
	return nil
}

// slowProgress shows a person the progress once a second has passed.
func slowProgress(env *cliui.Env) (func(done, total int), func()) {
	show, done := env.Progress()
	begun := env.Now()
	return func(n, total int) {
		if env.Now().Sub(begun) > time.Second {
			show("files", n, total)
		}
	}, done
}

// printDocument writes the document in the requested format.
func printDocument(ctx context.Context, env *cliui.Env, d *review.Document, o attributionOptions) error {
	var out bytes.Buffer
	switch {
	case o.json, o.markdown, o.html:
		if err := writeForm(&out, d, o.json, o.html, d.Markdown); err != nil {
			return err
		}
	case o.format == findings:
		data, err := findingsOf(env, d)
		if err != nil {
			return err
		}
		out.Write(data)
	case o.isPolicy():
		data, err := policy.Annotate(o.annotations, o.check, d.Violations)
		if err != nil {
			return err
		}
		out.Write(data)
		if len(d.Violations) == 0 && o.annotations != "gitlab" {
			out.WriteString("ok: the change keeps " + cliui.ShownName(o.check) + "\n")
		}
	case o.check != "":
		out.WriteString(checksText(d, env.Screen()))
	case o.output == "":
		return env.Show(ctx, attributionText(d, env.Screen()), o.noPager)
	default:
		plain := *env
		plain.Out = &out
		out.WriteString(attributionText(d, plain.Screen()))
	}
	return writeOut(env, out.Bytes(), o.output)
}

// writeForm writes the document as JSON, as HTML or otherwise as Markdown.
func writeForm(out *bytes.Buffer, d *review.Document, asJSON, asHTML bool, markdown func() string) error {
	switch {
	case asHTML:
		return d.HTML(out)
	case !asJSON:
		out.WriteString(markdown())
		return nil
	}
	data, err := d.Encode()
	if err != nil {
		return fmt.Errorf("this is a bug: the document would be invalid: %w", err)
	}
	out.Write(data)
	return nil
}

// tellBroken names the broken limits on standard error.
func tellBroken(env *cliui.Env, d *review.Document) {
	for _, c := range d.Checks {
		if !c.OK {
			fmt.Fprintf(env.Err, "entire: %s=%v is broken: it is %.2f %%\n", c.Limit, c.Than, c.Found)
		}
	}
	if n := len(d.Violations); n > 0 {
		fmt.Fprintf(env.Err, "entire: the policy is broken: %s\n", cliui.Count(n, "violation"))
	}
}

// validateDocument reads a document and says whether it is valid.
func (o attributionOptions) validateDocument(env *cliui.Env, name string) error {
	in := env.In
	if name != "-" {
		path, err := env.Abs(name)
		if err != nil {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("read %s: %w", cliui.ShownName(name), errors.Unwrap(err))
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, review.DocumentMax+1))
	if err != nil {
		return fmt.Errorf("read %s: %w", cliui.ShownName(name), err)
	}
	if o.format != "" {
		return o.validateFormat(env, data)
	}
	d, err := review.Decode(data)
	if err != nil {
		fmt.Fprintf(env.Err, "entire: not valid: %s\n", cliui.ShownLine(err.Error()))
		return cliui.ErrTold
	}
	_, err = fmt.Fprintf(env.Out, "valid: %s, %s, %s\n", d.Schema, cliui.Count(d.Totals.Files, "file"), cliui.Count(d.Totals.Added.Lines, "added line"))
	return err
}
