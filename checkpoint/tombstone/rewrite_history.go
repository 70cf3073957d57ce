package tombstone

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/checkpoint/rewrite"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
)

// ErrShallowHistory is returned when checkpoints are to be forgotten and the repository does
// not have the whole history of the metadata branch.
var ErrShallowHistory = errors.New("the history of " + shadow.MetadataBranch + " is incomplete here: `git fetch --unshallow` completes it")

// rewrittenMessage replaces the message of a commit that names a forgotten checkpoint and also
// changes something else.
const rewrittenMessage = "Rewritten: a checkpoint was forgotten\n"

// A historyRewriter rewrites histories of the metadata branch without some checkpoints, as if they had
// never been written.
//
// The new commit depends only on the old commit, its ancestors and the checkpoints, so that all
// clones get the same one. Cutting is idempotent, and cutting some checkpoints and then others
// gives the same history as cutting all of them at once. Therefore clones that forget different
// checkpoints converge.
type historyRewriter struct {
	*rewrite.Rewriter
	ctx          context.Context
	forgotten    []id.CheckpointID
	restsByShard map[string][]string // for each shard, the rest of the IDs in forgotten

	redactions metadata.Redactions
	redacted   map[string]map[string]id.CheckpointID // the checkpoints with redactions, by shard and rest

	known     map[git.OID]bool    // the commits that this clone has
	histories map[git.OID]git.OID // what took the place of trees of histories of refs; zero for an empty one
}

func newHistoryRewriter(ctx context.Context, repo *git.Repo, gone metadata.Forgotten) *historyRewriter {
	k := &historyRewriter{ctx: ctx, forgotten: gone.Sorted(), restsByShard: map[string][]string{}, known: map[git.OID]bool{}, histories: map[git.OID]git.OID{}}
	k.Rewriter = rewrite.New(ctx, repo, k.folder)
	for _, cp := range k.forgotten {
		k.restsByShard[cp.Shard()] = append(k.restsByShard[cp.Shard()], cp.Rest())
	}
	return k
}

// folder returns zero for a forgotten checkpoint, and the redacted folder of a redacted one.
func (k *historyRewriter) folder(shard string, e git.TreeEntry) git.OID {
	if slices.Contains(k.restsByShard[shard], e.Name) {
		return git.OID{}
	}
	if cp, ok := k.redacted[shard][e.Name]; ok {
		return k.redactions.Of(cp, e.OID)
	}
	return e.OID
}

// index prepares the redactions for the rewriting.
func (k *historyRewriter) index() {
	k.redacted = map[string]map[string]id.CheckpointID{}
	for cp := range k.redactions.Folders {
		if k.redacted[cp.Shard()] == nil {
			k.redacted[cp.Shard()] = map[string]id.CheckpointID{}
		}
		k.redacted[cp.Shard()][cp.Rest()] = cp
	}
}

// rewriterOf returns the rewriter for what the last trees of histories say: which checkpoints are forgotten, and which
// are redacted.
func rewriterOf(ctx context.Context, repo *git.Repo, tips ...git.OID) (*historyRewriter, error) {
	rd := repo.Reader(ctx)
	gone, err := tombstonesOf(rd, tips...)
	if err != nil {
		return nil, err
	}
	k := newHistoryRewriter(ctx, repo, gone)
	trees, err := treesOf(rd, tips...)
	if err != nil {
		return nil, err
	}
	if k.redactions, err = metadata.ReadRedactions(rd, trees...); err != nil {
		return nil, err
	}
	k.index()
	return k, nil
}

// commitsToChange lists the commits in tip's history that brought a forgotten checkpoint or an unredacted folder.
// It is empty if and only if rewriting changes nothing.
func (k *historyRewriter) commitsToChange(tip git.OID, limit int) ([]git.OID, error) {
	held, err := k.commitsTouching(tip, limit)
	if err != nil || limit > 0 && len(held) >= limit || k.redactions.Len() == 0 || tip.IsZero() {
		return held, err
	}
	var in strings.Builder
	fmt.Fprintf(&in, "%s\n--\n", tip)
	for _, cp := range k.redactions.Sorted() {
		in.WriteString(cp.Path() + "\n")
	}
	out, err := k.Repo.RunInput(k.ctx, []byte(in.String()), "rev-list", "--full-history", "--stdin")
	if err != nil {
		return nil, err
	}
	commits, err := git.ParseOIDs(out)
	if err != nil {
		return nil, err
	}
	var ask chunk.Batch
	for _, commit := range commits {
		for cp := range k.redactions.Folders {
			ask.Add(commit.String()+":"+cp.Path(), func(o git.Object) error {
				if o.Type == "tree" && k.redactions.Of(cp, o.OID) != o.OID {
					held = append(held, commit)
				}
				return nil
			})
		}
	}
	return held, ask.Run(k.Reader)
}

// commitsTouching lists the commits in tip's history that added, changed or removed one of the
// checkpoints, at most limit of them if that is positive. The list is empty if and only if the
// history never had any of them.
func (k *historyRewriter) commitsTouching(tip git.OID, limit int) ([]git.OID, error) {
	if len(k.forgotten) == 0 || tip.IsZero() {
		return nil, nil
	}
	var in strings.Builder
	fmt.Fprintf(&in, "%s\n--\n", tip)
	for _, cp := range k.forgotten {
		in.WriteString(cp.Path() + "\n" + metadata.HistoryPath(cp) + "\n")
	}
	args := []string{"rev-list", "--full-history", "--stdin"}
	if limit > 0 {
		args = append(args, fmt.Sprint("--max-count=", limit))
	}
	out, err := k.Repo.RunInput(k.ctx, []byte(in.String()), args...)
	if err != nil {
		return nil, err
	}
	return git.ParseOIDs(out)
}

// rewrite returns the history that ends in tip without the checkpoints; tip itself if they were
// never in it. It moves no ref. The objects are durable.
func (k *historyRewriter) rewrite(tip git.OID) (git.OID, error) {
	if done, ok := k.Replaced(tip); ok {
		return done, nil
	}
	touched, err := k.commitsToChange(tip, 0)
	if err != nil || len(touched) == 0 {
		return tip, err
	}
	holds := make(map[git.OID]bool, len(touched))
	for _, c := range touched {
		holds[c] = true
	}
	err = k.Each(k.ctx, []string{tip.String()}, func(commit git.OID, parents []git.OID) error {
		k.known[commit] = true
		if _, done := k.Replaced(commit); done {
			return nil
		}
		moved := slices.ContainsFunc(parents, func(p git.OID) bool { _, ok := k.Replaced(p); return ok })
		if holds[commit] || moved {
			return k.commit(commit)
		}
		return nil
	})
	if now, changed := k.Replaced(tip); changed {
		tip = now
	}
	return tip, err
}

// commit rewrites one commit whose parents are done. A commit that changed nothing but the
// checkpoints is left out: its parent takes its place.
func (k *historyRewriter) commit(oid git.OID) error {
	c, err := k.Reader.Commit(oid)
	if err != nil {
		return err
	}
	tree, err := k.root(c.Tree)
	if err != nil {
		return err
	}
	parents, err := rewrite.Parents(c, func(p git.OID) (git.OID, error) {
		if !k.known[p] {
			return p, ErrShallowHistory
		}
		if now, changed := k.Replaced(p); changed {
			return now, nil
		}
		return p, nil
	})
	if err != nil {
		return err
	}
	switch {
	case len(parents) == 0 && tree == k.Repo.EmptyTree() && tree != c.Tree:
		first, err := metadata.InitialCommit(k.Repo)
		k.Replace(oid, first)
		return err
	case tree == c.Tree && slices.Equal(parents, c.Parents):
		return nil
	case len(parents) == 1:
		emptied, err := k.isEmptied(c, tree, parents[0])
		if err != nil || emptied {
			k.Replace(oid, parents[0])
			return err
		}
	}
	message := c.Message
	if slices.ContainsFunc(k.forgotten, func(cp id.CheckpointID) bool { return strings.Contains(message, cp.String()) }) {
		message = rewrittenMessage
	}
	return k.Remake(c, tree, parents, message)
}

// isEmptied reports whether a commit that made a change makes none after the cut.
func (k *historyRewriter) isEmptied(c git.Commit, tree, parent git.OID) (bool, error) {
	if now, err := k.TreeOf(parent); err != nil || now != tree {
		return false, err
	}
	if len(c.Parents) != 1 {
		return true, nil
	}
	before, err := k.TreeOf(c.Parents[0])
	return before != c.Tree, err
}

// root returns a tree of the branch without the checkpoints. It reads only their shards, each
// version once.
func (k *historyRewriter) root(tree git.OID) (git.OID, error) {
	entries, err := k.Reader.Tree(tree)
	if err != nil {
		return git.OID{}, err
	}
	changed := false
	for i, e := range entries {
		now, err := k.entry(e)
		if err != nil {
			return git.OID{}, err
		}
		changed = changed || now != e.OID
		entries[i].OID = now
	}
	if !changed {
		return tree, nil
	}
	return k.Writer.Tree(slices.DeleteFunc(entries, func(e git.TreeEntry) bool { return e.OID.IsZero() }))
}

// entry returns what takes the place of an entry of the branch's tree; zero for nothing.
func (k *historyRewriter) entry(e git.TreeEntry) (git.OID, error) {
	switch {
	case e.Mode != git.ModeTree:
		return e.OID, nil
	case e.Name == metadata.HistoryFolder:
		return k.withoutHistories(e.OID)
	case k.restsByShard[e.Name] != nil || k.redacted[e.Name] != nil:
		return k.Shard(e)
	}
	return e.OID, nil
}

// withoutHistories returns a tree of histories of refs without those of the checkpoints; zero for an empty one.
func (k *historyRewriter) withoutHistories(tree git.OID) (git.OID, error) {
	if oid, done := k.histories[tree]; done {
		return oid, nil
	}
	var edits []git.Edit
	for _, cp := range k.forgotten {
		edits = append(edits, git.Edit{Path: strings.TrimPrefix(metadata.HistoryPath(cp), metadata.HistoryFolder+"/")})
	}
	oid, err := k.Repo.EditTree(k.ctx, tree, edits)
	if oid == k.Repo.EmptyTree() {
		oid = git.OID{}
	}
	k.histories[tree] = oid
	return oid, err
}
