package id

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
)

// checkpointLen is the number of hex digits in a checkpoint ID.
const checkpointLen = 12

// shardLen is the number of digits that name the checkpoint's directory.
const shardLen = 2

// CheckpointID identifies one checkpoint. The zero value means "none"; any other value is
// exactly 12 lowercase hex digits, or a ULID (see [GenerateULID]). Values compare with == and
// may be map keys.
type CheckpointID struct{ s string }

// Generate returns a fresh random checkpoint ID of 12 digits (48 bits from the system's
// random source).
func Generate() (CheckpointID, error) {
	var b [checkpointLen / 2]byte
	if _, err := rand.Read(b[:]); err != nil {
		return CheckpointID{}, fmt.Errorf("generate checkpoint id: %w", err)
	}
	return CheckpointID{hex.EncodeToString(b[:])}, nil
}

// NewCheckpointID parses a checkpoint ID. It returns an error unless s is exactly 12
// lowercase hex digits, or 26 characters of a ULID in upper case.
func NewCheckpointID(s string) (CheckpointID, error) {
	if len(s) == ulidLen {
		return newULID(s)
	}
	if len(s) != checkpointLen {
		return CheckpointID{}, fmt.Errorf("checkpoint id %s has %d bytes, want %d or %d", excerpt(s), len(s), checkpointLen, ulidLen)
	}
	for i := range len(s) {
		if !isLowerHex(s[i]) {
			return CheckpointID{}, fmt.Errorf("checkpoint id %s is not lowercase hexadecimal", excerpt(s))
		}
	}
	return CheckpointID{s}, nil
}

// MustCheckpointID is NewCheckpointID for constants; it panics on an invalid s.
func MustCheckpointID(s string) CheckpointID {
	c, err := NewCheckpointID(s)
	if err != nil {
		panic(err)
	}
	return c
}

// String returns the digits or characters, or "" for none.
func (c CheckpointID) String() string { return c.s }

// Compare orders IDs by their text; it is less than 0 if c comes before d.
func (c CheckpointID) Compare(d CheckpointID) int { return strings.Compare(c.s, d.s) }

// IsEmpty reports whether c is the zero value.
func (c CheckpointID) IsEmpty() bool { return c.s == "" }

// IsZero is IsEmpty, for encoding/json's omitzero.
func (c CheckpointID) IsZero() bool { return c.s == "" }

// Shard returns the first two characters ("a3", "01"), or "" for none.
func (c CheckpointID) Shard() string {
	if c.s == "" {
		return ""
	}
	return c.s[:shardLen]
}

// Rest returns the characters after the shard, ten of a hex ID and 24 of a ULID, or "" for none.
func (c CheckpointID) Rest() string {
	if c.s == "" {
		return ""
	}
	return c.s[shardLen:]
}

// Path returns the checkpoint's path in the tree of the metadata branch, with a forward slash
// ("a3/b2c4d5e6f7"), or "" for none. A checkpoint in a ref of its own has no path.
func (c CheckpointID) Path() string {
	if c.s == "" {
		return ""
	}
	return c.Shard() + "/" + c.Rest()
}

// MarshalText returns the digits or characters; the empty text for none.
func (c CheckpointID) MarshalText() ([]byte, error) { return []byte(c.s), nil }

// UnmarshalText parses the empty text as none, and any other text like NewCheckpointID.
// After an error c is unchanged.
func (c *CheckpointID) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*c = CheckpointID{}
		return nil
	}
	v, err := NewCheckpointID(string(text))
	if err != nil {
		return err
	}
	*c = v
	return nil
}

func isLowerHex(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'f'
}
