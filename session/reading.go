package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Metadata implements [Reader]. It opens the messages only if metadata.json does not count all
// of them yet: after a crash, or while another process writes.
func (s *Store) Metadata(ctx context.Context, sessionID string) (SessionMetadata, error) {
	err := s.queue.settle(ctx)
	var meta SessionMetadata
	if err == nil {
		meta, err = s.queue.metadata(ctx, sessionID)
	}
	if err != nil {
		return SessionMetadata{}, fmt.Errorf("read session %.100s: %w", sessionID, err)
	}
	return meta, nil
}

func (b *Base) metadata(ctx context.Context, sessionID string) (SessionMetadata, error) {
	sid, dir, err := b.existing(sessionID)
	if err != nil {
		return SessionMetadata{}, err
	}
	meta, _, err := readMetadata(dir, sid)
	if err == nil {
		err = catchUp(ctx, dir, &meta, nil)
	}
	return meta, err
}

// Messages implements [Reader].
func (s *Store) Messages(ctx context.Context, sessionID string) iter.Seq2[Message, error] {
	return s.stream(ctx, sessionID, nil)
}

// MessagesUpTo is Messages up to and including the message messageUUID. If that is the first of
// several messages from one record of the agent, it includes the others. If the session has no
// such message, the stream ends with ErrNoMessage.
func (s *Store) MessagesUpTo(ctx context.Context, sessionID, messageUUID string) iter.Seq2[Message, error] {
	return s.stream(ctx, sessionID, &messageUUID)
}

func (s *Store) stream(ctx context.Context, sessionID string, last *string) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		list, v, err := s.openView(ctx, sessionID)
		in := eachSaid(ctx, list, 0)
		if err == nil && last != nil {
			in = upTo(in, *last)
			if v != nil {
				v, err = viewUpTo(ctx, list, *last)
			}
		}
		if err != nil {
			yield(Message{}, fmt.Errorf("read session %.100s: %w", sessionID, err))
			return
		}
		in = v.onlyIn(in)
		for m, err := range in {
			if err != nil {
				err = fmt.Errorf("read session %s: %w", sessionID, err)
			}
			if !yield(m.Message, err) {
				return
			}
		}
	}
}

// viewUpTo returns the view of the conversation when a message was its last.
func viewUpTo(ctx context.Context, list []part, uuid string) (*view, error) {
	end, err := placeOf(ctx, list, uuid)
	if err != nil {
		return nil, err
	}
	return viewOf(ctx, list, end, true, messageRecord)
}

// openLog returns the files of a session's log after the writes that this store has queued.
func (s *Store) openLog(ctx context.Context, sessionID string, of stream) ([]part, error) {
	if err := s.queue.settle(ctx); err != nil {
		return nil, err
	}
	_, dir, err := s.queue.existing(sessionID)
	if err != nil {
		return nil, err
	}
	return parts(dir, of)
}

// SDKMessages streams the records of transcript.jsonl from the first, as stored, without those
// that a rewind has taken out of the conversation. If there are none, it yields
// transcript.json, the document of an agent that keeps a single one.
func (s *Store) SDKMessages(ctx context.Context, sessionID string) iter.Seq2[SDKMessage, error] {
	return func(yield func(SDKMessage, error) bool) {
		list, v, err := s.openStream(ctx, sessionID)
		if err != nil {
			yield(nil, fmt.Errorf("read session %.100s: %w", sessionID, err))
			return
		}
		none := true
		for line, err := range eachLine(ctx, list, 0) {
			if err != nil {
				yield(nil, fmt.Errorf("read session %s: %w", sessionID, err))
				return
			}
			none = false
			if !v.has(line.part, line.end) {
				continue
			}
			if !yield(slices.Clone(line.data), nil) {
				return
			}
		}
		if !none {
			return
		}
		switch doc, err := readDocument(filepath.Join(s.Dir(sessionID), documentName)); {
		case err == nil:
			yield(doc, nil)
		case !errors.Is(err, fs.ErrNotExist):
			yield(nil, fmt.Errorf("read session %s: %w", sessionID, err))
		}
	}
}

// An SDKLine is a record of the agent's stream, and the offset of its end.
type SDKLine struct {
	Record SDKMessage
	End    int64
}

// SDKHistory streams every record in transcript.jsonl, including those that a rewind has taken
// out and the records of rewinds.
func (s *Store) SDKHistory(ctx context.Context, sessionID string) iter.Seq2[SDKLine, error] {
	return func(yield func(SDKLine, error) bool) {
		list, err := s.openLog(ctx, sessionID, transcriptStream)
		if err != nil {
			yield(SDKLine{}, fmt.Errorf("read session %.100s: %w", sessionID, err))
			return
		}
		starts := partStarts(list)
		for line, err := range eachLine(ctx, list, 0) {
			if err != nil {
				yield(SDKLine{}, fmt.Errorf("read session %s: %w", sessionID, err))
				return
			}
			if !yield(SDKLine{slices.Clone(line.data), starts[line.part] + line.end}, nil) {
				return
			}
		}
	}
}

// SDKMessagesUpTo is SDKMessages as it was when the record of the message was the last one,
// even if the conversation was rewound since. It returns ErrNoMessage if no record has that ID.
func (s *Store) SDKMessagesUpTo(ctx context.Context, sessionID, messageUUID string) iter.Seq2[SDKMessage, error] {
	return func(yield func(SDKMessage, error) bool) {
		list, err := s.openLog(ctx, sessionID, transcriptStream)
		c := cut{transcript: list}
		if err == nil {
			err = c.cutTranscript(ctx, messageUUID)
		}
		if err == nil && len(c.transcript) == 0 {
			err = fmt.Errorf("%.100q: %w", messageUUID, ErrNoMessage)
		}
		var v *view
		if err == nil {
			v, err = viewOf(ctx, c.transcript, -1, false, streamRecord)
		}
		if err != nil {
			yield(nil, fmt.Errorf("read session %.100s: %w", sessionID, err))
			return
		}
		for line, err := range eachLine(ctx, c.transcript, 0) {
			if err != nil {
				yield(nil, fmt.Errorf("read session %s: %w", sessionID, err))
				return
			}
			if v.has(line.part, line.end) && !yield(slices.Clone(line.data), nil) {
				return
			}
		}
	}
}

// openStream is openLog for the agent's stream, with the view of the conversation.
func (s *Store) openStream(ctx context.Context, sessionID string) ([]part, *view, error) {
	list, err := s.openLog(ctx, sessionID, transcriptStream)
	if err != nil {
		return nil, nil, err
	}
	meta, err := s.queue.metadata(ctx, sessionID)
	if err != nil || meta.Rewinds == 0 {
		return list, nil, err
	}
	v, err := viewOf(ctx, list, -1, false, streamRecord)
	return list, v, err
}

func readDocument(path string) ([]byte, error) {
	f, err := openFile(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// LastMessages returns the last n messages, or all if there are fewer, reading from the end. It
// skips damaged lines.
func (s *Store) LastMessages(ctx context.Context, sessionID string, n int) ([]Message, error) {
	list, v, err := s.openView(ctx, sessionID)
	if err == nil && v != nil {
		return s.lastInView(ctx, sessionID, list, v, n)
	}
	var out []Message
	for i := len(list) - 1; i >= 0 && len(out) < n && err == nil; i-- {
		out, err = lastOf(ctx, list[i], n, out)
	}
	if err != nil {
		return nil, fmt.Errorf("read session %.100s: %w", sessionID, err)
	}
	slices.Reverse(out)
	return out, nil
}

// lastInView is LastMessages for a conversation that was rewound.
func (s *Store) lastInView(ctx context.Context, sessionID string, list []part, v *view, n int) ([]Message, error) {
	var out []Message
	for m, err := range v.onlyIn(eachSaid(ctx, list, 0)) {
		if err != nil {
			if isBad(err) {
				continue
			}
			return nil, fmt.Errorf("read session %s: %w", sessionID, err)
		}
		if out = append(out, m.Message); len(out) > n {
			out = out[1:]
		}
	}
	return out, nil
}

// lastOf appends messages of p to out, the last first, until out has n.
func lastOf(ctx context.Context, p part, n int, out []Message) ([]Message, error) {
	f, err := p.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := newTailReader(f, p.bytes)
	for err == nil && len(out) < n {
		if err = ctx.Err(); err != nil {
			break
		}
		var line []byte
		if line, _, err = lines.prev(); err != nil {
			break
		}
		if m, err := parseMessage(line); err == nil {
			out = append(out, m)
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return out, nil
}

// LoadMessagesContext is [Store.LoadMessages] with a context.
func (s *Store) LoadMessagesContext(ctx context.Context, sessionID string) ([]Message, error) {
	list, _, err := collect(s.Messages(ctx, sessionID))
	return list, err
}

// LoadMessagesUpToContext is [Store.LoadMessagesUpTo] with a context.
func (s *Store) LoadMessagesUpToContext(ctx context.Context, sessionID, messageUUID string) ([]Message, error) {
	list, _, err := collect(s.MessagesUpTo(ctx, sessionID, messageUUID))
	return list, err
}

// collect separates the messages of a stream from its damaged lines.
func collect(in iter.Seq2[Message, error]) (list []Message, bad []*BadLineError, _ error) {
	for m, err := range in {
		var b *BadLineError
		switch {
		case err == nil:
			list = append(list, m)
		case errors.As(err, &b):
			bad = append(bad, b)
		default:
			return nil, nil, err
		}
	}
	return list, bad, nil
}

// ErrAmbiguous is returned for a prefix that the IDs of several sessions begin with.
var ErrAmbiguous = errors.New("several sessions begin so")

// Find returns the ID of the session whose ID is prefix or begins with it; ErrNotFound if there
// is none, ErrAmbiguous if there are several.
func (s *Store) Find(ctx context.Context, prefix string) (string, error) {
	all, err := s.ListContext(ctx)
	if err != nil {
		return "", err
	}
	var found []string
	for _, meta := range all {
		if meta.ID == prefix {
			return prefix, nil
		}
		if strings.HasPrefix(meta.ID, prefix) {
			found = append(found, meta.ID)
		}
	}
	switch {
	case len(found) == 0 || prefix == "":
		return "", fmt.Errorf("%.100q: %w", prefix, ErrNotFound)
	case len(found) > 1:
		slices.Sort(found)
		return "", fmt.Errorf("%.100q: %w: %s", prefix, ErrAmbiguous, strings.Join(found[:min(len(found), 5)], ", "))
	}
	return found[0], nil
}
