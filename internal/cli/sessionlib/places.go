package sessionlib

import (
	"context"
	"iter"
	"slices"

	"entire/session"
)

// placeEvery is the number of messages between two known places of a log.
const placeEvery = 64

// Places is what is known of the log of a session in the store: how long it is, and where each 64th message begins.
// With it, a part of a conversation of 50,000 messages takes no longer to read than its beginning. A copy stays
// as it is while another one is brought up to date.
type Places struct {
	Total  int   // messages that were read
	end    int64 // of what was read
	begins []int64
}

// A NumberedLine is a line of a log with the number of its message, from 1.
type NumberedLine struct {
	Number int
	session.LogLine
}

// Stale reports whether the log of a session is shorter than what was read of it: it is another one.
func (p *Places) Stale(ctx context.Context, store *session.Store, id string) (bool, error) {
	size, err := store.LogSize(ctx, id)
	return size < p.end, err
}

// Follow reads what the log has got since, and passes each of its lines to do.
func (p *Places) Follow(ctx context.Context, store *session.Store, id string, do func(NumberedLine)) error {
	for line, err := range store.LogFrom(ctx, id, p.end) {
		if err != nil {
			return err
		}
		if p.Total%placeEvery == 0 {
			p.begins = append(slices.Clip(p.begins), p.end)
		}
		p.Total++
		p.end = line.End
		do(NumberedLine{p.Total, line})
	}
	return nil
}

// From returns the messages from a number on.
func (p *Places) From(ctx context.Context, store *session.Store, id string, number int) iter.Seq2[NumberedLine, error] {
	return func(yield func(NumberedLine, error) bool) {
		if number > p.Total {
			return
		}
		k := (max(number, 1) - 1) / placeEvery
		at := k * placeEvery
		for line, err := range store.LogFrom(ctx, id, p.begins[k]) {
			if at++; err == nil && at < number {
				continue
			}
			if !yield(NumberedLine{at, line}, err) {
				return
			}
		}
	}
}
