package usagecmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/usagelib"
	"entire/internal/term"
)

// askedShown is how many prompts of a session people see, the latest.
const askedShown = 8

type recapOptions struct {
	usagelib.Options
	since, until            string
	json, markdown, noPager bool
}

func recapCommand(env *cliui.Env) *cobra.Command {
	var o recapOptions
	cmd := &cobra.Command{
		Use:   "recap",
		Short: "Say what was asked, done and left open",
		Long: `Say what was asked of the agents since yesterday, which commits have their work, and
which files of theirs are not committed: for a stand-up, or to find back into the work. It
reads the store and the metadata branch, asks no model, and needs no network. Where a
checkpoint has a summary (entire explain -c ID --generate), its outcome and what it left
open are shown, too, and its intent is the title of a session without one of yours.`,
		Example: `  entire recap
  entire recap --since 7d --all         # of every project on this machine
  entire recap --since 2w --markdown | wl-copy
  entire recap --json | jq -r '.projects[].sessions[].done[].subject'`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.json && o.markdown {
				return cliui.Failf("use one of them", "cannot specify both --json and --markdown")
			}
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error { return o.run(cmd.Context(), l) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "yesterday", "what was asked and done since `WHEN`: today, yesterday, 2026-03-01, an RFC 3339 time, or 30d, 2w, 12h ago")
	f.StringVar(&o.until, "until", "", "what was asked and done until `WHEN`; a day is included")
	f.BoolVar(&o.All, "all", false, "the sessions of every project on this machine")
	f.BoolVar(&o.markdown, "markdown", false, "print Markdown")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	f.BoolVar(&o.noPager, "no-pager", false, "never use a pager")
	cmd.RegisterFlagCompletionFunc("since", cobra.NoFileCompletions)
	cmd.RegisterFlagCompletionFunc("until", cobra.NoFileCompletions)
	return cmd
}

func (o *recapOptions) run(ctx context.Context, l *sessionlib.Library) (err error) {
	now := l.Env.Now()
	if o.Since, err = cliui.Moment(o.since, now, false); err != nil {
		return err
	}
	if o.Until, err = cliui.Moment(o.until, now, true); err != nil {
		return err
	}
	r, err := usagelib.Recall(ctx, l, o.Options)
	if err != nil {
		return err
	}
	for _, p := range r.Problems {
		fmt.Fprintf(l.Env.Err, "warning: not complete: %s\n", cliui.ShownLine(p))
	}
	if len(r.Projects) == 0 {
		l.TellUnfetched(ctx)
	}
	switch {
	case o.json:
		return l.Env.PrintJSON(r)
	case o.markdown:
		_, err := fmt.Fprint(l.Env.Out, recapMarkdown(r))
		return err
	}
	return l.Env.Show(ctx, recapText(r, l.Env.Screen(), l.Env.Width()), o.noPager)
}

// span says which time a recap is of.
func span(r *usagelib.Recap) string {
	const layout = "2006-01-02 15:04"
	return r.Since.Local().Format(layout) + " to " + r.Until.Local().Format(layout)
}

const nothing = "No session was used in this time."

// recapText shows a recap to people.
func recapText(r *usagelib.Recap, t term.Terminal, width int) string {
	if width <= 0 {
		width = usualWidth
	}
	if len(r.Projects) == 0 {
		return nothing + "\n"
	}
	var b strings.Builder
	for _, p := range r.Projects {
		fmt.Fprintf(&b, "%s\n", t.Styled(term.Strong, term.Cut(cliui.ShownLine(p.Name)+", "+span(r), width)))
		for _, s := range p.Sessions {
			b.WriteByte('\n')
			b.WriteString(term.Cut(titleOf(s), width) + "\n")
			b.WriteString(t.Styled(term.Faint, term.Cut("  "+aboutOf(s)+"  "+cliui.ShownSession(s.Session), width)) + "\n")
			word := "asked"
			line := func(text string) {
				b.WriteString(term.Cut(fmt.Sprintf("  %-6s%s", word, text), width) + "\n")
				word = ""
			}
			asked, more := latest(s.Asked)
			if more > 0 {
				line(fmt.Sprintf("%s before", cliui.Count(more, "prompt")))
			}
			for _, a := range asked {
				line(askedWords(a, r))
			}
			word = "done"
			for _, d := range s.Done {
				line(doneWords(d))
				if d.Outcome != "" {
					line("         " + cliui.ShownLine(d.Outcome))
				}
			}
			word = "open"
			for _, item := range s.Items {
				line(cliui.ShownLine(item))
			}
			if open := openWords(s); open != "" {
				line(open)
			}
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// recapMarkdown returns a recap as Markdown.
func recapMarkdown(r *usagelib.Recap) string {
	if len(r.Projects) == 0 {
		return nothing + "\n"
	}
	var b strings.Builder
	for i, p := range r.Projects {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", plain(p.Name), span(r))
		for _, s := range p.Sessions {
			fmt.Fprintf(&b, "- **%s** (%s)\n", plain(titleOf(s)), plain(aboutOf(s)))
			asked, more := latest(s.Asked)
			if more > 0 {
				fmt.Fprintf(&b, "  - %s before\n", cliui.Count(more, "prompt"))
			}
			for _, a := range asked {
				fmt.Fprintf(&b, "  - Asked: %s\n", plain(askedWords(a, r)))
			}
			for _, d := range s.Done {
				fmt.Fprintf(&b, "  - Done: %s\n", plain(doneWords(d)))
				if d.Outcome != "" {
					fmt.Fprintf(&b, "    - %s\n", plain(d.Outcome))
				}
			}
			for _, item := range s.Items {
				fmt.Fprintf(&b, "  - Open: %s\n", plain(item))
			}
			if open := openWords(s); open != "" {
				fmt.Fprintf(&b, "  - Open: %s\n", plain(open))
			}
		}
	}
	return b.String()
}

// plain returns the text of others so that Markdown shows it as it is.
func plain(text string) string {
	var b strings.Builder
	for _, r := range cliui.ShownLine(text) {
		if strings.ContainsRune("\\`*_[]<>#|~!&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func titleOf(s usagelib.SessionRecap) string {
	if s.Title == "" {
		return "(no title)"
	}
	return cliui.ShownLine(s.Title)
}

func aboutOf(s usagelib.SessionRecap) string {
	words := []string{}
	if s.Agent != "" {
		words = append(words, cliui.ShownLine(string(s.Agent)))
	}
	words = append(words, s.State)
	if n := len(s.Branches); n > 0 {
		words = append(words, cliui.ShownLine(s.Branches[n-1]))
	}
	return strings.Join(words, ", ")
}

// latest returns the latest prompts, and how many there were before.
func latest(asked []usagelib.Asked) ([]usagelib.Asked, int) {
	more := max(len(asked)-askedShown, 0)
	return asked[more:], more
}

func askedWords(a usagelib.Asked, r *usagelib.Recap) string {
	layout := "15:04"
	if r.Until.Sub(r.Since) > 24*time.Hour {
		layout = "Jan 2 15:04"
	}
	text := a.When.Local().Format(layout) + "  " + cliui.ShownLine(a.Prompt)
	if a.Rewound {
		text += " (rewound)"
	}
	return text
}

func doneWords(d usagelib.Done) string {
	text := cliui.ShortID(d.Commit) + "  " + cliui.ShownLine(d.Subject)
	if d.Commit == "" {
		text = d.Checkpoint + "  (its commit is on no branch any more)"
	}
	if len(d.Files) > 0 {
		text += "  " + cliui.SomeNames(d.Files)
	}
	return text
}

// openWords says what is left, "" for nothing.
func openWords(s usagelib.SessionRecap) string {
	var words []string
	if s.State == sessionlib.StateActive {
		words = append(words, "the agent works")
	}
	if n := len(s.Open); n > 0 {
		words = append(words, fmt.Sprintf("%s not committed: %s", cliui.Count(n, "file"), cliui.SomeNames(s.Open)))
	}
	return strings.Join(words, "; ")
}
