package checkpoint

import (
	"cmp"
	"slices"
	"strings"

	"entire/internal/git"
)

// session merges a session that both sides have. Its transcript, prompts and context are taken
// together from the side that changed them; if both did, from the side with more transcript.
// The metadata is merged field by field.
func (m *merger) session(base, a, b *part) (*part, error) {
	if base == nil {
		base = &part{slot: slot{number: min(a.number, b.number)}}
	}
	out := &part{name: a.name, slot: slot{number: base.number, meta: a.meta, err: a.err}}
	talk, err := m.talk(talkOf(base.files), talkOf(a.files), talkOf(b.files))
	if err != nil {
		return nil, err
	}
	out.files = talk
	for _, t := range zip(withoutTalk(base.files), withoutTalk(a.files), withoutTalk(b.files)) {
		e, err := m.sessionFile(out, t, a, b)
		if err != nil {
			return nil, err
		}
		if e.Mode != 0 {
			out.files = append(out.files, e)
		}
	}
	for _, t := range zip(base.beside, a.beside, b.beside) {
		e, ok := t.settled()
		if !ok {
			if e, err = m.entry("", t); err != nil {
				return nil, err
			}
		}
		if e.Mode != 0 {
			out.beside = append(out.beside, e)
		}
	}
	return out, nil
}

// sessionFile merges one file of a slot that is not part of the conversation.
func (m *merger) sessionFile(out *part, t three, a, b *part) (git.TreeEntry, error) {
	e, ok := t.settled()
	isDocument := t.name() == metadataName && t.a.Mode != git.ModeTree && t.b.Mode != git.ModeTree
	switch {
	case !isDocument && ok:
		return e, nil
	case !isDocument:
		return m.entry("", t)
	case b.err == nil && (a.err != nil || ok && sameEntry(e, t.b)):
		out.meta, out.err = b.meta, nil
		return t.b, nil
	case a.err == nil && (b.err != nil || ok && sameEntry(e, t.a)):
		return t.a, nil
	case ok:
		return e, nil
	case a.err != nil:
		return m.entry("", t)
	}
	merged, err := m.document(t, laterOf(a.meta, b.meta))
	if err != nil {
		return git.TreeEntry{}, err
	}
	data, err := encodeDocument(merged)
	if err != nil {
		return git.TreeEntry{}, err
	}
	out.meta = merged
	oid, err := m.w.Blob(data)
	return git.TreeEntry{Mode: git.ModeFile, Name: metadataName, OID: oid}, err
}

// laterOf compares by time of writing: positive if a is the later, 0 if they are equal.
func laterOf(a, b CommittedMetadata) int { return a.CreatedAt.Compare(b.CreatedAt) }

func isChunk(e git.TreeEntry) bool {
	_, ok := chunkNumber(e.Name)
	return ok && e.Mode != git.ModeTree
}

// isTalk reports whether finalizing a session replaces this file of its slot.
func isTalk(e git.TreeEntry) bool {
	text := e.Name == contentHashName || e.Name == promptName || e.Name == contextName
	return isChunk(e) || text && e.Mode != git.ModeTree
}

func talkOf(files []git.TreeEntry) []git.TreeEntry {
	return slices.DeleteFunc(sortedByName(files), func(e git.TreeEntry) bool { return !isTalk(e) })
}

func withoutTalk(files []git.TreeEntry) []git.TreeEntry {
	return slices.DeleteFunc(slices.Clone(files), isTalk)
}

func sortedByName(files []git.TreeEntry) []git.TreeEntry {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b git.TreeEntry) int { return cmp.Compare(a.Name, b.Name) })
	return files
}

// talk merges the files of a conversation as one. A side without a transcript has not deleted
// it: the other side's is kept.
func (m *merger) talk(base, a, b []git.TreeEntry) ([]git.TreeEntry, error) {
	aHas, bHas := slices.ContainsFunc(a, isChunk), slices.ContainsFunc(b, isChunk)
	switch {
	case slices.Equal(a, b), aHas && !bHas:
		return a, nil
	case bHas && !aHas, slices.Equal(a, base):
		return b, nil
	case slices.Equal(b, base):
		return a, nil
	}
	na, err := m.talkSize(a, b)
	if err != nil {
		return nil, err
	}
	nb, err := m.talkSize(b, a)
	if err != nil {
		return nil, err
	}
	if na > nb || na == nb && talkText(a) > talkText(b) {
		return a, nil
	}
	return b, nil
}

// talkSize returns the size of the chunks that the other side does not have.
func (m *merger) talkSize(files, other []git.TreeEntry) (int, error) {
	sum := 0
	for _, e := range files {
		if !isChunk(e) || slices.Contains(other, e) {
			continue
		}
		n, err := m.size(e)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

func talkText(files []git.TreeEntry) string {
	var b strings.Builder
	for _, e := range files {
		b.WriteString(e.Name + "\x00" + entryText(e))
	}
	return b.String()
}
