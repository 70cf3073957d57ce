package audit

import (
	"slices"

	"entire/checkpoint/metadata"
	"entire/checkpoint/statement"
	"entire/internal/git"
)

// compare reports whether the checkpoint consists of what the statements say. A merge of two clones' versions computes
// the sums in metadata.json anew and may number the sessions otherwise.
func (v *verifier) compare(f folder, said []*statement.Statement) bool {
	stated, byName := map[string]bool{}, map[string]map[string]bool{}
	for _, st := range said {
		for name, oid := range st.Predicate.Files {
			if byName[name] == nil {
				byName[name] = map[string]bool{}
			}
			byName[name][oid], stated[oid] = true, true
		}
	}
	ok, redacted := true, false
	there := map[string]bool{}
	was := v.redactedFrom(f)
	for _, e := range f.entries {
		there[e.OID.String()] = true
		merged := len(said) > 1 && (e.Name == metadata.FileName || stated[e.OID.String()])
		if statement.IsFile(e.Name) || byName[e.Name][e.OID.String()] || merged {
			continue
		}
		if old := was[e.OID.String()]; old != "" && (byName[e.Name][old] || len(said) > 1 && stated[old]) {
			redacted = true
			continue
		}
		ok = false
		if byName[e.Name] == nil {
			v.find(Changed, f.id.String(), "%s was added after the statement", e.Name)
		} else {
			v.find(Changed, f.id.String(), "%s was changed after the statement", e.Name)
		}
	}
	if ok && redacted {
		v.noteRedacted(f)
	}
	if len(said) > 1 {
		return ok
	}
	for name, oid := range said[0].Predicate.Files {
		if !there[oid] && !slices.ContainsFunc(f.entries, func(e git.TreeEntry) bool { return e.Name == name }) {
			ok = false
			v.find(Changed, f.id.String(), "%s was removed after the statement", name)
		}
	}
	return ok
}

// redactedFrom returns the objects of a checkpoint that took the place of others, by their own names.
func (v *verifier) redactedFrom(f folder) map[string]string {
	was := map[string]string{}
	if v.clean.Folders[f.id] != nil {
		for old, now := range v.clean.Files {
			was[now] = old
		}
	}
	return was
}

func (v *verifier) noteRedacted(f folder) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.result.Redacted = append(v.result.Redacted, f.id.String())
}
