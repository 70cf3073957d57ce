package records

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"entire/agent"
	"entire/agent/agents"
	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/internal/git"
)

// BadMessageError reports a line of stored messages that is not a message.
type BadMessageError struct {
	Line   int    // from 1
	Offset int64  // offset of its first byte in all messages
	Text   []byte // its first 200 bytes
	Err    error
}

func (e *BadMessageError) Error() string { return fmt.Sprintf("message in line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *BadMessageError) Unwrap() error { return e.Err }

// Messages streams the conversation from its first message and holds one chunk of it. A line
// that cannot be read yields a [*BadMessageError], and the stream continues after it; any other
// error ends it. If the messages do not have their stored hash, the stream ends with a
// [*HashMismatchError].
func (o *OpenConversation) Messages(ctx context.Context) iter.Seq2[agent.Message, error] {
	if o.Info == nil {
		return o.normalised(ctx)
	}
	return func(yield func(agent.Message, error) bool) {
		line, at, h := 0, int64(0), sha256.New()
		for chunk, err := range o.messageChunks(ctx) {
			if err != nil {
				yield(agent.Message{}, err)
				return
			}
			h.Write(chunk)
			for text := range bytes.Lines(chunk) {
				line++
				var m agent.Message
				var err error
				if cause := json.Unmarshal(text, &m); cause != nil {
					m, err = agent.Message{}, &BadMessageError{line, at, bytes.Clone(text[:min(len(text), 200)]), cause}
				}
				at += int64(len(text))
				if !yield(m, err) {
					return
				}
			}
		}
		if sum := chunk.HashPrefix + hex.EncodeToString(h.Sum(nil)); sum != o.Info.Hash {
			yield(agent.Message{}, &chunk.HashMismatchError{Checkpoint: o.Checkpoint, Session: o.SessionID, Stored: o.Info.Hash, Computed: sum})
		}
	}
}

// File returns the name of the messages' first file on the branch, "" if there is none.
func (o *OpenConversation) File() string {
	if o.set == nil {
		return ""
	}
	return o.Checkpoint.Path() + "/" + metadata.MessagesChunk(o.set.Number, 0)
}

// messageChunks streams the stored chunks, each with its final newline.
func (o *OpenConversation) messageChunks(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if missing := o.set.Missing(); len(missing) > 0 {
			yield(nil, &chunk.MissingChunkError{Checkpoint: o.Checkpoint, Session: o.SessionID, Names: missing})
			return
		}
		for i, e := range o.set.Chunks {
			data, err := o.blob(ctx, e)
			if err != nil {
				yield(nil, err)
				return
			}
			if i < len(o.set.Chunks)-1 {
				data = append(data[:len(data):len(data)], '\n')
			}
			if !yield(data, nil) {
				return
			}
		}
	}
}

func (o *OpenConversation) blob(ctx context.Context, e git.TreeEntry) ([]byte, error) {
	data, err := o.r.Repo.Reader(ctx).Blob(e.OID)
	if errors.Is(err, git.ErrMissing) {
		err = &chunk.MissingChunkError{Checkpoint: o.Checkpoint, Session: o.SessionID, Names: []string{e.Name}}
	}
	return data, err
}

// Lines streams the redacted transcript: its lines without their newlines, or, if it is one
// JSON document, the whole of it. It yields none without a transcript. A yielded line must not
// be changed and is valid until the next.
func (o *OpenConversation) Lines(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		entries, missing := chunk.Entries(o.files)
		for i, e := range entries {
			data, err := o.blob(ctx, e)
			if err == nil && i == 0 && len(missing) == 0 && agents.IsDocument(o.Agent, data) {
				if data, err = o.document(ctx, entries, data); err == nil {
					yield(data, nil)
					return
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for line := range bytes.Lines(data) {
				if !yield(bytes.TrimSuffix(line, []byte("\n")), nil) {
					return
				}
			}
		}
		if len(missing) > 0 {
			yield(nil, &chunk.MissingChunkError{Checkpoint: o.Checkpoint, Session: o.SessionID, Names: missing})
		}
	}
}

// document joins the chunks of a document whose first chunk is read.
func (o *OpenConversation) document(ctx context.Context, entries []git.TreeEntry, first []byte) ([]byte, error) {
	chunks := [][]byte{first}
	for _, e := range entries[1:] {
		data, err := o.blob(ctx, e)
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, data)
	}
	return chunk.JoinTranscript(o.Agent, chunks), nil
}
