package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"entire/session/internal/conversation"
	"entire/session/internal/layout"
	"entire/session/internal/log"
)

// Metadata implements [Reader]. It opens the messages only if metadata.json does not count all
// of them yet: after a crash, or while another process writes.
func (s *Store) Metadata(ctx context.Context, sessionID string) (SessionMetadata, error) {
	err := s.queue.AwaitWrites(ctx)
	var meta SessionMetadata
	if err == nil {
		meta, err = conversation.Metadata(ctx, s.queue.Base, sessionID)
	}
	if err != nil {
		return SessionMetadata{}, fmt.Errorf("read session %.100s: %w", sessionID, err)
	}
	return meta, nil
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
		in := conversation.EachMessage(ctx, list, 0)
		if err == nil && last != nil {
			in = conversation.UpToMessage(in, *last)
			if v != nil {
				v, err = viewUpTo(ctx, list, *last)
			}
		}
		if err != nil {
			yield(Message{}, fmt.Errorf("read session %.100s: %w", sessionID, err))
			return
		}
		in = v.Filter(in)
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
func viewUpTo(ctx context.Context, list []log.Part, uuid string) (*conversation.View, error) {
	end, err := conversation.EndOfMessage(ctx, list, uuid)
	if err != nil {
		return nil, err
	}
	return conversation.ViewOf(ctx, list, end, true, conversation.MessageRecord)
}

// openLog returns the files of a session's log after the writes that this store has queued.
func (s *Store) openLog(ctx context.Context, sessionID string, of log.Stream) ([]log.Part, error) {
	if err := s.queue.AwaitWrites(ctx); err != nil {
		return nil, err
	}
	_, dir, err := s.queue.Existing(sessionID)
	if err != nil {
		return nil, err
	}
	return log.Parts(dir, of)
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
		for line, err := range conversation.EachLine(ctx, list, 0) {
			if err != nil {
				yield(nil, fmt.Errorf("read session %s: %w", sessionID, err))
				return
			}
			none = false
			if !v.Contains(line.Part, line.End) {
				continue
			}
			if !yield(slices.Clone(line.Data), nil) {
				return
			}
		}
		if !none {
			return
		}
		switch doc, err := layout.ReadDocument(filepath.Join(s.Dir(sessionID), layout.DocumentName)); {
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
		list, err := s.openLog(ctx, sessionID, log.TranscriptStream)
		if err != nil {
			yield(SDKLine{}, fmt.Errorf("read session %.100s: %w", sessionID, err))
			return
		}
		starts := conversation.PartStarts(list)
		for line, err := range conversation.EachLine(ctx, list, 0) {
			if err != nil {
				yield(SDKLine{}, fmt.Errorf("read session %s: %w", sessionID, err))
				return
			}
			if !yield(SDKLine{slices.Clone(line.Data), starts[line.Part] + line.End}, nil) {
				return
			}
		}
	}
}

// SDKMessagesUpTo is SDKMessages as it was when the record of the message was the last one,
// even if the conversation was rewound since. It returns ErrNoMessage if no record has that ID.
func (s *Store) SDKMessagesUpTo(ctx context.Context, sessionID, messageUUID string) iter.Seq2[SDKMessage, error] {
	return func(yield func(SDKMessage, error) bool) {
		list, err := s.openLog(ctx, sessionID, log.TranscriptStream)
		c := conversation.Cut{Transcript: list}
		if err == nil {
			err = c.CutTranscript(ctx, messageUUID)
		}
		if err == nil && len(c.Transcript) == 0 {
			err = fmt.Errorf("%.100q: %w", messageUUID, ErrNoMessage)
		}
		var v *conversation.View
		if err == nil {
			v, err = conversation.ViewOf(ctx, c.Transcript, -1, false, conversation.StreamRecord)
		}
		if err != nil {
			yield(nil, fmt.Errorf("read session %.100s: %w", sessionID, err))
			return
		}
		for line, err := range conversation.EachLine(ctx, c.Transcript, 0) {
			if err != nil {
				yield(nil, fmt.Errorf("read session %s: %w", sessionID, err))
				return
			}
			if v.Contains(line.Part, line.End) && !yield(slices.Clone(line.Data), nil) {
				return
			}
		}
	}
}

// openStream is openLog for the agent's stream, with the view of the conversation.
func (s *Store) openStream(ctx context.Context, sessionID string) ([]log.Part, *conversation.View, error) {
	list, err := s.openLog(ctx, sessionID, log.TranscriptStream)
	if err != nil {
		return nil, nil, err
	}
	meta, err := conversation.Metadata(ctx, s.queue.Base, sessionID)
	if err != nil || meta.Rewinds == 0 {
		return list, nil, err
	}
	v, err := conversation.ViewOf(ctx, list, -1, false, conversation.StreamRecord)
	return list, v, err
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
func (s *Store) lastInView(ctx context.Context, sessionID string, list []log.Part, v *conversation.View, n int) ([]Message, error) {
	var out []Message
	for m, err := range v.Filter(conversation.EachMessage(ctx, list, 0)) {
		if err != nil {
			if conversation.IsBadLine(err) {
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
func lastOf(ctx context.Context, p log.Part, n int, out []Message) ([]Message, error) {
	f, err := p.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := log.NewTailReader(f, p.Bytes)
	for err == nil && len(out) < n {
		if err = ctx.Err(); err != nil {
			break
		}
		var line []byte
		if line, _, err = lines.Prev(); err != nil {
			break
		}
		if m, err := conversation.ParseMessage(line); err == nil {
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
