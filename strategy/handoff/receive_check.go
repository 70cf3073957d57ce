package handoff

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"entire/checkpoint/shadow"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// Check verifies that the bundle is complete and that its files can be written to their paths. It
// changes nothing.
func (l *Receive) Check(ctx context.Context) error {
	var tips []git.OID
	for _, oid := range []git.OID{l.Tip, l.Metadata} {
		if !oid.IsZero() {
			tips = append(tips, oid)
		}
	}
	if len(tips) == 0 {
		return nil
	}
	bad := func(err error) error { return fmt.Errorf("%w: %w", ErrBadBundle, err) }
	if !l.Head.IsZero() && !l.Tip.IsZero() {
		tips = append(tips, l.Head)
	}
	if err := l.quarantine.Complete(ctx, tips...); err != nil {
		return bad(err)
	}
	if l.Tip.IsZero() {
		return nil
	}
	var err error
	if l.tip, err = l.commit(ctx, l.Tip); err != nil {
		return bad(err)
	}
	info := shadow.ParseStep(l.tip.Message)
	switch {
	case info.Kind == "":
		return bad(fmt.Errorf("%s is no step", l.Tip.Short()))
	case info.Base != l.Head:
		return bad(fmt.Errorf("step %s stands on another commit than it says", l.Tip.Short()))
	case !info.Session.IsZero() && info.Session != l.Session && l.Worktree:
		return bad(fmt.Errorf("step %s is another session's", l.Tip.Short()))
	}
	if err := l.checkFiles(ctx); err != nil {
		return bad(err)
	}
	if _, err := l.bundledState(); err != nil {
		return bad(err)
	}
	return nil
}

// commit reads a commit from the quarantine.
func (l *Receive) commit(ctx context.Context, oid git.OID) (git.Commit, error) {
	data, err := l.quarantine.Run(ctx, "cat-file", "commit", oid.String())
	if err != nil {
		return git.Commit{}, err
	}
	return git.ParseCommit(oid, data)
}

func (l *Receive) checkFiles(ctx context.Context) error {
	changes, err := l.worktreeChanges(ctx)
	if err != nil {
		return err
	}
	if err := l.checkSizes(ctx, changes); err != nil {
		return err
	}
	return CheckBundledTree(ctx, BundledTree{
		Changes: changes,
		Paths:   func(ctx context.Context) ([]byte, error) { return l.quarantine.Run(ctx, lsTreeArgs(l.tip.Tree)...) },
		Link: func(ctx context.Context, oid git.OID) ([]byte, error) {
			return l.quarantine.Run(ctx, "cat-file", "blob", oid.String())
		},
	})
}

// worktreeChanges returns how the tip differs from the commit of the bundle's HEAD.
func (l *Receive) worktreeChanges(ctx context.Context) ([]git.Change, error) {
	out, err := l.quarantine.Run(ctx, "diff-tree", "-r", "-z", "--no-renames", l.Head.String(), l.Tip.String())
	if err != nil {
		return nil, err
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	var changes []git.Change
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(f) != 5 {
			return nil, fmt.Errorf("git diff-tree: %.80q", fields[i])
		}
		was, err1 := strconv.ParseUint(f[0], 8, 32)
		is, err2 := strconv.ParseUint(f[1], 8, 32)
		old, err3 := git.ParseOID(f[2])
		oid, err4 := git.ParseOID(f[3])
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			return nil, err
		}
		changes = append(changes, git.Change{Path: fields[i+1], OldMode: uint32(was), NewMode: uint32(is), Old: old, New: oid})
	}
	return slices.DeleteFunc(changes, func(c git.Change) bool { return worktree.OwnPath(c.Path) }), nil
}

// checkSizes refuses worktree changes of more than maxReceivedBytes bytes, which a much smaller pack can
// hold.
func (l *Receive) checkSizes(ctx context.Context, changes []git.Change) error {
	var in bytes.Buffer
	for _, c := range changes {
		if c.NewMode != 0 && c.NewMode != git.ModeGitlink {
			fmt.Fprintf(&in, "%s\n", c.New)
		}
	}
	out, err := l.quarantine.RunInput(ctx, in.Bytes(), "cat-file", "--batch-check=%(objectsize)")
	if err != nil {
		return err
	}
	var sum int64
	for _, text := range strings.Fields(string(out)) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("git cat-file: %.40q", text)
		}
		if sum += n; sum > maxReceivedBytes || sum < 0 {
			return fmt.Errorf("the files in the bundle have more than %s together", worktree.InMiB(maxReceivedBytes))
		}
	}
	return nil
}

// bundledState returns the session's state after checking its session ID, paths and numbers; nil for none.
func (l *Receive) bundledState() (*bundledState, error) {
	if len(l.State) == 0 {
		return nil, nil
	}
	c := new(bundledState)
	if err := json.Unmarshal(l.State, c); err != nil {
		return nil, err
	}
	if c.State == nil || c.State.SessionID != l.Session {
		return nil, errors.New("the state is another session's")
	}
	for _, p := range append(sessionstate.DecodePaths(c.State.FilesTouched), sessionstate.DecodePaths(c.State.UntrackedFilesAtStart)...) {
		if err := durable.CheckPath(p); err != nil {
			return nil, err
		}
	}
	if c.Side.TurnNumber < 0 || c.State.CheckpointCount < 0 || c.State.CheckpointTranscriptStart < 0 {
		return nil, errors.New("a number in the state is negative")
	}
	return c, nil
}
