package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

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
			return failf(fmt.Sprintf("`entire sessions delete %s` moves the one here to the trash; nothing was changed", shownSession(a.head.Session)),
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
		return failf(way+", then receive it again", "%w: %s, on %s there", err, head.Short(), cmp.Or(a.head.Repo.Branch, "HEAD"))
	case errors.Is(err, handoff.ErrDirty):
		return failf("commit or stash it, or use --replace: it is saved first, and `entire undo` restores it; nothing was changed", "%w", err)
	case errors.Is(err, handoff.ErrBlocked):
		return failf("nothing of yours was changed: move it away, then receive it again", "%w", err)
	case errors.Is(err, handoff.ErrTurnActive):
		return failf("end it first; nothing was changed", "%w", err)
	}
	return err
}

// edit adapts the session's metadata to this machine.
func (a *arrival) edit(m *session.SessionMetadata) {
	m.CWD = a.move().Path(m.CWD)
	if !filepath.IsAbs(m.CWD) {
		m.CWD = a.l.ident.Top
	}
	if m.Circumstances != nil {
		m.Circumstances.CWD = a.move().Path(m.Circumstances.CWD)
	}
	m.ProjectHash, m.EndedAt, m.ExitReason = a.l.ident.Key, nil, ""
}

// mayPlace says what would be done and asks a person to confirm.
func (a *arrival) mayPlace(ctx context.Context) error {
	l := a.l
	fmt.Fprintf(l.w.err, "Session %s, %s: %s\n", shownSession(a.head.Session), count(a.meta.MessageCount, "message"), shortLine(a.head.Title, promptRunes))
	files := a.landing != nil && a.head.Repo.Worktree && !a.done
	if files {
		list, err := a.landing.ChangedFiles(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(l.w.err, "  %s:\n", count(len(list), "file"))
		for _, c := range list {
			fmt.Fprintf(l.w.err, "    %-6s %s\n", c.Action, shownName(c.Path))
		}
	}
	t := l.w.terminal()
	if a.o.yes || !t.Interactive {
		return nil
	}
	detail := ""
	if files {
		detail = "`entire undo` removes the files again."
	}
	yes, err := t.Confirm(ctx, "Continue it here?", detail)
	if errors.Is(err, term.ErrCancelled) || err == nil && !yes {
		fmt.Fprintln(l.w.err, "Nothing was changed.")
		return errTold
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
		return failf("nothing of yours was lost; receive it again", "put the files in place: %w", err)
	}
	return nil
}

// placeTranscript writes the transcript where the agent looks for it, and makes later events
// continue from there.
func (a *arrival) placeTranscript(ctx context.Context) error {
	l := a.l
	s, err := l.find(ctx, a.head.Session)
	if err != nil {
		return err
	}
	if a.view, err = l.again(ctx, s, againOptions{force: a.grown || l.hasBeginning(ctx, s)}); err != nil {
		return err
	}
	if !a.o.json {
		l.tellAround(ctx, s)
	}
	if a.view.Path == "" {
		return nil
	}
	if a.view.Restored {
		if err := l.adopt(ctx, s, a.view.Path); err != nil {
			return err
		}
	}
	if l.wp == nil {
		return nil
	}
	err = l.wp.store.Update(ctx, a.sid, func(st *session.State) error {
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
	againView
	Written []string `json:"written"`
	Removed []string `json:"removed"`
	Saved   string   `json:"saved,omitempty"` // the step that holds the worktree before
	Undo    bool     `json:"can_be_undone"`
}

func (a *arrival) tell() error {
	l := a.l
	v := receivedView{againView: a.view, Written: []string{}, Removed: []string{}}
	if a.outcome != nil {
		v.Written, v.Removed, v.Saved = notNil(a.outcome.Written), notNil(a.outcome.Removed), a.outcome.SafetyID
		v.Undo = a.plan != nil && len(v.Written)+len(v.Removed) > 0
		for _, warning := range a.outcome.Warnings {
			fmt.Fprintf(l.w.err, "warning: %s\n", shownLine(warning))
		}
		for _, k := range a.outcome.Kept {
			fmt.Fprintf(l.w.err, "left alone: %s (%s)\n", shownName(k.Path), k.Why)
		}
	}
	if a.o.json {
		return l.w.printJSON(v)
	}
	if n := len(v.Written) + len(v.Removed); n > 0 {
		fmt.Fprintf(l.w.out, "%s put in place. To undo this: entire undo\n", count(n, "file"))
	}
	fmt.Fprintf(l.w.out, "Session: %s\n", a.head.Session)
	if v.Command == "" {
		fmt.Fprintf(l.w.err, "Entire does not know how its agent continues a session.\n")
		return nil
	}
	_, err := fmt.Fprintf(l.w.out, "To continue this session, run:\n  %s%s\n", l.commandFrom(v.againView), comment(shortLine(v.Prompt, promptRunes)))
	return err
}

// hasBeginning reports whether the agent's transcript is only a beginning of the stored one: the
// session had continued elsewhere, and receiving it was interrupted.
func (l *library) hasBeginning(ctx context.Context, s listedSession) bool {
	_, live := l.live(ctx, s)
	kept, err := l.transcript(ctx, s)
	return err == nil && len(live) > 0 && len(live) < len(kept) && bytes.HasPrefix(kept, live)
}
