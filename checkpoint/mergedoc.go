package checkpoint

import (
	"bytes"
	"encoding/json"

	"entire/internal/git"
)

// fields are the members of a JSON object.
type fields map[string]json.RawMessage

// document merges the metadata of a session field by field. If both sides changed a field, the
// later document's value is taken; later is positive if that is a's.
func (m *merger) document(t three, later int) (merged CommittedMetadata, err error) {
	var docs [3][]byte
	for i, e := range []git.TreeEntry{t.base, t.a, t.b} {
		if e.Mode == 0 || e.Mode == git.ModeTree {
			continue
		}
		if docs[i], err = m.rd.Blob(e.OID); err != nil {
			return merged, err
		}
	}
	first := later > 0 || later == 0 && bytes.Compare(docs[1], docs[2]) > 0
	if mergeDocument(docs[0], docs[1], docs[2], first, &merged) == nil {
		return merged, nil
	}
	if first {
		return merged, decodeDocument(docs[1], &merged)
	}
	return merged, decodeDocument(docs[2], &merged)
}

// mergeDocument decodes the three-way merge of two documents into v. A base that cannot be read
// counts as empty.
func mergeDocument(base, a, b []byte, first bool, v any) error {
	var in [3]fields
	for i, data := range [][]byte{base, a, b} {
		if err := decodeDocument(data, &in[i]); err != nil && i > 0 {
			return err
		}
	}
	data, err := json.Marshal(mergeFields(in[0], in[1], in[2], first))
	if err != nil {
		return err
	}
	return decodeDocument(data, v)
}

// mergeFields merges two objects. A field that one side removed and the other changed stays. If
// both changed it, a's value is taken if first is set, otherwise b's.
func mergeFields(base, a, b fields, first bool) fields {
	merged := fields{}
	for _, side := range []fields{base, a, b} {
		for name := range side {
			if value := mergeField(base[name], a[name], b[name], first); value != nil {
				merged[name] = value
			}
		}
	}
	return merged
}

func mergeField(base, a, b json.RawMessage, first bool) json.RawMessage {
	switch {
	case sameJSON(a, b), sameJSON(b, base):
		return a
	case sameJSON(a, base):
		return b
	case b == nil, a != nil && first:
		return a
	}
	return b
}

// sameJSON compares two values as they are written, except for spaces.
func sameJSON(a, b json.RawMessage) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// mergeSummaries merges the fields of a checkpoint's summary that are not sums: strategy,
// branch, version, and unknown fields.
func mergeSummaries(base, a, b *folder) CheckpointSummary {
	switch {
	case a.err != nil && b.err != nil:
		return newerSummary(a, b)
	case a.err != nil:
		return b.summary
	case b.err != nil:
		return a.summary
	}
	var docs [3][]byte
	for i, f := range []*folder{base, a, b} {
		if f.err == nil {
			docs[i], _ = json.Marshal(f.summary) // it was decoded from JSON, so it can be encoded
		}
	}
	later := laterOf(a.latest(), b.latest())
	first := later > 0 || later == 0 && bytes.Compare(docs[1], docs[2]) > 0
	var sum CheckpointSummary
	if err := mergeDocument(docs[0], docs[1], docs[2], first, &sum); err != nil {
		return newerSummary(a, b)
	}
	return sum
}

// newerSummary returns the summary, made from the sessions, of the folder with the latest
// session.
func newerSummary(a, b *folder) CheckpointSummary {
	x, y := a.fullSummary(), b.fullSummary()
	later := laterOf(a.latest(), b.latest())
	if later > 0 || later == 0 && x.Strategy+x.Branch+x.CLIVersion > y.Strategy+y.Branch+y.CLIVersion {
		return x
	}
	return y
}

// latest returns the metadata of the session that was written last.
func (f *folder) latest() CommittedMetadata {
	var last CommittedMetadata
	for _, s := range f.slots {
		if s.err == nil && laterOf(s.meta, last) > 0 {
			last = s.meta
		}
	}
	return last
}
