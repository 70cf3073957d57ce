package maintain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire/checkpoint/shadow"
	"entire/checkpoint/tombstone"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// pruneEvery is how often kept turns are checked for their age.
const pruneEvery = 24 * time.Hour

// TurnsDue reports, at most once a day, that PruneTurns is to be called. It starts no process.
func TurnsDue(s *sessionstate.Env) bool {
	if !step.MayHaveRefs(s, step.OwnRefRoot+sessionstate.KeptTurnsFolder+"/") {
		return false
	}
	stamp := filepath.Join(s.LocalDir(), "turns-pruned")
	if fi, err := os.Lstat(stamp); err == nil && s.Now().Sub(fi.ModTime()).Abs() < pruneEvery {
		return false
	}
	return durable.WriteCache(stamp, nil, 0o600) == nil
}

// PruneTurns drops the kept turns of all worktrees that are older than KeepTurns, then the oldest
// of the others while they need more than TurnsLimit bytes.
func PruneTurns(ctx context.Context, s *sessionstate.Env) error {
	days, err := AllKeptTurnRefs(ctx, s)
	if err != nil {
		return err
	}
	for len(days) > 0 && whyTurnsExpired(s, days[0]) != "" {
		if err := dropKeptDay(ctx, s, days[0]); err != nil {
			return err
		}
		days = days[1:]
	}
	for len(days) > 0 {
		used, err := TurnsSize(ctx, s, days)
		if err != nil || used <= s.TurnsLimit {
			return err
		}
		s.Log.Info("turns that commits have taken need too much space", "bytes", used, "limit", s.TurnsLimit)
		if len(days) > 1 {
			err = dropKeptDay(ctx, s, days[0])
			days = days[1:]
		} else if days[0].OID, err = halveKeptDay(ctx, s, days[0]); days[0].OID.IsZero() {
			return err
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// AllKeptTurnRefs returns the refs of all worktrees that keep turns, the oldest day first.
func AllKeptTurnRefs(ctx context.Context, s *sessionstate.Env) ([]git.Ref, error) {
	refs, err := s.Repo.Refs(ctx, step.OwnRefRoot+sessionstate.KeptTurnsFolder+"/")
	refs = slices.DeleteFunc(refs, func(ref git.Ref) bool { return !step.IsOwnRef(ref) })
	slices.SortStableFunc(refs, func(a, b git.Ref) int { return strings.Compare(path.Base(a.Name), path.Base(b.Name)) })
	return refs, err
}

// whyTurnsExpired returns why a day's turns are no longer kept, "" while they are.
func whyTurnsExpired(s *sessionstate.Env, day git.Ref) string {
	date, err := time.Parse(sessionstate.DayFormat, path.Base(day.Name))
	if err != nil || date.Format(sessionstate.DayFormat) >= s.Now().Add(-s.KeepTurns).UTC().Format(sessionstate.DayFormat) && s.KeepTurns >= 0 {
		return ""
	}
	return "its turns were committed " + step.Days(s.Now().Sub(date)) + " ago"
}

// dropKeptDay removes a day's ref if it still points to the commit that was read.
func dropKeptDay(ctx context.Context, s *sessionstate.Env, day git.Ref) error {
	err := s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: day.Name, Old: day.OID}})
	if errors.Is(err, git.ErrRefMoved) {
		return nil
	}
	return err
}

// TurnsSize returns how many bytes on disk are reachable from these days only.
func TurnsSize(ctx context.Context, s *sessionstate.Env, days []git.Ref) (int64, error) {
	args := []string{"rev-list", "--objects", "--disk-usage"}
	for _, day := range days {
		args = append(args, day.OID.String())
	}
	out, err := s.Repo.Run(ctx, append(args, "--not", "--exclude="+step.OwnRefRoot+sessionstate.KeptTurnsFolder+"/*", "--all")...)
	if err != nil {
		return 0, fmt.Errorf("measure the turns of commits: %w", err)
	}
	return strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
}

// halveKeptDay drops the older half of a day's entries; a single entry is dropped, too. It returns the
// ref's new commit, zero if the ref is gone.
func halveKeptDay(ctx context.Context, s *sessionstate.Env, day git.Ref) (git.OID, error) {
	n := 0
	if err := step.EachKeptEntry(ctx, s, day.OID, func(step.KeptEntry) (bool, error) { n++; return true, nil }); err != nil {
		return git.OID{}, err
	}
	at := 0
	return rewriteKeptDay(ctx, s, day, func(step.KeptEntry) (bool, error) { at++; return at <= n/2, nil })
}

// rewriteKeptDay rewrites a day's ref with the entries that keep accepts, and calls keep from the
// newest to the oldest. It returns the ref's new commit, zero if the ref is gone.
func rewriteKeptDay(ctx context.Context, s *sessionstate.Env, day git.Ref, keep func(step.KeptEntry) (bool, error)) (git.OID, error) {
	var stay []step.KeptEntry
	all := true
	err := step.EachKeptEntry(ctx, s, day.OID, func(e step.KeptEntry) (bool, error) {
		kept, err := keep(e)
		if kept {
			stay = append(stay, e)
		}
		all = all && kept
		return true, err
	})
	if err != nil || all {
		return day.OID, err
	}
	var last git.OID
	for _, e := range slices.Backward(stay) {
		c := e.Commit
		if c.Parents = []git.OID{e.Tip}; !last.IsZero() {
			c.Parents = []git.OID{last, e.Tip}
		}
		if last, err = s.Repo.Writer().Commit(c); err != nil {
			return day.OID, err
		}
	}
	if err := s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: day.Name, New: last, Old: day.OID}}); err != nil {
		return day.OID, err
	}
	return last, tombstone.DropReflog(ctx, s.Repo, day.Name)
}

// forgetTurns drops the kept turns of commits whose checkpoints are forgotten, and those that hold
// content of these checkpoints.
func forgetTurns(ctx context.Context, s *sessionstate.Env, gone map[id.CheckpointID]bool, x tombstone.Extent) error {
	days, err := AllKeptTurnRefs(ctx, s)
	if err != nil {
		return err
	}
	search := contentSearch{s: s, ctx: ctx, content: x, trees: map[git.OID]bool{}, cleanSteps: map[git.OID]bool{}}
	for _, day := range days {
		for try := 0; ; try++ {
			_, err := rewriteKeptDay(ctx, s, day, func(e step.KeptEntry) (bool, error) {
				if gone[e.Checkpoint] {
					return false, nil
				}
				holds, err := search.heldBelow(e.Tip)
				return !holds, err
			})
			if !errors.Is(err, git.ErrRefMoved) || try >= step.CasTries {
				if err != nil {
					return fmt.Errorf("forget turns of %s: %w", day.Name, err)
				}
				break
			}
			if day.OID, _, err = s.Repo.Ref(ctx, day.Name); err != nil || day.OID.IsZero() {
				return err
			}
		}
	}
	return nil
}

// contentSearch looks in steps for the content of checkpoints.
type contentSearch struct {
	s          *sessionstate.Env
	ctx        context.Context
	content    tombstone.Extent
	trees      map[git.OID]bool // trees already searched, and whether they hold content
	cleanSteps map[git.OID]bool // steps without content in them or in any step below
}

// heldBelow reports whether a step, or a step below it, holds some of the content.
func (c contentSearch) heldBelow(tip git.OID) (found bool, err error) {
	if c.content.Files == 0 {
		return false, nil
	}
	found, err = c.searchBelow(tip)
	if errors.Is(err, git.ErrMissing) {
		return true, nil // a step that cannot be searched is not kept
	}
	return found, err
}

// searchBelow reports whether a step up to tip has the content. It remembers steps without it, because many
// refs share their history.
func (c contentSearch) searchBelow(tip git.OID) (found bool, err error) {
	rd := c.s.Repo.Reader(c.ctx)
	newest, err := rd.Commit(tip)
	if err != nil {
		return false, err
	}
	var passed []git.OID
	for st, err := range step.Ancestors(c.ctx, c.s, newest, step.StepsScanned) {
		if err != nil {
			return false, err
		}
		if c.cleanSteps[st.OID] {
			break
		}
		passed = append(passed, st.OID)
		dir, ok, err := rd.Path(st.Tree, shadow.MetadataDir)
		if err == nil && ok {
			found, err = c.heldByTree(dir.OID)
		}
		if err != nil || found {
			return found, err
		}
	}
	for _, oid := range passed {
		c.cleanSteps[oid] = true
	}
	return false, nil
}

func (c contentSearch) heldByTree(tree git.OID) (bool, error) {
	if found, known := c.trees[tree]; known {
		return found, nil
	}
	entries, err := c.s.Repo.Reader(c.ctx).Tree(tree)
	if err != nil {
		return false, err
	}
	found := false
	for _, e := range entries {
		switch {
		case found:
		case e.Mode == git.ModeTree:
			if found, err = c.heldByTree(e.OID); err != nil {
				return false, err
			}
		default:
			found = c.content.Has(e.OID)
		}
	}
	c.trees[tree] = found
	return found, nil
}
