package migrate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
)

// batch is how many checkpoints move in one transaction.
const batch = 256

// Done is what Run has done.
type Done struct {
	Moved []id.CheckpointID
	Left  []id.CheckpointID // their history is not complete here, as in a shallow clone, or they changed meanwhile
}

// Run moves the checkpoints of the plan. It calls seen after each batch. author signs the commits
// of the branch. After an error or a kill, everything that it has moved is in its new place, and
// another plan has the rest.
func (p *Plan) Run(ctx context.Context, repo *git.Repo, author git.Signature, seen func(done, total int)) (Done, error) {
	var done Done
	m := &mover{ctx: ctx, repo: repo, rd: repo.Reader(ctx), author: metadata.Signature(author)}
	if err := m.readBranch(p.Move); err != nil {
		return done, err
	}
	count := 0
	for some := range slices.Chunk(p.Move, batch) {
		if err := ctx.Err(); err != nil {
			return done, fmt.Errorf("move checkpoints: %w", err)
		}
		moved, err := m.move(p.To, some)
		if err != nil {
			return done, fmt.Errorf("move checkpoints: %w", err)
		}
		for _, cp := range some {
			if slices.Contains(moved, cp) {
				done.Moved = append(done.Moved, cp)
			} else {
				done.Left = append(done.Left, cp)
			}
		}
		count += len(some)
		seen(count, len(p.Move))
	}
	return done, nil
}

// mover moves checkpoints.
type mover struct {
	ctx     context.Context
	repo    *git.Repo
	rd      *git.Reader
	author  git.Signature
	mirrors map[id.CheckpointID]chain // the histories that the branch has, see mirror
}

func (m *mover) readBranch(ids []id.CheckpointID) error {
	versions, err := branchVersions(m.ctx, m.repo, ids)
	if err == nil {
		m.mirrors, err = mirror(m.ctx, m.repo, versions)
	}
	return err
}

// moveTries bounds how often a batch is moved again after another process has changed one of its
// refs.
const moveTries = 10

// move moves a batch in one transaction, and returns what it has moved.
func (m *mover) move(to Target, ids []id.CheckpointID) (moved []id.CheckpointID, err error) {
	for try := 0; ; try++ {
		err = metadata.UpdateTogether(m.ctx, m.repo, func(tip git.OID) (git.OID, []git.RefUpdate, error) {
			b, err := m.begin(tip, ids)
			if err != nil {
				return git.OID{}, nil, err
			}
			for i, cp := range ids {
				if to == ToRefs {
					err = b.toRef(cp, b.trees[i])
				} else {
					err = b.toBranch(cp, b.trees[i])
				}
				if err != nil {
					return git.OID{}, nil, fmt.Errorf("checkpoint %s: %w", cp, err)
				}
			}
			moved = b.moved
			tip, err = b.commit(to)
			return tip, b.refs, err
		})
		if !errors.Is(err, git.ErrRefMoved) || try >= moveTries {
			return moved, err
		}
		if err := git.PauseTry(m.ctx, try); err != nil {
			return nil, err
		}
	}
}

// A move is one transaction.
type move struct {
	*mover
	tip    git.Commit // of the branch; empty if there is none
	trees  []git.OID  // of the checkpoints on the branch; zero for one that is not there
	tips   map[id.CheckpointID]git.OID
	chains map[id.CheckpointID]chain
	edits  []git.Edit
	refs   []git.RefUpdate
	moved  []id.CheckpointID
}

func (m *mover) begin(tip git.OID, ids []id.CheckpointID) (*move, error) {
	b := &move{mover: m, trees: make([]git.OID, len(ids))}
	var err error
	if !tip.IsZero() {
		if b.tip, err = m.rd.Commit(tip); err == nil {
			b.trees, err = metadata.LookUp(m.rd, b.tip.Tree, ids)
		}
	}
	if err == nil {
		b.tips, err = records.NewReader(m.repo).Tips(m.ctx, ids)
	}
	if err == nil {
		b.chains, err = readChains(m.ctx, m.repo, ids, b.tips)
	}
	return b, err
}

// toRef gives a checkpoint of the branch a ref, or drops it from the branch if its ref has this
// version already.
func (b *move) toRef(cp id.CheckpointID, tree git.OID) error {
	old, exists := b.tips[cp]
	c := b.chains[cp]
	switch {
	case tree.IsZero():
		b.moved = append(b.moved, cp) // by another process
		return nil
	case exists && c == nil:
		return nil
	case exists && !c.has(tree) && !b.mirrors[cp].has(c.tree()):
		return nil // it changed since the plan was made
	}
	var err error
	if !exists {
		if c, err = b.historyOf(cp); err != nil {
			return err
		}
	}
	if !exists || !c.has(tree) {
		if c, err = b.extend(c, cp, tree); err != nil {
			return err
		}
	}
	if c.tip().OID != old {
		b.refs = append(b.refs, git.RefUpdate{Name: metadata.CheckpointRef(cp), New: c.tip().OID, Old: old})
	}
	b.edits = append(b.edits, git.Edit{Path: cp.Path()}, git.Edit{Path: metadata.HistoryPath(cp)})
	b.moved = append(b.moved, cp)
	return nil
}

// historyOf returns the history for the new ref of a checkpoint: the one that its earlier ref had,
// or else the one that the branch has.
func (b *move) historyOf(cp id.CheckpointID) (chain, error) {
	e, found, err := b.rd.Path(b.tip.Tree, metadata.HistoryPath(cp))
	if err != nil {
		return nil, err
	}
	if found && e.Mode == git.ModeTree {
		if c, err := restoreChain(b.rd, b.repo.Writer(), e.OID); err != nil || len(c) > 0 {
			return c, err
		}
	}
	return b.mirrors[cp], nil
}

// extend adds to a history what the branch has after its last version, up to the present tree.
func (b *move) extend(c chain, cp id.CheckpointID, tree git.OID) (chain, error) {
	same := b.mirrors[cp]
	from := len(same)
	if len(c) > 0 {
		for i, l := range same {
			if l.Tree == c.tree() {
				from = i + 1
			}
		}
	}
	c = slices.Clone(c)
	var err error
	for _, l := range same[from:] {
		if c, err = c.add(b.repo.Writer(), l.Tree, l.Commit); err != nil {
			return nil, err
		}
	}
	if len(c) > 0 && c.tree() == tree {
		return c, nil
	}
	like := b.tip
	if len(same) > 0 {
		like = same.tip().Commit
	}
	like.Message = fmt.Sprintf("Checkpoint: %s\n\nAs it was on %s\n", cp, shadow.MetadataBranch)
	return c.add(b.repo.Writer(), tree, like)
}

// toBranch puts a checkpoint of a ref on the branch, with the ref's history unless the branch has
// the same.
func (b *move) toBranch(cp id.CheckpointID, onBranch git.OID) error {
	old, exists := b.tips[cp]
	c := b.chains[cp]
	switch {
	case !exists:
		b.moved = append(b.moved, cp) // by another process
		return nil
	case c == nil:
		return nil
	}
	tree := c.tree()
	if !onBranch.IsZero() && !c.has(onBranch) {
		if !b.mirrors[cp].has(tree) {
			return nil // it changed since the plan was made
		}
		tree = onBranch
	}
	b.edits = append(b.edits, git.Edit{Path: cp.Path(), Mode: git.ModeTree, OID: tree})
	if same := b.mirrors[cp]; len(same) == 0 || same.tip().OID != old {
		folder, err := c.store(b.repo.Writer())
		if err != nil {
			return err
		}
		b.edits = append(b.edits, git.Edit{Path: metadata.HistoryPath(cp), Mode: git.ModeTree, OID: folder})
	}
	b.refs = append(b.refs, git.RefUpdate{Name: metadata.CheckpointRef(cp), Old: old})
	b.moved = append(b.moved, cp)
	return nil
}

// commit makes the branch's next commit, or returns its tip if nothing on it changes.
func (b *move) commit(to Target) (git.OID, error) {
	tip := b.tip.OID
	if len(b.edits) == 0 {
		return tip, nil
	}
	if tip.IsZero() {
		first, err := metadata.InitialCommit(b.repo)
		if err != nil {
			return git.OID{}, err
		}
		tip = first
	}
	tree, err := b.repo.EditTree(b.ctx, b.tip.Tree, b.edits)
	if err != nil {
		return git.OID{}, err
	}
	if tree == b.tip.Tree {
		return tip, b.repo.Writer().Sync()
	}
	message := fmt.Sprintf("Move %d checkpoint(s) to refs of their own\n", len(b.moved))
	if to == ToBranch {
		message = fmt.Sprintf("Move %d checkpoint(s) from refs to %s\n", len(b.moved), shadow.MetadataBranch)
	}
	oid, err := b.repo.Writer().Commit(git.Commit{Tree: tree, Parents: []git.OID{tip}, Author: b.author, Committer: b.author, Message: message})
	if err != nil {
		return git.OID{}, err
	}
	return oid, b.repo.Writer().Sync()
}
