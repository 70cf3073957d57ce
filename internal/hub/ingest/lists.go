package ingest

import (
	"context"

	"entire/checkpoint/epoch"
	"entire/checkpoint/shadow"
	"entire/internal/git"
)

// bringLists fetches the files that say which checkpoints there are: the manifests and pages of sealed months, and the
// tombstones. A mirror that has only trees lacks them.
func bringLists(ctx context.Context, m *git.Mirror) error {
	rd := m.Repo.Reader(ctx)
	var files []git.OID
	list, err := m.Repo.Refs(ctx, epoch.Refs, epoch.BodyRefs, branchRef, shadow.LegacyRef, inboxRefs)
	if err != nil {
		return err
	}
	for _, ref := range list {
		c, ok, err := rd.CommitOf(ref.OID.String())
		if err != nil || !ok {
			return err
		}
		root := c.Tree
		switch month, isEpoch := epoch.MonthOfRef(ref.Name); {
		case isEpoch && ref.Name == month.BodyRef():
			root, err = folderIn(rd, c.Tree, "pages")
		case !isEpoch:
			root, err = folderIn(rd, c.Tree, "forgotten")
		}
		if err != nil {
			return err
		}
		if files, err = filesBelow(rd, root, files); err != nil {
			return err
		}
	}
	return m.Files(ctx, files)
}

// folderIn returns the tree of a folder, zero for none.
func folderIn(rd *git.Reader, root git.OID, name string) (git.OID, error) {
	e, found, err := rd.Path(root, name)
	if err != nil || !found {
		return git.OID{}, err
	}
	return e.OID, nil
}

// filesBelow adds the files of a folder and of the folders in it.
func filesBelow(rd *git.Reader, folder git.OID, files []git.OID) ([]git.OID, error) {
	entries, err := rd.Tree(folder)
	if err != nil {
		return files, err
	}
	for _, e := range entries {
		if e.Mode != git.ModeTree {
			files = append(files, e.OID)
		} else if files, err = filesBelow(rd, e.OID, files); err != nil {
			return files, err
		}
	}
	return files, nil
}
