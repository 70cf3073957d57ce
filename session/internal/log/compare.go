package log

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// Relation says how a staged session relates to the stored session of the same ID.
type Relation int

// The relations.
const (
	RelationNew   Relation = iota // no session of that ID is stored
	RelationSame                  // the stored session has the same content
	RelationOlder                 // the stored session has all of it, and more
	RelationOther                 // it has something that the stored session does not have
)

// CompareReaders returns RelationOlder if b begins with a and is longer.
func CompareReaders(ctx context.Context, a, b io.Reader) (Relation, error) {
	x, y := make([]byte, ReadSize), make([]byte, ReadSize)
	for {
		n, aerr := io.ReadFull(a, x)
		m, berr := io.ReadFull(b, y[:max(n, 1)]) // when a has ended, one byte shows that b continues
		for _, err := range []error{aerr, berr, ctx.Err()} {
			if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return 0, err
			}
		}
		switch {
		case n == 0 && m == 0:
			return RelationSame, nil
		case n == 0:
			return RelationOlder, nil
		case !bytes.Equal(x[:n], y[:m]):
			return RelationOther, nil
		}
	}
}
