package strategy

import (
	"context"

	"entire/checkpoint"
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
	refs, beside, err := s.refsBeside(ctx)
	if err != nil {
		return nil, nil, err
	}
	branches, err := s.repo.Refs(ctx, "refs/heads/"+checkpoint.ShadowBranchPrefix)
	if err != nil {
		return nil, nil, err
	}
	for _, ref := range branches {
		if !checkpoint.LooksLikeShadowRef(ref.Name) {
			continue
		}
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
