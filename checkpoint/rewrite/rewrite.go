// Package rewrite makes histories of the metadata branch again, with other folders of checkpoints: for `tombstone`
// without the forgotten ones, for `sealing` without those that epochs have. It moves no ref, and decides neither which
// commits are made again nor what their trees have besides the shards.
package rewrite

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"entire/internal/git"
)

// syncEvery is after how many commits the new objects are flushed to the disk.
const syncEvery = 1000

// A Rewriter remembers what it made, so that it makes each commit and each version of a shard once.
type Rewriter struct {
	Repo   *git.Repo
	Reader *git.Reader
	Writer *git.Writer

	// Folder returns what takes the place of an entry of a shard: the entry's own object, another one, or zero for
	// nothing. It gives the same answer every time.
	Folder func(shard string, entry git.TreeEntry) git.OID

	// Progress is called after each commit of a history; it may be nil.
	Progress func(done, total int)

	commits map[git.OID]git.OID // what took the place of each commit
	trees   map[git.OID]git.OID // of commits, old and new
	shards  map[string]git.OID  // the new shards, by name and old object; zero for an empty one
}

// New returns a Rewriter that has made nothing.
func New(ctx context.Context, repo *git.Repo, folder func(shard string, entry git.TreeEntry) git.OID) *Rewriter {
	return &Rewriter{Repo: repo, Reader: repo.Reader(ctx), Writer: repo.Writer(), Folder: folder,
		commits: map[git.OID]git.OID{}, trees: map[git.OID]git.OID{}, shards: map[string]git.OID{}}
}

// Each calls remake for each commit that `git rev-list` finds, after it did so for the commit's parents. In the end the
// objects are durable.
func (r *Rewriter) Each(ctx context.Context, revisions []string, remake func(commit git.OID, parents []git.OID) error) error {
	out, err := r.Repo.Run(ctx, append([]string{"rev-list", "--topo-order", "--reverse", "--parents"}, revisions...)...)
	if err != nil {
		return err
	}
	done, total := 0, bytes.Count(out, []byte("\n"))
	for line := range bytes.Lines(out) {
		family, err := git.ParseOIDs(line)
		if err != nil {
			return err
		}
		if err := remake(family[0], family[1:]); err != nil {
			return err
		}
		if done++; r.Progress != nil {
			r.Progress(done, total)
		}
		if done%syncEvery == 0 {
			if err := errors.Join(ctx.Err(), r.Writer.Sync()); err != nil {
				return err
			}
		}
	}
	return r.Writer.Sync()
}

// Replaced returns what took the place of a commit. ok is false if nothing did: the commit stays, or is not done yet.
func (r *Rewriter) Replaced(commit git.OID) (now git.OID, ok bool) {
	now, ok = r.commits[commit]
	return now, ok
}

// Replace notes that another commit takes the place of an old one.
func (r *Rewriter) Replace(old, now git.OID) { r.commits[old] = now }

// Parents returns what takes the place of each of a commit's parents, without repeated ones.
func Parents(c git.Commit, replacement func(parent git.OID) (git.OID, error)) (parents []git.OID, err error) {
	for _, p := range c.Parents {
		now, err := replacement(p)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(parents, now) {
			parents = append(parents, now)
		}
	}
	return parents, nil
}

// Remake writes the commit that takes the place of an old one, with the same people and times.
func (r *Rewriter) Remake(old git.Commit, tree git.OID, parents []git.OID, message string) (err error) {
	r.commits[old.OID], err = r.Write(git.Commit{Tree: tree, Parents: parents, Author: old.Author, Committer: old.Committer, Message: message})
	return err
}

// Write writes a commit, and remembers its tree.
func (r *Rewriter) Write(c git.Commit) (git.OID, error) {
	made, err := r.Writer.Commit(c)
	r.trees[made] = c.Tree
	return made, err
}

// TreeOf returns the tree of an old or a new commit.
func (r *Rewriter) TreeOf(commit git.OID) (git.OID, error) {
	if tree, known := r.trees[commit]; known {
		return tree, nil
	}
	c, err := r.Reader.Commit(commit)
	if err == nil {
		r.trees[commit] = c.Tree
	}
	return c.Tree, err
}

// Shard returns what takes the place of a shard: its own object if no folder in it changes, zero if none is left.
func (r *Rewriter) Shard(shard git.TreeEntry) (git.OID, error) {
	key := shard.Name + shard.OID.String()
	if oid, done := r.shards[key]; done {
		return oid, nil
	}
	entries, err := r.Reader.Tree(shard.OID)
	if err != nil {
		return git.OID{}, err
	}
	var left []git.TreeEntry
	for _, e := range entries {
		if e.OID = r.Folder(shard.Name, e); !e.OID.IsZero() {
			left = append(left, e)
		}
	}
	oid := shard.OID
	switch {
	case len(left) == 0:
		oid = git.OID{}
	case !slices.Equal(left, entries):
		oid, err = r.Writer.Tree(left)
	}
	r.shards[key] = oid
	return oid, err
}
