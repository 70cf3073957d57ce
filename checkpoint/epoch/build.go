package epoch

import (
	"fmt"
	"maps"
	"slices"

	"entire/internal/git"
)

// maker signs the commits of epochs, which every clone makes alike.
var maker = git.Signature{Name: "Unknown", Email: "unknown@local"}

// Build writes the objects of an epoch with these rows, whose trees the repository has, and returns the
// commits for its two refs. The objects are durable; no ref moves. Without rows both are zero. Again is how often the
// month was unsealed before, so that its manifest is not one that counts no longer.
func Build(repo *git.Repo, m Month, rows []Row, again int) (manifest, bodies git.OID, err error) {
	if len(rows) == 0 {
		return git.OID{}, git.OID{}, nil
	}
	rows = slices.Clone(rows)
	sortRows(rows)
	b := builder{w: repo.Writer(), month: m, fan: fanOf(len(rows)), again: again}
	if err = b.pages(rows); err == nil {
		bodies, err = b.bodies(rows)
	}
	if err == nil {
		manifest, err = b.manifest(len(rows), bodies)
	}
	if err == nil {
		err = b.w.Sync()
	}
	if err != nil {
		return git.OID{}, git.OID{}, fmt.Errorf("write the epoch %s: %w", m, err)
	}
	return manifest, bodies, nil
}

type builder struct {
	w                 *git.Writer
	month             Month
	fan, again        int
	shards, pageFiles []git.TreeEntry
}

// pages writes the pages and the shards of the manifest.
func (b *builder) pages(rows []Row) error {
	byShard := map[string][]Row{}
	for _, r := range rows {
		name := shardOf(r.ID, b.fan)
		byShard[name] = append(byShard[name], r)
	}
	for _, name := range slices.Sorted(maps.Keys(byShard)) {
		page, err := b.w.Blob(encodePage(byShard[name]))
		if err != nil {
			return err
		}
		shard, err := b.w.Blob(encodeShard(page, byShard[name]))
		if err != nil {
			return err
		}
		b.pageFiles = append(b.pageFiles, git.TreeEntry{Mode: git.ModeFile, Name: name, OID: page})
		b.shards = append(b.shards, git.TreeEntry{Mode: git.ModeFile, Name: name, OID: shard})
	}
	return nil
}

// bodies writes the folders of the checkpoints, as they are on the branch, beside the pages.
func (b *builder) bodies(rows []Row) (git.OID, error) {
	byFolder := map[string][]git.TreeEntry{}
	for _, r := range rows {
		byFolder[r.ID.Shard()] = append(byFolder[r.ID.Shard()], git.TreeEntry{Mode: git.ModeTree, Name: r.ID.Rest(), OID: r.Tree})
	}
	pages, err := b.w.Tree(b.pageFiles)
	if err != nil {
		return git.OID{}, err
	}
	root := []git.TreeEntry{{Mode: git.ModeTree, Name: pageFolder, OID: pages}}
	for _, name := range slices.Sorted(maps.Keys(byFolder)) {
		oid, err := b.w.Tree(byFolder[name])
		if err != nil {
			return git.OID{}, err
		}
		root = append(root, git.TreeEntry{Mode: git.ModeTree, Name: name, OID: oid})
	}
	return b.commit(root, fmt.Sprintf("Checkpoints of %s\n", b.month))
}

func (b *builder) manifest(count int, bodies git.OID) (git.OID, error) {
	meta, err := b.w.Blob([]byte(encodeMeta(b.month, count, b.fan, bodies, b.again)))
	if err != nil {
		return git.OID{}, err
	}
	return b.commit(append(b.shards, git.TreeEntry{Mode: git.ModeFile, Name: metaName, OID: meta}), fmt.Sprintf("Manifest of %s\n", b.month))
}

// commit has no parent: an epoch that changes is replaced, so that nothing of it stays.
func (b *builder) commit(root []git.TreeEntry, message string) (git.OID, error) {
	tree, err := b.w.Tree(root)
	if err != nil {
		return git.OID{}, err
	}
	who := maker
	who.When = b.month.end()
	return b.w.Commit(git.Commit{Tree: tree, Author: who, Committer: who, Message: message})
}
