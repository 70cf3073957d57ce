package merge

import (
	"cmp"
	"slices"
	"strings"

	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/internal/git"
)

// session merges a session that both sides have. Its transcript, prompts and context are taken
// together from the side that changed them; if both did, from the side with more transcript.
// The metadata is merged field by field.
func (m *merger) session(base, a, b *sessionPart) (*sessionPart, error) {
	if base == nil {
		base = &sessionPart{Slot: metadata.Slot{Number: min(a.Number, b.Number)}}
	}
	out := &sessionPart{name: a.name, Slot: metadata.Slot{Number: base.Number, Meta: a.Meta, Err: a.Err}}
	files, err := m.conversation(conversationFiles(base.Files), conversationFiles(a.Files), conversationFiles(b.Files))
	if err != nil {
		return nil, err
	}
	out.Files = files
	for _, t := range alignByName(otherFiles(base.Files), otherFiles(a.Files), otherFiles(b.Files)) {
		e, err := m.sessionFile(out, t, a, b)
		if err != nil {
			return nil, err
		}
		if e.Mode != 0 {
			out.Files = append(out.Files, e)
		}
	}
	for _, t := range alignByName(base.siblings, a.siblings, b.siblings) {
		e, ok := t.resolved()
		if !ok {
			if e, err = m.entry("", t); err != nil {
				return nil, err
			}
		}
		if e.Mode != 0 {
			out.siblings = append(out.siblings, e)
		}
	}
	return out, nil
}

// sessionFile merges one file of a slot that is not part of the conversation.
func (m *merger) sessionFile(out *sessionPart, t threeWay, a, b *sessionPart) (git.TreeEntry, error) {
	e, ok := t.resolved()
	isDocument := t.name() == metadata.FileName && t.a.Mode != git.ModeTree && t.b.Mode != git.ModeTree
	switch {
	case !isDocument && ok:
		return e, nil
	case !isDocument:
		return m.entry("", t)
	case b.Err == nil && (a.Err != nil || ok && sameEntry(e, t.b)):
		out.Meta, out.Err = b.Meta, nil
		return t.b, nil
	case a.Err == nil && (b.Err != nil || ok && sameEntry(e, t.a)):
		return t.a, nil
	case ok:
		return e, nil
	case a.Err != nil:
		return m.entry("", t)
	}
	merged, err := m.document(t, metadata.LaterOf(a.Meta, b.Meta))
	if err != nil {
		return git.TreeEntry{}, err
	}
	data, err := chunk.EncodeDocument(merged)
	if err != nil {
		return git.TreeEntry{}, err
	}
	out.Meta = merged
	oid, err := m.w.Blob(data)
	return git.TreeEntry{Mode: git.ModeFile, Name: metadata.FileName, OID: oid}, err
}

// isConversationFile reports whether finalizing a session replaces this file of its slot.
func isConversationFile(e git.TreeEntry) bool {
	text := e.Name == metadata.ContentHashName || e.Name == metadata.PromptName || e.Name == metadata.ContextName
	return chunk.IsChunk(e) || text && e.Mode != git.ModeTree
}

func conversationFiles(files []git.TreeEntry) []git.TreeEntry {
	return slices.DeleteFunc(sortedByName(files), func(e git.TreeEntry) bool { return !isConversationFile(e) })
}

func otherFiles(files []git.TreeEntry) []git.TreeEntry {
	return slices.DeleteFunc(slices.Clone(files), isConversationFile)
}

func sortedByName(files []git.TreeEntry) []git.TreeEntry {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b git.TreeEntry) int { return cmp.Compare(a.Name, b.Name) })
	return files
}

// conversation merges the files of a conversation as one. A side without a transcript has not deleted
// it: the other side's is kept.
func (m *merger) conversation(base, a, b []git.TreeEntry) ([]git.TreeEntry, error) {
	aHas, bHas := slices.ContainsFunc(a, chunk.IsChunk), slices.ContainsFunc(b, chunk.IsChunk)
	switch {
	case slices.Equal(a, b), aHas && !bHas:
		return a, nil
	case bHas && !aHas, slices.Equal(a, base):
		return b, nil
	case slices.Equal(b, base):
		return a, nil
	}
	na, err := m.uncommonSize(a, b)
	if err != nil {
		return nil, err
	}
	nb, err := m.uncommonSize(b, a)
	if err != nil {
		return nil, err
	}
	if na > nb || na == nb && filesKey(a) > filesKey(b) {
		return a, nil
	}
	return b, nil
}

// uncommonSize returns the size of the chunks that the other side does not have.
func (m *merger) uncommonSize(files, other []git.TreeEntry) (int, error) {
	sum := 0
	for _, e := range files {
		if !chunk.IsChunk(e) || slices.Contains(other, e) {
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

func filesKey(files []git.TreeEntry) string {
	var b strings.Builder
	for _, e := range files {
		b.WriteString(e.Name + "\x00" + entryText(e))
	}
	return b.String()
}
