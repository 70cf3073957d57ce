package metadata

import (
	"testing"

	"entire/id"
	"entire/internal/git"
)

// FuzzRedaction: what is no redaction is skipped, and whatever redactions say, following them ends.
func FuzzRedaction(f *testing.F) {
	a, b := "0123456789012345678901234567890123456789", "abcdef0123456789012345678901234567890123"
	f.Add([]byte(`{"version":1,"checkpoint_id":"a3b2c4d5e6f7","old":"`+a+`","new":"`+b+`","files":{"x":"y"}}`), []byte(`{"version":1,"checkpoint_id":"a3b2c4d5e6f7","old":"`+b+`","new":"`+a+`"}`))
	f.Fuzz(func(t *testing.T, one, other []byte) {
		var r Redactions
		for _, data := range [][]byte{one, other} {
			d, old, new, ok := decodeRedaction(data)
			if !ok {
				continue
			}
			if old.IsZero() || new.IsZero() || d.ID.IsZero() {
				t.Errorf("%q is taken", data)
			}
			r.Add(d.ID, old, new, d.Files)
		}
		for cp, folders := range r.Folders {
			for old := range folders {
				r.Of(cp, old)
			}
		}
		if got := r.Of(id.CheckpointID{}, git.OID{}); !got.IsZero() {
			t.Errorf("nothing became %s", got)
		}
	})
}
