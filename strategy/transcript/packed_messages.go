package transcript

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/sessionstate"
)

// MessagesName is the file beside the session's state that holds its packed messages until the next
// checkpoint.
const MessagesName = "messages.json"

// titleRunes is the maximum length of a session's title.
const titleRunes = 80

// TitleOf returns the title of a session: that of the first prompt that asks for something.
func TitleOf(prompts []string) string {
	for _, p := range prompts {
		if title := agent.Title(p, titleRunes); title != "" {
			return title
		}
	}
	for _, p := range prompts {
		if title := agent.ShortPrompt(agent.CleanPrompt(p), titleRunes); title != "" {
			return title
		}
	}
	return ""
}

// packedVersion changes whenever messages are made from a transcript in another way.
const packedVersion = 2

func newPacked(kind agent.AgentType) *sessionstate.PackedMessages {
	return &sessionstate.PackedMessages{Version: packedVersion, Normalizer: conversation.NewNormalizer(kind), Log: chunk.Log{Limit: metadata.MessagesChunkSize}}
}

// CheckpointMessages returns the messages of the session's stored transcript for a checkpoint; nil if there
// are none. A failure never prevents the checkpoint: a reader can make the messages from its
// transcript.
func CheckpointMessages(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) *metadata.Messages {
	c := &o.Engine.Capture
	if c.Log.Bytes == 0 {
		return nil
	}
	p, err := packMessages(ctx, s, o)
	if err != nil {
		s.Log.Warn("checkpoint without messages", "session_id", o.ID.String(), "err", err)
		return nil
	}
	if p.Info.MessageCount == 0 {
		return nil
	}
	info := p.Info
	if subagents := KnownSubagentUsage(o); !subagents.IsZero() {
		var own agent.TokenUsage
		if info.Usage != nil {
			own = *info.Usage
		}
		all := AddSubagentUsage(own, subagents)
		info.Usage = &all
	}
	return &metadata.Messages{Info: info, Chunks: p.Log.Blobs()}
}

// packMessages packs the messages of the transcript up to its end.
func packMessages(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) (*sessionstate.PackedMessages, error) {
	c := &o.Engine.Capture
	p := o.PackedMessages
	if p == nil {
		p = loadPacked(s, o)
	}
	transcript := c.Log.ContentHash()
	if p.Version == packedVersion && p.Info.Transcript == transcript && p.Info.SessionID == o.ID.String() && p.Info.Agent == o.State.AgentType {
		o.PackedMessages = p
		return p, nil
	}
	pk := &packer{s: s, sid: o.ID.String(), ctx: ctx, transcript: &c.Log, packed: p}
	if p.Version != packedVersion || p.Normalizer == nil || p.Normalizer.Agent != o.State.AgentType || !pk.continues() {
		p = newPacked(o.State.AgentType)
		pk.packed = p
	}
	if err := pk.run(); err != nil {
		o.PackedMessages = nil
		return nil, fmt.Errorf("pack messages: %w", err)
	}
	p.Info.SessionID, p.Info.Agent, p.Info.Transcript = o.ID.String(), o.State.AgentType, transcript
	o.PackedMessages, o.PackedUnsaved = p, true
	return p, nil
}

// loadPacked reads the messages that the last checkpoint stored; empty if there are none.
func loadPacked(s *sessionstate.Env, o *sessionstate.LockedSession) *sessionstate.PackedMessages {
	var p sessionstate.PackedMessages
	if err := s.Store.LoadSide(o.ID, MessagesName, &p); err != nil {
		return &sessionstate.PackedMessages{}
	}
	return &p
}

// SavePacked stores the packed messages of a checkpoint. It must run after a ref reaches their
// chunks.
func SavePacked(s *sessionstate.Env, o *sessionstate.LockedSession) {
	if !o.PackedUnsaved {
		return
	}
	data, err := json.Marshal(o.PackedMessages)
	if err == nil {
		data, err = s.Repo.Vault.Seal(o.ID.String(), data)
	}
	if err == nil {
		err = durable.WriteCache(filepath.Join(s.Store.Dir(o.ID), MessagesName), data, 0o600)
	}
	if err != nil {
		s.Log.Warn("messages not kept", "session_id", o.ID.String(), "err", err)
	}
	o.PackedUnsaved = false
}

// packer packs the messages of a stored transcript, continuing where p ends.
type packer struct {
	s          *sessionstate.Env
	sid        string
	ctx        context.Context
	transcript *chunk.Log
	packed     *sessionstate.PackedMessages

	encoded    bytes.Buffer // encoded messages that are not packed yet
	messages   []agent.Message
	firstChunk []byte // the unpacked part of the chunk in which p ends
}

// writer returns where the messages' chunks are stored.
func (k *packer) writer() chunk.ObjectWriter { return k.s.Repo.Conversation(k.sid) }

// continues reports whether the transcript begins with what was packed.
func (k *packer) continues() bool {
	p := k.packed
	if p.Chunks < 0 || p.Tail.Size < 0 || p.Chunks > len(k.transcript.Closed) || chunksDigest(k.transcript.Closed[:p.Chunks]) != p.Digest {
		return false
	}
	if p.Tail.Size == 0 {
		return p.Chunks > 0
	}
	data, err := k.chunk(p.Chunks)
	if err != nil || int64(len(data)) < p.Tail.Size || k.s.Repo.BlobOID(data[:p.Tail.Size]) != p.Tail.OID {
		return false
	}
	k.firstChunk = data[p.Tail.Size:]
	return true
}

func chunksDigest(chunks chunk.Chunks) string {
	h := sha256.New()
	for _, c := range chunks {
		h.Write(c.OID.Bytes())
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// chunk returns the text of one chunk of the transcript, with its final newline.
func (k *packer) chunk(i int) ([]byte, error) {
	if i == len(k.transcript.Closed) {
		if text := k.transcript.TailText(); text != nil || k.transcript.Tail.Size == 0 {
			return text, nil
		}
		return k.blob(k.transcript.Tail.OID)
	}
	if i > len(k.transcript.Closed) {
		return nil, nil
	}
	data, err := k.blob(k.transcript.Closed[i].OID)
	return append(data[:len(data):len(data)], '\n'), err
}

// blob reads a blob, also one that this process has just written.
func (k *packer) blob(oid git.OID) ([]byte, error) {
	data, err := k.s.Repo.Reader(k.ctx).Blob(oid)
	if errors.Is(err, git.ErrMissing) {
		if err = k.s.Repo.Writer().Sync(); err == nil {
			data, err = k.s.Repo.Reader(k.ctx).Blob(oid)
		}
	}
	return data, err
}

// run packs the messages that are new.
func (k *packer) run() error {
	if agents.CountsMessages(k.packed.Normalizer.Agent) {
		if done, err := k.document(); done || err != nil {
			return err
		}
	}
	for i := k.packed.Chunks; i <= len(k.transcript.Closed); i++ {
		text := k.firstChunk
		if i > k.packed.Chunks || text == nil {
			var err error
			if text, err = k.chunk(i); err != nil {
				return err
			}
		}
		for line := range bytes.Lines(text) {
			k.messages = k.packed.Normalizer.AddLine(k.messages[:0], bytes.TrimSuffix(line, []byte("\n")))
			if err := k.add(); err != nil {
				return err
			}
		}
	}
	return k.finish()
}

// document packs a transcript that is one document, which is read as a whole each time. It returns
// false for a transcript of lines.
func (k *packer) document() (bool, error) {
	first, err := k.chunk(0)
	if err != nil || !document.Is(first) {
		return false, err
	}
	folder := k.transcript.Entries()
	if err := k.s.Repo.Writer().Sync(); err != nil { // the document may have just been written
		return true, err
	}
	kind := k.packed.Normalizer.Agent
	doc, missing, err := chunk.TranscriptIn(k.s.Repo.Reader(k.ctx), folder, kind)
	if err == nil && len(missing) > 0 {
		err = &chunk.MissingChunkError{Names: missing}
	}
	if err != nil {
		return true, err
	}
	*k.packed = *newPacked(kind)
	if k.messages, err = k.packed.Normalizer.AddDocument(doc); err != nil {
		return true, err
	}
	if err := k.add(); err != nil {
		return true, err
	}
	return true, k.finish()
}

// add encodes the messages of a line.
func (k *packer) add() error {
	enc := json.NewEncoder(&k.encoded)
	enc.SetEscapeHTML(false)
	for i := range k.messages {
		if err := enc.Encode(&k.messages[i]); err != nil {
			return err
		}
		k.count(&k.messages[i])
		if k.encoded.Len() >= batchBytes {
			if err := k.grow(); err != nil {
				return err
			}
		}
	}
	return nil
}

// count updates the figures that a list of conversations shows.
func (k *packer) count(m *agent.Message) {
	info := &k.packed.Info
	info.MessageCount++
	info.LastMessage = m.UUID
	if !m.Timestamp.IsZero() {
		if info.CreatedAt.IsZero() {
			info.CreatedAt = m.Timestamp
		}
		if m.Timestamp.After(info.UpdatedAt) {
			info.UpdatedAt = m.Timestamp
		}
	}
	if m.Sidechain || m.AgentID != "" {
		return
	}
	if m.Model != "" && m.Role == agent.RoleAssistant {
		info.Model = m.Model
	}
	if m.IsPrompt() {
		info.TurnCount++
		if info.Title == "" || agent.Title(info.Title, titleRunes) == "" {
			if title := TitleOf([]string{m.Content}); info.Title == "" || agent.Title(title, titleRunes) != "" {
				info.Title = title
			}
		}
	}
}

func (k *packer) grow() error {
	read := func(oid git.OID) ([]byte, error) { return k.blob(oid) }
	err := k.packed.Log.Grow(k.writer(), read, k.encoded.Bytes())
	k.encoded.Reset()
	return err
}

func (k *packer) finish() error {
	if err := k.grow(); err != nil {
		return err
	}
	if err := k.packed.Log.Flush(k.writer()); err != nil {
		return err
	}
	p := k.packed
	p.Chunks, p.Digest, p.Tail = len(k.transcript.Closed), chunksDigest(k.transcript.Closed), k.transcript.Tail
	p.Info.Chunks, p.Info.Size, p.Info.Hash = len(p.Log.Blobs()), p.Log.Bytes, p.Log.ContentHash()
	p.Info.Usage = nil
	if used := p.Normalizer.Usage(); !used.IsZero() {
		p.Info.Usage = &used
	}
	return nil
}
