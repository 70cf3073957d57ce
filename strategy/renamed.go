package strategy

import (
	"context"

	"entire/internal/attribution"
	"entire/internal/git"
)

const (
	// renamedMax bounds how many deleted files are compared with one file that the same change
	// created, renamedPairs how many such pairs are compared in one commit. Beyond them, a renamed
	// file is found only by identical content.
	renamedMax   = 20
	renamedPairs = 400
)

// followRenames gives a file that was created after the first step its history under an earlier
// name, if the same change deleted that file and the parent commit does not have it. A file of the
// parent commit keeps its owners because the renamed one counts as new.
func (s *ManualCommitStrategy) followRenames(ctx context.Context, cm madeCommit, p *past, chains []*fileChain) error {
	gone, pairs := map[int][]git.Change{}, 0
	for _, c := range chains {
		i := c.cameIn()
		if i < 1 || len(c.parents) == 0 {
			continue
		}
		if _, known := gone[i]; !known {
			tree := cm.Tree
			if i < len(p.steps) {
				tree = p.steps[i].Tree
			}
			changes, err := s.codeDiff(ctx, p.steps[i-1].Tree, tree)
			if err != nil {
				return err
			}
			gone[i] = []git.Change{}
			for _, ch := range changes {
				if isBlob(ch.OldMode) && ch.NewMode == 0 && len(gone[i]) < renamedMax {
					gone[i] = append(gone[i], ch)
				}
			}
		}
		pairs += len(gone[i])
		if err := s.followRename(ctx, cm, p, c, i, gone[i], pairs <= renamedPairs); err != nil {
			return err
		}
	}
	return nil
}

// cameIn returns the index of the change that created the file, -1 if it existed before.
func (c *fileChain) cameIn() int {
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

func (s *ManualCommitStrategy) followRename(ctx context.Context, cm madeCommit, p *past, c *fileChain, i int, gone []git.Change, read bool) error {
	name, err := s.nameBefore(ctx, append(c.steps, c.commit)[i], gone, read)
	if name == "" || err != nil {
		return err
	}
	below, err := s.headTree(ctx, cm.parent)
	if err != nil {
		return err
	}
	trees := []git.OID{p.base, below}
	for _, st := range p.steps[:i] {
		trees = append(trees, st.Tree)
	}
	at, err := s.filesAt(ctx, trees, []string{name})
	if err != nil {
		return err
	}
	if !at[0][0].IsZero() || !at[1][0].IsZero() {
		return nil
	}
	if c.was == nil {
		c.was = map[int]string{}
	}
	for k := range i {
		c.steps[k], c.was[k] = at[2+k][0], name
	}
	return nil
}

// nameBefore returns the deleted file with the same content or, if read, with similar content; ""
// for none.
func (s *ManualCommitStrategy) nameBefore(ctx context.Context, oid git.OID, gone []git.Change, read bool) (string, error) {
	if len(gone) == 0 || oid.IsZero() {
		return "", nil
	}
	oids := []git.OID{oid}
	for _, ch := range gone {
		if ch.Old == oid {
			return ch.Path, nil
		}
		oids = append(oids, ch.Old)
	}
	if !read {
		return "", nil
	}
	texts, err := s.texts(ctx, oids)
	if err != nil {
		return "", err
	}
	ev := s.evidence(ctx)
	for _, ch := range gone {
		text, ok := texts[ch.Old]
		if ok && attribution.Countable(text) && attribution.Countable(texts[oid]) && similarBeside(text, texts[oid], ev.common(ch.Path)) {
			return ch.Path, nil
		}
	}
	return "", nil
}
