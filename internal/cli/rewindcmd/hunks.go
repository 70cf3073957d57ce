package rewindcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/workplace"
	"entire/internal/patch"
	"entire/internal/term"
	"entire/strategy/condense"
	"entire/strategy/restore"
	"entire/strategy/rewind"
)

// A choice is the hunks that somebody chose, nil for everything.
type choice struct {
	hunks rewindlib.Hunks
	seen  []restore.PlannedChange // that a person was shown, nil if the flags name the hunks
}

// carryChosen is carryOut for the hunks of --hunk or --patch, if one of them is given.
func carryChosen(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, o rewindOptions, plans planner, mode condense.ConflictMode) error {
	chosen, err := chosenHunks(ctx, env, wp, o, plans, mode)
	if err != nil {
		return err
	}
	if chosen.hunks == nil {
		return carryOut(ctx, env, wp, o.doing, plans, mode)
	}
	return carryOut(ctx, env, wp, o.doing, func(mode condense.ConflictMode) (*rewind.Plan, error) {
		plan, err := plans(mode)
		if err == nil {
			err = chosen.restrict(ctx, wp, plan)
		}
		return plan, err
	}, mode)
}

// restrict restricts a plan to the choice. It returns rewindlib.ErrPlanChanged if a chosen file would
// change in another way than the person was shown, because the numbers then mean other hunks.
func (c choice) restrict(ctx context.Context, wp *workplace.Workplace, plan *rewind.Plan) error {
	for _, shown := range c.seen {
		same := func(now restore.PlannedChange) bool { return now.Change == shown.Change }
		if _, chosen := c.hunks[shown.Path]; chosen && !slices.ContainsFunc(plan.Changes, same) {
			return cliui.Failf("run it again to choose from the present files", "%s: %w", cliui.ShownName(shown.Path), rewindlib.ErrPlanChanged)
		}
	}
	return rewindlib.Choose(ctx, wp, plan, c.hunks)
}

// chosenHunks returns the hunks of the flags, or those that a person chooses.
func chosenHunks(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, o rewindOptions, plans planner, mode condense.ConflictMode) (choice, error) {
	if !o.scope.patch {
		given, err := rewindlib.ParseHunks(o.scope.hunks)
		if err != nil || given == nil {
			return choice{}, err
		}
		hunks, err := inRepo(env, wp, given)
		return choice{hunks: hunks}, err
	}
	if !env.Terminal().Interactive {
		return choice{}, cliui.Failf("--hunk FILE:N chooses hunks without a question", "--patch needs a terminal")
	}
	plan, err := plans(mode)
	if err != nil {
		return choice{}, err
	}
	files, err := rewindlib.PlanFiles(ctx, wp, plan)
	if err != nil {
		return choice{}, err
	}
	hunks, err := askHunks(ctx, env, files)
	return choice{hunks, plan.Changes}, err
}

// inRepo returns the hunks with the paths of the repository. Those of a file that is named in several
// ways add up.
func inRepo(env *cliui.Env, wp *workplace.Workplace, given rewindlib.Hunks) (rewindlib.Hunks, error) {
	out := rewindlib.Hunks{}
	for typed, numbers := range given {
		paths, err := workplace.RepoPaths(env, wp, []string{typed})
		if err != nil {
			return nil, err
		}
		path := paths[0]
		if before, known := out[path]; known && (before == nil || numbers == nil) {
			out[path] = nil // all of it
		} else {
			out[path] = append(before, numbers...)
		}
	}
	return out, nil
}

// askHelp explains the answers to askHunks.
const askHelp = `y  restore this hunk
n  leave this hunk
a  restore this hunk and the rest of the file
d  leave this hunk and the rest of the file
q  leave this hunk and all that follow
`

// askHunks shows each hunk and asks whether to restore it.
func askHunks(ctx context.Context, env *cliui.Env, files []patch.File) (rewindlib.Hunks, error) {
	chosen := rewindlib.Hunks{}
	for len(files) > 0 {
		path, parts := files[0].Path(), hunkTexts(files[0])
		if files = files[1:]; len(files) > 0 && files[0].Path() == path { // a file became a link, or a link a file
			parts, files = []string{parts[0] + hunkTexts(files[0])[0]}, files[1:]
		}
		all := len(parts)
		for n := 1; n <= all; n++ {
			answer, err := askHunk(ctx, env, path, parts[n-1], n, all)
			if err != nil {
				return nil, err
			}
			switch answer {
			case "y":
				chosen[path] = append(chosen[path], n)
			case "a":
				for ; n <= all; n++ {
					chosen[path] = append(chosen[path], n)
				}
			case "d":
				n = all
			case "q":
				return chosen, nil
			}
		}
	}
	return chosen, nil
}

// hunkTexts returns the patch of each hunk, or of the whole file if it has none.
func hunkTexts(f patch.File) []string {
	if len(f.Hunks) == 0 {
		return []string{f.Text(nil)}
	}
	var out []string
	for i := range f.Hunks {
		out = append(out, f.Text(f.Hunks[i:i+1]))
	}
	return out
}

// askHunk shows a hunk and returns the answer: y, n, a, d or q.
func askHunk(ctx context.Context, env *cliui.Env, path, text string, n, all int) (string, error) {
	fmt.Fprint(env.Err, workplace.PatchText(env, []byte(text)))
	for {
		answer, err := env.Terminal().Line(ctx, fmt.Sprintf("(%d/%d) Restore this hunk of %s [y,n,a,d,q,?]? ", n, all, cliui.ShownName(path)))
		if errors.Is(err, term.ErrCancelled) {
			return "", unchanged(env)
		}
		if err != nil {
			return "", err
		}
		switch answer = strings.ToLower(strings.TrimSpace(answer)); answer {
		case "y", "n", "a", "d", "q":
			return answer, nil
		}
		fmt.Fprint(env.Err, askHelp)
	}
}
