package rewindcmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/workplace"
	"entire/internal/patch"
	"entire/internal/term"
	"entire/strategy/condense"
	"entire/strategy/rewind"
)

// carryChosen is carryOut for the hunks of --hunk or --patch, if one of them is given.
func carryChosen(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, o rewindOptions, plans planner, mode condense.ConflictMode) error {
	hunks, err := chosenHunks(ctx, env, wp, o, plans, mode)
	if err != nil {
		return err
	}
	if hunks == nil {
		return carryOut(ctx, env, wp, o.doing, plans, mode)
	}
	return carryOut(ctx, env, wp, o.doing, func(mode condense.ConflictMode) (*rewind.Plan, error) {
		plan, err := plans(mode)
		if err == nil {
			err = rewindlib.Choose(ctx, wp, plan, hunks)
		}
		return plan, err
	}, mode)
}

// chosenHunks returns the hunks of the flags, or those that a person chooses; nil for all.
func chosenHunks(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, o rewindOptions, plans planner, mode condense.ConflictMode) (rewindlib.Hunks, error) {
	if !o.scope.patch {
		given, err := rewindlib.ParseHunks(o.scope.hunks)
		if err != nil || given == nil {
			return nil, err
		}
		return inRepo(env, wp, given)
	}
	if !env.Terminal().Interactive {
		return nil, cliui.Failf("--hunk FILE:N chooses hunks without a question", "--patch needs a terminal")
	}
	plan, err := plans(mode)
	if err != nil {
		return nil, err
	}
	files, err := rewindlib.PlanFiles(ctx, wp, plan)
	if err != nil {
		return nil, err
	}
	return askHunks(ctx, env, files)
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
	for _, f := range files {
		path, all := f.Path(), max(1, len(f.Hunks))
		for n := 1; n <= all; n++ {
			answer, err := askHunk(ctx, env, f, n, all)
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

// askHunk shows a hunk and returns the answer: y, n, a, d or q.
func askHunk(ctx context.Context, env *cliui.Env, f patch.File, n, all int) (string, error) {
	text := f
	if len(f.Hunks) > 0 {
		text.Hunks = f.Hunks[n-1 : n]
	}
	fmt.Fprint(env.Err, workplace.PatchText(env, []byte(text.Text(text.Hunks))))
	for {
		answer, err := env.Terminal().Line(ctx, fmt.Sprintf("(%d/%d) Restore this hunk of %s [y,n,a,d,q,?]? ", n, all, cliui.ShownName(f.Path())))
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
