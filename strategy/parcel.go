package strategy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
	"entire/session"
)

// Parcel is a bundle: what a teleport sends from the repository with a session. It holds the
// session's steps, its checkpoints and, with Worktree, everything that is not committed.
type Parcel struct {
	Session  id.SessionID
	Format   string // of objects: sha1 or sha256
	Branch   string
	Head     git.OID
	Tip      git.OID   // the last step; zero for none
	Metadata git.OID   // a commit with the session's checkpoints; zero for none
	Needs    []git.OID // commits that the receiver must have
	Worktree bool      // the tip holds the present worktree
	State    []byte    // of the session in this repository; nil for none

	Ahead       int             // commits of HEAD that are on no remote; the bundle holds them
	Checkpoints int             // how many checkpoints the bundle holds
	Changes     []PlannedChange // of the worktree, against HEAD
	NotCaptured []KeptFile      // of the worktree: files that cannot be sent
	Others      []string        // other sessions with steps on the same branch; the bundle holds these steps

	worktree git.OID   // a commit of the tip's tree on HEAD
	not      []git.OID // commits that a remote is known to have
}

var (
	// ErrUnborn is returned where there is no commit that both machines could share.
	ErrUnborn = errors.New("there is no commit yet")

	// ErrOtherWorktree is returned for a session that works in another worktree.
	ErrOtherWorktree = errors.New("the session works in another worktree")
)

// carriedState is a session's state as it is sent. It has no paths and no transcript position:
// those belong to a machine.
type carriedState struct {
	State *session.State `json:"state"`
	Side  side           `json:"engine"`
}

// PlanParcel plans what is sent with a session. With worktree it first saves the present as a
// point.
func (s *ManualCommitStrategy) PlanParcel(ctx context.Context, sid id.SessionID, worktree bool) (*Parcel, error) {
	p := &Parcel{Session: sid, Format: "sha1", Branch: s.repo.Branch(), Worktree: worktree}
	if s.repo.SHA256 {
		p.Format = "sha256"
	}
	head, born, err := s.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return nil, err
	}
	if !born && worktree {
		return nil, ErrUnborn
	}
	p.Head = head.OID
	if worktree {
		if err := s.parcelPresent(ctx, p); err != nil {
			return nil, err
		}
	}
	if err := s.parcelState(ctx, p); err != nil {
		return nil, err
	}
	if err := s.parcelCheckpoints(ctx, p); err != nil {
		return nil, err
	}
	if err := s.parcelReach(ctx, p); err != nil {
		return nil, err
	}
	return p, s.repo.Writer().Sync() // git must be able to read the new objects
}

// parcelPresent saves the worktree as a point, which becomes the bundle's tip.
func (s *ManualCommitStrategy) parcelPresent(ctx context.Context, p *Parcel) error {
	const label = "teleport"
	var w writtenStep
	st, err := s.store.Load(ctx, p.Session)
	switch {
	case errors.Is(err, session.ErrNotFound):
		w, err = s.labelStep(ctx, nil, label)
	case err != nil:
	case st.WorktreePath != "" && !s.mine(st.WorktreePath, st.WorktreeID):
		return fmt.Errorf("%w: %s", ErrOtherWorktree, textPath(st.WorktreePath))
	default:
		err = s.inSession(ctx, p.Session, func(o *open) (err error) {
			w, err = s.labelStep(ctx, o, label)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("save the present: %w", err)
	}
	p.Tip = w.commit
	snap, err := s.now(ctx)
	if err != nil {
		return err
	}
	p.NotCaptured = snap.skipped
	return s.parcelChanges(ctx, p, w.tree)
}

// parcelChanges lists the worktree's changes that are sent, and refuses those that no receiver
// accepts.
func (s *ManualCommitStrategy) parcelChanges(ctx context.Context, p *Parcel, tree git.OID) error {
	head, err := s.headTree(ctx, p.Head)
	if err != nil {
		return err
	}
	changes, err := s.codeDiff(ctx, head, tree)
	if err != nil {
		return err
	}
	for _, c := range changes {
		p.Changes = append(p.Changes, PlannedChange{Path: c.Path, Action: actionOf(c), change: c})
	}
	s.countLines(ctx, p.Changes)
	return checkCarried(ctx, carriedTree{
		changes: changes,
		paths:   func(ctx context.Context) ([]byte, error) { return s.repo.Run(ctx, lsTree(tree)...) },
		link:    func(ctx context.Context, oid git.OID) ([]byte, error) { return s.repo.Reader(ctx).Blob(oid) },
	})
}

// parcelState adds the session's state or, if the worktree is not sent, its last step only.
func (s *ManualCommitStrategy) parcelState(ctx context.Context, p *Parcel) error {
	st, err := s.store.Load(ctx, p.Session)
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var was side
	if err := s.store.LoadSide(p.Session, sideName, &was); err != nil && !errors.Is(err, session.ErrNotFound) {
		return err
	}
	if !p.Worktree {
		if was.Tip.IsZero() || !s.hasCommit(ctx, was.Tip.String()) {
			return nil
		}
		c, err := s.repo.Reader(ctx).Commit(was.Tip)
		if err != nil {
			return err
		}
		if base := checkpoint.ParseStep(c.Message).Base; s.hasCommit(ctx, base.String()) {
			p.Tip, p.Head = c.OID, base
		}
		return nil
	}
	st.WorktreePath, st.WorktreeID, st.TranscriptPath = "", "", ""
	p.State, err = json.Marshal(carriedState{st, side{Version: 1, Turns: was.Turns, Condensed: was.Condensed, CondensedAgents: was.CondensedAgents, Agents: was.Agents}})
	return err
}

// parcelCheckpoints makes a commit of the session's checkpoints.
func (s *ManualCommitStrategy) parcelCheckpoints(ctx context.Context, p *Parcel) error {
	one, err := s.Session(ctx, p.Session.String())
	if errors.Is(err, ErrNoSession) {
		return nil
	}
	if err != nil {
		return err
	}
	rd := s.repo.Reader(ctx)
	tip, ok, err := rd.CommitOf(checkpoint.MetadataRef)
	if err != nil || !ok || one.ID != p.Session.String() {
		return err
	}
	var edits []git.Edit
	for _, c := range one.Checkpoints {
		e, found, err := rd.Path(tip.Tree, c.CheckpointID.Path())
		if err != nil {
			return err
		}
		if found {
			edits = append(edits, git.Edit{Path: c.CheckpointID.Path(), Mode: e.Mode, OID: e.OID})
		}
	}
	edits = slices.CompactFunc(edits, func(a, b git.Edit) bool { return a.Path == b.Path })
	if p.Checkpoints = len(edits); len(edits) == 0 {
		return nil
	}
	tree, err := s.repo.EditTree(ctx, git.OID{}, edits)
	if err != nil {
		return err
	}
	p.Metadata, err = s.repo.Writer().Commit(git.Commit{Tree: tree, Author: tip.Author, Committer: tip.Committer, Message: "Checkpoints of one session\n"})
	return err
}

// parcelReach finds the objects that the bundle needs to be complete: everything that is on no
// remote. If no remote-tracking ref exists, the receiver must have HEAD.
func (s *ManualCommitStrategy) parcelReach(ctx context.Context, p *Parcel) error {
	if p.Tip.IsZero() {
		return nil
	}
	rd := s.repo.Reader(ctx)
	tip, err := rd.Commit(p.Tip)
	if err != nil {
		return err
	}
	if p.Others, err = s.othersBelow(ctx, tip, p.Session); err != nil {
		return err
	}
	if p.Head.IsZero() {
		return nil
	}
	p.worktree, err = s.repo.Writer().Commit(git.Commit{Tree: tip.Tree, Parents: []git.OID{p.Head}, Author: tip.Author, Committer: tip.Committer, Message: "worktree\n"})
	if err != nil {
		return err
	}
	refs, err := s.repo.Refs(ctx, "refs/remotes/")
	if err != nil {
		return err
	}
	for _, ref := range refs {
		p.not = append(p.not, ref.OID)
	}
	if len(p.not) == 0 {
		p.not = []git.OID{p.Head}
	}
	p.Ahead, p.Needs, err = s.repo.Boundary(ctx, []git.OID{p.Head}, p.not)
	if p.Ahead == 0 {
		p.Needs = []git.OID{p.Head}
	}
	return err
}

// othersBelow returns the other sessions that have steps up to tip.
func (s *ManualCommitStrategy) othersBelow(ctx context.Context, tip git.Commit, sid id.SessionID) ([]string, error) {
	dirs, found, err := s.repo.Reader(ctx).Path(tip.Tree, checkpoint.MetadataDir)
	if err != nil || !found {
		return nil, err
	}
	entries, err := s.repo.Reader(ctx).Tree(dirs.OID)
	var others []string
	for _, e := range entries {
		if e.Name != sid.String() && e.Mode == git.ModeTree {
			others = append(others, e.Name)
		}
	}
	return others, err
}

// WritePack writes the bundle's objects as a pack.
func (s *ManualCommitStrategy) WritePack(ctx context.Context, p *Parcel, out io.Writer) error {
	var tips []git.OID
	for _, oid := range []git.OID{p.worktree, p.Tip, p.Metadata} {
		if !oid.IsZero() {
			tips = append(tips, oid)
		}
	}
	return s.repo.PackObjects(ctx, out, tips, p.not)
}
