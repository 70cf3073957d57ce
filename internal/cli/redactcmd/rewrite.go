package redactcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"entire/checkpoint/epoch"
	"entire/checkpoint/records"
	"entire/checkpoint/tombstone"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
	"entire/internal/redact"
	"entire/internal/term"
	"entire/strategy/maintain"
)

// rewrite takes out what a scan found, after it has shown what that means and asked.
func rewrite(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, v *scanView, o scanOptions) error {
	ids, files, left := v.plan()
	v.DryRun = o.dryRun
	if o.dryRun || len(ids)+len(files) == 0 {
		v.Left = left
		v.Rewritten = len(files)
		if v.Redacted = namesOf(ids); o.forget {
			v.Forgotten, v.Redacted = v.Redacted, nil
		}
		return nil
	}
	if err := mayRewrite(ctx, env, len(ids), len(files), *v, o); err != nil {
		return err
	}
	for _, t := range files {
		switch err := mask(t.file, t.in); {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			left = append(left, leftText{t.name, err.Error()})
		default:
			v.Rewritten++
		}
	}
	held, err := rewriteCheckpoints(ctx, wp, ids, v, o)
	if err != nil {
		return err
	}
	left = append(left, held...)
	if _, err := workplace.DropSearchIndexes(ctx, env, wp.Repo.Top); err != nil {
		left = append(left, leftText{"the search index", err.Error()})
	}
	v.Left = left
	return nil
}

// rewriteCheckpoints takes secrets out of checkpoints, or removes them whole, and returns the refs that still have
// what they were.
func rewriteCheckpoints(ctx context.Context, wp *workplace.Workplace, ids []id.CheckpointID, v *scanView, o scanOptions) (left []leftText, err error) {
	if len(ids) > 0 && !o.forget {
		if ids, err = redactCheckpoints(ctx, wp, ids, v); err != nil {
			return nil, err
		}
	}
	if len(ids) > 0 {
		_, _, err := maintain.Forget(ctx, wp.Engine, ids, o.reason, nil)
		if err != nil {
			return nil, notWhole(err)
		}
		v.Forgotten = namesOf(ids)
	}
	if len(v.Forgotten)+len(v.Redacted) == 0 {
		return nil, nil
	}
	held, err := tombstone.RefsReaching(ctx, records.NewReader(wp.Repo), ids, tombstone.Extent{})
	if err != nil {
		return nil, fmt.Errorf("the checkpoints are rewritten, but the search for refs that still hold the secrets failed: %w", err)
	}
	for _, ref := range held {
		left = append(left, leftText{ref, maintain.ForgottenHint(ref)})
	}
	return left, nil
}

// notWhole adds a hint to the error of a history that is not here whole.
func notWhole(err error) error {
	if errors.Is(err, tombstone.ErrShallowHistory) {
		return cliui.Failf("the files outside git are rewritten; fetch the rest, then repeat this", "%w", err)
	}
	return err
}

// redactCheckpoints takes secrets out of the texts of checkpoints on the branch, and returns those that have to be
// forgotten whole: in refs of their own, in the epoch of a past month, or encrypted.
func redactCheckpoints(ctx context.Context, wp *workplace.Workplace, ids []id.CheckpointID, v *scanView) (left []id.CheckpointID, err error) {
	own, err := records.NewReader(wp.Repo).Tips(ctx, ids)
	if err != nil {
		return nil, err
	}
	months, err := epoch.Load(ctx, wp.Repo)
	if err != nil {
		return nil, err
	}
	var onBranch []id.CheckpointID
	for _, cp := range ids {
		_, past, err := months.MonthOf(wp.Repo.Reader(ctx), cp)
		if err != nil {
			return nil, err
		}
		if _, inRef := own[cp]; inRef || past {
			left = append(left, cp)
		} else {
			onBranch = append(onBranch, cp)
		}
	}
	if len(onBranch) == 0 {
		return left, nil
	}
	x := redact.NewExplainer()
	done, err := maintain.Redact(ctx, wp.Engine, onBranch, func(text []byte) ([]byte, error) { return maskedText(text, x) })
	if err != nil {
		return nil, notWhole(err)
	}
	v.Redacted = namesOf(done.IDs)
	for cp := range done.Left {
		left = append(left, cp)
	}
	slices.SortFunc(left, id.CheckpointID.Compare)
	return left, nil
}

// maskedText returns a text with as many bytes in the place of its secrets; the text itself if it has none.
func maskedText(text []byte, x *redact.Explainer) ([]byte, error) {
	for pass := range maskPasses {
		found := storedFindings(text, inCheckpoints, x)
		if len(found) == 0 {
			return text, nil
		}
		if pass == 0 {
			text = bytes.Clone(text)
		}
		for _, s := range found {
			copy(text[s.Start:s.End], masked(s.End-s.Start))
		}
	}
	return nil, errStillSecret
}

var errStillSecret = errors.New("it still looks as if it had secrets")

// plan divides the places: checkpoints that are forgotten, files that are rewritten, and what is left.
func (v *scanView) plan() (ids []id.CheckpointID, files []storedText, left []leftText) {
	seen := map[string]bool{}
	for _, p := range v.Places {
		cp, err := id.NewCheckpointID(p.Checkpoint)
		switch {
		case p.Checkpoint != "" && err == nil:
			if !seen[p.Checkpoint] {
				seen[p.Checkpoint] = true
				ids = append(ids, cp)
			}
		case p.text.file != "" && !p.text.packed:
			files = append(files, p.text)
		case p.text.packed:
			left = append(left, leftText{p.Name, "a compressed log is not changed: `entire sessions delete ID` removes its session"})
		default:
			ref, _, _ := strings.Cut(p.Name, ":")
			left = append(left, leftText{p.Name, maintain.ForgottenHint("refs/" + ref)})
		}
	}
	return ids, files, left
}

func namesOf(ids []id.CheckpointID) (names []string) {
	for _, cp := range ids {
		names = append(names, cp.String())
	}
	return names
}

// mayRewrite asks a person. Where nobody can be asked it returns an error unless --yes is given.
func mayRewrite(ctx context.Context, env *cliui.Env, checkpoints, files int, v scanView, o scanOptions) error {
	if o.yes {
		return nil
	}
	verbs := [2]string{"Rewrite", "rewriting"}
	if o.forget {
		verbs = [2]string{"Forget", "forgetting"}
	}
	both := cliui.Count(checkpoints, "checkpoint") + " and rewrite " + cliui.Count(files, "file")
	what := verbs[0] + " " + both + "?"
	if o.json || !env.Terminal().Interactive {
		return cliui.Failf("add --yes to do it, or --dry-run to see what would be done", "%s %s and rewriting %s cannot be undone", verbs[1], cliui.Count(checkpoints, "checkpoint"), cliui.Count(files, "file"))
	}
	io.WriteString(env.Err, v.text(false))
	yes, err := env.Terminal().Confirm(ctx, what, "It cannot be undone.")
	if errors.Is(err, term.ErrCancelled) || err == nil && !yes {
		fmt.Fprintln(env.Err, "Nothing was changed.")
		return cliui.ErrTold
	}
	return err
}

// maskPasses is the most times that a file is looked through, as a masked text may show another secret.
const maskPasses = 8

// mask replaces the secrets of a file of a place by as many bytes, so that whoever appends to the file, or
// knows places in it, is not disturbed, and an interruption leaves some secrets masked and the rest as it was.
func mask(path, in string) error {
	if _, err := durable.Read(path, maxScanned); err != nil {
		return err // a link, a pipe, or too large
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	x := redact.NewExplainer()
	for range maskPasses {
		data, err := io.ReadAll(io.NewSectionReader(f, 0, maxScanned))
		if err != nil {
			return err
		}
		found := storedFindings(data, in, x)
		if len(found) == 0 {
			return f.Sync()
		}
		for _, s := range found {
			if _, err := f.WriteAt(masked(s.End-s.Start), int64(s.Start)); err != nil {
				return err
			}
		}
	}
	return errors.Join(f.Sync(), errStillSecret)
}

// masked returns n bytes in the place of a secret.
func masked(n int) []byte {
	if n < len(redact.Token) {
		return []byte(strings.Repeat("*", n))
	}
	return []byte(redact.Token + strings.Repeat("*", n-len(redact.Token)))
}

// done writes what a rewrite did, or would do.
func (v scanView) done(b *strings.Builder) {
	verb := [...]string{"Forgotten", "Rewritten"}
	if v.DryRun {
		verb = [...]string{"Would be forgotten", "Would be rewritten"}
	}
	if len(v.Redacted) > 0 {
		fmt.Fprintf(b, "%s: the texts of %s (%s)\n", verb[1], cliui.Count(len(v.Redacted), "checkpoint"), strings.Join(v.Redacted[:min(len(v.Redacted), 12)], ", "))
	}
	if len(v.Forgotten) > 0 {
		fmt.Fprintf(b, "%s: %s (%s)\n", verb[0], cliui.Count(len(v.Forgotten), "checkpoint"), strings.Join(v.Forgotten[:min(len(v.Forgotten), 12)], ", "))
	}
	if v.Rewritten > 0 {
		fmt.Fprintf(b, "%s: %s\n", verb[1], cliui.Count(v.Rewritten, "file"))
	}
	slices.SortFunc(v.Left, func(a, b leftText) int { return strings.Compare(a.Name, b.Name) })
	for _, l := range slices.Compact(v.Left) {
		fmt.Fprintf(b, "Left: %s\n    %s\n", cliui.ShownLine(l.Name), cliui.ShownLine(l.Hint))
	}
	if len(v.Forgotten)+len(v.Redacted) > 0 && !v.DryRun {
		b.WriteString("`entire share push` replaces the branch at the remotes. A secret that was pushed is known: change it.\n")
	}
}
