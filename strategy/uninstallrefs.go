package strategy

import (
	"context"

	"entire/internal/git"
)

// TemporaryRefs are all refs of ours in the repository but the metadata branch:
// shadow branches, and what we keep outside refs/heads. foreign are those that
// merely have such a name, or lie beside ours.
func (s *ManualCommitStrategy) TemporaryRefs(ctx context.Context) (refs []git.Ref, foreign []KeptFile, err error) {
	recorded, err := s.recorded(ctx)
	if err != nil {
		return nil, nil, err
	}
	refs, branches, beside, err := s.refsAndBranches(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, ref := range branches {
		why, err := s.notOurs(ctx, ref.OID, recorded)
		if err != nil {
			return nil, nil, err
		}
		if why != "" {
			foreign = append(foreign, KeptFile{shortRef(ref.Name), why})
			continue
		}
		refs = append(refs, ref)
	}
	return refs, append(foreign, beside...), nil
}
