package handoff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/restore"
	"entire/strategy/resume"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/turn"
	"entire/strategy/worktree"
)

// Bundle is a bundle: what a teleport sends from the repository with a session. It holds the
// session's steps, its checkpoints and, with Worktree, everything that is not committed.
type Bundle struct {
	Session  id.SessionID
	Format   string // of objects: sha1 or sha256
	Branch   string
	Head     git.OID
	Tip      git.OID   // the last step; zero for none
	Metadata git.OID   // a commit with the session's checkpoints; zero for none
	Needs    []git.OID // commits that the receiver must have
	Worktree bool      // the tip holds the present worktree
	State    []byte    // of the session in this repository; nil for none

	Ahead       int                     // commits of HEAD that are on no remote; the bundle holds them
	Checkpoints int                     // how many checkpoints the bundle holds
	Changes     []restore.PlannedChange // of the worktree, against HEAD
	NotCaptured []sessionstate.KeptFile // of the worktree: files that cannot be sent
	Others      []string                // other sessions with steps on the same branch; the bundle holds these steps

	worktreeCommit git.OID   // a commit of the tip's tree on HEAD
	bases          []git.OID // former bases of the steps
	exclude        []git.OID // commits that a remote is known to have
}

var (
	// ErrUnborn is returned where there is no commit that both machines could share.
	ErrUnborn = errors.New("there is no commit yet")

	// ErrOtherWorktree is returned for a session that works in another worktree.
	ErrOtherWorktree = errors.New("the session works in another worktree")
)

// bundledState is a session's state as it is sent. It has no paths and no transcript position:
// those belong to a machine.
type bundledState struct {
	State *session.State           `json:"state"`
	Side  sessionstate.EngineState `json:"engine"`
}

// PlanBundle plans what is sent with a session. With worktree it first saves the present as a
// point.
func PlanBundle(ctx context.Context, s *sessionstate.Env, sid id.SessionID, worktree bool) (*Bundle, error) {
	p := &Bundle{Session: sid, Format: "sha1", Branch: s.Repo.Branch(ctx), Worktree: worktree}
	if s.Repo.SHA256 {
		p.Format = "sha256"
	}
	head, born, err := s.Repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return nil, err
	}
	if !born && worktree {
		return nil, ErrUnborn
	}
	p.Head = head.OID
	if worktree {
		if err := bundlePresent(ctx, s, p); err != nil {
			return nil, err
		}
	}
	if err := bundleState(ctx, s, p); err != nil {
		return nil, err
	}
	if err := bundleCheckpoints(ctx, s, p); err != nil {
		return nil, err
	}
	if err := bundleReach(ctx, s, p); err != nil {
		return nil, err
	}
	return p, s.Repo.Writer().Sync() // git must be able to read the new objects
}

// bundlePresent saves the worktree as a point, which becomes the bundle's tip.
func bundlePresent(ctx context.Context, s *sessionstate.Env, p *Bundle) error {
	const label = "teleport"
	var w step.WrittenStep
	st, err := s.Store.Load(ctx, p.Session)
	switch {
	case errors.Is(err, session.ErrNotFound):
		w, err = turn.LabelStep(ctx, s, nil, label)
	case err != nil:
	case st.WorktreePath != "" && !s.InThisWorktree(st.WorktreePath, st.WorktreeID):
		return fmt.Errorf("%w: %s", ErrOtherWorktree, sessionstate.DecodePath(st.WorktreePath))
	default:
		err = s.UpdateSession(ctx, p.Session, func(o *sessionstate.LockedSession) (err error) {
			w, err = turn.LabelStep(ctx, s, o, label)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("save the present: %w", err)
	}
	p.Tip = w.Commit
	snap, err := rewind.SnapshotNow(ctx, s)
	if err != nil {
		return err
	}
	p.NotCaptured = snap.Skipped
	return bundleChanges(ctx, s, p, w.Tree)
}

// bundleChanges lists the worktree's changes that are sent, and refuses those that no receiver
// accepts.
func bundleChanges(ctx context.Context, s *sessionstate.Env, p *Bundle, tree git.OID) error {
	head, err := worktree.HeadTree(ctx, s, p.Head)
	if err != nil {
		return err
	}
	changes, err := step.CodeDiff(ctx, s, head, tree)
	if err != nil {
		return err
	}
	for _, c := range changes {
		p.Changes = append(p.Changes, restore.PlannedChange{Path: c.Path, Action: restore.ActionOf(c), Change: c})
	}
	rewind.CountLines(ctx, s, p.Changes)
	return CheckBundledTree(ctx, BundledTree{
		Changes: changes,
		Paths:   func(ctx context.Context) ([]byte, error) { return s.Repo.Run(ctx, lsTreeArgs(tree)...) },
		Link:    func(ctx context.Context, oid git.OID) ([]byte, error) { return s.Repo.Reader(ctx).Blob(oid) },
	})
}

// bundleState adds the session's state or, if the worktree is not sent, its last step only.
func bundleState(ctx context.Context, s *sessionstate.Env, p *Bundle) error {
	st, err := s.Store.Load(ctx, p.Session)
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var was sessionstate.EngineState
	if err := s.Store.LoadSide(p.Session, sessionstate.EngineStateName, &was); err != nil && !errors.Is(err, session.ErrNotFound) {
		return err
	}
	if !p.Worktree {
		if was.LastStep.IsZero() || !hasCommit(ctx, s, was.LastStep.String()) {
			return nil
		}
		c, err := s.Repo.Reader(ctx).Commit(was.LastStep)
		if err != nil {
			return err
		}
		if base := shadow.ParseStep(c.Message).Base; hasCommit(ctx, s, base.String()) {
			p.Tip, p.Head = c.OID, base
		}
		return nil
	}
	st.WorktreePath, st.WorktreeID, st.TranscriptPath = "", "", ""
	p.State, err = json.Marshal(bundledState{st, sessionstate.EngineState{Version: 1, TurnNumber: was.TurnNumber, CondensedMark: was.CondensedMark, CondensedSubagents: was.CondensedSubagents, Subagents: was.Subagents}})
	return err
}

// bundleCheckpoints makes a commit of the session's checkpoints.
func bundleCheckpoints(ctx context.Context, s *sessionstate.Env, p *Bundle) error {
	one, err := resume.FindSession(ctx, s, p.Session.String())
	if errors.Is(err, resume.ErrNoSession) {
		return nil
	}
	if err != nil {
		return err
	}
	if one.ID != p.Session.String() {
		return nil
	}
	tip, edits, err := storedFolders(ctx, s, one)
	if err != nil {
		return err
	}
	edits = slices.CompactFunc(edits, func(a, b git.Edit) bool { return a.Path == b.Path })
	if p.Checkpoints = len(edits); len(edits) == 0 {
		return nil
	}
	tree, err := s.Repo.EditTree(ctx, git.OID{}, edits)
	if err != nil {
		return err
	}
	p.Metadata, err = s.Repo.Writer().Commit(git.Commit{Tree: tree, Author: tip.Author, Committer: tip.Committer, Message: "Checkpoints of one session\n"})
	return err
}

// storedFolders returns the folders of a session's checkpoints as the metadata branch has or would have them, and a
// commit that stored one.
func storedFolders(ctx context.Context, s *sessionstate.Env, one *resume.Session) (tip git.Commit, edits []git.Edit, err error) {
	rd := s.Repo.Reader(ctx)
	if tip, _, err = rd.CommitOf(shadow.MetadataRef); err != nil {
		return tip, nil, err
	}
	for _, c := range one.Checkpoints {
		own, found, err := rd.CommitOf(metadata.CheckpointRef(c.CheckpointID))
		if err != nil {
			return tip, nil, err
		}
		if found {
			edits = append(edits, git.Edit{Path: c.CheckpointID.Path(), Mode: git.ModeTree, OID: own.Tree})
			if tip.OID.IsZero() {
				tip = own
			}
			continue
		}
		if tip.Tree.IsZero() {
			continue
		}
		e, found, err := rd.Path(tip.Tree, c.CheckpointID.Path())
		if err != nil {
			return tip, nil, err
		}
		if found {
			edits = append(edits, git.Edit{Path: c.CheckpointID.Path(), Mode: e.Mode, OID: e.OID})
		}
	}
	return tip, edits, nil
}

// bundleReach finds the objects that the bundle needs to be complete: everything that is on no
// remote. If no remote-tracking ref exists, the receiver must have HEAD.
func bundleReach(ctx context.Context, s *sessionstate.Env, p *Bundle) error {
	if p.Tip.IsZero() {
		return nil
	}
	rd := s.Repo.Reader(ctx)
	tip, err := rd.Commit(p.Tip)
	if err != nil {
		return err
	}
	if p.Others, err = otherSessionsBelow(ctx, s, tip, p.Session); err != nil {
		return err
	}
	if p.Head.IsZero() {
		return nil
	}
	if p.bases, err = formerBases(ctx, s, tip, p.Head); err != nil {
		return err
	}
	p.worktreeCommit, err = s.Repo.Writer().Commit(git.Commit{Tree: tip.Tree, Parents: []git.OID{p.Head}, Author: tip.Author, Committer: tip.Committer, Message: "worktree\n"})
	if err != nil {
		return err
	}
	refs, err := s.Repo.Refs(ctx, "refs/remotes/")
	if err != nil {
		return err
	}
	for _, ref := range refs {
		p.exclude = append(p.exclude, ref.OID)
	}
	if len(p.exclude) == 0 {
		p.exclude = []git.OID{p.Head}
	}
	p.Ahead, p.Needs, err = s.Repo.Boundary(ctx, []git.OID{p.Head}, p.exclude)
	if p.Ahead == 0 {
		p.Needs = []git.OID{p.Head}
	}
	return err
}

// formerBases returns the commits below the steps up to tip, except head: HEAD has moved since, perhaps by a rebase, so
// that no branch need have them.
func formerBases(ctx context.Context, s *sessionstate.Env, tip git.Commit, head git.OID) (bases []git.OID, err error) {
	for c, err := range step.Ancestors(ctx, s, tip, 1<<30) {
		if err != nil {
			return nil, err
		}
		base := shadow.ParseStep(c.Message).Base
		if !base.IsZero() && base != head && !slices.Contains(bases, base) && hasCommit(ctx, s, base.String()) {
			bases = append(bases, base)
		}
	}
	return bases, nil
}

// otherSessionsBelow returns the other sessions that have steps up to tip.
func otherSessionsBelow(ctx context.Context, s *sessionstate.Env, tip git.Commit, sid id.SessionID) ([]string, error) {
	dirs, found, err := s.Repo.Reader(ctx).Path(tip.Tree, shadow.MetadataDir)
	if err != nil || !found {
		return nil, err
	}
	entries, err := s.Repo.Reader(ctx).Tree(dirs.OID)
	var others []string
	for _, e := range entries {
		if e.Name != sid.String() && e.Mode == git.ModeTree {
			others = append(others, e.Name)
		}
	}
	return others, err
}

// WritePack writes the bundle's objects as a pack.
func WritePack(ctx context.Context, s *sessionstate.Env, p *Bundle, out io.Writer) error {
	var tips []git.OID
	for _, oid := range append([]git.OID{p.worktreeCommit, p.Tip, p.Metadata}, p.bases...) {
		if !oid.IsZero() {
			tips = append(tips, oid)
		}
	}
	return s.Repo.PackObjects(ctx, out, tips, p.exclude)
}
