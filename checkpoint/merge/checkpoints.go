package merge

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/git"
)

// sessionPart is one session in a checkpoint: its slot, and the files beside the slots that have its
// number.
type sessionPart struct {
	metadata.Slot
	name     string          // the key by which it is matched
	siblings []git.TreeEntry // numberMark replaces the number in their names
}

const numberMark = "\x00"

// siblingName matches the name of a file beside the slots that belongs to one of them:
// summary-0.json, messages-0.jsonl.001.
var siblingName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([a-z_]+-)([0-9]+)(\.[a-z.]+(?:\.[0-9]+)?)$`) })

// checkpoint merges a checkpoint that both sides changed. It keeps one that one side deleted,
// because the other changed it.
//
// Sessions are matched by their IDs, and none is dropped. A session that the base had keeps its
// number; a new one keeps its number if that is free, and otherwise gets the next. The summary
// is computed again.
func (m *merger) checkpoint(cp id.CheckpointID, t threeWay) (git.TreeEntry, error) {
	if t.a.Mode == 0 {
		return t.b, nil
	}
	if t.b.Mode == 0 {
		return t.a, nil
	}
	base, a, b, err := m.load(cp, t)
	if err != nil {
		return git.TreeEntry{}, err
	}
	out := &metadata.Folder{ID: cp, InRef: m.inRef}
	extra, err := m.mergeParts(out, partsOf(base, a, b), partsOf(a, base, b), partsOf(b, base, a))
	if err != nil {
		return git.TreeEntry{}, fmt.Errorf("checkpoint %s: %w", cp, err)
	}
	rest, err := m.mergeOther(cp, base, a, b)
	if err != nil {
		return git.TreeEntry{}, fmt.Errorf("checkpoint %s: %w", cp, err)
	}
	messages, err := m.messages(out, base, a, b)
	if err != nil {
		return git.TreeEntry{}, fmt.Errorf("checkpoint %s: %w", cp, err)
	}
	tree, err := m.writeFolder(out, mergeSummaries(base, a, b), replaceByName(append(rest, extra...), messages))
	return git.TreeEntry{Mode: git.ModeTree, Name: cp.Rest(), OID: tree}, err
}

// load reads the checkpoint from the base, if it has it, and from both sides.
func (m *merger) load(cp id.CheckpointID, t threeWay) (base, a, b *metadata.Folder, err error) {
	hashLen := m.repo.HashLen()
	folders := make([]*metadata.Folder, 3)
	trees, err := m.rd.Trees(folderOID(t.base), t.a.OID, t.b.OID)
	if err != nil {
		return nil, nil, nil, err
	}
	for i, entries := range trees {
		folders[i] = &metadata.Folder{ID: cp, Entries: entries}
	}
	err = metadata.FillFolders(m.rd, folders, hashLen)
	return folders[0], folders[1], folders[2], err
}

// partsByKey are a checkpoint's sessions by their keys.
type partsByKey map[string]*sessionPart

// partsOf splits a folder into its sessions. It takes an unreadable session for the one that
// has its number in another folder.
func partsOf(f *metadata.Folder, others ...*metadata.Folder) partsByKey {
	found := partsByKey{}
	for i := range f.Slots {
		s := f.Slots[i]
		if s.Files == nil {
			continue // listed, but missing
		}
		key := slotKey(&s)
		for _, o := range others {
			if j := o.IndexOf(s.Number); s.Err != nil && j >= 0 && o.Slots[j].Err == nil {
				key = slotKey(&o.Slots[j])
				break
			}
		}
		for found[key] != nil {
			key += "\x00again"
		}
		if s.Number == metadata.RootSlot {
			s.Number = f.NextSlot()
		}
		found[key] = &sessionPart{Slot: s, name: key, siblings: siblings(f, f.Slots[i].Number)}
	}
	return found
}

func slotKey(s *metadata.Slot) string {
	if s.Err != nil {
		return "\x00" + strconv.Itoa(s.Number)
	}
	return s.Meta.SessionID
}

// siblings lists the files of one session beside the slots, with numberMark for their number.
func siblings(f *metadata.Folder, number int) []git.TreeEntry {
	var files []git.TreeEntry
	for _, e := range f.Entries {
		m := siblingName().FindStringSubmatch(e.Name)
		if m != nil && m[2] == strconv.Itoa(number) && !f.OwnsFile(e.Name) { // messages name their session themselves
			e.Name = m[1] + numberMark + m[3]
			files = append(files, e)
		}
	}
	return files
}

// replaceByName returns the files of both lists; of two with one name it returns that of more.
func replaceByName(list, more []git.TreeEntry) []git.TreeEntry {
	list = slices.DeleteFunc(list, func(e git.TreeEntry) bool {
		return slices.ContainsFunc(more, func(m git.TreeEntry) bool { return m.Name == e.Name })
	})
	return append(list, more...)
}

// isSibling reports whether an entry belongs to one of the sessions.
func isSibling(f *metadata.Folder, e git.TreeEntry) bool {
	if f.OwnsFile(e.Name) {
		return true
	}
	m := siblingName().FindStringSubmatch(e.Name)
	if m == nil {
		return false
	}
	n, ok := metadata.ParseSlot(m[2])
	return ok && f.IndexOf(n) >= 0
}

// mergeParts adds the merged sessions to out and returns the files that belong beside them.
func (m *merger) mergeParts(out *metadata.Folder, base, a, b partsByKey) (beside []git.TreeEntry, err error) {
	var list []*sessionPart
	for key, p := range a {
		merged := p
		if other := b[key]; other != nil {
			if merged, err = m.session(base[key], p, other); err != nil {
				return nil, fmt.Errorf("session %s: %w", key, err)
			}
		}
		list = append(list, merged)
	}
	for key, p := range b {
		if a[key] == nil {
			list = append(list, p)
		}
	}
	assignNumbers(list, base)
	for _, p := range list {
		out.Slots = append(out.Slots, p.Slot)
		for _, e := range p.siblings {
			e.Name = strings.Replace(e.Name, numberMark, strconv.Itoa(p.Number), 1)
			beside = append(beside, e)
		}
	}
	return beside, nil
}

// assignNumbers gives each session a unique number and sorts by it. Sessions that the base had come
// first, so that they keep their numbers.
func assignNumbers(list []*sessionPart, base partsByKey) {
	slices.SortFunc(list, func(p, q *sessionPart) int {
		return cmp.Or(
			compareBool(base[p.name] == nil, base[q.name] == nil),
			cmp.Compare(p.Number, q.Number),
			p.Meta.CreatedAt.Compare(q.Meta.CreatedAt),
			cmp.Compare(p.name, q.name))
	})
	taken := map[int]bool{}
	var late []*sessionPart
	for _, p := range list {
		if taken[p.Number] {
			late = append(late, p)
		}
		taken[p.Number] = true
	}
	for _, p := range late {
		for p.Number = 0; taken[p.Number]; p.Number++ {
		}
		taken[p.Number] = true
	}
	slices.SortFunc(list, func(p, q *sessionPart) int { return cmp.Compare(p.Number, q.Number) })
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// mergeOther merges the entries of a checkpoint other than its sessions and summary.
func (m *merger) mergeOther(cp id.CheckpointID, base, a, b *metadata.Folder) ([]git.TreeEntry, error) {
	var rest []git.TreeEntry
	for _, t := range alignByName(otherEntries(base), otherEntries(a), otherEntries(b)) {
		e, ok := t.resolved()
		if !ok {
			var err error
			if e, err = m.entry(cp.Path()+"/", t); err != nil {
				return nil, err
			}
		}
		if e.Mode != 0 {
			rest = append(rest, e)
		}
	}
	return rest, nil
}

func otherEntries(f *metadata.Folder) []git.TreeEntry {
	legacy := slices.ContainsFunc(f.Slots, func(s metadata.Slot) bool { return s.Number == metadata.RootSlot })
	return slices.DeleteFunc(slices.Clone(f.Entries), func(e git.TreeEntry) bool {
		_, isSlot := metadata.SlotNumber(e)
		return isSlot || e.Name == metadata.FileName || isSibling(f, e) || legacy && e.Mode != git.ModeTree
	})
}

// writeFolder writes the merged checkpoint and its summary.
func (m *merger) writeFolder(f *metadata.Folder, sum metadata.CheckpointSummary, extra []git.TreeEntry) (git.OID, error) {
	f.Summary = sum
	f.Summary.CheckpointID = f.ID
	f.Summarize()
	data, err := chunk.EncodeDocument(f.StoredSummary(false))
	if err != nil {
		return git.OID{}, fmt.Errorf("encode summary: %w", err)
	}
	oid, err := m.w.Blob(data)
	if err != nil {
		return git.OID{}, err
	}
	entries := append(extra, git.TreeEntry{Mode: git.ModeFile, Name: metadata.FileName, OID: oid})
	for _, s := range f.Slots {
		tree, err := m.w.Tree(s.Files)
		if err != nil {
			return git.OID{}, err
		}
		entries = append(entries, git.TreeEntry{Mode: git.ModeTree, Name: strconv.Itoa(s.Number), OID: tree})
	}
	return m.w.Tree(entries)
}
