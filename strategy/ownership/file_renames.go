package ownership

import (
	"cmp"
	"context"

	"entire/checkpoint/shadow"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// followRenames gives a created file its history under an earlier name, if the same change deleted or replaced that
// file and the parent commit does not have it. A file of the parent commit keeps its owners because the renamed one
// counts as new; if the commit keeps that file, too, nobody moved its lines, and their owners are unknown. So are those of a
// file that only a commit has which this one replaces.
func followRenames(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, p *stepChain, chains []*lineHistory) error {
	gone, pairs := map[int][]git.Change{}, 0
	for _, c := range chains {
		i := c.createdAt()
		if i < 0 || i == 0 && len(p.steps) > 0 && p.steps[0].Info.Kind == shadow.StepCarryForward {
			continue
		}
		if _, known := gone[i]; !known {
			tree := cm.Tree
			if i < len(p.steps) {
				tree = p.steps[i].Tree
			}
			before, err := worktree.HeadTree(ctx, s, cm.Parent)
			switch {
			case err != nil:
				return err
			case i > 0:
				before = p.steps[i-1].Tree
			case !p.base.IsZero():
				before = p.base
			}
			changes, err := step.CodeDiff(ctx, s, before, tree)
			if err != nil {
				return err
			}
			gone[i] = []git.Change{}
			for _, ch := range changes {
				if step.IsBlob(ch.OldMode) && len(gone[i]) < evidence.RenameCandidatesMax {
					gone[i] = append(gone[i], ch)
				}
			}
		}
		pairs += len(gone[i])
		if err := followRename(ctx, s, cm, p, c, i, gone[i], pairs <= evidence.RenamePairsMax); err != nil {
			return err
		}
	}
	return nil
}

// createdAt returns the index of the change that created the file, -1 if it existed before.
func (c *lineHistory) createdAt() int {
	if !c.origin.IsZero() {
		return -1
	}
	for i, oid := range c.steps {
		if !oid.IsZero() {
			return i
		}
	}
	return len(c.steps)
}

// followRename gives a chain the versions that its file had under its former name before step i. Content
// that the commit's parent has under that name is noted as brought.
func followRename(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, p *stepChain, c *lineHistory, i int, gone []git.Change, read bool) error {
	name, err := previousName(ctx, s, append(c.steps, c.commit)[i], gone, read)
	if name == "" || err != nil {
		return err
	}
	below, err := worktree.HeadTree(ctx, s, cm.Parent)
	if err != nil {
		return err
	}
	trees := []git.OID{p.base, below, cm.Tree}
	for _, st := range p.steps[:i] {
		trees = append(trees, st.Tree)
	}
	at, err := step.BlobsAt(ctx, s, trees, []string{name})
	if err != nil {
		return err
	}
	if committed := cmp.Or(at[1][0], at[0][0]); !committed.IsZero() {
		if !at[2][0].IsZero() || at[1][0].IsZero() && p.amended {
			c.noteBrought(i, committed)
			return nil
		}
		c.origin = committed
	}
	if c.oldNames == nil {
		c.oldNames = map[int]string{}
	}
	for k := range i {
		c.steps[k], c.oldNames[k] = at[3+k][0], name
	}
	return nil
}

// previousName returns the deleted file with the same content or, if read, with similar content; ""
// for none.
func previousName(ctx context.Context, s *sessionstate.Env, oid git.OID, gone []git.Change, read bool) (string, error) {
	if len(gone) == 0 || oid.IsZero() {
		return "", nil
	}
	oids := []git.OID{oid}
	for _, ch := range gone {
		if ch.Old == oid {
			return ch.Path, nil
		}
		if ch.NewMode == 0 {
			oids = append(oids, ch.Old)
		}
	}
	if !read {
		return "", nil
	}
	texts, err := transcript.BlobTexts(ctx, s, oids)
	if err != nil {
		return "", err
	}
	ev := evidence.Evidence(ctx, s)
	for _, ch := range gone {
		text, ok := texts[ch.Old]
		if ch.NewMode == 0 && ok && attribution.Countable(text) && attribution.Countable(texts[oid]) && evidence.SimilarExcept(text, texts[oid], ev.CommonLines(ch.Path)) {
			return ch.Path, nil
		}
	}
	return "", nil
}
