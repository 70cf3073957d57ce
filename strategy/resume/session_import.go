package resume

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"entire/agent"
	"entire/agent/agents"
	"entire/checkpoint/records"
	"entire/internal/durable"
	"entire/session"
	"entire/strategy/sessionstate"
)

// ErrDiverged is returned by Bring if the session continued here from an earlier message than
// where the checkpoints' conversation ends, so that neither conversation contains the other.
var ErrDiverged = errors.New("the conversation went on differently here")

// documentName is the name of a transcript that is one document, in a session's folder.
const documentName = "transcript.json"

// How many messages, and how many bytes of a transcript, are written to the store at a time.
const (
	importBatch = 512
	importBytes = 1 << 20
)

// Brought is what Bring did.
type Brought struct {
	Metadata session.SessionMetadata // as it is in the store now
	Added    int                     // messages added
	Present  int                     // messages that the store had before
}

// Bring puts the conversation that the checkpoints have of a session into a store, where it can
// be listed, read, forked and resumed like one that was held here. cwd is the folder that it is
// to belong to. What the store already has stays, and is only added to; the next call completes
// an interrupted one. It returns when everything is on disk.
func (c *StoredSessions) Bring(ctx context.Context, store *session.Store, sessionID, cwd string) (Brought, error) {
	stored, conversation, err := c.get(ctx, sessionID)
	if err != nil {
		return Brought{}, err
	}
	b := &sessionImport{ctx: ctx, store: store, id: stored.ID}
	meta := stored.SessionMetadata
	meta.CWD, meta.Usage, meta.TotalTokens = cwd, nil, 0 // the store counts them
	err = store.CreateContext(ctx, meta)
	if errors.Is(err, session.ErrExists) {
		err = nil
	}
	if err == nil {
		err = b.readHistory()
	}
	if err == nil {
		err = b.messages(conversation)
	}
	if err == nil && b.history == nil {
		err = b.transcript(conversation)
	}
	if err == nil {
		err = store.Flush(ctx)
	}
	if err == nil {
		b.out.Metadata, err = store.Metadata(ctx, stored.ID)
	}
	if err != nil {
		return b.out, fmt.Errorf("bring session %s from checkpoint %s: %w", stored.ID, stored.Latest, err)
	}
	return b.out, nil
}

// sessionImport is one call of Bring.
type sessionImport struct {
	ctx     context.Context
	store   *session.Store
	id      string
	out     Brought
	history map[string]bool // UUIDs of all messages, if the conversation was rewound here
}

// readHistory reads all messages that the store ever had of a conversation that was rewound, so that
// they are not added again.
func (b *sessionImport) readHistory() error {
	meta, err := b.store.Metadata(b.ctx, b.id)
	if err != nil || meta.Rewinds == 0 {
		return err
	}
	b.history = map[string]bool{}
	for m, err := range b.store.History(b.ctx, b.id) {
		var bad *session.BadLineError
		if err != nil && !errors.As(err, &bad) {
			return err
		}
		b.history[m.UUID] = true
	}
	return nil
}

// messages adds the messages that follow those in the store.
func (b *sessionImport) messages(conversation *records.OpenConversation) error {
	next, stop := iter.Pull2(skipBad(conversation.Messages(b.ctx)))
	defer stop()
	want, err, more := next()
	for m, lerr := range b.store.Messages(b.ctx, b.id) {
		var bad *session.BadLineError
		switch {
		case errors.As(lerr, &bad):
			continue
		case lerr != nil:
			return lerr
		case err != nil:
			return err
		}
		b.out.Present++
		switch {
		case more && m.UUID == want.UUID:
			want, err, more = next()
		case m.AgentID != "" || m.Sidechain: // a subagent's message, which only the store has
		case more && b.history[want.UUID]:
			return nil
		case more:
			return ErrDiverged
		}
	}
	var batch session.Batch
	for ; more && err == nil && !b.history[want.UUID]; want, err, more = next() {
		if batch.Messages = append(batch.Messages, want); len(batch.Messages) == importBatch {
			if err := b.append(&batch); err != nil {
				return err
			}
		}
	}
	return errors.Join(err, b.append(&batch))
}

// append writes a batch to the store and empties it.
func (b *sessionImport) append(batch *session.Batch) error {
	err := b.store.AppendBatch(b.ctx, b.id, *batch)
	if err == nil {
		b.out.Added += len(batch.Messages)
	}
	*batch = session.Batch{Messages: batch.Messages[:0], Raw: batch.Raw[:0]}
	return err
}

// skipBad leaves out the messages that cannot be read.
func skipBad(in iter.Seq2[agent.Message, error]) iter.Seq2[agent.Message, error] {
	return func(yield func(agent.Message, error) bool) {
		for m, err := range in {
			var bad *records.BadMessageError
			if !errors.As(err, &bad) && !yield(m, err) {
				return
			}
		}
	}
}

// transcript adds the lines that follow those in the store, or the whole document if the store
// has none. A transcript that differs from the stored one is left alone.
func (b *sessionImport) transcript(conversation *records.OpenConversation) error {
	next, stop := iter.Pull2(conversation.Lines(b.ctx))
	defer stop()
	want, err, more := next()
	if more && err == nil && agents.IsDocument(conversation.Agent, want) {
		path := filepath.Join(b.store.Dir(b.id), documentName)
		if sessionstate.PathExists(path) {
			return nil
		}
		return durable.WriteFile(path, want, 0o600)
	}
	for have, lerr := range b.store.SDKMessages(b.ctx, b.id) {
		var bad *session.BadLineError
		for more && err == nil && len(bytes.TrimSpace(want)) == 0 {
			want, err, more = next()
		}
		switch {
		case lerr != nil && !errors.As(lerr, &bad):
			return lerr
		case err != nil:
			return err
		case lerr != nil || !more || !bytes.Equal(have, want):
			return nil
		}
		want, err, more = next()
	}
	var batch session.Batch
	for ; more && err == nil; want, err, more = next() {
		if batch.Raw = append(append(batch.Raw, want...), '\n'); len(batch.Raw) >= importBytes {
			if err := b.append(&batch); err != nil {
				return err
			}
		}
	}
	return errors.Join(err, b.append(&batch))
}
