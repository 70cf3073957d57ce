package metadata

import (
	"fmt"
	"maps"
	"slices"

	"entire/checkpoint/chunk"
	"entire/internal/git"
)

// putMessages replaces a session's messages beside its slot; nil removes them. If the messages
// of another session have the slot's number, they get another.
func (b *build) putMessages(s *Slot, m *Messages) error {
	f := b.folder
	before := f.messageFiles()
	f.Sets = slices.DeleteFunc(f.Sets, func(set *MessageSet) bool {
		own := set.Err == nil && set.Info.SessionID == s.Meta.SessionID
		return own || set.Err != nil && set.Number == s.Number && m != nil
	})
	if m != nil {
		if err := m.Info.valid(); err != nil || m.Info.Chunks != len(m.Chunks) || m.Info.SessionID != s.Meta.SessionID {
			return fmt.Errorf("messages of session %s are those of %q, in %d chunks: %w", s.Meta.SessionID, m.Info.SessionID, len(m.Chunks), err)
		}
		set, err := b.messageSet(s.Number, m)
		if err != nil {
			return err
		}
		f.renumberOthers(s.Number)
		f.Sets = append(f.Sets, set)
	}
	after := f.messageFiles()
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, stays := after[name]; !stays {
			b.edit(f.base()+name, git.TreeEntry{Name: name})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if after[name] != before[name] {
			b.edit(f.base()+name, after[name])
		}
	}
	return nil
}

func (b *build) messageSet(number int, m *Messages) (*MessageSet, error) {
	stored, err := m.Info.sealed(b.repo)
	if err != nil {
		return nil, err
	}
	data, err := chunk.EncodeDocument(stored)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", messagesIndex(number), err)
	}
	oid, err := b.writer.Blob(data)
	if err != nil {
		return nil, err
	}
	set := &MessageSet{Number: number, Info: m.Info, Index: git.TreeEntry{Mode: git.ModeFile, OID: oid}}
	for _, c := range m.Chunks {
		set.Chunks = append(set.Chunks, git.TreeEntry{Mode: git.ModeFile, OID: c})
	}
	return set, nil
}

// messageFiles returns all messages files of the folder, including those of unreadable sets.
func (f *Folder) messageFiles() map[string]git.TreeEntry {
	files := map[string]git.TreeEntry{}
	for _, s := range f.Sets {
		for _, e := range s.Files() {
			files[e.Name] = e
		}
		if s.Err != nil {
			s.leftover = f.filesNumbered(s.Number)
		}
		for _, e := range s.leftover {
			files[e.Name] = e
		}
	}
	return files
}

func (f *Folder) filesNumbered(number int) []git.TreeEntry {
	return slices.DeleteFunc(slices.Clone(f.Entries), func(e git.TreeEntry) bool {
		n, _, ok := parseMessagesName(e.Name)
		return !ok || n != number || !isFile(e)
	})
}

// renumberOthers renumbers the sets that have the number: each gets its own session's number, or one
// that nothing has.
func (f *Folder) renumberOthers(number int) {
	taken := map[int]bool{number: true}
	for _, s := range f.Sets {
		taken[s.Number] = true
	}
	for _, s := range f.Sets {
		if s.Number != number {
			continue
		}
		s.leftover = nil
		if own, _ := f.Session(s.Info.SessionID); own != nil && own.Number >= 0 && !taken[own.Number] {
			s.Number = own.Number
		} else {
			s.Number = f.FreeNumber(taken)
		}
		taken[s.Number] = true
	}
}

// FreeNumber returns a number that is neither in taken nor that of a slot.
func (f *Folder) FreeNumber(taken map[int]bool) int {
	n := f.NextSlot()
	for taken[n] {
		n++
	}
	return n
}
