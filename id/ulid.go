package id

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"strings"
	"time"
)

// ulidLen is the number of characters of a ULID: 128 bits, five for each.
const ulidLen = 26

// crockford are the digits of Crockford's base 32, which leaves out I, L, O and U.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// GenerateULID returns a fresh checkpoint ID that is a ULID: 48 bits with the milliseconds of
// at, then 80 random bits. IDs sort by time.
func GenerateULID(at time.Time) (CheckpointID, error) {
	var b [16]byte
	if _, err := rand.Read(b[6:]); err != nil {
		return CheckpointID{}, fmt.Errorf("generate checkpoint id: %w", err)
	}
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(max(at.UnixMilli(), 0)))
	copy(b[:6], ms[2:])
	high, low := binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
	var text [ulidLen]byte
	for i := ulidLen - 1; i >= 0; i-- {
		text[i] = crockford[low&31]
		low, high = low>>5|high<<59, high>>5
	}
	return CheckpointID{string(text[:])}, nil
}

// newULID parses 26 characters.
func newULID(s string) (CheckpointID, error) {
	for i := range len(s) {
		if strings.IndexByte(crockford, s[i]) < 0 {
			return CheckpointID{}, fmt.Errorf("checkpoint id %s is not a ULID in upper case", excerpt(s))
		}
	}
	if s[0] > '7' {
		return CheckpointID{}, fmt.Errorf("checkpoint id %s has more than the 128 bits of a ULID", excerpt(s))
	}
	return CheckpointID{s}, nil
}

// IsULID reports whether c is a ULID. Checkpoints with such an ID are usually in refs of their
// own, not on the metadata branch.
func (c CheckpointID) IsULID() bool { return len(c.s) == ulidLen }

// MayBegin reports whether an ID can begin with text, in this case of its letters.
func MayBegin(text string) bool {
	hex, ulid := len(text) <= checkpointLen, len(text) <= ulidLen
	for i := range len(text) {
		hex = hex && isLowerHex(text[i])
		ulid = ulid && strings.IndexByte(crockford, text[i]) >= 0
	}
	return hex || ulid
}
