package evidence

import (
	"context"
	"errors"
	"slices"

	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/internal/effects"
	"entire/internal/git"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// OwnEdits returns the paths, relative to the top, that the agent's edit tools named in this
// turn.
func OwnEdits(s *sessionstate.Env, o *sessionstate.LockedSession) []string {
	return RepoPaths(s, o.Engine.Capture.Conversation.EditsSince(o.Engine.TurnStart.ConversationStart()))
}

// RepoPaths returns the transcript paths that are in this worktree, relative to its top.
func RepoPaths(s *sessionstate.Env, named []string) (out []string) {
	for _, p := range named {
		if rel, ok := transcript.RepoPath(s, p); ok {
			out = append(out, rel)
		}
	}
	return out
}

// WhoCommits returns who makes the commit that this process belongs to.
func WhoCommits(s *sessionstate.Env) Committer {
	return Committer{Person: s.HumanPresent(), Agent: s.AgentShell}
}

const (
	// stashesMax bounds how many stashes are read.
	stashesMax = 10
	// comparedMax bounds the bytes of the versions that are compared by lines; each counts as comparedMin at least.
	comparedMax, comparedMin = 16 << 20, 8 << 10
)

// evidence compares versions of files, using what the repository and the worktree hold. Each
// decision uses its own.
type evidence struct {
	ctx         context.Context
	s           *sessionstate.Env
	stashes     []stash
	read        bool
	stashed     map[string][]git.Change // what the stashes change, by path; nil if they were not compared
	stashUnread []stash                 // stashes that could not be compared

	// What was read already, and the limits used up.
	chains       map[git.OID][]step.Step // by base; oldest first
	roots        map[git.OID]git.OID
	trees        map[git.OID][]git.TreeEntry
	lines        map[git.OID]*lineSet
	bytes        int                                   // size of the blobs in lines
	lost         map[string][]sessionstate.PathVersion // by session
	pairs        int                                   // pairs of files that were compared as one file moved
	claims       map[string]func(path string) bool     // by session: whether it claims a path; nil if they were not read
	commonCounts map[string]map[string]int             // in how many files each line is, by the files' extension

	now      sessionstate.PathVersion // the file of the worktree that was read last
	nowLines *lineSet
}

// Evidence returns an empty evidence for one decision.
func Evidence(ctx context.Context, s *sessionstate.Env) *evidence {
	return &evidence{ctx: ctx, s: s, chains: map[git.OID][]step.Step{}, roots: map[git.OID]git.OID{},
		trees: map[git.OID][]git.TreeEntry{}, lines: map[git.OID]*lineSet{}, lost: map[string][]sessionstate.PathVersion{}, commonCounts: map[string]map[string]int{}}
}

func (e *evidence) blob(oid git.OID) ([]byte, bool) {
	if oid.IsZero() {
		return nil, true
	}
	data, err := e.s.Repo.Reader(e.ctx).Blob(oid)
	return data, err == nil
}

func (e *evidence) Related(path string, session, committed git.OID) bool {
	a, b, ok := e.blobs(session, committed)
	common := e.CommonLines(path)
	return ok && (SimilarExcept(a, b, common) || shareDistinctiveLineExcept(a, b, common))
}

// similarAt reports whether two versions at different paths are similar; one shared distinctive line
// does not suffice here.
func (e *evidence) similarAt(path string, session, committed git.OID) bool {
	a, b, ok := e.blobs(session, committed)
	return ok && SimilarExcept(a, b, e.CommonLines(path))
}

func (e *evidence) blobs(one, other git.OID) (a, b []byte, ok bool) {
	if a, ok = e.blob(one); ok {
		b, ok = e.blob(other)
	}
	return a, b, ok
}

func (e *evidence) Holds(s githead.FileChange, base, now git.OID) bool {
	lines := e.linesOf(now)
	return lines != nil && e.holdsIn(s, base, lines)
}

func (e *evidence) holdsIn(s githead.FileChange, base git.OID, now *lineSet) bool {
	from, to, baseLines := e.linesOf(s.From.OID), e.linesOf(s.To.OID), e.linesOf(base)
	return from != nil && to != nil && baseLines != nil && now != nil && containsChange(from, to, baseLines, now)
}

// linesOf returns a blob's lines, nil if it has none to compare or if comparedMax is reached.
func (e *evidence) linesOf(oid git.OID) *lineSet {
	if n, known := e.lines[oid]; known {
		return n
	}
	if e.bytes > comparedMax {
		return nil
	}
	var n *lineSet
	if data, ok := e.blob(oid); ok {
		n = countLines(data)
		e.bytes += max(len(data), comparedMin)
	}
	e.lines[oid] = n
	return n
}

func (e *evidence) Waits(s githead.FileChange, committed git.OID) bool {
	now, lines, ok := e.worktreeFile(s.To.Path)
	return ok && (now == s.To || e.holdsIn(s, committed, lines)) || e.InStash(s, committed)
}

// worktreeFile returns the worktree's file at a path; ok is false if it cannot be read.
func (e *evidence) worktreeFile(path string) (now sessionstate.PathVersion, lines *lineSet, ok bool) {
	if e.now.Path == path && path != "" { // read before, for another change of the session
		return e.now, e.nowLines, true
	}
	wt, err := e.s.Repo.OpenWorktree()
	if err != nil {
		return now, nil, false
	}
	defer wt.Close()
	data, mode, err := wt.Read(path)
	if err != nil {
		return now, nil, false
	}
	e.now, e.nowLines = sessionstate.PathVersion{Path: path, Mode: mode, OID: e.s.Repo.BlobOID(data)}, countLines(data)
	return e.now, e.nowLines, true
}

// stash is a tree that `git stash` made, and the tree that it was made on; on is zero for a tree
// of untracked files.
type stash struct{ tree, on git.OID }

// InStash reports whether a stash holds what a change left at a path, or an uncommitted part of
// it. It returns false for a file that the change removed, and for one that the stash has as in
// the commit it was made on.
func (e *evidence) InStash(s githead.FileChange, committed git.OID) bool {
	if s.To.Mode == 0 || !e.StashChanges(s.To.Path) {
		return false
	}
	stashed := e.stashed[s.To.Path]
	for _, st := range e.stashUnread {
		f, found, err := e.s.Repo.Reader(e.ctx).Path(st.tree, s.To.Path)
		if err != nil || !found {
			continue
		}
		var was git.TreeEntry
		if !st.on.IsZero() {
			was, _, _ = e.s.Repo.Reader(e.ctx).Path(st.on, s.To.Path) // the zero entry if it cannot be read
		}
		stashed = append(stashed[:len(stashed):len(stashed)], git.Change{OldMode: was.Mode, Old: was.OID, NewMode: f.Mode, New: f.OID})
	}
	return slices.ContainsFunc(stashed, func(c git.Change) bool { return e.stashHas(c, s, committed) })
}

// stashHas reports whether a file that a stash changed has something of the session's change that is neither
// committed nor in the tree that the stash was made on.
func (e *evidence) stashHas(c git.Change, s githead.FileChange, committed git.OID) bool {
	switch {
	case c.NewMode == 0:
		return false
	case c.New == c.Old: // at most its mode is stashed
		return c.NewMode != c.OldMode && c.NewMode == s.To.Mode && s.From.Mode != s.To.Mode
	}
	return c.New == s.To.OID || e.Holds(s, committed, c.New) && e.Holds(s, c.Old, c.New)
}

// StashTrees returns the trees of the newest stashes, and those of their untracked files.
func (e *evidence) StashTrees() []stash {
	if e.read {
		return e.stashes
	}
	e.read = true
	for _, oid := range stashOIDs(e.ctx, e.s) {
		c, ok, err := e.s.Repo.Reader(e.ctx).CommitOf(oid.String())
		if err != nil || !ok {
			continue
		}
		made := stash{tree: c.Tree}
		if len(c.Parents) > 0 {
			made.on = e.TreeOf(c.Parents[0])
		}
		e.stashes = append(e.stashes, made)
		if len(c.Parents) == 3 {
			if u, err := e.s.Repo.Reader(e.ctx).Commit(c.Parents[2]); err == nil {
				e.stashes = append(e.stashes, stash{tree: u.Tree})
			}
		}
	}
	return e.stashes
}

// StashChanges reports whether a stash changes a path, true if it cannot be read.
func (e *evidence) StashChanges(path string) bool {
	if e.stashed == nil {
		e.stashed = map[string][]git.Change{}
		for _, st := range e.StashTrees() {
			changes, err := e.s.Repo.DiffKnown(e.ctx, st.on, st.tree, e.trees, worktree.OwnFolder)
			if err != nil {
				e.stashUnread = append(e.stashUnread, st)
				continue
			}
			for _, c := range changes {
				e.stashed[c.Path] = append(e.stashed[c.Path], c)
			}
		}
	}
	return len(e.stashUnread) > 0 || len(e.stashed[path]) > 0
}

// stashOIDs returns the newest stashes. Stashes that git restores by itself after a rebase or merge
// come first.
func stashOIDs(ctx context.Context, s *sessionstate.Env) []git.OID {
	var out []git.OID
	for _, name := range []string{"rebase-merge/autostash", "rebase-apply/autostash", "MERGE_AUTOSTASH"} {
		oids := githead.ParseOIDs(githead.GitFile(ctx, s, name))
		out = append(out, oids[:min(1, len(oids))]...)
	}
	for _, e := range slices.Backward(stashLog(ctx, s)) {
		if len(out) < stashesMax {
			out = append(out, e.New)
		}
	}
	return out
}

// ChangesOnTop returns how a tree differs from a commit's tree; nothing if the commit is gone.
func ChangesOnTop(ctx context.Context, s *sessionstate.Env, commit, tree git.OID) (sessionstate.PathVersions, error) {
	base, err := worktree.HeadTree(ctx, s, commit)
	if errors.Is(err, git.ErrMissing) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return TreeFiles(ctx, s, base, tree)
}

// NewCommit reads what a commit changed, a merge without what its other parents brought. known is the difference if
// the caller has it, nil otherwise.
func NewCommit(ctx context.Context, s *sessionstate.Env, head git.Commit, known *githead.TreeDiff) (githead.MadeCommit, error) {
	cm := githead.MadeCommit{Commit: head, Branch: BranchName(ctx, s)}
	var parentTree git.OID
	if len(head.Parents) > 0 {
		cm.Parent = head.Parents[0]
		var err error
		if parentTree, err = worktree.HeadTree(ctx, s, cm.Parent); err != nil && !errors.Is(err, git.ErrMissing) {
			return cm, err // in a shallow clone the parent may be missing
		}
	}
	changes, err := githead.CodeDiffOnce(ctx, s, parentTree, head.Tree, known)
	if err == nil && len(head.Parents) > 1 {
		changes = githead.WithoutSources(ctx, s, changes, head.Parents[1:])
	}
	cm.Changes = changes
	return cm, err
}

// BranchName returns HEAD's short branch name, "" when detached.
func BranchName(ctx context.Context, s *sessionstate.Env) string { return s.Repo.Branch(ctx) }

// HeadCommit returns HEAD's commit, zero on an unborn branch. It asks git only if git's files do not
// tell.
func HeadCommit(ctx context.Context, s *sessionstate.Env) (git.OID, error) {
	if oid, ok := s.Repo.Head(ctx); ok {
		return oid, nil
	}
	head, _, err := s.Repo.Reader(ctx).CommitOf("HEAD")
	return head.OID, err
}

const (
	// RenameCandidatesMax bounds how many deleted files are compared with one file that the same change
	// created, RenamePairsMax how many such pairs are compared in one commit. Beyond them, a renamed
	// file is found only by identical content.
	RenameCandidatesMax = 20
	RenamePairsMax      = 400
)

// StepChanges returns what a step changed relative to the step before it, or to its base if it is the
// first.
func StepChanges(ctx context.Context, s *sessionstate.Env, st step.Step) ([]git.Change, error) {
	var before git.OID
	if len(st.Parents) > 0 {
		p, err := s.Repo.Reader(ctx).Commit(st.Parents[0])
		if err != nil {
			return nil, err
		}
		before = p.Tree
	} else if !st.Info.Base.IsZero() {
		var err error
		if before, err = worktree.HeadTree(ctx, s, st.Info.Base); errors.Is(err, git.ErrMissing) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
	}
	changes, err := step.CodeDiff(ctx, s, before, st.Tree)
	return changes, err
}

// scanLiveSubagents adds to w what the session's subagents have done in the turn: what an event has read, and what the
// transcripts of background subagents and of those in named say since.
func scanLiveSubagents(s *sessionstate.Env, o *sessionstate.LockedSession, w *transcript.SessionWork, named []string) {
	for _, call := range o.Engine.Capture.Calls {
		if call.Turn != o.Engine.TurnNumber {
			continue
		}
		if rel, ok := transcript.RepoPath(s, call.Path); ok {
			w.Edited[rel], w.HasToolCalls = true, true
		}
	}
	each := func(c *conversation.Conversation, since conversation.Mark) { AddSubagentEvidence(s, w, c, since) }
	if transcript.HasBackgroundTask(&o.Engine) {
		transcript.ScanUnreadSubagents(o, each, nil)
	}
	if !agents.For(o.State.AgentType).Profile().SubagentsInside {
		for _, aid := range named {
			transcript.ScanUnreadSubagent(o, aid, func(c *conversation.Conversation, since conversation.Mark) {
				if c != nil { // else it may not have begun
					each(c, since)
				}
			}, nil)
		}
	}
}

// AddSubagentEvidence adds a subagent's conversation to w. If it cannot be read (nil), the subagent may
// have done anything.
func AddSubagentEvidence(s *sessionstate.Env, w *transcript.SessionWork, conversation *conversation.Conversation, since conversation.Mark) {
	if conversation == nil {
		w.Reach = w.Reach.With(effects.Unknown().Files...)
		return
	}
	addEvidence(s, w, conversation, since)
}

// RecordUnlinked records, for status, a commit that holds work without a link.
func RecordUnlinked(s *sessionstate.Env, o *sessionstate.LockedSession, c sessionstate.UnlinkedCommit) {
	known := func(u sessionstate.UnlinkedCommit) bool { return u.Commit == c.Commit }
	if i := slices.IndexFunc(o.Engine.UnlinkedCommits, known); i >= 0 {
		o.Engine.UnlinkedCommits[i] = c
		return
	}
	o.Engine.UnlinkedCommits = append(o.Engine.UnlinkedCommits, c)
	if n := len(o.Engine.UnlinkedCommits); n > maxUnhooked {
		o.Engine.UnlinkedCommits = o.Engine.UnlinkedCommits[n-maxUnhooked:]
	}
	if !c.Amended {
		s.Log.Warn("commit holds agent work but has no checkpoint trailer", "commit", c.Commit.Short(), "session_id", o.ID.String())
	}
}
