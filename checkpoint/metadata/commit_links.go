package metadata

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/git"
)

// Names that reach disk.
const (
	// linkFolder has a file for each commit that is linked without a trailer, in folders of the
	// first two digits. No shard can have this name.
	linkFolder = "commits"

	// linkText is the content of such a file; its name holds all information.
	linkText = "This commit's message does not name the checkpoint.\n"
)

// Links are the checkpoints of commits whose messages do not name them, because they were made
// while git's hooks were switched off.
type Links map[git.OID][]id.CheckpointID

// ReadLinks reads the links that roots of the branch have; nil for none.
func ReadLinks(rd *git.Reader, roots []git.OID) (Links, error) {
	files, err := shardedFiles(rd, roots, linkFolder)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	links := Links{}
	for _, f := range files {
		links.add(f.Name)
	}
	return links, nil
}

// shardedFiles returns the entries of a folder of shards at the top of roots, in their order, each with the name of its
// shard before its own.
func shardedFiles(rd *git.Reader, roots []git.OID, folder string) (files []git.TreeEntry, err error) {
	tops, err := rd.Trees(slices.DeleteFunc(slices.Clone(roots), git.OID.IsZero)...)
	if err != nil {
		return nil, err
	}
	var folders, shards []git.OID
	for _, e := range slices.Concat(tops...) {
		if e.Name == folder && e.Mode == git.ModeTree {
			folders = append(folders, e.OID)
		}
	}
	lists, err := rd.Trees(folders...)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range slices.Concat(lists...) {
		if e.Mode == git.ModeTree {
			names, shards = append(names, e.Name), append(shards, e.OID)
		}
	}
	lists, err = rd.Trees(shards...)
	if err != nil {
		return nil, err
	}
	for i, list := range lists {
		for _, e := range list {
			e.Name = names[i] + e.Name
			files = append(files, e)
		}
	}
	return files, nil
}

// add adds the link of a file, by its path without slashes; it ignores other files.
func (l Links) add(name string) {
	commit, value, _ := strings.Cut(name, ".")
	oid, err := git.ParseOID(commit)
	if err != nil {
		return
	}
	if cp, err := id.NewCheckpointID(value); err == nil && !slices.Contains(l[oid], cp) {
		l[oid] = append(l[oid], cp)
	}
}

// linkPath returns the path of the file that links a commit to a checkpoint.
func linkPath(commit git.OID, cp id.CheckpointID) string {
	hex := commit.String()
	return linkFolder + "/" + hex[:2] + "/" + hex[2:] + "." + cp.String()
}

// Of returns the checkpoints of a commit: those that its message names, and those that it is
// linked to.
func (l Links) Of(commit git.OID, message string) []id.CheckpointID {
	cps := trailer.ParseCheckpointTrailers(message)
	for _, cp := range l[commit] {
		if !slices.Contains(cps, cp) {
			cps = append(cps, cp)
		}
	}
	return cps
}

// To returns the commits that are linked to a checkpoint.
func (l Links) To(cp id.CheckpointID) []git.OID {
	var out []git.OID
	for oid, cps := range l {
		if slices.Contains(cps, cp) {
			out = append(out, oid)
		}
	}
	slices.SortFunc(out, func(a, b git.OID) int { return strings.Compare(a.String(), b.String()) })
	return out
}

// BuildLink makes the commit on top of tip that links a user's commit to a checkpoint which its
// message does not name; see [BuildRecord]. It returns tip if the link exists or the checkpoint
// is forgotten.
func BuildLink(ctx context.Context, repo *git.Repo, tip git.OID, commit git.OID, cp id.CheckpointID, author git.Signature) (git.OID, error) {
	b, err := startBuild(ctx, repo, onBranch(tip), cp, author)
	if err != nil {
		return git.OID{}, fmt.Errorf("link commit %s: %w", commit.Short(), err)
	}
	if b.forgotten {
		return tip, nil
	}
	if err := b.link(commit); err != nil {
		return git.OID{}, fmt.Errorf("link commit %s: %w", commit.Short(), err)
	}
	newTip, err := b.commit(ctx, fmt.Sprintf("Link commit to Checkpoint: %s\n", cp))
	if err != nil {
		return git.OID{}, fmt.Errorf("link commit %s: %w", commit.Short(), err)
	}
	return newTip, nil
}

// link adds the file that links a commit to the checkpoint.
func (b *build) link(commit git.OID) error {
	oid, err := b.writer.Blob([]byte(linkText))
	if err == nil {
		b.edit(linkPath(commit, b.folder.ID), git.TreeEntry{Mode: git.ModeFile, OID: oid})
	}
	return err
}
