package git

import (
	"bytes"
	"strings"
	"testing"

	"entire/internal/git/object"
)

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte("# branch.oid " + someOID + "\x00# branch.head main\x001 .M N... 100644 100644 100644 " + someOID + " " + someOID + " a b\n\x00? new\x00? nested/\x00! ignored\x00"))
	f.Add([]byte("# branch.oid (initial)\x00u UU N... 100644 100644 100644 100644 " + someOID + " " + someOID + " " + someOID + " f\x00"))
	f.Add([]byte("2 R. N... 100644 100644 100644 " + someOID + " " + someOID + " R100 to\x00from\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		st, err := parseStatus(data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("message of several lines: %q", err)
			}
			return
		}
		for _, e := range st.Entries {
			if err := object.ValidPath(e.Path); err != nil {
				t.Error(err)
			}
			if !bytes.Contains(data, []byte(e.Path+"\x00")) {
				t.Errorf("path %q was not in the output", e.Path)
			}
		}
	})
}

func FuzzParseRaw(f *testing.F) {
	f.Add([]byte(":100644 100755 " + someOID + " " + otherOID + " M\x00a b\n\x00:000000 100644 " + strings.Repeat("0", 40) + " " + otherOID + " A\x00:x\x00"))
	f.Add([]byte(":100644 100644 " + someOID + " " + otherOID + " R100\x00old\x00new\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		changes, err := ParseRaw(data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("message of several lines: %q", err)
			}
			return
		}
		if n := bytes.Count(data, []byte{0}); n != 2*len(changes) {
			t.Errorf("%d fields gave %d changes", n, len(changes))
		}
	})
}

const (
	someOID  = "0123456789abcdef0123456789abcdef01234567"
	otherOID = "fedcba9876543210fedcba9876543210fedcba98"
)
