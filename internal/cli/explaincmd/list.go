package explaincmd

import (
	"context"
	"fmt"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/term"
)

// A branchView is what explain shows of the current branch, and its JSON form.
type branchView struct {
	Branch  string                `json:"branch"` // "" when detached
	Head    string                `json:"head"`   // "" without commits
	Session string                `json:"filtered_by_session,omitempty"`
	Groups  []workplace.ListGroup `json:"checkpoints"`
}

func explainBranch(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, o explainOptions) error {
	view := branchView{Branch: wp.Repo.Branch(ctx), Session: o.session}
	head, _, err := wp.Repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return err
	}
	view.Head = head.OID.String()
	if o.session != "" {
		if m, err := wp.MeaningOf(ctx, o.session); err == nil && m.Kind != workplace.MeansSession {
			if o.session, err = wp.SessionNamed(ctx, o.session); err != nil {
				return err
			}
			view.Session = o.session
		}
	}
	if view.Groups, err = workplace.BranchGroups(ctx, wp, o.session); err != nil {
		return err
	}
	if o.json {
		return env.PrintJSON(view)
	}
	return env.Show(ctx, view.text(env.Screen()), o.noPager)
}

func (v branchView) text(t term.Terminal) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Branch: %s\n", v.name())
	fmt.Fprintf(&b, "Checkpoints: %d\n", len(v.Groups))
	if v.Session != "" {
		fmt.Fprintf(&b, "Filtered by session: %s\n", v.Session)
	}
	b.WriteString("\n")
	if len(v.Groups) == 0 {
		b.WriteString("No checkpoints found on this branch.\nCheckpoints appear here when an agent has worked and you have committed.\n")
	}
	for _, g := range v.Groups {
		write(g, &b, t)
	}
	return b.String()
}

func (v branchView) name() string {
	switch {
	case v.Head == "":
		return "HEAD (no commits yet)"
	case v.Branch != "":
		return v.Branch
	}
	return "HEAD (" + v.Head[:7] + ")"
}

func write(g workplace.ListGroup, b *strings.Builder, t term.Terminal) {
	id := g.ID
	if g.Temporary {
		id = cliui.ShownSession(id)
	}
	b.WriteString(t.Styled(term.Strong, "["+id+"]"))
	if g.Task {
		b.WriteString(" [Task]")
	}
	if g.Temporary {
		b.WriteString(" [temporary]")
	}
	if g.Prompt == "" {
		b.WriteString(" (no prompt)\n")
	} else {
		fmt.Fprintf(b, " \"%s\"\n", cliui.ShortLine(g.Prompt, cliui.PromptRunes))
	}
	for _, p := range g.Points {
		fmt.Fprintf(b, "  %s (%s) %s\n", t.Styled(term.Faint, p.Date.Local().Format("01-02 15:04")), p.ID[:min(7, len(p.ID))], cliui.ShortLine(p.Message, cliui.MessageRunes))
	}
	for _, p := range g.Turns {
		what := cliui.ShortLine(p.Message, cliui.MessageRunes)
		if p.Turn > 0 {
			what = fmt.Sprintf("turn %d: %s", p.Turn, what)
		}
		fmt.Fprintf(b, "    %s (%s) %s\n", t.Styled(term.Faint, p.Date.Local().Format("01-02 15:04")), p.ID[:min(7, len(p.ID))], what)
	}
	b.WriteString("\n")
}
