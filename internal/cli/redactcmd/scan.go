package redactcmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
	"entire/internal/redact"
	"entire/internal/term"
)

// maxScanned is the most bytes of one stored text that scan reads; a larger one is named.
const maxScanned = 512 << 20

type scanOptions struct {
	exports       []string
	in            []string
	reason        string
	rewrite       bool
	dryRun        bool
	forget        bool
	yes, json, at bool
}

func scanCommand(env *cliui.Env) *cobra.Command {
	var o scanOptions
	cmd := &cobra.Command{
		Use:   "scan [EXPORT...]",
		Short: "Look through what is stored with today's rules, and take out what older ones let through",
		Long: `Look through everything that is stored of this project with today's rules:
checkpoints with their whole history, what steps keep of conversations, commit
messages of both, the session store, states of sessions, and logs, and the exports
that you name, files or folders. A line for each place says which rules found how many
secrets. No secret is printed.

--rewrite takes them out. In the session store, states, logs and exports, a secret is replaced
in its place by REDACTED and asterisks of the same length. The same is done to the texts
of checkpoints, in their whole history: the branch is written again, everything else of
a checkpoint stays, and other clones do the same when they sync. A checkpoint in a ref
of its own, of a past month, or with an encrypted secret, or with --forget each that
holds one, is forgotten whole as ` + "`entire share forget`" + ` does. The search index is made again. Steps
and compressed logs are named, with what removes them. What was interrupted is finished
by the same command.

The exit status is 0 if nothing is found or left, and 1 otherwise.`,
		Example: `  entire redact scan
  entire redact scan --in store,logs --json
  entire redact scan --in exports ~/site session.html
  entire redact scan --rewrite --dry-run
  entire redact scan --rewrite --yes --reason "tokens of the old CI"`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.exports = args
			return runScan(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.in, "in", nil, "only these `PLACES`: "+strings.Join(allPlaces(), ", "))
	f.BoolVar(&o.rewrite, "rewrite", false, "take out what is found")
	f.BoolVar(&o.forget, "forget", false, "with --rewrite: forget checkpoints whole")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "with --rewrite: only show what would be done")
	f.StringVar(&o.reason, "reason", "a secret was stored", "with --rewrite: the `REASON`, in a line that everybody who has the branch can read")
	f.BoolVarP(&o.yes, "yes", "y", false, "with --rewrite: do not ask")
	f.BoolVar(&o.at, "lines", false, "show each finding with its line")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	cmd.RegisterFlagCompletionFunc("in", cobra.FixedCompletions(allPlaces(), cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("reason", cobra.NoFileCompletions)
	return cmd
}

// A scanView is what scan found and did; its JSON form is what --json prints.
type scanView struct {
	Texts     int            `json:"texts"`
	Bytes     int64          `json:"bytes"`
	Secrets   int            `json:"secrets"`
	Rules     map[string]int `json:"rules"`
	Places    []scanPlace    `json:"places"`
	Unread    []string       `json:"unread"`
	Redacted  []string       `json:"redacted,omitempty"`  // checkpoints whose texts were rewritten
	Forgotten []string       `json:"forgotten,omitempty"` // checkpoints that were removed whole
	Rewritten int            `json:"rewritten_files,omitempty"`
	Left      []leftText     `json:"left,omitempty"` // after a rewrite
	DryRun    bool           `json:"dry_run,omitempty"`
}

// A scanPlace is one text with secrets.
type scanPlace struct {
	In         string         `json:"in"`
	Name       string         `json:"name"`
	Checkpoint string         `json:"checkpoint_id,omitempty"`
	Rules      map[string]int `json:"rules"`
	Findings   []scanHit      `json:"findings"`

	text storedText
}

type scanHit struct {
	Line int    `json:"line"`
	Rule string `json:"rule"`
	Key  string `json:"key,omitempty"`
}

type leftText struct {
	Name string `json:"name"`
	Hint string `json:"hint"`
}

func runScan(ctx context.Context, env *cliui.Env, o scanOptions) error {
	for _, in := range o.in {
		if !slices.Contains(allPlaces(), in) {
			return cliui.Failf("they are "+strings.Join(allPlaces(), ", "), "there is no place %q", cliui.ShownLine(in))
		}
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{{"dry-run", o.dryRun}, {"forget", o.forget}} {
		if flag.set && !o.rewrite {
			return cliui.Failf("a scan without --rewrite changes nothing", "--%s is for --rewrite", flag.name)
		}
	}
	wp, err := workplace.OpenWithoutRecovery(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	v, err := scan(ctx, env, wp, o.in, o.exports)
	if err != nil {
		return err
	}
	if o.rewrite && v.Secrets > 0 {
		if err := rewrite(ctx, env, wp, &v, o); err != nil {
			return err
		}
	}
	if o.json {
		err = env.PrintJSON(v)
	} else {
		_, err = io.WriteString(env.Out, v.text(o.at))
	}
	if err == nil && (v.Secrets > 0 && (!o.rewrite || o.dryRun) || len(v.Left)+len(v.Unread) > 0) {
		return cliui.ErrTold
	}
	return err
}

// scan looks through the places named, or through all.
func scan(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, in, exports []string) (scanView, error) {
	v := scanView{Rules: map[string]int{}, Places: []scanPlace{}, Unread: []string{}}
	texts, err := gitTexts(ctx, wp)
	if err != nil {
		return v, err
	}
	files, err := fileTexts(ctx, env, wp)
	if err != nil {
		return v, err
	}
	exported, err := exportTexts(ctx, env, exports)
	if err != nil {
		return v, err
	}
	texts = slices.Concat(texts, files, exported)
	if len(in) > 0 {
		texts = slices.DeleteFunc(texts, func(t storedText) bool { return !slices.Contains(in, t.in) })
	}
	bar := term.NewProgress(env.Err, "looking through what is stored", int64(len(texts))<<10)
	defer bar.Done()
	x := redact.NewExplainer()
	for _, t := range texts {
		if err := ctx.Err(); err != nil {
			return v, err
		}
		data, err := t.read(ctx, wp)
		bar.Add(1 << 10)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // deleted meanwhile
		case err != nil:
			v.Unread = append(v.Unread, fmt.Sprintf("%s: %s", t.name, err))
			continue
		}
		v.add(t, data, x)
	}
	slices.SortStableFunc(v.Places, func(a, b scanPlace) int {
		return cmp.Or(cmp.Compare(slices.Index(allPlaces(), a.In), slices.Index(allPlaces(), b.In)), cmp.Compare(a.Name, b.Name))
	})
	return v, nil
}

// add looks through one text.
func (v *scanView) add(t storedText, data []byte, x *redact.Explainer) {
	v.Texts++
	v.Bytes += int64(len(data))
	found := storedFindings(data, t.in, x)
	if len(found) == 0 {
		return
	}
	p := scanPlace{In: t.in, Name: t.name, Checkpoint: t.checkpoint, Rules: map[string]int{}, text: t}
	line, at := 1, 0
	for _, f := range found {
		line, at = line+bytes.Count(data[at:f.Start], []byte("\n")), f.Start
		p.Findings = append(p.Findings, scanHit{line, f.Rule, f.Key})
		p.Rules[f.Rule]++
		v.Rules[f.Rule]++
		v.Secrets++
	}
	v.Places = append(v.Places, p)
}

var errTooLarge = fmt.Errorf("it has more than %d MiB", maxScanned>>20)

// read returns the text; nil for an object that holds none.
func (t storedText) read(ctx context.Context, wp *workplace.Workplace) ([]byte, error) {
	if t.file == "" {
		objects, err := wp.Repo.Reader(ctx).Small(maxScanned, t.oid.String())
		switch {
		case err != nil:
			return nil, err
		case objects[0].Large:
			return nil, errTooLarge
		case t.in == inMessages && objects[0].Type == "commit":
			_, message, _ := bytes.Cut(objects[0].Data, []byte("\n\n"))
			return message, nil
		case t.in == inMessages || objects[0].Type != "blob":
			return nil, nil
		}
		return objects[0].Data, objects[0].Sealed
	}
	if !t.packed {
		return durable.Read(t.file, maxScanned)
	}
	packed, err := durable.Open(t.file)
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	dec, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxScanned))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	data, err := io.ReadAll(io.LimitReader(dec, maxScanned+1))
	if err == nil && len(data) > maxScanned {
		err = errTooLarge
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("unpack it: %w", err)
	}
	return data, err
}

func (v scanView) text(lines bool) string {
	var b strings.Builder
	in := ""
	for _, p := range v.Places {
		if p.In != in {
			in = p.In
			fmt.Fprintf(&b, "%s\n", in)
		}
		fmt.Fprintf(&b, "  %s: %s\n", cliui.ShownLine(p.Name), counts(p.Rules))
		for _, f := range p.Findings {
			if lines {
				fmt.Fprintf(&b, "    line %d  %s\n", f.Line, cliui.ShownLine(strings.TrimSuffix(f.Rule+" in "+f.Key, " in ")))
			}
		}
	}
	if len(v.Places) > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%s in %s of %s.\n", cliui.Count(v.Secrets, "secret"), cliui.Count(len(v.Places), "place"), cliui.Count(v.Texts, "stored text"))
	for _, u := range v.Unread {
		fmt.Fprintf(&b, "Not read: %s\n", cliui.ShownLine(u))
	}
	v.done(&b)
	return b.String()
}

// counts returns rules with how often each found something, the most frequent first.
func counts(rules map[string]int) string {
	names := slices.SortedFunc(maps.Keys(rules), func(a, b string) int { return cmp.Or(rules[b]-rules[a], cmp.Compare(a, b)) })
	for i, n := range names {
		names[i] = fmt.Sprintf("%d %s", rules[n], cliui.ShownLine(n))
	}
	return strings.Join(names, ", ")
}
