package metadata

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint/chunk"
	"entire/checkpoint/epoch"
	"entire/checkpoint/statement"
	"entire/id"
	"entire/internal/git"
)

// build is one new commit on the metadata branch, or in a checkpoint's own ref.
type build struct {
	repo      *git.Repo
	writer    *git.Writer
	author    git.Signature
	at        place
	root      git.OID // the tree of at.tip
	folder    *Folder
	edits     []git.Edit
	forgotten bool // the checkpoint has a tombstone: nothing may be written
	stating   *Stating
	about     about // for the statement
}

// about is the user's commit of a checkpoint; zero where it is not known.
type about struct {
	commit, tree git.OID
	person       statement.Person
}

func startBuild(ctx context.Context, repo *git.Repo, at place, cp id.CheckpointID, author git.Signature) (*build, error) {
	b := &build{repo: repo, writer: repo.Writer(), author: Signature(author), at: at}
	stones := git.OID{} // the tree that has the tombstones
	for tip, root := range map[git.OID]*git.OID{at.tip: &b.root, at.branch: &stones} {
		if tip.IsZero() {
			continue
		}
		c, err := repo.Reader(ctx).Commit(tip)
		if err != nil {
			return nil, err
		}
		*root = c.Tree
	}
	gone, err := ReadForgotten(repo.Reader(ctx), b.root, stones)
	if err != nil {
		return nil, err
	}
	b.forgotten = gone[cp]
	b.folder, err = b.load(ctx, cp)
	return b, err
}

// load reads the checkpoint as it is now; a new one is an empty folder.
func (b *build) load(ctx context.Context, cp id.CheckpointID) (*Folder, error) {
	rd := b.repo.Reader(ctx)
	if b.at.own {
		f := RefFolder(cp, b.root, Whole)
		if b.root.IsZero() {
			return f, nil
		}
		entries, err := rd.Tree(b.root)
		if f.Entries = entries; err != nil {
			return nil, err
		}
		return f, FillFolders(rd, []*Folder{f}, b.repo.HashLen())
	}
	folders, err := LoadFolders(rd, b.root, []id.CheckpointID{cp}, b.repo.HashLen(), Whole)
	if err != nil {
		return nil, err
	}
	if folders[0] == nil {
		return b.loadSealed(ctx, cp)
	}
	return folders[0], nil
}

// loadSealed reads a checkpoint that is in an epoch and no longer on the branch. The build then begins with it on
// the branch, so that what is written counts until the next sealing. If its content is not in this clone, the folder
// is empty: a hook stores its part, and the sealing merges both.
func (b *build) loadSealed(ctx context.Context, cp id.CheckpointID) (*Folder, error) {
	set, err := epoch.LoadFor(ctx, b.repo, []id.CheckpointID{cp})
	if err != nil || len(set) == 0 || cp.IsZero() {
		return &Folder{ID: cp}, err
	}
	rd := b.repo.Reader(ctx)
	rows, _, err := set.Find(rd, []id.CheckpointID{cp})
	row, here := rows[cp]
	if err != nil || !here {
		return &Folder{ID: cp}, err
	}
	f := TreeFolder(cp, row.Tree, Whole)
	if f.Entries, err = rd.Tree(row.Tree); errors.Is(err, git.ErrMissing) {
		return &Folder{ID: cp}, nil
	}
	if err == nil {
		b.root, err = b.repo.EditTree(ctx, b.root, []git.Edit{{Path: cp.Path(), Mode: git.ModeTree, OID: row.Tree}})
	}
	if err != nil {
		return nil, err
	}
	return f, FillFolders(rd, []*Folder{f}, b.repo.HashLen())
}

// Signature fills in the defaults of an author's name and email, as readers of the branch
// expect them.
func Signature(s git.Signature) git.Signature {
	s.Name = cmp.Or(s.Name, "Unknown")
	s.Email = cmp.Or(s.Email, "unknown@local")
	return s
}

// putSession writes one session into its slot.
func (b *build) putSession(rec *Record, sr *SessionRecord) error {
	s, err := b.slotFor(sr.Metadata.SessionID)
	if err != nil {
		return err
	}
	m := sr.Metadata
	if s.Err == nil && s.Meta.SessionID != "" {
		if m.Summary == nil {
			m.Summary = s.Meta.Summary
		}
		if m.unknown == nil {
			m.unknown = s.Meta.unknown
		}
	}
	m.CheckpointID = rec.ID
	m.Strategy = cmp.Or(m.Strategy, rec.Strategy)
	m.Branch = cmp.Or(m.Branch, rec.Branch)
	m.CLIVersion = cmp.Or(m.CLIVersion, rec.CLIVersion)
	m.CreatedAt = m.CreatedAt.UTC()
	m.FilesTouched = sortedUnion(m.FilesTouched)
	m.TranscriptLinesAtStart = m.CheckpointTranscriptStart
	s.Meta, s.Err = m, nil

	b.addExtra(b.slotPath(s), sr.Extra)
	for _, e := range sr.Extra {
		if !strings.Contains(e.Path, "/") {
			s.set(git.TreeEntry{Mode: e.Mode, Name: e.Path, OID: e.OID})
		}
	}
	return errors.Join(
		b.putConversation(s, sr.Transcript, sr.ContentHash, sr.Messages),
		b.putText(s, PromptName, sr.Prompts),
		b.putText(s, ContextName, sr.Context),
		b.putDocument(s, s.Meta))
}

// slotFor returns the session's slot, and makes one if it has none.
func (b *build) slotFor(sessionID string) (*Slot, error) {
	f := b.folder
	s, _ := f.Session(sessionID)
	if s == nil {
		f.Slots = append(f.Slots, Slot{Number: f.NextSlot()})
		return &f.Slots[len(f.Slots)-1], nil
	}
	if s.Number == RootSlot {
		return s, b.moveRootSlot(s)
	}
	return s, nil
}

// moveRootSlot moves a session of the older layout into a numbered folder, because the summary
// takes the place of its metadata.
func (b *build) moveRootSlot(s *Slot) error {
	old := b.slotPath(s)
	s.Number = b.folder.NextSlot()
	for _, e := range s.Files {
		if e.Name != FileName {
			b.edit(old+e.Name, git.TreeEntry{})
			b.edit(b.slotPath(s)+e.Name, e)
		}
	}
	return b.putDocument(s, s.Meta)
}

func (b *build) slotPath(s *Slot) string { return b.folder.base() + slotPrefix(s.Number) }

func (b *build) edit(path string, e git.TreeEntry) {
	b.edits = append(b.edits, git.Edit{Path: path, Mode: e.Mode, OID: e.OID})
}

func (b *build) addExtra(prefix string, edits []git.Edit) {
	for _, e := range edits {
		e.Path = prefix + e.Path
		b.edits = append(b.edits, e)
	}
}

// put writes a file of a slot.
func (b *build) put(s *Slot, e git.TreeEntry) {
	s.set(e)
	b.edit(b.slotPath(s)+e.Name, e)
}

// putConversation replaces a slot's transcript and the session's messages. It removes messages that
// were made from another transcript.
func (b *build) putConversation(s *Slot, chunks []git.TreeEntry, contentHash string, m *Messages) error {
	have := b.folder.Messages(s.Meta.SessionID)
	if s.Number != RootSlot && m != nil || have != nil && len(chunks) > 0 && have.Info.Transcript != contentHash {
		if err := b.putMessages(s, m); err != nil {
			return err
		}
	}
	return b.putTranscript(s, chunks, contentHash)
}

// putTranscript replaces the chunks of a slot and their hash. Without chunks it changes
// nothing.
func (b *build) putTranscript(s *Slot, chunks []git.TreeEntry, contentHash string) error {
	if len(chunks) == 0 {
		return nil
	}
	for _, e := range slices.Clone(s.Files) {
		_, isChunk := chunk.Number(e.Name)
		if isChunk || e.Name == ContentHashName && contentHash == "" {
			b.put(s, git.TreeEntry{Name: e.Name})
		}
	}
	for _, e := range chunks {
		b.put(s, git.TreeEntry{Mode: git.ModeFile, Name: e.Name, OID: e.OID})
	}
	return b.putText(s, ContentHashName, contentHash)
}

func (b *build) putText(s *Slot, name, text string) error {
	if text == "" {
		return nil
	}
	return b.putWith(b.repo.Sealed(s.Meta.SessionID), s, name, []byte(text))
}

func (b *build) putWith(w chunk.ObjectWriter, s *Slot, name string, data []byte) error {
	oid, err := w.Blob(data)
	if err == nil {
		b.put(s, git.TreeEntry{Mode: git.ModeFile, Name: name, OID: oid})
	}
	return err
}

func (b *build) putDocument(s *Slot, doc CommittedMetadata) error {
	stored, err := doc.sealed(b.repo)
	if err != nil {
		return err
	}
	data, err := chunk.EncodeDocument(stored)
	if err != nil {
		return fmt.Errorf("encode %s: %w", b.slotPath(s)+FileName, err)
	}
	return b.putWith(b.writer, s, FileName, data)
}

// putSummary writes the summary with new sums and the list of sessions.
func (b *build) putSummary() error {
	f := b.folder
	for i := range f.Slots {
		s := &f.Slots[i]
		if s.Number == RootSlot {
			if err := b.moveRootSlot(s); err != nil {
				return err
			}
		}
	}
	f.Summarize()
	data, err := chunk.EncodeDocument(f.StoredSummary(b.repo.Vault.HidesMetadata()))
	if err != nil {
		return fmt.Errorf("encode summary: %w", err)
	}
	oid, err := b.writer.Blob(data)
	b.edit(f.base()+FileName, git.TreeEntry{Mode: git.ModeFile, OID: oid})
	return err
}

// Summarize computes the summary's list of sessions and its sums from the slots.
func (f *Folder) Summarize() {
	var metas []CommittedMetadata
	f.Summary.Sessions = make([]SessionFilePaths, len(f.Slots))
	for i := range f.Slots {
		s := &f.Slots[i]
		if s.Err == nil {
			metas = append(metas, s.Meta)
		}
		f.Summary.Sessions[i] = f.Paths(s)
	}
	f.Summary.CheckpointsCount, f.Summary.FilesTouched, f.Summary.TokenUsage = aggregate(metas)
}

// StoredSummary returns the summary as it is stored: without what lists show, if it shall be hidden or is hidden in a
// session. Who can read the sessions computes it.
func (f *Folder) StoredSummary(hidden bool) CheckpointSummary {
	sum := f.Summary
	if hidden || f.unlisted() {
		sum.Branch, sum.CheckpointsCount, sum.FilesTouched, sum.TokenUsage = "", 0, nil, nil
	}
	return sum
}

// unlisted reports whether a session hides what lists show.
func (f *Folder) unlisted() bool {
	return slices.ContainsFunc(f.Slots, func(s Slot) bool { return s.Err == nil && s.Meta.Unlisted })
}

// commit writes the trees and the commit and makes them durable. If the build changes nothing,
// commit returns the tip. A ref of one checkpoint begins with a commit without a parent.
func (b *build) commit(ctx context.Context, message string) (git.OID, error) {
	if err := b.addKeys(b.repo.Reader(ctx)); err != nil {
		return git.OID{}, err
	}
	tree, err := b.repo.EditTree(ctx, b.root, b.edits)
	if err != nil {
		return git.OID{}, err
	}
	tip := b.at.tip
	if tip.IsZero() && !b.at.own {
		if tip, err = InitialCommit(b.repo); err != nil {
			return git.OID{}, err
		}
	}
	if tree == b.root {
		return tip, b.writer.Sync()
	}
	if b.stating != nil && !b.at.own { // the chains are on the branch
		if tree, err = b.state(ctx, tree); err != nil {
			return git.OID{}, err
		}
	}
	c := git.Commit{Tree: tree, Author: b.author, Committer: b.author, Message: message}
	if !tip.IsZero() {
		c.Parents = []git.OID{tip}
	}
	c.Sealed = b.stating.seal(ctx, "git", c.Encode())
	oid, err := b.writer.Commit(c)
	if err != nil {
		return git.OID{}, err
	}
	return oid, b.writer.Sync()
}
