package merge

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"entire/checkpoint/metadata"
	"entire/internal/git"
)

// messages merges the messages of a checkpoint's sessions into out, whose slots are merged
// already, and returns their files. Sets are matched by session and kept whole. A set takes the
// number of its session's slot; the set of a session without a slot gets a number after all
// others.
func (m *merger) messages(out, base, a, b *metadata.Folder) ([]git.TreeEntry, error) {
	sides := [3]map[string]*metadata.MessageSet{setsBySession(base), setsBySession(a), setsBySession(b)}
	var merged []*metadata.MessageSet
	for _, sid := range slices.Sorted(maps.Keys(unionOfSets(sides[1], sides[2]))) {
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
	for _, s := range assignSetNumbers(out, merged) {
		files = append(files, s.Files()...)
	}
	return files, nil
}

func unionOfSets(a, b map[string]*metadata.MessageSet) map[string]*metadata.MessageSet {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// setsBySession returns the readable sets, one for each session.
func setsBySession(f *metadata.Folder) map[string]*metadata.MessageSet {
	sets := map[string]*metadata.MessageSet{}
	for _, s := range f.Sets {
		if s.Err == nil {
			sets[s.Info.SessionID] = f.Messages(s.Info.SessionID)
		}
	}
	return sets
}

// assignSetNumbers gives each set its number.
func assignSetNumbers(f *metadata.Folder, sets []*metadata.MessageSet) []*metadata.MessageSet {
	taken := map[int]bool{}
	var left []*metadata.MessageSet
	for _, set := range sets {
		if s, _ := f.Session(set.Info.SessionID); s != nil {
			set.Number = s.Number
			taken[set.Number] = true
		} else {
			left = append(left, set)
		}
	}
	for _, set := range left {
		set.Number = f.FreeNumber(taken)
		taken[set.Number] = true
	}
	return sets
}

// messageSet returns the version to keep: that of the side that changed it, or, if both did,
// that of the transcript in the merged slot. Only a set that both sides had can be removed.
func (m *merger) messageSet(out *metadata.Folder, base, a, b *metadata.MessageSet) (*metadata.MessageSet, error) {
	switch {
	case same(a, b), same(b, base):
		return a, nil
	case same(a, base):
		return b, nil
	case a == nil:
		return b, nil
	case b == nil:
		return a, nil
	}
	hash, err := m.contentHash(out, a.Info.SessionID)
	if err != nil {
		return nil, err
	}
	if compareSets(a, b, hash) > 0 {
		return a, nil
	}
	return b, nil
}

// contentHash returns the hash of a merged session's transcript, "" if there is none.
func (m *merger) contentHash(out *metadata.Folder, sessionID string) (string, error) {
	s, _ := out.Session(sessionID)
	if s == nil {
		return "", nil
	}
	e, ok := s.File(metadata.ContentHashName)
	if !ok {
		return "", nil
	}
	data, err := m.rd.RawBlob(e.OID)
	return strings.TrimSpace(string(data)), err
}

func compareSets(a, b *metadata.MessageSet, transcript string) int {
	return cmp.Or(
		compareBool(a.Info.Transcript == transcript, b.Info.Transcript == transcript),
		-cmp.Compare(len(a.Missing()), len(b.Missing())),
		cmp.Compare(a.Info.Size, b.Info.Size),
		cmp.Compare(text(a), text(b)))
}

// same reports whether two sets have the same files, even under different numbers.
func same(s *metadata.MessageSet, o *metadata.MessageSet) bool {
	if s == nil || o == nil {
		return s == o
	}
	return text(s) == text(o)
}

func text(s *metadata.MessageSet) string {
	var b strings.Builder
	b.WriteString(s.Index.OID.String())
	for _, e := range s.Chunks {
		b.WriteString("\x00" + entryText(e))
	}
	return b.String()
}
