package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/id"
	"entire/internal/git"
)

// build is one new commit on the metadata branch.
type build struct {
	repo   *git.Repo
	writer *git.Writer
	author git.Signature
	tip    git.OID // zero: the branch starts here
	root   git.OID
	folder *folder
	edits  []git.Edit
	gone   bool // the checkpoint has a tombstone: nothing may be written
}

func startBuild(ctx context.Context, repo *git.Repo, tip git.OID, cp id.CheckpointID, author git.Signature) (*build, error) {
	b := &build{repo: repo, writer: repo.Writer(), author: signature(author), tip: tip}
	if !tip.IsZero() {
		c, err := repo.Reader(ctx).Commit(tip)
		if err != nil {
			return nil, err
		}
		b.root = c.Tree
	}
	gone, err := readForgotten(repo.Reader(ctx), b.root)
	if err != nil {
		return nil, err
	}
	b.gone = gone[cp]
	folders, err := loadFolders(repo.Reader(ctx), b.root, []id.CheckpointID{cp}, hashLen(repo), false)
	if err != nil {
		return nil, err
	}
	if b.folder = folders[0]; b.folder == nil {
		b.folder = &folder{id: cp}
	}
	return b, nil
}

func hashLen(repo *git.Repo) int {
	if repo.SHA256 {
		return 32
	}
	return 20
}

// signature fills in the defaults of an author's name and email, as readers of the branch
// expect them.
func signature(s git.Signature) git.Signature {
	s.Name = orDefault(s.Name, "Unknown")
	s.Email = orDefault(s.Email, "unknown@local")
	return s
}

// putSession writes one session into its slot.
func (b *build) putSession(rec *Record, sr *SessionRecord) error {
	s, err := b.slotFor(sr.Metadata.SessionID)
	if err != nil {
		return err
	}
	m := sr.Metadata
	if s.err == nil && s.meta.SessionID != "" {
		if m.Summary == nil {
			m.Summary = s.meta.Summary
		}
		if m.unknown == nil {
			m.unknown = s.meta.unknown
		}
	}
	m.CheckpointID = rec.ID
	m.Strategy = orDefault(m.Strategy, rec.Strategy)
	m.Branch = orDefault(m.Branch, rec.Branch)
	m.CLIVersion = orDefault(m.CLIVersion, rec.CLIVersion)
	m.CreatedAt = m.CreatedAt.UTC()
	m.FilesTouched = sortedUnion(m.FilesTouched)
	m.TranscriptLinesAtStart = m.CheckpointTranscriptStart
	s.meta, s.err = m, nil

	b.extra(b.slotPath(s), sr.Extra)
	for _, e := range sr.Extra {
		if !strings.Contains(e.Path, "/") {
			s.set(git.TreeEntry{Mode: e.Mode, Name: e.Path, OID: e.OID})
		}
	}
	return errors.Join(
		b.putTalk(s, sr.Transcript, sr.ContentHash, sr.Messages),
		b.putText(s, promptName, sr.Prompts),
		b.putText(s, contextName, sr.Context),
		b.putDocument(s, s.meta))
}

// slotFor returns the session's slot, and makes one if it has none.
func (b *build) slotFor(sessionID string) (*slot, error) {
	f := b.folder
	s, _ := f.session(sessionID)
	if s == nil {
		f.slots = append(f.slots, slot{number: f.nextSlot()})
		return &f.slots[len(f.slots)-1], nil
	}
	if s.number == rootSlot {
		return s, b.moveRootSlot(s)
	}
	return s, nil
}

// moveRootSlot moves a session of the older layout into a numbered folder, because the summary
// takes the place of its metadata.
func (b *build) moveRootSlot(s *slot) error {
	old := b.slotPath(s)
	s.number = b.folder.nextSlot()
	for _, e := range s.files {
		if e.Name != metadataName {
			b.edit(old+e.Name, git.TreeEntry{})
			b.edit(b.slotPath(s)+e.Name, e)
		}
	}
	return b.putDocument(s, s.meta)
}

func (b *build) slotPath(s *slot) string { return b.folder.id.Path() + "/" + slotPrefix(s.number) }

func (b *build) edit(path string, e git.TreeEntry) {
	b.edits = append(b.edits, git.Edit{Path: path, Mode: e.Mode, OID: e.OID})
}

func (b *build) extra(prefix string, edits []git.Edit) {
	for _, e := range edits {
		e.Path = prefix + e.Path
		b.edits = append(b.edits, e)
	}
}

// put writes a file of a slot.
func (b *build) put(s *slot, e git.TreeEntry) {
	s.set(e)
	b.edit(b.slotPath(s)+e.Name, e)
}

// putTalk replaces a slot's transcript and the session's messages. It removes messages that
// were made from another transcript.
func (b *build) putTalk(s *slot, chunks []git.TreeEntry, contentHash string, m *Messages) error {
	have := b.folder.messages(s.meta.SessionID)
	if s.number != rootSlot && m != nil || have != nil && len(chunks) > 0 && have.info.Transcript != contentHash {
		if err := b.putMessages(s, m); err != nil {
			return err
		}
	}
	return b.putTranscript(s, chunks, contentHash)
}

// putTranscript replaces the chunks of a slot and their hash. Without chunks it changes
// nothing.
func (b *build) putTranscript(s *slot, chunks []git.TreeEntry, contentHash string) error {
	if len(chunks) == 0 {
		return nil
	}
	for _, e := range slices.Clone(s.files) {
		_, isChunk := chunkNumber(e.Name)
		if isChunk || e.Name == contentHashName && contentHash == "" {
			b.put(s, git.TreeEntry{Name: e.Name})
		}
	}
	for _, e := range chunks {
		b.put(s, git.TreeEntry{Mode: git.ModeFile, Name: e.Name, OID: e.OID})
	}
	return b.putText(s, contentHashName, contentHash)
}

func (b *build) putText(s *slot, name, text string) error {
	if text == "" {
		return nil
	}
	oid, err := b.writer.Blob([]byte(text))
	if err == nil {
		b.put(s, git.TreeEntry{Mode: git.ModeFile, Name: name, OID: oid})
	}
	return err
}

func (b *build) putDocument(s *slot, doc any) error {
	data, err := encodeDocument(doc)
	if err != nil {
		return fmt.Errorf("encode %s: %w", b.slotPath(s)+metadataName, err)
	}
	return b.putText(s, metadataName, string(data))
}

// putSummary writes the summary with new sums and the list of sessions.
func (b *build) putSummary() error {
	f := b.folder
	for i := range f.slots {
		s := &f.slots[i]
		if s.number == rootSlot {
			if err := b.moveRootSlot(s); err != nil {
				return err
			}
		}
	}
	f.sumUp()
	data, err := encodeDocument(f.summary)
	if err != nil {
		return fmt.Errorf("encode summary: %w", err)
	}
	oid, err := b.writer.Blob(data)
	b.edit(f.id.Path()+"/"+metadataName, git.TreeEntry{Mode: git.ModeFile, OID: oid})
	return err
}

// sumUp computes the summary's list of sessions and its sums from the slots.
func (f *folder) sumUp() {
	var metas []CommittedMetadata
	f.summary.Sessions = make([]SessionFilePaths, len(f.slots))
	for i := range f.slots {
		s := &f.slots[i]
		if s.err == nil {
			metas = append(metas, s.meta)
		}
		f.summary.Sessions[i] = f.paths(s)
	}
	f.summary.CheckpointsCount, f.summary.FilesTouched, f.summary.TokenUsage = aggregate(metas)
}

// commit writes the trees and the commit and makes them durable. If the build changes nothing,
// commit returns the tip.
func (b *build) commit(ctx context.Context, message string) (git.OID, error) {
	tree, err := b.repo.EditTree(ctx, b.root, b.edits)
	if err != nil {
		return git.OID{}, err
	}
	if b.tip.IsZero() {
		if b.tip, err = initialCommit(b.repo); err != nil {
			return git.OID{}, err
		}
	}
	if tree == b.root {
		return b.tip, b.writer.Sync()
	}
	oid, err := b.writer.Commit(git.Commit{
		Tree: tree, Parents: []git.OID{b.tip}, Author: b.author, Committer: b.author, Message: message,
	})
	if err != nil {
		return git.OID{}, err
	}
	return oid, b.writer.Sync()
}
