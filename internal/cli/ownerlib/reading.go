package ownerlib

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/pathtext"
	"entire/internal/review"
	"entire/internal/review/reading"
	"entire/strategy/condense"
)

// ReviewInOrder is Review for somebody who reads the change: the document also says what was tried and
// undone. The caller sets its order, which depends on a policy.
func ReviewInOrder(ctx context.Context, wp *workplace.Workplace, name string, tell func(done, total int)) (*review.Document, error) {
	d, c, err := reviewed(ctx, wp, name, tell)
	if err != nil {
		return nil, err
	}
	var conversations []reading.Conversation
	for i, s := range c.list {
		if t, there := c.conversations[s.ID]; there {
			first, _ := ends(c.parts[i])
			conversations = append(conversations, reading.Conversation{Session: s.ID, Start: first.start, Passages: t.passages, Subagents: t.subagents})
		}
	}
	reading.Undone(d, conversations, rewinds(ctx, wp), func(path string) ([]byte, bool) { return fileAt(ctx, wp, d.Range.Head, path) })
	return d, nil
}

// fileAt returns a file of a commit, false if there is none or it is too large.
func fileAt(ctx context.Context, wp *workplace.Workplace, commit, path string) ([]byte, bool) {
	o, err := wp.Repo.Reader(ctx).Object(commit + ":" + path)
	return o.Data, err == nil && o.Type == "blob" && !o.Large
}

// Bounds of the log of rewinds.
const (
	rewindsRead = 100 // the latest
	filesRead   = 50  // of each
)

// rewinds returns the rewinds of this worktree that took sessions' work back and were not undone; none if
// the log cannot be read, which doctor says.
func rewinds(ctx context.Context, wp *workplace.Workplace) (out []reading.Rewind) {
	log, err := condense.ReadRewindLog(wp.Engine)
	if err != nil {
		wp.Log.Warn("rewinds not read", "err", err)
	}
	for _, e := range log[max(0, len(log)-rewindsRead):] {
		if e.UndoneBy != "" || e.Gone || e.Kind == condense.RewindUndo || e.Kind == condense.RewindRedo {
			continue
		}
		work := maps.Clone(e.Work)
		if e.Kind == condense.RewindDropped {
			work = map[string][]string{e.Session: e.Scope.Paths}
		}
		for _, session := range slices.Sorted(maps.Keys(work)) {
			r := reading.Rewind{ID: e.ID, Session: session}
			for _, path := range work[session][:min(len(work[session]), filesRead)] {
				before, _ := fileAt(ctx, wp, e.Before, pathtext.Decode(path))
				after, _ := fileAt(ctx, wp, e.After, pathtext.Decode(path))
				r.Files = append(r.Files, reading.RewoundFile{Path: path, Before: before, After: after})
			}
			out = append(out, r)
		}
	}
	return out
}

// ChangeMeant returns the commit or the range that a reviewer means: a range and a commit stay what they
// are; a branch is what it adds to base, and without an argument the current branch is meant. base is "" for
// the default branch.
func ChangeMeant(ctx context.Context, wp *workplace.Workplace, name, base string) (string, error) {
	if IsRange(name) {
		if base != "" {
			return "", cliui.Failf("leave one of them out", "--base cannot go with the range %s", cliui.ShownName(name))
		}
		return name, nil
	}
	branch := name
	if name == "" {
		branch = wp.Repo.Branch(ctx)
	}
	if base == "" && (branch == "" || !isBranch(ctx, wp, branch)) {
		if name == "" {
			return "HEAD", nil
		}
		return name, nil
	}
	from := base
	if from == "" {
		from = defaultBranch(ctx, wp)
	}
	last := name
	if last == "" {
		last = "HEAD"
	}
	switch {
	case from == "" && name == "", base == "" && branch != "" && (branch == from || strings.HasSuffix(from, "/"+branch)):
		return last, nil // the default branch itself: its last commit
	case from == "":
		return "", cliui.Failf("name it with --base BRANCH", "cannot tell which branch %s is to be merged into", cliui.ShownName(name))
	}
	return from + "..." + last, nil
}

// isBranch reports whether name means a branch of this repository or of a remote, or a pull request's ref.
func isBranch(ctx context.Context, wp *workplace.Workplace, name string) bool {
	if strings.HasPrefix(name, "-") || name == "HEAD" || name == "@" { // these are a commit, and a branch only by what HEAD says
		return false
	}
	out, err := wp.Repo.Run(ctx, "rev-parse", "--symbolic-full-name", "--verify", "--quiet", name)
	full := strings.TrimSpace(string(out))
	for _, prefix := range []string{"refs/heads/", "refs/remotes/", "refs/pull/", "refs/merge-requests/"} {
		if err == nil && strings.HasPrefix(full, prefix) {
			return true
		}
	}
	return false
}

// defaultBranch returns the branch into which others are merged: that of the remote, main or master; "" if
// there is none of them.
func defaultBranch(ctx context.Context, wp *workplace.Workplace) string {
	if out, err := wp.Repo.Run(ctx, "rev-parse", "--abbrev-ref", "--verify", "--quiet", "refs/remotes/origin/HEAD"); err == nil {
		if name := strings.TrimSpace(string(out)); name != "" && name != "origin/HEAD" {
			return name
		}
	}
	for _, name := range []string{"origin/main", "origin/master", "main", "master"} {
		if out, err := wp.Repo.Run(ctx, "rev-parse", "--verify", "--quiet", fmt.Sprintf("%s^{commit}", name)); err == nil && len(out) > 0 {
			return name
		}
	}
	return ""
}
