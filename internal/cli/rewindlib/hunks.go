package rewindlib

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/patch"
	"entire/strategy/restore"
	"entire/strategy/rewind"
)

// Hunks are hunks that somebody chose: for each path their numbers, from 1, in the patch of the plan
// without a choice. A change that has no hunks, as of a binary file, is number 1.
type Hunks map[string][]int

// ParseHunks reads values of --hunk: FILE:N, FILE:N,M or FILE for all of a file's.
func ParseHunks(values []string) (Hunks, error) {
	if len(values) == 0 {
		return nil, nil
	}
	out := Hunks{}
	for _, value := range values {
		path, list, found := cutNumbers(value)
		if !found {
			out[path] = nil
			continue
		}
		for word := range strings.SplitSeq(list, ",") {
			n, err := strconv.Atoi(word)
			if err != nil || n < 1 {
				return nil, cliui.Failf("as in --hunk main.go:1,3; `entire rewind ID --dry-run --diff` shows the hunks in order", "not a hunk: %s", cliui.ShownLine(value))
			}
			if _, all := out[path]; !all || out[path] != nil {
				out[path] = append(out[path], n)
			}
		}
	}
	return out, nil
}

// cutNumbers splits FILE:N,M; the file's name may have colons, too.
func cutNumbers(value string) (path, numbers string, found bool) {
	i := strings.LastIndexByte(value, ':')
	if i <= 0 || strings.Trim(value[i+1:], "0123456789,") != "" {
		return value, "", false
	}
	return value[:i], value[i+1:], true
}

// flags returns the flags of `entire rewind` that choose the hunks.
func (h Hunks) flags() string {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(h)) {
		word := path
		for i, n := range h[path] {
			word += map[bool]string{true: ":", false: ","}[i == 0] + strconv.Itoa(n)
		}
		b.WriteString(" --hunk " + cliui.ShellWord(word))
	}
	return b.String()
}

// PlanFiles returns the patch that a plan would apply, as files and hunks. A file that git does not take
// for text has no hunks; one that becomes a link, or was one, is there twice: removed and created.
func PlanFiles(ctx context.Context, wp *workplace.Workplace, plan *rewind.Plan) ([]patch.File, error) {
	text, err := PlanPatch(ctx, wp, plan)
	if err != nil {
		return nil, err
	}
	return patch.Parse(text)
}

// Choose restricts a plan to the chosen hunks. It returns an error for a hunk that the plan does not
// have.
func Choose(ctx context.Context, wp *workplace.Workplace, plan *rewind.Plan, h Hunks) error {
	files, err := PlanFiles(ctx, wp, plan)
	if err != nil {
		return err
	}
	shown := map[string]patch.File{}
	for _, f := range files {
		shown[f.Path()] = f
	}
	chosen := map[string]rewind.Choice{}
	for _, path := range slices.Sorted(maps.Keys(h)) {
		i := slices.IndexFunc(plan.Changes, func(c restore.PlannedChange) bool { return c.Path == path })
		switch {
		case i < 0 && slices.ContainsFunc(plan.Conflicts, func(c restore.PlanConflict) bool { return c.Path == path }):
			return cliui.Failf("--conflicts markers writes both sides into a text; --dry-run shows them",
				"later changes do not merge in %s, so it has no hunks to choose", cliui.ShownName(path))
		case i < 0:
			return cliui.Failf("`entire rewind ID --dry-run` shows the files that would change", "no hunk would change in %s", cliui.ShownName(path))
		}
		if chosen[path], err = choose(ctx, wp, plan.Changes[i].Change, shown[path], h[path]); err != nil {
			return fmt.Errorf("%s: %w", cliui.ShownName(path), err)
		}
	}
	return plan.Choose(ctx, wp.Engine, chosen)
}

// choose returns what a file gets with some hunks of its change; all of them for none. Its other lines keep
// their ends, which git may convert.
func choose(ctx context.Context, wp *workplace.Workplace, c git.Change, f patch.File, numbers []int) (chosen rewind.Choice, err error) {
	all := max(1, len(f.Hunks))
	wanted := make([]bool, all)
	for _, n := range numbers {
		if n > all {
			return chosen, cliui.Failf("`entire rewind ID --dry-run --diff` shows the hunks in order", "no hunk %d, only %d", n, all)
		}
		wanted[n-1] = true
	}
	if len(numbers) == 0 || !slices.Contains(wanted, false) {
		return rewind.Choice{Blob: c.New}, nil
	}
	o, err := wp.Repo.Reader(ctx).Object(c.Old.String())
	if err != nil {
		return chosen, err
	}
	var some []patch.Hunk
	for i, hunk := range f.Hunks {
		if wanted[i] {
			some = append(some, hunk)
		}
	}
	text, err := patch.Apply(o.Data, some)
	if errors.Is(err, patch.ErrConflict) {
		return chosen, cliui.Failf("look at the plan again", "%w", ErrPlanChanged)
	}
	if err != nil {
		return chosen, err
	}
	if chosen.Blob, err = wp.Repo.Writer().Blob(text); err != nil {
		return chosen, err
	}
	chosen.Bytes, err = exactBytes(wp, c, o.Data, some)
	return chosen, err
}

// exactBytes returns the blob of a file's bytes with some hunks applied; zero where git's filters do more than to
// convert line ends, and for a file that is too large to be kept twice.
func exactBytes(wp *workplace.Workplace, c git.Change, clean []byte, hunks []patch.Hunk) (git.OID, error) {
	if len(clean) > restore.MaxRaw/2 { // as many bytes again are line ends at most
		return git.OID{}, nil
	}
	wt, err := wp.Repo.OpenWorktree()
	if err != nil {
		return git.OID{}, err
	}
	defer wt.Close()
	raw, _, err := wt.Read(c.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return git.OID{}, nil // the rewind finds that it is gone
	}
	if err != nil {
		return git.OID{}, err
	}
	hunks, ok := patch.ForLineEnds(hunks, clean, raw)
	if !ok {
		return git.OID{}, nil
	}
	text, err := patch.Apply(raw, hunks)
	if err != nil {
		return git.OID{}, err
	}
	return wp.Repo.Writer().Blob(text)
}
