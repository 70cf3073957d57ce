package object

import (
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"
)

func HashBlob(h hash.Hash, content io.Reader, size int64) (OID, error) {
	fmt.Fprintf(h, "blob %d\x00", size)
	if _, err := io.Copy(h, content); err != nil {
		return OID{}, err
	}
	return OIDFromBytes(h.Sum(nil)), nil
}

// OID is an object ID: 20 bytes in a SHA-1 repository, 32 in a SHA-256 one.
// The zero OID names no object. OIDs are comparable.
type OID struct {
	b [32]byte
	n uint8 // length in bytes; 0 for the zero OID
}

// ParseOID parses 40 or 64 lowercase or uppercase hex digits. All zeros, with which git
// writes "no object", give the zero OID.
func ParseOID(s string) (OID, error) {
	var o OID
	if len(s) != 40 && len(s) != 64 {
		return OID{}, fmt.Errorf("object ID %q: want 40 or 64 hex digits", Clip(s))
	}
	n, err := hex.Decode(o.b[:], []byte(s))
	if err != nil {
		return OID{}, fmt.Errorf("object ID %q: want 40 or 64 hex digits", Clip(s))
	}
	if o.b == [32]byte{} {
		return OID{}, nil
	}
	o.n = uint8(n)
	return o, nil
}

// ParseOIDs parses the words of a text, which are all object IDs.
func ParseOIDs(text []byte) ([]OID, error) {
	words := strings.Fields(string(text))
	oids := make([]OID, len(words))
	for i, word := range words {
		var err error
		if oids[i], err = ParseOID(word); err != nil {
			return nil, err
		}
	}
	return oids, nil
}

// MustOID is ParseOID for constants; it panics on anything else.
func MustOID(s string) OID {
	o, err := ParseOID(s)
	if err != nil {
		panic(err)
	}
	return o
}

func OIDFromBytes(b []byte) OID {
	var o OID
	copy(o.b[:], b)
	if o.b != [32]byte{} {
		o.n = uint8(len(b))
	}
	return o
}

// IsZero reports whether o names no object.
func (o OID) IsZero() bool { return o.n == 0 }

// Bytes returns the raw ID: 20 or 32 bytes, none for the zero OID.
func (o OID) Bytes() []byte { return o.b[:o.n] }

// String returns the ID in lowercase hex, "" for the zero OID.
func (o OID) String() string { return hex.EncodeToString(o.b[:o.n]) }

// Short returns the first seven hex digits.
func (o OID) Short() string { return hex.EncodeToString(o.b[:min(4, o.n)])[:min(7, 2*int(o.n))] }

// MarshalText writes the hex form.
func (o OID) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (o *OID) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*o = OID{}
		return nil
	}
	v, err := ParseOID(string(text))
	if err != nil {
		return err
	}
	*o = v
	return nil
}

func Clip(s string) string {
	if len(s) > 70 {
		return s[:70] + "…"
	}
	return s
}

// ObjectOID returns the ID of an object with the given content, with a hash of the repository's kind.
func ObjectOID(h hash.Hash, kind string, data []byte) OID {
	h.Reset()
	h.Write([]byte(kind + " " + strconv.Itoa(len(data)) + "\x00"))
	h.Write(data)
	return OIDFromBytes(h.Sum(nil))
}
