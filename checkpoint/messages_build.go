package checkpoint

import (
	"fmt"
	"maps"
	"slices"

	"entire/internal/git"
)

// putMessages replaces a session's messages beside its slot; nil removes them. If the messages
// of another session have the slot's number, they get another.
func (b *build) putMessages(s *slot, m *Messages) error {
	f := b.folder
	before := f.messageFiles()
	f.sets = slices.DeleteFunc(f.sets, func(set *messageSet) bool {
		own := set.err == nil && set.info.SessionID == s.meta.SessionID
		return own || set.err != nil && set.number == s.number && m != nil
	})
	if m != nil {
		if err := m.Info.valid(); err != nil || m.Info.Chunks != len(m.Chunks) || m.Info.SessionID != s.meta.SessionID {
			return fmt.Errorf("messages of session %s are those of %q, in %d chunks: %w", s.meta.SessionID, m.Info.SessionID, len(m.Chunks), err)
		}
		set, err := b.messageSet(s.number, m)
		if err != nil {
			return err
		}
		f.makeRoom(s.number)
		f.sets = append(f.sets, set)
	}
	after := f.messageFiles()
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, stays := after[name]; !stays {
			b.edit(f.id.Path()+"/"+name, git.TreeEntry{Name: name})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if after[name] != before[name] {
			b.edit(f.id.Path()+"/"+name, after[name])
		}
	}
	return nil
}

func (b *build) messageSet(number int, m *Messages) (*messageSet, error) {
	data, err := encodeDocument(m.Info)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", messagesIndex(number), err)
	}
	oid, err := b.writer.Blob(data)
	if err != nil {
		return nil, err
	}
	set := &messageSet{number: number, info: m.Info, index: git.TreeEntry{Mode: git.ModeFile, OID: oid}}
	for _, c := range m.Chunks {
		set.chunks = append(set.chunks, git.TreeEntry{Mode: git.ModeFile, OID: c})
	}
	return set, nil
}

// messageFiles returns all messages files of the folder, including those of unreadable sets.
func (f *folder) messageFiles() map[string]git.TreeEntry {
	files := map[string]git.TreeEntry{}
	for _, s := range f.sets {
		for _, e := range s.files() {
			files[e.Name] = e
		}
		if s.err != nil {
			s.more = f.filesNumbered(s.number)
		}
		for _, e := range s.more {
			files[e.Name] = e
		}
	}
	return files
}

func (f *folder) filesNumbered(number int) []git.TreeEntry {
	return slices.DeleteFunc(slices.Clone(f.entries), func(e git.TreeEntry) bool {
		n, _, ok := parseMessagesName(e.Name)
		return !ok || n != number || !isFile(e)
	})
}

// makeRoom renumbers the sets that have the number: each gets its own session's number, or one
// that nothing has.
func (f *folder) makeRoom(number int) {
	taken := map[int]bool{number: true}
	for _, s := range f.sets {
		taken[s.number] = true
	}
	for _, s := range f.sets {
		if s.number != number {
			continue
		}
		s.more = nil
		if own, _ := f.session(s.info.SessionID); own != nil && own.number >= 0 && !taken[own.number] {
			s.number = own.number
		} else {
			s.number = f.freeNumber(taken)
		}
		taken[s.number] = true
	}
}

// freeNumber returns a number that is neither in taken nor that of a slot.
func (f *folder) freeNumber(taken map[int]bool) int {
	n := f.nextSlot()
	for taken[n] {
		n++
	}
	return n
}
