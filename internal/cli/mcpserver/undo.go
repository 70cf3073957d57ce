package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/workplace"
	"entire/internal/timeline"
)

type checkpointIn struct {
	Label string `json:"label" jsonschema:"what the state is, such as: before the upgrade"`
	size
}

// checkpoint saves the worktree.
func (t *tools) checkpoint(ctx context.Context, in checkpointIn) (string, error) {
	if strings.TrimSpace(in.Label) == "" {
		return "", cliui.Failf("say what the state is", "the label is empty")
	}
	saved, err := rewindlib.SaveLabel(ctx, t.env, in.Label)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Saved as %.12s, labelled %s. undo_plan with this ID says what going back would change.\n", saved.ID, named(in.Label, 40)), nil
}

type undoPlanIn struct {
	Point string `json:"point" jsonschema:"the point to go back to: its ID"`
	Mark  string `json:"mark,omitempty" jsonschema:"go back, as the plan with this mark says; refused unless the user's local settings allow it"`
	size
}

const allowRewind = `a person allows it in .entire/settings.local.json: {"strategy_options": {"mcp": {"rewind": true}}}`

// undoPlan says what a rewind would do. With the mark of such a plan it rewinds, if the user allowed it.
func (t *tools) undoPlan(ctx context.Context, in undoPlanIn) (string, error) {
	if strings.TrimSpace(in.Point) == "" {
		return "", cliui.Failf("changes lists points and their IDs", "no point was given")
	}
	allowed, commit, err := t.mayRewind(ctx, in.Point)
	if err != nil {
		return "", err
	}
	req := rewindlib.Request{Point: in.Point, NoPatch: true}
	req.Scope.SkipConversation = commit // it has only files
	if in.Mark != "" {
		return t.rewind(ctx, req, in.Mark, allowed)
	}
	plan, err := rewindlib.Look(ctx, t.env, req)
	if err != nil {
		return "", err
	}
	var p page
	p.quote(plan.Words, in.limit()-120)
	p.say("Nothing was changed. ")
	switch {
	case plan.Nothing:
		p.say("The rewind would change nothing.\n")
	case allowed:
		p.say(fmt.Sprintf("To go back, call undo_plan again with mark %s.\n", plan.Mark))
	default:
		p.say("You cannot do it. A person does it with: " + plan.Command + "\n")
	}
	return p.String(), nil
}

// mayRewind reports whether the local settings allow a rewind, and whether the point is a commit.
func (t *tools) mayRewind(ctx context.Context, point string) (allowed, commit bool, err error) {
	err = t.inPast(ctx, func(wp *workplace.Workplace, tl *timeline.Timeline) error {
		allowed = wp.Settings.AgentsRewind
		id, err := meant(ctx, wp, tl, point)
		if errors.Is(err, timeline.ErrNoPoint) {
			return nil // the plan says so
		}
		if err != nil {
			return err
		}
		pt, err := tl.Find(ctx, id)
		if errors.Is(err, timeline.ErrNoPoint) {
			commit = true // of another branch
			return nil
		}
		commit = pt.Kind == timeline.Commit
		return err
	})
	return allowed, commit, err
}

func (t *tools) rewind(ctx context.Context, req rewindlib.Request, mark string, allowed bool) (string, error) {
	if !allowed {
		return "", cliui.Failf(allowRewind, "the user's settings do not allow an agent to rewind; nothing was changed")
	}
	done, err := rewindlib.Do(ctx, t.env, req, mark)
	if errors.Is(err, rewindlib.ErrPlanChanged) {
		return "", cliui.Failf("call undo_plan without a mark to see the present plan", "%w; nothing was changed", err)
	}
	if err != nil {
		return "", err
	}
	var p page
	p.quote(done.Words, usualTokens/2)
	p.say(fmt.Sprintf("The files from before are kept. A person takes it back with: entire undo %s\n", done.Entry))
	return p.String(), nil
}
