package tombstone

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/statement"
	"entire/id"
	"entire/internal/bodies"
	"entire/internal/git"
	"entire/internal/seal"
	"entire/internal/vault"
)

// errNotRedacted is the reason why secrets cannot be taken out of a checkpoint's texts.
var errNotRedacted = errors.New("its texts cannot be rewritten")

// Redacting names the checkpoints from whose texts Redact takes secrets.
type Redacting struct {
	IDs []id.CheckpointID

	// Clean returns a text without secrets; the text itself if it has none. It fails if secrets stay.
	Clean func(text []byte) ([]byte, error)

	When   time.Time
	Author git.Signature
}

// Redacted is what Redact did.
type Redacted struct {
	IDs  []id.CheckpointID         // checkpoints whose texts were rewritten
	Left map[id.CheckpointID]error // those that could not be; their history is as it was
	Old  Extent                    // the files that had secrets
}

// Redact rewrites the history of the local metadata branch as if the checkpoints had been stored without what Clean
// takes out: each version of a checkpoint keeps everything else, hashes of its texts are computed anew, and
// statements stay as they were. A file for each version says which folder took the place of which, so that a
// merge does the same to other histories.
//
// The branch moves once: if Redact is interrupted, it is the old or the new one.
func Redact(ctx context.Context, repo *git.Repo, f Redacting) (done Redacted, err error) {
	c := &cleaner{f: f, repo: repo, rd: repo.Reader(ctx), w: repo.Writer(), blobs: map[git.OID]git.OID{}, same: map[git.OID]bool{}, bodies: map[git.OID]bool{}}
	_, start, err := metadata.Tip(ctx, repo)
	if err == nil {
		_, _, err = c.versions(ctx, start) // do the long work before other writers have to wait
	}
	if err == nil {
		err = metadata.UpdateMetadata(ctx, repo, nil, func(now git.OID) (tip git.OID, err error) {
			tip, done, err = c.rewritten(ctx, now)
			return tip, err
		})
	}
	if err != nil {
		return Redacted{}, fmt.Errorf("take secrets out of checkpoints: %w", err)
	}
	done.Old = Extent{blobs: map[git.OID]bool{}}
	for old := range c.blobs {
		done.Old.blobs[old] = true
	}
	return done, nil
}

// rewritten makes the new branch: the rewritten history, and a commit that says what was rewritten.
func (c *cleaner) rewritten(ctx context.Context, old git.OID) (tip git.OID, done Redacted, err error) {
	found, left, err := c.versions(ctx, old)
	done.Left = left
	if err != nil || len(found) == 0 {
		return old, done, err
	}
	if err := c.w.Sync(); err != nil {
		return old, done, err
	}
	k, err := rewriterOf(ctx, c.repo, old)
	if err != nil {
		return old, done, err
	}
	edits, err := c.files(found)
	if err != nil {
		return old, done, err
	}
	for _, v := range found {
		k.redactions.Add(v.ID, v.old, v.new, v.Files)
		done.IDs = append(done.IDs, v.ID)
	}
	k.index()
	if tip, err = k.rewrite(old); err != nil {
		return old, done, err
	}
	tree, err := k.TreeOf(tip)
	if err != nil {
		return old, done, err
	}
	if err := c.w.Sync(); err != nil {
		return old, done, err
	}
	if tree, err = c.repo.EditTree(ctx, tree, edits); err != nil {
		return old, done, err
	}
	who := metadata.Signature(c.f.Author)
	who.When = c.f.When
	tip, err = c.w.Commit(git.Commit{Tree: tree, Parents: []git.OID{tip}, Author: who, Committer: who, Message: fmt.Sprintf("Redact %d checkpoint version(s)\n", len(found))})
	done.IDs = unique(done.IDs)
	return tip, done, errors.Join(err, c.w.Sync())
}

// files returns the edits that add what the branch says of versions.
func (c *cleaner) files(found []version) (edits []git.Edit, err error) {
	for _, v := range found {
		data, err := chunk.EncodeDocument(v.Redaction)
		if err != nil {
			return nil, err
		}
		blob, err := c.w.Blob(data)
		if err != nil {
			return nil, err
		}
		edits = append(edits, git.Edit{Path: metadata.RedactionPath(v.old), Mode: git.ModeFile, OID: blob})
	}
	return edits, nil
}

func unique(ids []id.CheckpointID) []id.CheckpointID {
	f := metadata.Forgotten{}
	for _, cp := range ids {
		f[cp] = true
	}
	return f.Sorted()
}

// A version is a redacted version of a checkpoint.
type version struct {
	metadata.Redaction
	old, new git.OID
}

// A cleaner takes secrets out of folders. It remembers what it has done.
type cleaner struct {
	f     Redacting
	repo  *git.Repo
	rd    *git.Reader
	w     *git.Writer
	blobs map[git.OID]git.OID // of those that changed
	same  map[git.OID]bool    // blobs without secrets

	bodies map[git.OID]bool // blobs that stand for bodies
}

// versions cleans every version of the checkpoints in the history of tip. left are the checkpoints with a version that
// cannot be cleaned.
func (c *cleaner) versions(ctx context.Context, tip git.OID) (found []version, left map[id.CheckpointID]error, err error) {
	left = map[id.CheckpointID]error{}
	for _, cp := range c.f.IDs {
		folders, err := foldersOf(ctx, c.repo, cp, tip)
		if err != nil {
			return nil, nil, err
		}
		var own []version
		for _, old := range folders {
			v, err := c.version(cp, old)
			if errors.Is(err, errNotRedacted) {
				left[cp] = err
				break
			}
			if err != nil {
				return nil, nil, err
			}
			if v.new != old {
				own = append(own, v)
			}
		}
		if left[cp] == nil {
			found = append(found, own...)
		}
	}
	return found, left, nil
}

// foldersOf lists the folders that a checkpoint had in a history, without those that are redacted already.
func foldersOf(ctx context.Context, repo *git.Repo, cp id.CheckpointID, tip git.OID) (folders []git.OID, err error) {
	k := newHistoryRewriter(ctx, repo, metadata.Forgotten{cp: true})
	commits, err := k.commitsTouching(tip, 0)
	if err != nil {
		return nil, err
	}
	seen := map[git.OID]bool{}
	var ask chunk.Batch
	for _, commit := range commits {
		ask.Add(commit.String()+":"+cp.Path(), func(o git.Object) error {
			if o.Type == "tree" && !seen[o.OID] {
				seen[o.OID] = true
				folders = append(folders, o.OID)
			}
			return nil
		})
	}
	return folders, ask.Run(repo.Reader(ctx))
}

func (c *cleaner) version(cp id.CheckpointID, old git.OID) (v version, err error) {
	v = version{Redaction: metadata.Redaction{Version: metadata.RedactionVersion, ID: cp, When: c.f.When.UTC().Truncate(time.Second), Old: old.String(), Files: map[string]string{}}, old: old}
	hashes := map[string]string{}
	if err := c.hashes(old, hashes); err != nil {
		return v, err
	}
	if v.new, err = c.folder(old, strings.NewReplacer(pairs(hashes)...), v.Files); err != nil {
		return v, err
	}
	v.New = v.new.String()
	return v, nil
}

func pairs(m map[string]string) (out []string) {
	for a, b := range m {
		out = append(out, a, b)
	}
	return out
}

// clean returns a blob's text and what takes its place.
func (c *cleaner) clean(oid git.OID) (old, new []byte, err error) {
	if old, err = c.rd.RawBlob(oid); err != nil {
		return nil, nil, err
	}
	if c.same[oid] && !bodies.Is(old) {
		return old, old, nil
	}
	if seal.Is(old) {
		text, err := c.rd.Open(old)
		if err != nil {
			return old, old, nil // nobody here knows whether it has secrets
		}
		if plain, err := c.f.Clean(text); err != nil || string(plain) != string(text) {
			return nil, nil, fmt.Errorf("%w: it is encrypted", errNotRedacted)
		}
		c.same[oid] = true
		return old, old, nil
	}
	if bodies.Is(old) {
		return c.cleanBody(oid, old)
	}
	if new, err = c.f.Clean(old); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNotRedacted, err)
	}
	c.same[oid] = string(new) == string(old)
	return old, new, nil
}

// cleanBody is clean for a blob that stands for a body: old and new are the texts.
func (c *cleaner) cleanBody(oid git.OID, blob []byte) (old, new []byte, err error) {
	c.bodies[oid] = true
	o, err := c.rd.Object(oid.String())
	if err != nil {
		return nil, nil, err
	}
	if old = o.Data; o.Sealed != nil {
		var locked *vault.SealedError
		if errors.As(o.Sealed, &locked) {
			return blob, blob, nil // nobody here knows whether it has secrets
		}
		return nil, nil, fmt.Errorf("%w: %w", errNotRedacted, o.Sealed)
	}
	if new, err = c.f.Clean(old); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNotRedacted, err)
	}
	if c.same[oid] = string(new) == string(old); !c.same[oid] && c.repo.Bodies.Sealed(blob) {
		return nil, nil, fmt.Errorf("%w: it is encrypted", errNotRedacted)
	}
	return old, new, nil
}

// hashes computes the new hash of each transcript and of each session's messages below a folder that changes.
func (c *cleaner) hashes(tree git.OID, hashes map[string]string) error {
	entries, err := c.rd.Tree(tree)
	if err != nil {
		return err
	}
	type joined struct{ old, new [][]byte }
	groups := map[string]*joined{}
	for _, e := range entries {
		if e.Mode == git.ModeTree {
			if err := c.hashes(e.OID, hashes); err != nil {
				return err
			}
			continue
		}
		stem, _, found := strings.Cut(e.Name, ".jsonl")
		if !found && !chunk.IsChunk(e) {
			continue
		}
		old, new, err := c.clean(e.OID)
		if err != nil {
			return err
		}
		if groups[stem] == nil {
			groups[stem] = &joined{}
		}
		groups[stem].old, groups[stem].new = append(groups[stem].old, old), append(groups[stem].new, new)
	}
	for _, g := range groups {
		// Whoever made a hash has joined the chunks in one of two ways; a document in several pieces keeps its hash.
		for _, join := range []func([][]byte) []byte{chunk.JoinChunks, func(all [][]byte) []byte { return []byte(join(all)) }} {
			if a, b := chunk.HashOf(join(g.old)), chunk.HashOf(join(g.new)); a != b {
				hashes[a] = b
			}
		}
	}
	return nil
}

func join(all [][]byte) (out string) {
	var b strings.Builder
	for _, one := range all {
		b.Write(one)
	}
	return b.String()
}

// folder returns the folder without secrets, and with the new hashes. It notes in files which objects directly in it
// changed; nil notes none.
func (c *cleaner) folder(tree git.OID, hashes *strings.Replacer, files map[string]string) (git.OID, error) {
	entries, err := c.rd.Tree(tree)
	if err != nil {
		return git.OID{}, err
	}
	changed := false
	for i, e := range entries {
		if statement.IsFile(e.Name) || e.Name == records.AttributionName || e.Mode == git.ModeGitlink {
			continue // the record of lines has no text, and its fingerprints may look like secrets
		}
		now := e.OID
		if e.Mode == git.ModeTree {
			now, err = c.folder(e.OID, hashes, nil)
		} else {
			now, err = c.file(e, hashes)
		}
		if err != nil {
			return git.OID{}, err
		}
		if now != e.OID {
			if files != nil {
				files[e.OID.String()] = now.String()
			}
			entries[i].OID, changed = now, true
		}
	}
	if !changed {
		return tree, nil
	}
	return c.w.Tree(entries)
}

func (c *cleaner) file(e git.TreeEntry, hashes *strings.Replacer) (git.OID, error) {
	old, new, err := c.clean(e.OID)
	if err != nil {
		return git.OID{}, err
	}
	if c.bodies[e.OID] && string(old) != string(new) {
		oid, err := c.repo.Conversation("").Blob(new)
		c.blobs[e.OID] = oid
		return oid, err
	}
	if e.Name == metadata.ContentHashName || strings.HasSuffix(e.Name, ".json") {
		new = []byte(hashes.Replace(string(new)))
	}
	if string(old) == string(new) {
		return e.OID, nil
	}
	oid, err := c.w.Blob(new)
	c.blobs[e.OID] = oid
	return oid, err
}
