package chunk

import (
	"fmt"
	"strconv"
	"strings"

	"entire/internal/git"
)

// Chunks is a list of chunks. Its text has "<oid> <size>" for each, separated by spaces: every
// hook of a long session reads and writes the list, and JSON objects would take most of its
// time.
type Chunks []Chunk

// MarshalText implements [encoding.TextMarshaler].
func (c Chunks) MarshalText() ([]byte, error) {
	var b []byte
	for i, chunk := range c {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(append(b, chunk.OID.String()...), ' ')
		b = strconv.AppendInt(b, chunk.Size, 10)
	}
	return b, nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (c *Chunks) UnmarshalText(text []byte) error {
	fields := strings.Fields(string(text))
	if len(fields)%2 != 0 {
		return fmt.Errorf("chunk list has %d fields", len(fields))
	}
	list := make(Chunks, 0, len(fields)/2)
	for ; len(fields) > 0; fields = fields[2:] {
		oid, err := git.ParseOID(fields[0])
		if err != nil {
			return fmt.Errorf("chunk list: %w", err)
		}
		size, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil || size <= 0 {
			return fmt.Errorf("chunk list: size %q", fields[1])
		}
		list = append(list, Chunk{oid, size})
	}
	*c = list
	return nil
}
