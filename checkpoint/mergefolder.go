package checkpoint

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"entire/id"
	"entire/internal/git"
)

// part is one session in a checkpoint: its slot, and the files beside the slots that have its
// number.
type part struct {
	slot
	name   string          // the key by which it is matched
	beside []git.TreeEntry // besideMark replaces the number in their names
}

const besideMark = "\x00"

// besideName matches the name of a file beside the slots that belongs to one of them:
// summary-0.json, messages-0.jsonl.001.
var besideName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([a-z_]+-)([0-9]+)(\.[a-z.]+(?:\.[0-9]+)?)$`) })

// checkpoint merges a checkpoint that both sides changed. It keeps one that one side deleted,
// because the other changed it.
//
// Sessions are matched by their IDs, and none is dropped. A session that the base had keeps its
// number; a new one keeps its number if that is free, and otherwise gets the next. The summary
// is computed again.
func (m *merger) checkpoint(cp id.CheckpointID, t three) (git.TreeEntry, error) {
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
	out := &folder{id: cp}
	extra, err := m.mergeParts(out, partsOf(base, a, b), partsOf(a, base, b), partsOf(b, base, a))
	if err != nil {
		return git.TreeEntry{}, fmt.Errorf("checkpoint %s: %w", cp, err)
	}
	rest, err := m.mergeRest(cp, base, a, b)
	if err != nil {
		return git.TreeEntry{}, fmt.Errorf("checkpoint %s: %w", cp, err)
	}
	messages, err := m.messages(out, base, a, b)
	if err != nil {
		return git.TreeEntry{}, fmt.Errorf("checkpoint %s: %w", cp, err)
	}
	tree, err := m.writeFolder(out, mergeSummaries(base, a, b), replacing(append(rest, extra...), messages))
	return git.TreeEntry{Mode: git.ModeTree, Name: cp.Rest(), OID: tree}, err
}

// load reads the checkpoint from the base, if it has it, and from both sides.
func (m *merger) load(cp id.CheckpointID, t three) (base, a, b *folder, err error) {
	hashLen := hashLen(m.repo)
	folders := make([]*folder, 3)
	trees, err := m.rd.Trees(folderOID(t.base), t.a.OID, t.b.OID)
	if err != nil {
		return nil, nil, nil, err
	}
	for i, entries := range trees {
		folders[i] = &folder{id: cp, entries: entries}
	}
	err = fillFolders(m.rd, folders, hashLen)
	return folders[0], folders[1], folders[2], err
}

// parts are a checkpoint's sessions by their keys.
type parts map[string]*part

// partsOf splits a folder into its sessions. It takes an unreadable session for the one that
// has its number in another folder.
func partsOf(f *folder, others ...*folder) parts {
	found := parts{}
	for i := range f.slots {
		s := f.slots[i]
		if s.files == nil {
			continue // listed, but missing
		}
		key := s.key()
		for _, o := range others {
			if j := o.indexOf(s.number); s.err != nil && j >= 0 && o.slots[j].err == nil {
				key = o.slots[j].key()
				break
			}
		}
		for found[key] != nil {
			key += "\x00again"
		}
		if s.number == rootSlot {
			s.number = f.nextSlot()
		}
		found[key] = &part{slot: s, name: key, beside: f.beside(f.slots[i].number)}
	}
	return found
}

func (s *slot) key() string {
	if s.err != nil {
		return "\x00" + strconv.Itoa(s.number)
	}
	return s.meta.SessionID
}

func (f *folder) indexOf(number int) int {
	return slices.IndexFunc(f.slots, func(s slot) bool { return s.number == number && s.files != nil })
}

// beside lists the files of one session beside the slots, with besideMark for their number.
func (f *folder) beside(number int) []git.TreeEntry {
	var files []git.TreeEntry
	for _, e := range f.entries {
		m := besideName().FindStringSubmatch(e.Name)
		if m != nil && m[2] == strconv.Itoa(number) && !f.ownsFile(e.Name) { // messages name their session themselves
			e.Name = m[1] + besideMark + m[3]
			files = append(files, e)
		}
	}
	return files
}

// replacing returns the files of both lists; of two with one name it returns that of more.
func replacing(list, more []git.TreeEntry) []git.TreeEntry {
	list = slices.DeleteFunc(list, func(e git.TreeEntry) bool {
		return slices.ContainsFunc(more, func(m git.TreeEntry) bool { return m.Name == e.Name })
	})
	return append(list, more...)
}

// isBeside reports whether an entry belongs to one of the sessions.
func (f *folder) isBeside(e git.TreeEntry) bool {
	if f.ownsFile(e.Name) {
		return true
	}
	m := besideName().FindStringSubmatch(e.Name)
	if m == nil {
		return false
	}
	n, ok := parseSlot(m[2])
	return ok && f.indexOf(n) >= 0
}

// mergeParts adds the merged sessions to out and returns the files that belong beside them.
func (m *merger) mergeParts(out *folder, base, a, b parts) (beside []git.TreeEntry, err error) {
	var list []*part
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
	number(list, base)
	for _, p := range list {
		out.slots = append(out.slots, p.slot)
		for _, e := range p.beside {
			e.Name = strings.Replace(e.Name, besideMark, strconv.Itoa(p.number), 1)
			beside = append(beside, e)
		}
	}
	return beside, nil
}

// number gives each session a unique number and sorts by it. Sessions that the base had come
// first, so that they keep their numbers.
func number(list []*part, base parts) {
	slices.SortFunc(list, func(p, q *part) int {
		return cmp.Or(
			compareBool(base[p.name] == nil, base[q.name] == nil),
			cmp.Compare(p.number, q.number),
			p.meta.CreatedAt.Compare(q.meta.CreatedAt),
			cmp.Compare(p.name, q.name))
	})
	taken := map[int]bool{}
	var late []*part
	for _, p := range list {
		if taken[p.number] {
			late = append(late, p)
		}
		taken[p.number] = true
	}
	for _, p := range late {
		for p.number = 0; taken[p.number]; p.number++ {
		}
		taken[p.number] = true
	}
	slices.SortFunc(list, func(p, q *part) int { return cmp.Compare(p.number, q.number) })
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

// mergeRest merges the entries of a checkpoint other than its sessions and summary.
func (m *merger) mergeRest(cp id.CheckpointID, base, a, b *folder) ([]git.TreeEntry, error) {
	var rest []git.TreeEntry
	for _, t := range zip(base.rest(), a.rest(), b.rest()) {
		e, ok := t.settled()
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

func (f *folder) rest() []git.TreeEntry {
	legacy := slices.ContainsFunc(f.slots, func(s slot) bool { return s.number == rootSlot })
	return slices.DeleteFunc(slices.Clone(f.entries), func(e git.TreeEntry) bool {
		_, isSlot := slotNumber(e)
		return isSlot || e.Name == metadataName || f.isBeside(e) || legacy && e.Mode != git.ModeTree
	})
}

// writeFolder writes the merged checkpoint and its summary.
func (m *merger) writeFolder(f *folder, sum CheckpointSummary, extra []git.TreeEntry) (git.OID, error) {
	f.summary = sum
	f.summary.CheckpointID = f.id
	f.sumUp()
	data, err := encodeDocument(f.summary)
	if err != nil {
		return git.OID{}, fmt.Errorf("encode summary: %w", err)
	}
	oid, err := m.w.Blob(data)
	if err != nil {
		return git.OID{}, err
	}
	entries := append(extra, git.TreeEntry{Mode: git.ModeFile, Name: metadataName, OID: oid})
	for _, s := range f.slots {
		tree, err := m.w.Tree(s.files)
		if err != nil {
			return git.OID{}, err
		}
		entries = append(entries, git.TreeEntry{Mode: git.ModeTree, Name: strconv.Itoa(s.number), OID: tree})
	}
	return m.w.Tree(entries)
}
