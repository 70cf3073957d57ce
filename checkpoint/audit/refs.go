package audit

import (
	"context"
	"fmt"
	"hash"

	"github.com/tidwall/gjson"

	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/git"
)

// withRefs adds the checkpoints in refs of their own. They have no statements and no chain: their objects are hashed,
// the folder has to be that of the ref's checkpoint, and the signature of the ref's newest commit is checked, which is
// one of its content.
func (v *verifier) withRefs(ctx context.Context, repo *git.Repo, folders []folder) ([]folder, error) {
	refs, err := repo.Refs(ctx, metadata.CheckpointRefs)
	if err != nil {
		return nil, fmt.Errorf("list the refs of checkpoints: %w", err)
	}
	var ids []id.CheckpointID
	var tips []git.OID
	for _, ref := range refs {
		if cp, ok := metadata.ParseCheckpointRef(ref.Name); ok && !v.gone[cp] {
			ids, tips = append(ids, cp), append(tips, ref.OID)
		}
	}
	commits, err := v.objects.read(tips)
	if err != nil {
		return nil, err
	}
	for i, o := range commits {
		v.result.InRefs++
		c, err := git.ParseCommit(o.OID, o.Data)
		if o.Type != "commit" || err != nil {
			v.find(Damaged, ids[i].String(), "the commit %s of the checkpoint's ref is missing or damaged", tips[i])
			continue
		}
		v.objects.tasks <- func(hash.Hash) { v.commit(o, ids[i].String(), v.result.RefsSigned) }
		folders = append(folders, folder{id: ids[i], tree: c.Tree, inRef: true})
	}
	return folders, nil
}

// named checks that the folder of a ref is that of its checkpoint: a ref can be made to point to another one's.
func (v *verifier) named(f folder) error {
	for _, e := range f.entries {
		if e.Name != metadata.FileName || e.Mode == git.ModeTree {
			continue
		}
		objects, err := v.objects.read([]git.OID{e.OID})
		if err != nil {
			return err
		}
		if says := gjson.GetBytes(objects[0].Data, "checkpoint_id").Str; objects[0].Type == "blob" && says != f.id.String() {
			v.find(Changed, f.id.String(), "the ref has the checkpoint %.40s", says)
		}
		return nil
	}
	v.find(Changed, f.id.String(), "the ref has no checkpoint")
	return nil
}
