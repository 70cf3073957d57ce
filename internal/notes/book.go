package notes

import (
	"context"
	"fmt"

	"entire/internal/formats/authorship"
	"entire/internal/git"
)

// noteMax is the size up to which a note is read.
const noteMax = 4 << 20

// Book is the notes at one commit of a notes ref. Its zero OID has no notes.
type Book struct {
	repo *git.Repo
	tree git.OID
	Tip  git.OID
}

// Open returns the notes at a commit of a notes ref.
func Open(ctx context.Context, repo *git.Repo, tip git.OID) (*Book, error) {
	b := &Book{repo: repo, Tip: tip}
	if tip.IsZero() {
		return b, nil
	}
	c, err := repo.Reader(ctx).Commit(tip)
	if err != nil {
		return nil, fmt.Errorf("read the notes at %s: %w", tip.Short(), err)
	}
	b.tree = c.Tree
	return b, nil
}

// places returns the paths at which notes of a commit may be. New notes go to the first, as git-ai's do; git itself
// writes the others.
func places(commit git.OID) []string {
	hex := commit.String()
	return []string{hex[:2] + "/" + hex[2:], hex, hex[:2] + "/" + hex[2:4] + "/" + hex[4:]}
}

// find returns the path and the object of a commit's note.
func (b *Book) find(ctx context.Context, commit git.OID) (path string, blob git.OID, err error) {
	if b.tree.IsZero() {
		return places(commit)[0], blob, nil
	}
	for _, path := range places(commit) {
		e, found, err := b.repo.Reader(ctx).Path(b.tree, path)
		if err != nil {
			return "", blob, fmt.Errorf("look for the note of %s: %w", commit.Short(), err)
		}
		if found && e.Mode != git.ModeTree {
			return path, e.OID, nil
		}
	}
	return places(commit)[0], blob, nil
}

// Note returns the text of a commit's note; nil if there is none.
func (b *Book) Note(ctx context.Context, commit git.OID) ([]byte, error) {
	_, blob, err := b.find(ctx, commit)
	if err != nil || blob.IsZero() {
		return nil, err
	}
	return b.text(ctx, commit, blob)
}

func (b *Book) text(ctx context.Context, commit, blob git.OID) ([]byte, error) {
	objs, err := b.repo.Reader(ctx).Small(noteMax, blob.String())
	if err != nil {
		return nil, fmt.Errorf("read the note of %s: %w", commit.Short(), err)
	}
	if len(objs) != 1 || objs[0].Large {
		return nil, fmt.Errorf("read the note of %s: it has more than %d bytes", commit.Short(), noteMax)
	}
	return objs[0].Data, nil
}

// Commits returns the commits that have notes.
func (b *Book) Commits(ctx context.Context) ([]git.OID, error) {
	if b.tree.IsZero() {
		return nil, nil
	}
	return b.commitsBelow(ctx, b.tree, "")
}

func (b *Book) commitsBelow(ctx context.Context, tree git.OID, prefix string) (out []git.OID, err error) {
	entries, err := b.repo.Reader(ctx).Tree(tree)
	if err != nil {
		return nil, fmt.Errorf("list the notes: %w", err)
	}
	for _, e := range entries {
		name := prefix + e.Name
		switch {
		case e.Mode == git.ModeTree && len(e.Name) == 2 && len(prefix) < 8:
			below, err := b.commitsBelow(ctx, e.OID, name)
			if err != nil {
				return nil, err
			}
			out = append(out, below...)
		case e.Mode != git.ModeTree:
			if oid, err := git.ParseOID(name); err == nil {
				out = append(out, oid)
			}
		}
	}
	return out, nil
}

// lengthsIn returns a function that counts the lines of a commit's files.
func lengthsIn(ctx context.Context, repo *git.Repo, commit git.OID) authorship.Length {
	reader := repo.Reader(ctx)
	c, err := reader.Commit(commit)
	counted := map[string]int{}
	return func(path string) (int, bool) {
		if n, there := counted[path]; there {
			return n, n >= 0
		}
		n := -1
		if err == nil {
			if e, found, err := reader.Path(c.Tree, path); err == nil && found && e.Mode != git.ModeTree {
				if text, err := reader.Blob(e.OID); err == nil {
					n = lines(text)
				}
			}
		}
		counted[path] = n
		return n, n >= 0
	}
}

// lines counts lines as git does: the last one need not end.
func lines(text []byte) (n int) {
	for _, c := range text {
		if c == '\n' {
			n++
		}
	}
	if k := len(text); k > 0 && text[k-1] != '\n' {
		n++
	}
	return n
}

// Tip returns the commit that a notes ref points to; zero if there is no such ref.
func Tip(ctx context.Context, repo *git.Repo, ref string) (git.OID, error) {
	oid, found, err := repo.Ref(ctx, ref)
	if err != nil {
		return git.OID{}, fmt.Errorf("read %s: %w", ref, err)
	}
	if !found {
		return git.OID{}, nil
	}
	return oid, nil
}
