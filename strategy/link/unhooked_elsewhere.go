package link

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/condense"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

const (
	// elsewhereTail is how many bytes of the reflog of another worktree are read.
	elsewhereTail = 4 << 10
	// elsewhereMax bounds the worktrees whose reflogs are looked at.
	elsewhereMax = 100
)

// An elsewhereCommit is a commit that was made in another worktree of the repository.
type elsewhereCommit struct {
	git.Commit
	top string // of that worktree
}

// provenElsewhere returns the commits in other worktrees since the session's last event, that no hook of
// ours saw and that calls of the open turn prove to be its agent's. It reads no transcript unless the
// reflog of another worktree has changed.
func provenElsewhere(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) ([]elsewhereCommit, error) {
	last := o.State.LastInteractionTime
	if s.OpenRepo == nil || last == nil || !step.InTurn(o) {
		return nil, nil
	}
	since := last.Truncate(time.Second)
	made := map[git.OID]string{}
	var specs []string
	for _, dir := range otherGitDirs(s) {
		if s.Repo.ReflogChanged(dir, "HEAD").Before(since) {
			continue
		}
		for _, oid := range evidence.CommitsMadeHere(s.Repo.ReflogTail(ctx, dir, "HEAD", elsewhereTail)) {
			if top := topOf(s, dir); top != "" && made[oid] == "" {
				made[oid], specs = top, append(specs, oid.String())
			}
		}
	}
	if len(specs) == 0 {
		return nil, nil
	}
	calls := commitCalls(s, o)
	if len(calls) == 0 {
		return nil, nil
	}
	commits, err := evidence.CommitsOf(ctx, s, specs)
	if err != nil {
		return nil, err
	}
	links, err := records.NewReader(s.Repo).Links(ctx)
	if err != nil {
		return nil, err
	}
	var proven []elsewhereCommit
	for _, c := range commits {
		if !c.Committer.When.Before(since) && len(links.Of(c.OID, c.Message)) == 0 && madeByCall(calls, c) {
			proven = append(proven, elsewhereCommit{c, made[c.OID]})
		}
	}
	return proven, nil
}

// otherGitDirs returns the git directories of the repository's other worktrees.
func otherGitDirs(s *sessionstate.Env) []string {
	linked := filepath.Join(s.Repo.CommonDir, "worktrees")
	names, err := os.ReadDir(linked)
	if err != nil {
		return nil
	}
	var out []string
	if s.Repo.WorktreeID != "" {
		out = append(out, s.Repo.CommonDir)
	}
	for _, name := range names[:min(len(names), elsewhereMax)] {
		if name.Name() != s.Repo.WorktreeID {
			out = append(out, filepath.Join(linked, name.Name()))
		}
	}
	return out
}

// topOf returns the top of the worktree with a git directory, "" if it is not known.
func topOf(s *sessionstate.Env, gitDir string) string {
	if gitDir == s.Repo.CommonDir {
		if filepath.Base(gitDir) != ".git" {
			return ""
		}
		return filepath.Dir(gitDir)
	}
	f, err := durable.Open(filepath.Join(gitDir, "gitdir"))
	if err != nil {
		return ""
	}
	defer f.Close()
	path := make([]byte, 4096)
	n, err := f.Read(path)
	if err != nil {
		return ""
	}
	top := filepath.Dir(strings.TrimSpace(string(path[:n])))
	if !filepath.IsAbs(top) {
		top = filepath.Join(gitDir, top)
	}
	return top
}

// recordElsewhere stores a checkpoint for each of those commits and links the commit to it.
func recordElsewhere(ctx context.Context, s *sessionstate.Env, sid id.SessionID) error {
	o := &sessionstate.LockedSession{ID: sid}
	if err := s.ReadSession(ctx, o); err != nil || o.IsNew {
		return err
	}
	commits, err := provenElsewhere(ctx, s, o)
	if err != nil {
		return err
	}
	for _, c := range commits {
		if err := recordElsewhereCommit(ctx, s, c, sid); err != nil {
			return fmt.Errorf("record commit %s of %s: %w", c.OID.Short(), c.top, err)
		}
	}
	return nil
}

// recordElsewhereCommit stores a checkpoint for a commit of another worktree, under that worktree's commit
// lock, from the steps of this one.
func recordElsewhereCommit(ctx context.Context, s *sessionstate.Env, c elsewhereCommit, sid id.SessionID) error {
	repo, err := s.OpenRepo(ctx, c.top)
	if err != nil {
		return err
	}
	defer repo.Close()
	there := s.Options
	there.Repo, there.AgentShell, there.HumanPresent = repo, true, nil
	b := sessionstate.New(there)
	lock, err := githead.CommitLock(ctx, b)
	if err != nil {
		return err
	}
	defer lock.Release()
	sums, err := step.WorktreeSessions(ctx, b)
	if err != nil {
		return err
	}
	cm, err := evidence.NewCommit(ctx, b, c.Commit, nil)
	if err != nil {
		return err
	}
	cm.Unnamed = true
	cp, err := s.NewCheckpointID()
	if err != nil {
		return err
	}
	return condense.Elsewhere(ctx, b, cm, cp, []id.SessionID{sid}, sums)
}
