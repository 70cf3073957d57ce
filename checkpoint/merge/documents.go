package merge

import (
	"bytes"
	"encoding/json"

	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/internal/git"
)

// fields are the members of a JSON object.
type fields map[string]json.RawMessage

// document merges the metadata of a session field by field. If both sides changed a field, the
// later document's value is taken; later is positive if that is a's.
func (m *merger) document(t threeWay, later int) (merged metadata.CommittedMetadata, err error) {
	var docs [3][]byte
	for i, e := range []git.TreeEntry{t.base, t.a, t.b} {
		if e.Mode == 0 || e.Mode == git.ModeTree {
			continue
		}
		if docs[i], err = m.rd.RawBlob(e.OID); err != nil {
			return merged, err
		}
	}
	first := later > 0 || later == 0 && bytes.Compare(docs[1], docs[2]) > 0
	if mergeDocument(docs[0], docs[1], docs[2], first, &merged) == nil {
		return merged, nil
	}
	if first {
		return merged, chunk.DecodeDocument(docs[1], &merged)
	}
	return merged, chunk.DecodeDocument(docs[2], &merged)
}

// mergeDocument decodes the three-way merge of two documents into v. A base that cannot be read
// counts as empty.
func mergeDocument(base, a, b []byte, first bool, v any) error {
	var in [3]fields
	for i, data := range [][]byte{base, a, b} {
		if err := chunk.DecodeDocument(data, &in[i]); err != nil && i > 0 {
			return err
		}
	}
	data, err := json.Marshal(mergeFields(in[0], in[1], in[2], first))
	if err != nil {
		return err
	}
	return chunk.DecodeDocument(data, v)
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
func mergeSummaries(base, a, b *metadata.Folder) metadata.CheckpointSummary {
	switch {
	case a.Err != nil && b.Err != nil:
		return newerSummary(a, b)
	case a.Err != nil:
		return b.Summary
	case b.Err != nil:
		return a.Summary
	}
	var docs [3][]byte
	for i, f := range []*metadata.Folder{base, a, b} {
		if f.Err == nil {
			docs[i], _ = json.Marshal(f.Summary) // it was decoded from JSON, so it can be encoded
		}
	}
	later := metadata.LaterOf(a.Latest(), b.Latest())
	first := later > 0 || later == 0 && bytes.Compare(docs[1], docs[2]) > 0
	var sum metadata.CheckpointSummary
	if err := mergeDocument(docs[0], docs[1], docs[2], first, &sum); err != nil {
		return newerSummary(a, b)
	}
	return sum
}

// newerSummary returns the summary, made from the sessions, of the folder with the latest
// session.
func newerSummary(a, b *metadata.Folder) metadata.CheckpointSummary {
	x, y := a.FullSummary(), b.FullSummary()
	later := metadata.LaterOf(a.Latest(), b.Latest())
	if later > 0 || later == 0 && x.Strategy+x.Branch+x.CLIVersion > y.Strategy+y.Branch+y.CLIVersion {
		return x
	}
	return y
}
