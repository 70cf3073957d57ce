package checkpoint

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"entire/internal/git"
)

// messages merges the messages of a checkpoint's sessions into out, whose slots are merged
// already, and returns their files. Sets are matched by session and kept whole. A set takes the
// number of its session's slot; the set of a session without a slot gets a number after all
// others.
func (m *merger) messages(out, base, a, b *folder) ([]git.TreeEntry, error) {
	sides := [3]map[string]*messageSet{base.ownSets(), a.ownSets(), b.ownSets()}
	var merged []*messageSet
	for _, sid := range slices.Sorted(maps.Keys(eitherSet(sides[1], sides[2]))) {
		set, err := m.messageSet(out, sides[0][sid], sides[1][sid], sides[2][sid])
		if err != nil {
			return nil, err
		}
		if set != nil {
			copied := *set
			merged = append(merged, &copied)
		}
	}
	var files []git.TreeEntry
	for _, s := range out.numbered(merged) {
		files = append(files, s.files()...)
	}
	return files, nil
}

func eitherSet(a, b map[string]*messageSet) map[string]*messageSet {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// ownSets returns the readable sets, one for each session.
func (f *folder) ownSets() map[string]*messageSet {
	sets := map[string]*messageSet{}
	for _, s := range f.sets {
		if s.err == nil {
			sets[s.info.SessionID] = f.messages(s.info.SessionID)
		}
	}
	return sets
}

// numbered gives each set its number.
func (f *folder) numbered(sets []*messageSet) []*messageSet {
	taken := map[int]bool{}
	var left []*messageSet
	for _, set := range sets {
		if s, _ := f.session(set.info.SessionID); s != nil {
			set.number = s.number
			taken[set.number] = true
		} else {
			left = append(left, set)
		}
	}
	for _, set := range left {
		set.number = f.freeNumber(taken)
		taken[set.number] = true
	}
	return sets
}

// messageSet returns the version to keep: that of the side that changed it, or, if both did,
// that of the transcript in the merged slot. Only a set that both sides had can be removed.
func (m *merger) messageSet(out *folder, base, a, b *messageSet) (*messageSet, error) {
	switch {
	case a.same(b), b.same(base):
		return a, nil
	case a.same(base):
		return b, nil
	case a == nil:
		return b, nil
	case b == nil:
		return a, nil
	}
	hash, err := m.contentHash(out, a.info.SessionID)
	if err != nil {
		return nil, err
	}
	if compareSets(a, b, hash) > 0 {
		return a, nil
	}
	return b, nil
}

// contentHash returns the hash of a merged session's transcript, "" if there is none.
func (m *merger) contentHash(out *folder, sessionID string) (string, error) {
	s, _ := out.session(sessionID)
	if s == nil {
		return "", nil
	}
	e, ok := s.file(contentHashName)
	if !ok {
		return "", nil
	}
	data, err := m.rd.Blob(e.OID)
	return strings.TrimSpace(string(data)), err
}

func compareSets(a, b *messageSet, transcript string) int {
	return cmp.Or(
		compareBool(a.info.Transcript == transcript, b.info.Transcript == transcript),
		-cmp.Compare(len(a.missing()), len(b.missing())),
		cmp.Compare(a.info.Size, b.info.Size),
		cmp.Compare(a.text(), b.text()))
}

// same reports whether two sets have the same files, even under different numbers.
func (s *messageSet) same(o *messageSet) bool {
	if s == nil || o == nil {
		return s == o
	}
	return s.text() == o.text()
}

func (s *messageSet) text() string {
	var b strings.Builder
	b.WriteString(s.index.OID.String())
	for _, e := range s.chunks {
		b.WriteString("\x00" + entryText(e))
	}
	return b.String()
}
