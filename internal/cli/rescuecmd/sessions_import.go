package rescuecmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rescuelib"
	"entire/internal/rescue/intake"
	"entire/internal/term"
)

// importChosen shows what would be imported, asks, and imports it.
func (o *sessionsOptions) importChosen(ctx context.Context, env *cliui.Env, s *rescuelib.Survey, items []*rescuelib.Item) error {
	var wanted, left []*rescuelib.Item
	for _, it := range items {
		switch {
		case !it.Wanted():
		case it.Project.Key == "" || !it.Project.Git && !s.IsHere(it):
			left = append(left, it)
		default:
			wanted = append(wanted, it)
		}
	}
	if !o.json {
		if err := env.Show(ctx, o.planText(env, s, items, wanted, left), true); err != nil {
			return err
		}
	}
	if len(wanted) > 0 {
		if agreed, err := o.agreed(ctx, env); err != nil || !agreed {
			if err == nil && o.json {
				err = env.PrintJSON(viewOf(s, items))
			}
			return err
		}
	}
	return o.carryOut(ctx, env, s, items, wanted)
}

// agreed asks a person, unless the options have the answer.
func (o *sessionsOptions) agreed(ctx context.Context, env *cliui.Env) (bool, error) {
	if o.yes {
		return true, nil
	}
	if o.json {
		return false, nil
	}
	yes, err := env.Terminal().Confirm(ctx, "Import them?", "Without secrets, into the store on this machine. Nothing is sent anywhere.")
	switch {
	case errors.Is(err, term.ErrNotInteractive):
		fmt.Fprintln(env.Out, "`entire rescue --yes` with the same options imports them.")
		return false, nil
	case errors.Is(err, term.ErrCancelled) || err == nil && !yes:
		fmt.Fprintln(env.Err, "Nothing was imported.")
		return false, cliui.ErrTold
	}
	return yes, err
}

func (o *sessionsOptions) planText(env *cliui.Env, s *rescuelib.Survey, items, wanted, left []*rescuelib.Item) string {
	var b strings.Builder
	switch {
	case len(items) == 0 && o.all:
		b.WriteString("No agent keeps a conversation here.\n")
	case len(items) == 0:
		b.WriteString("No agent keeps a conversation of this project.\n")
		if n := len(s.Items); n > 0 {
			fmt.Fprintf(&b, "Other projects have %s: see `entire rescue --list`. If the project was in another folder: --was DIR.\n", cliui.Count(n, "conversation"))
		}
	default:
		b.WriteString(table(env, groupsOf(s, items)))
	}
	b.WriteString(notes(s, items))
	if len(left) > 0 {
		sum := sumOf(left, env.Now())
		fmt.Fprintf(&b, "\n%s (%s) %s left out: no repository has the folder.\n", cliui.Count(sum.count, "conversation"), cliui.ByteCount(sum.wanted), cliui.Plural(sum.count, "is", "are"))
		for i, g := range groupsOf(s, left) {
			if i == maxShown {
				fmt.Fprintf(&b, "  … and %s\n", cliui.Count(len(groupsOf(s, left))-i, "other folder"))
				break
			}
			fmt.Fprintf(&b, "  %s  %d\n", cliui.ShownName(g.where), len(g.items))
		}
		b.WriteString("Run `entire rescue` in that folder, or with --was FOLDER in the repository that it was.\n")
	}
	if len(wanted) > 0 {
		sum := sumOf(wanted, env.Now())
		fmt.Fprintf(&b, "\nTo import: %s, %s\n", cliui.Count(sum.count, "conversation"), cliui.ByteCount(sum.wanted))
	} else if len(items) > 0 {
		b.WriteString("\nThere is nothing new to import.\n")
	}
	return b.String()
}

// A tally counts what became of conversations.
type tally struct {
	conversations, messages int
	of                      map[string]int
	sharing                 int
	failed                  []rescuelib.Taken
}

// carryOut imports conversations and says what became of them.
func (o *sessionsOptions) carryOut(ctx context.Context, env *cliui.Env, s *rescuelib.Survey, items, wanted []*rescuelib.Item) error {
	results := map[*rescuelib.Item]rescuelib.Taken{}
	bar := term.NewProgress(env.Err, "Importing", sumOf(wanted, env.Now()).wanted)
	n := tally{of: map[string]int{}}
	began := env.Now()
	err := s.Import(ctx, wanted, func(t rescuelib.Taken) {
		bar.Add(t.Size)
		results[t.Item] = t
		n.add(t)
	})
	bar.Done()
	if o.json {
		v := viewOf(s, items)
		v.add(results)
		return errors.Join(env.PrintJSON(v), err, n.problem())
	}
	for i, t := range n.failed {
		if i < maxShown {
			fmt.Fprintf(env.Err, "warning: %s\n", cliui.ShownLine(t.Err.Error()))
		}
	}
	if len(wanted) > 0 {
		text := n.text()
		if took := env.Now().Sub(began); took >= time.Second {
			text += fmt.Sprintf("; it took %s", took.Round(time.Second))
		}
		fmt.Fprintln(env.Out, text)
	}
	if err != nil && errors.Is(err, ctx.Err()) {
		return cliui.WithHint(fmt.Errorf("interrupted: %d of %s imported", n.conversations, cliui.Count(len(wanted), "conversation")), "the same command goes on from there")
	}
	return errors.Join(err, n.problem())
}

func (n *tally) add(t rescuelib.Taken) {
	if t.Err != nil {
		n.failed = append(n.failed, t)
		return
	}
	n.of[t.What]++
	n.messages += t.Added
	if t.What == intake.New || t.What == intake.More {
		n.conversations++
	}
	if t.Of != "" && t.What == intake.New {
		n.sharing++
	}
}

func (n *tally) text() string {
	text := fmt.Sprintf("Imported %s with %s", cliui.Count(n.conversations, "conversation"), cliui.Count(n.messages, "new message"))
	for _, part := range []struct {
		count     int
		one, many string
	}{
		{n.sharing, "shares its beginning with another and keeps only the rest", "share their beginning with another and keep only the rest"},
		{n.of[intake.Within], "is left out: another session has all of its messages", "are left out: another session has all of their messages"},
		{n.of[intake.Same], "had nothing new", "had nothing new"},
		{n.of[intake.Deleted], "was deleted here before", "were deleted here before"},
	} {
		if part.count > 0 {
			text += fmt.Sprintf("; %d %s", part.count, cliui.Plural(part.count, part.one, part.many))
		}
	}
	return text
}

func (n *tally) problem() error {
	if len(n.failed) == 0 {
		return nil
	}
	return cliui.Failf("the others are imported; `entire rescue` tries it again", "%s could not be imported", cliui.Count(len(n.failed), "conversation"))
}
