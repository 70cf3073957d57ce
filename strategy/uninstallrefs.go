package strategy

import (
	"context"

	"entire/checkpoint"
	"entire/internal/git"
)

// TemporaryRefs are all refs of ours in the repository but the metadata branch:
// shadow branches, and what we keep outside refs/heads. foreign are the branches
// that merely have such a name.
func (s *ManualCommitStrategy) TemporaryRefs(ctx context.Context) (refs []git.Ref, foreign []KeptFile, err error) {
	if refs, err = s.repo.Refs(ctx, "refs/entire/"); err != nil {
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
		why, err := s.notSteps(ctx, ref.OID)
		if err != nil {
			return nil, nil, err
		}
		if why != "" {
			foreign = append(foreign, KeptFile{shortRef(ref.Name), why})
			continue
		}
		refs = append(refs, ref)
	}
	return refs, foreign, nil
}
