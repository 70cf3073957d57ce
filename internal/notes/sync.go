package notes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"entire/internal/formats"
	"entire/internal/formats/authorship"
	"entire/internal/git"
)

// Wanted is the note that a commit should have.
type Wanted struct {
	Commit git.OID
	Text   []byte
}

// Synced says what Sync did with each note, by commit.
type Synced struct {
	Written []git.OID // there was none
	Renewed []git.OID // ours said something else
	Same    []git.OID
	Foreign []git.OID // another program wrote it: left as it is
}

// attempts is how often Sync tries again after another process has moved the ref.
const attempts = 5

// Sync writes notes to a ref in one commit, and leaves those of other programs as they are. With dry it only says
// what it would do.
func Sync(ctx context.Context, repo *git.Repo, ref string, wanted []Wanted, now time.Time, dry bool) (Synced, error) {
	for try := 1; ; try++ {
		done, err := syncOnce(ctx, repo, ref, wanted, now, dry)
		if !errors.Is(err, git.ErrRefMoved) || try == attempts {
			return done, err
		}
	}
}

func syncOnce(ctx context.Context, repo *git.Repo, ref string, wanted []Wanted, now time.Time, dry bool) (done Synced, err error) {
	tip, err := Tip(ctx, repo, ref)
	if err != nil {
		return done, err
	}
	b, err := Open(ctx, repo, tip)
	if err != nil {
		return done, err
	}
	var edits []git.Edit
	w := repo.Writer()
	for _, want := range wanted {
		path, blob, err := b.find(ctx, want.Commit)
		if err != nil {
			return done, err
		}
		list := &done.Written
		if !blob.IsZero() {
			text, err := b.text(ctx, want.Commit, blob)
			switch {
			case err != nil || !ours(text):
				list = &done.Foreign
			case bytes.Equal(text, want.Text):
				list = &done.Same
			default:
				list = &done.Renewed
			}
		}
		*list = append(*list, want.Commit)
		if dry || list != &done.Written && list != &done.Renewed {
			continue
		}
		oid, err := w.Blob(want.Text)
		if err != nil {
			return done, fmt.Errorf("write the note of %s: %w", want.Commit.Short(), err)
		}
		edits = append(edits, git.Edit{Path: path, Mode: git.ModeFile, OID: oid})
	}
	if len(edits) == 0 {
		return done, nil
	}
	return done, b.move(ctx, ref, edits, now)
}

// ours reports whether this program wrote a note.
func ours(text []byte) bool {
	n, err := authorship.Decode(text, nil)
	return err == nil && formats.Ours(n)
}

// move commits edits on top of the book, and moves the ref from there.
func (b *Book) move(ctx context.Context, ref string, edits []git.Edit, now time.Time) error {
	tree, err := b.repo.EditTree(ctx, b.tree, edits)
	if err != nil {
		return fmt.Errorf("write the notes: %w", err)
	}
	who := b.repo.Identity(ctx)
	who.When = now
	c := git.Commit{Tree: tree, Author: who, Committer: who, Message: "Notes added by 'entire notes sync'\n"}
	if !b.Tip.IsZero() {
		c.Parents = []git.OID{b.Tip}
	}
	w := b.repo.Writer()
	tip, err := w.Commit(c)
	if err == nil {
		err = w.Sync()
	}
	if err == nil {
		err = b.repo.UpdateRefs(ctx, []git.RefUpdate{{Name: ref, Old: b.Tip, New: tip}})
	}
	if err != nil {
		return fmt.Errorf("move %s: %w", ref, err)
	}
	return nil
}
