package conversation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"entire/agent/conversation"
	"entire/session/internal/log"
)

// A StoredLine is a line of a log and where it is stored.
type StoredLine struct {
	File string
	Part int   // index in the list of parts
	at   int64 // offset of its first byte
	End  int64 // offset after its newline
	Data []byte
}

// EachLine streams the complete lines of parts that are not blank. data is valid until the next
// line. An error ends the stream.
func EachLine(ctx context.Context, list []log.Part, from int64) iter.Seq2[StoredLine, error] {
	return func(yield func(StoredLine, error) bool) {
		for i, p := range list {
			if !partLines(ctx, p, i, from, yield) {
				return
			}
			from = 0
		}
	}
}

// partLines streams the lines of one part and reports whether the stream continues.
func partLines(ctx context.Context, p log.Part, number int, from int64, yield func(StoredLine, error) bool) bool {
	f, err := p.Open()
	if err != nil {
		return yield(StoredLine{}, err) && false
	}
	defer f.Close()
	lines := log.NewLineReader(f, from, p.Bytes)
	for {
		if err := ctx.Err(); err != nil {
			return yield(StoredLine{}, err) && false
		}
		at := lines.At
		data, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return true
		}
		if err != nil {
			return yield(StoredLine{}, err) && false
		}
		if isBlank(data) {
			continue
		}
		if !yield(StoredLine{p.Path, number, at, lines.At, data}, nil) {
			return false
		}
	}
}

func isBlank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// A storedMessage is a message and where it is stored.
type storedMessage struct {
	Message
	Part int
	End  int64
}

// EachMessage streams the messages of parts. A line that is not a message yields a *BadLineError
// and the stream continues; any other error ends it.
func EachMessage(ctx context.Context, list []log.Part, from int64) iter.Seq2[storedMessage, error] {
	return func(yield func(storedMessage, error) bool) {
		for line, err := range EachLine(ctx, list, from) {
			if err != nil {
				yield(storedMessage{}, err)
				return
			}
			m, err := DecodeMessage(line)
			if !yield(storedMessage{m, line.Part, line.End}, err) {
				return
			}
		}
	}
}

// DecodeMessage decodes a line. It reads a damaged line once more: while it was read, a writer
// may have cut off a torn line and written another in its place.
func DecodeMessage(line StoredLine) (Message, error) {
	m, err := ParseMessage(line.Data)
	if err == nil {
		return m, nil
	}
	if again, rerr := reread(line); rerr == nil && !bytes.Equal(again, line.Data) {
		if fresh, ferr := ParseMessage(again); ferr == nil {
			return fresh, nil
		}
	}
	return Message{}, log.BadLine(line.File, line.at, line.Data, err)
}

func reread(line StoredLine) ([]byte, error) {
	f, err := log.OpenLog(line.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := log.NewLineReader(f, line.at, line.End).Next()
	return data, err
}

// UpToMessage ends a stream after the message uuid and the further messages from the same record of
// the agent. If there is no such message, the stream ends with ErrNoMessage.
func UpToMessage(in iter.Seq2[storedMessage, error], uuid string) iter.Seq2[storedMessage, error] {
	return func(yield func(storedMessage, error) bool) {
		found := false
		for m, err := range in {
			if found && (err != nil || m.UUID == uuid || conversation.RecordUUID(m.UUID) != uuid) {
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
			yield(storedMessage{}, fmt.Errorf("%.100q: %w", uuid, ErrNoMessage))
		}
	}
}

// IsBadLine reports whether an error is about one line only.
func IsBadLine(err error) bool {
	var bad *log.BadLineError
	return errors.As(err, &bad)
}
