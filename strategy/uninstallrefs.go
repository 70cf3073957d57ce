package strategy

import (
	"context"

	"entire/internal/git"
)

// TemporaryRefs returns all of this program's refs except the metadata branch: shadow branches,
// and those outside refs/heads. foreign lists refs of others with such a name or in the same
// folders.
func (s *ManualCommitStrategy) TemporaryRefs(ctx context.Context) (refs []git.Ref, foreign []KeptFile, err error) {
	recorded, err := s.recorded(ctx)
	if err != nil {
		return nil, nil, err
	}
	refs, branches, others, err := s.refsAndBranches(ctx)
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
	return refs, append(foreign, others...), nil
}
