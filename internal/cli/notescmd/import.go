package notescmd

import (
	"context"
	"fmt"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/formats"
	"entire/internal/git"
	"entire/internal/notes"
)

type importOptions struct {
	ref        string
	none, json bool
}

// problemsShown is the number of problems that a person sees.
const problemsShown = 10

// importView is what import found; its JSON form is what --json prints.
type importView struct {
	Ref        string        `json:"ref"`
	Commit     string        `json:"commit"` // of the ref; "" if notes count no longer
	Notes      int           `json:"notes"`
	Ours       int           `json:"ours"`
	Elsewhere  int           `json:"elsewhere"` // of commits that this repository does not have
	Unreadable int           `json:"unreadable"`
	Partly     int           `json:"partly_read"`
	Problems   []noteProblem `json:"problems,omitempty"`
}

type noteProblem struct {
	Commit  string `json:"commit"`
	Problem string `json:"problem"`
}

func runImport(ctx context.Context, env *cliui.Env, o importOptions) error {
	if err := checkRef(o.ref); err != nil {
		return err
	}
	wp, err := workplace.OpenWithoutRecovery(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	if o.none {
		return forget(env, wp, o)
	}
	tip, err := notes.Tip(ctx, wp.Repo, o.ref)
	if err != nil {
		return err
	}
	if tip.IsZero() {
		return cliui.Failf("`git fetch origin "+o.ref+":"+o.ref+"` gets the notes of others", "there are no notes in %s", o.ref)
	}
	v := importView{Ref: o.ref, Commit: tip.String()}
	if err := v.read(ctx, env, wp, tip); err != nil {
		return err
	}
	if err := notes.Accept(wp.Repo, o.ref, tip, env.Now()); err != nil {
		return err
	}
	if o.json {
		return env.PrintJSON(v)
	}
	v.tell(env)
	return nil
}

// forget makes notes no evidence any more.
func forget(env *cliui.Env, wp *workplace.Workplace, o importOptions) error {
	were, err := notes.Forget(wp.Repo)
	switch {
	case err != nil:
		return err
	case o.json:
		return env.PrintJSON(importView{Ref: o.ref})
	case were:
		_, err = fmt.Fprintln(env.Out, "Notes say nothing about who wrote a line any more. The notes themselves are still there.")
	default:
		_, err = fmt.Fprintln(env.Out, "No notes were imported here.")
	}
	return err
}

// read reads every note, and counts.
func (v *importView) read(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, tip git.OID) error {
	book, err := notes.Open(ctx, wp.Repo, tip)
	if err != nil {
		return err
	}
	commits, err := book.Commits(ctx)
	if err != nil {
		return err
	}
	show, done := env.Progress()
	defer done()
	for i, commit := range commits {
		show("notes", i, len(commits))
		v.Notes++
		if _, err := wp.Repo.Reader(ctx).Commit(commit); err != nil {
			v.Elsewhere++
			continue
		}
		note, problems, err := book.Of(ctx, commit)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			v.Unreadable++
			problems = []string{err.Error()}
		case len(problems) > 0:
			v.Partly++
		}
		if note != nil && formats.Ours(note) {
			v.Ours++
		}
		for _, p := range problems {
			v.Problems = append(v.Problems, noteProblem{commit.String(), p})
		}
	}
	return nil
}

func (v importView) tell(env *cliui.Env) {
	fmt.Fprintf(env.Out, "%s in %s: %d readable, %d of them in part; %d not readable; %d of commits that are not here.\n",
		cliui.Count(v.Notes, "note"), v.Ref, v.Notes-v.Unreadable-v.Elsewhere, v.Partly, v.Unreadable, v.Elsewhere)
	for i, p := range v.Problems {
		if i == problemsShown && len(v.Problems) > problemsShown+1 {
			fmt.Fprintf(env.Out, "  … and %d more: --json has all\n", len(v.Problems)-i)
			break
		}
		fmt.Fprintf(env.Out, "  %s: %s\n", p.Commit[:7], cliui.ShownLine(p.Problem))
	}
	fmt.Fprintln(env.Out, "They say who wrote a line where no record of ours knows better. `entire notes import --none` takes that back.")
}
