package teleportcmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/term"
	"entire/session"
	"entire/strategy/handoff"
)

// choose decides how to place the session and the files. It changes nothing.
func (a *arrival) choose(ctx context.Context) error {
	relation, err := a.staging.Compare(ctx, a.head.Session)
	if err != nil {
		return err
	}
	switch relation {
	case session.RelationNew:
		a.keep = func(ctx context.Context) error { return a.staging.Keep(ctx, a.head.Session, a.head.Session, a.edit) }
	case session.RelationOther:
		if a.grown, err = a.staging.Extends(ctx, a.head.Session); err != nil {
			return err
		}
		if !a.grown {
			return cliui.Failf(fmt.Sprintf("`entire sessions delete %s` moves the one here to the trash; nothing was changed", cliui.ShownSession(a.head.Session)),
				"session %s continued differently here", a.head.Session)
		}
		a.keep = func(ctx context.Context) error { return a.staging.Replace(ctx, a.head.Session, a.edit) }
	default: // the session is already here
		a.keep = func(context.Context) error { return nil }
	}
	if a.landing == nil || !a.head.Repo.Worktree {
		return nil
	}
	if a.done, err = a.landing.CheckApply(ctx, a.o.replace); err == nil && !a.done {
		err = a.landing.CheckBlocked(ctx)
	}
	return a.notApplied(ctx, err)
}

// notApplied adds a hint to the error of files that cannot be put in place.
func (a *arrival) notApplied(ctx context.Context, err error) error {
	switch head := a.landing.Head; {
	case errors.Is(err, handoff.ErrHeadDiffers):
		if rerr := a.landing.KeepObjects(ctx); rerr != nil {
			return errors.Join(err, rerr)
		}
		way := "`git switch --detach " + head.Short() + "`"
		if ahead, err := a.landing.CanFastForward(ctx); err == nil && ahead {
			way = "`git merge --ff-only " + head.Short() + "` or " + way
		}
		return cliui.Failf(way+", then receive it again", "%w: %s, on %s there", err, head.Short(), cmp.Or(a.head.Repo.Branch, "HEAD"))
	case errors.Is(err, handoff.ErrDirty):
		return cliui.Failf("commit or stash it, or use --replace: it is saved first, and `entire undo` restores it; nothing was changed", "%w", err)
	case errors.Is(err, handoff.ErrBlocked):
		return cliui.Failf("nothing of yours was changed: move it away, then receive it again", "%w", err)
	case errors.Is(err, handoff.ErrTurnActive):
		return cliui.Failf("end it first; nothing was changed", "%w", err)
	}
	return err
}

// edit adapts the session's metadata to this machine.
func (a *arrival) edit(m *session.SessionMetadata) {
	m.CWD = a.move().Path(m.CWD)
	if !filepath.IsAbs(m.CWD) {
		m.CWD = a.l.Ident.Top
	}
	if m.Circumstances != nil {
		m.Circumstances.CWD = a.move().Path(m.Circumstances.CWD)
	}
	m.ProjectHash, m.EndedAt, m.ExitReason = a.l.Ident.Key, nil, ""
}

// mayPlace says what would be done and asks a person to confirm.
func (a *arrival) mayPlace(ctx context.Context) error {
	l := a.l
	fmt.Fprintf(l.Env.Err, "Session %s, %s: %s\n", cliui.ShownSession(a.head.Session), cliui.Count(a.meta.MessageCount, "message"), cliui.ShortLine(a.head.Title, cliui.PromptRunes))
	files := a.landing != nil && a.head.Repo.Worktree && !a.done
	if files {
		list, err := a.landing.ChangedFiles(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(l.Env.Err, "  %s:\n", cliui.Count(len(list), "file"))
		for _, c := range list {
			fmt.Fprintf(l.Env.Err, "    %-6s %s\n", c.Action, cliui.ShownName(c.Path))
		}
	}
	t := l.Env.Terminal()
	if a.o.yes || !t.Interactive {
		return nil
	}
	detail := ""
	if files {
		detail = "`entire undo` removes the files again."
	}
	yes, err := t.Confirm(ctx, "Continue it here?", detail)
	if errors.Is(err, term.ErrCancelled) || err == nil && !yes {
		fmt.Fprintln(l.Env.Err, "Nothing was changed.")
		return cliui.ErrTold
	}
	return err
}

// place puts everything in place. If it is interrupted, receiving again completes it.
func (a *arrival) place(ctx context.Context) error {
	if a.landing != nil {
		if err := a.placeInRepository(ctx); err != nil {
			return err
		}
	}
	if err := a.keep(ctx); err != nil {
		return err
	}
	return a.placeTranscript(ctx)
}

func (a *arrival) placeInRepository(ctx context.Context) (err error) {
	if err := a.landing.Release(ctx); err != nil {
		return err
	}
	if !a.head.Repo.Worktree {
		return nil
	}
	if !a.done {
		if a.plan, err = a.landing.PlanApply(ctx); err != nil {
			return err
		}
	}
	a.outcome, err = a.landing.Apply(ctx, a.plan, "")
	if err != nil {
		return cliui.Failf("nothing of yours was lost; receive it again", "put the files in place: %w", err)
	}
	return nil
}

// placeTranscript writes the transcript where the agent looks for it, and makes later events
// continue from there.
func (a *arrival) placeTranscript(ctx context.Context) error {
	l := a.l
	s, err := l.Find(ctx, a.head.Session)
	if err != nil {
		return err
	}
	if a.view, err = l.Resume(ctx, s, sessionlib.ResumeOptions{Force: a.grown || hasBeginning(ctx, l, s)}); err != nil {
		return err
	}
	if !a.o.json {
		l.TellAround(ctx, s)
	}
	if a.view.Path == "" {
		return nil
	}
	if a.view.Restored {
		if err := l.Adopt(ctx, s, a.view.Path); err != nil {
			return err
		}
	}
	if l.Wp == nil {
		return nil
	}
	err = l.Wp.Store.Update(ctx, a.sid, func(st *session.State) error {
		st.TranscriptPath = a.view.Path
		return nil
	})
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	return err
}

// A receivedView is what was received, as --json prints it.
type receivedView struct {
	sessionlib.ResumeView
	Written []string `json:"written"`
	Removed []string `json:"removed"`
	Saved   string   `json:"saved,omitempty"` // the step that holds the worktree before
	Undo    bool     `json:"can_be_undone"`
}

func (a *arrival) tell() error {
	l := a.l
	v := receivedView{ResumeView: a.view, Written: []string{}, Removed: []string{}}
	if a.outcome != nil {
		v.Written, v.Removed, v.Saved = cliui.NotNil(a.outcome.Written), cliui.NotNil(a.outcome.Removed), a.outcome.SafetyID
		v.Undo = a.plan != nil && len(v.Written)+len(v.Removed) > 0
		for _, warning := range a.outcome.Warnings {
			fmt.Fprintf(l.Env.Err, "warning: %s\n", cliui.ShownLine(warning))
		}
		for _, k := range a.outcome.Kept {
			fmt.Fprintf(l.Env.Err, "left alone: %s (%s)\n", cliui.ShownName(k.Path), k.Why)
		}
	}
	if a.o.json {
		return l.Env.PrintJSON(v)
	}
	if n := len(v.Written) + len(v.Removed); n > 0 {
		fmt.Fprintf(l.Env.Out, "%s put in place. To undo this: entire undo\n", cliui.Count(n, "file"))
	}
	fmt.Fprintf(l.Env.Out, "Session: %s\n", a.head.Session)
	if v.Command == "" {
		fmt.Fprintf(l.Env.Err, "Entire does not know how its agent continues a session.\n")
		return nil
	}
	_, err := fmt.Fprintf(l.Env.Out, "To continue this session, run:\n  %s%s\n", l.CommandFrom(v.ResumeView), cliui.Comment(cliui.ShortLine(v.Prompt, cliui.PromptRunes)))
	return err
}

// hasBeginning reports whether the agent's transcript is only a beginning of the stored one: the
// session had continued elsewhere, and receiving it was interrupted.
func hasBeginning(ctx context.Context, l *sessionlib.Library, s sessionlib.ListedSession) bool {
	_, live := l.Live(ctx, s)
	kept, err := l.Transcript(ctx, s)
	return err == nil && len(live) > 0 && len(live) < len(kept) && bytes.HasPrefix(kept, live)
}
