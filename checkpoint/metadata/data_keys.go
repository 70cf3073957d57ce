package metadata

import (
	"context"
	"fmt"
	"strings"

	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/internal/seal"
)

// addKeys adds the clone's data keys that the branch does not have yet, wrapped to their recipients.
func (b *build) addKeys(rd *git.Reader) error {
	if b.at.own { // see withKeys
		return nil
	}
	var lookErr error
	files, err := b.repo.Vault.Publish(func(id seal.KeyID) bool {
		_, found, err := rd.Path(b.root, git.KeysFolder+"/"+id.String())
		if err != nil {
			lookErr = err
		}
		return found
	})
	if err == nil {
		err = lookErr
	}
	if err != nil {
		return fmt.Errorf("add data keys: %w", err)
	}
	for name, data := range files {
		oid, err := b.writer.Blob(data)
		if err != nil {
			return err
		}
		b.edits = append(b.edits, git.Edit{Path: git.KeysFolder + "/" + name, Mode: git.ModeFile, OID: oid})
	}
	return nil
}

// withKeys adds to the moves of a checkpoint in a ref of its own that of the metadata branch, if that lacks data
// keys of the clone. A move of the branch among them has added the keys already.
func withKeys(ctx context.Context, repo *git.Repo, moves []git.RefUpdate) ([]git.RefUpdate, error) {
	if on, err := repo.Vault.On(); !on || err != nil {
		return moves, err
	}
	for _, m := range moves {
		if m.Name == shadow.MetadataRef {
			return moves, nil
		}
	}
	old, start, err := Tip(ctx, repo)
	if err != nil {
		return nil, err
	}
	b := &build{repo: repo, writer: repo.Writer(), at: onBranch(start)}
	rd := repo.Reader(ctx)
	if !start.IsZero() {
		c, err := rd.Commit(start)
		if err != nil {
			return nil, err
		}
		b.root = c.Tree
	}
	if err := b.addKeys(rd); err != nil || len(b.edits) == 0 {
		return moves, err
	}
	b.edits, b.author = nil, repo.Identity(ctx)
	tip, err := b.commit(ctx, "Add data keys")
	return append(moves, git.RefUpdate{Name: shadow.MetadataRef, New: tip, Old: old}), err
}

// Keys are the data keys on the metadata branch: the recipients that each is wrapped to.
type Keys map[seal.KeyID]map[string]bool

// ReadKeys returns the data keys of a tree of the metadata branch.
func ReadKeys(rd *git.Reader, root git.OID) (Keys, error) {
	keys := Keys{}
	folder, found, err := rd.Path(root, git.KeysFolder)
	if err != nil || !found || folder.Mode != git.ModeTree {
		return keys, err
	}
	entries, err := rd.Tree(folder.OID)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		key, ok := seal.ParseKeyID(e.Name)
		if !ok || e.Mode != git.ModeTree {
			continue
		}
		forms, err := rd.Tree(e.OID)
		if err != nil {
			return nil, err
		}
		keys[key] = map[string]bool{}
		for _, f := range forms {
			if name, ok := strings.CutSuffix(f.Name, ".age"); ok && f.Mode == git.ModeFile {
				keys[key][name] = true
			}
		}
	}
	return keys, nil
}

// Rewrapped is a change of one wrapped form of a data key.
type Rewrapped struct {
	Key       seal.KeyID
	Recipient string // its ID
	Form      []byte // nil removes the form
}

// ChangeKeys changes wrapped data keys on the metadata branch. change gets those that the branch has, and is
// called again if the branch moved meanwhile.
func ChangeKeys(ctx context.Context, repo *git.Repo, author git.Signature, message string, change func(have Keys) ([]Rewrapped, error)) error {
	return UpdateMetadata(ctx, repo, nil, func(tip git.OID) (git.OID, error) {
		b := &build{repo: repo, writer: repo.Writer(), author: Signature(author), at: onBranch(tip)}
		rd := repo.Reader(ctx)
		if !tip.IsZero() {
			c, err := rd.Commit(tip)
			if err != nil {
				return tip, err
			}
			b.root = c.Tree
		}
		have, err := ReadKeys(rd, b.root)
		if err != nil {
			return tip, err
		}
		forms, err := change(have)
		if err != nil || len(forms) == 0 {
			return tip, err
		}
		for _, f := range forms {
			e := git.Edit{Path: git.KeysFolder + "/" + f.Key.String() + "/" + f.Recipient + ".age"}
			if f.Form != nil {
				e.Mode = git.ModeFile
				if e.OID, err = b.writer.Blob(f.Form); err != nil {
					return tip, err
				}
			}
			b.edits = append(b.edits, e)
		}
		return b.commit(ctx, message)
	})
}

// KeysHere returns the data keys that the metadata branch has; none without a branch.
func KeysHere(ctx context.Context, repo *git.Repo) (Keys, error) {
	c, found, err := repo.Reader(ctx).CommitOf(shadow.MetadataRef)
	if err != nil || !found {
		return Keys{}, err
	}
	return ReadKeys(repo.Reader(ctx), c.Tree)
}
