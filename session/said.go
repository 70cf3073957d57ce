package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"entire/agent"
)

// A storedLine is a line of a log and where it is stored.
type storedLine struct {
	file string
	part int   // index in the list of parts
	at   int64 // offset of its first byte
	end  int64 // offset after its newline
	data []byte
}

// eachLine streams the complete lines of parts that are not blank. data is valid until the next
// line. An error ends the stream.
func eachLine(ctx context.Context, list []part, from int64) iter.Seq2[storedLine, error] {
	return func(yield func(storedLine, error) bool) {
		for i, p := range list {
			if !partLines(ctx, p, i, from, yield) {
				return
			}
			from = 0
		}
	}
}

// partLines streams the lines of one part and reports whether the stream continues.
func partLines(ctx context.Context, p part, number int, from int64, yield func(storedLine, error) bool) bool {
	f, err := p.open()
	if err != nil {
		return yield(storedLine{}, err) && false
	}
	defer f.Close()
	lines := newLineReader(f, from, p.bytes)
	for {
		if err := ctx.Err(); err != nil {
			return yield(storedLine{}, err) && false
		}
		data, at, err := lines.next()
		if errors.Is(err, io.EOF) {
			return true
		}
		if err != nil {
			return yield(storedLine{}, err) && false
		}
		if isBlank(data) {
			continue
		}
		if !yield(storedLine{p.path, number, at, lines.at, data}, nil) {
			return false
		}
	}
}

func isBlank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// A said is a message and where it is stored.
type said struct {
	Message
	part int
	end  int64
}

// eachSaid streams the messages of parts. A line that is not a message yields a *BadLineError
// and the stream continues; any other error ends it.
func eachSaid(ctx context.Context, list []part, from int64) iter.Seq2[said, error] {
	return func(yield func(said, error) bool) {
		for line, err := range eachLine(ctx, list, from) {
			if err != nil {
				yield(said{}, err)
				return
			}
			m, err := decodeMessage(line)
			if !yield(said{m, line.part, line.end}, err) {
				return
			}
		}
	}
}

// decodeMessage decodes a line. It reads a damaged line once more: while it was read, a writer
// may have cut off a torn line and written another in its place.
func decodeMessage(line storedLine) (Message, error) {
	m, err := parseMessage(line.data)
	if err == nil {
		return m, nil
	}
	if again, rerr := reread(line); rerr == nil && !bytes.Equal(again, line.data) {
		if fresh, ferr := parseMessage(again); ferr == nil {
			return fresh, nil
		}
	}
	return Message{}, badLine(line.file, line.at, line.data, err)
}

func reread(line storedLine) ([]byte, error) {
	f, err := OpenLog(line.file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, _, err := newLineReader(f, line.at, line.end).next()
	return data, err
}

// upTo ends a stream after the message uuid and the further messages from the same record of
// the agent. If there is no such message, the stream ends with ErrNoMessage.
func upTo(in iter.Seq2[said, error], uuid string) iter.Seq2[said, error] {
	return func(yield func(said, error) bool) {
		found := false
		for m, err := range in {
			if found && (err != nil || m.UUID == uuid || agent.RecordUUID(m.UUID) != uuid) {
				return
			}
			if err == nil && m.UUID == uuid {
				found = true
			}
			if !yield(m, err) {
				return
			}
		}
		if !found {
			yield(said{}, fmt.Errorf("%.100q: %w", uuid, ErrNoMessage))
		}
	}
}

// isBad reports whether an error is about one line only.
func isBad(err error) bool {
	var bad *BadLineError
	return errors.As(err, &bad)
}
