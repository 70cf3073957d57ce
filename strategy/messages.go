package strategy

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
	"entire/checkpoint"
	"entire/internal/durable"
	"entire/internal/git"
)

// messagesName is the file beside the session's state that holds its packed messages until the next
// checkpoint.
const messagesName = "messages.json"

// packedTalk is a session's conversation as messages, as far as its last checkpoint has it; the
// next checkpoint continues from there. It is made from the stored transcript at a checkpoint, so
// that no turn waits for it, and can be made again at any time.
type packedTalk struct {
	Version int `json:"version"` // packedVersion; any other version is made again

	// Chunks counts the transcript's closed chunks that are packed, Digest is a hash of their IDs,
	// and Tail is the packed part of the chunk after them.
	Chunks int              `json:"chunks"`
	Digest string           `json:"digest"`
	Tail   checkpoint.Chunk `json:"tail,omitzero"`

	Talk *agent.Normalizer       `json:"talk"`
	Log  checkpoint.Log          `json:"log"`
	Info checkpoint.MessagesInfo `json:"info"`
}

// titleRunes is the maximum length of a session's title.
const titleRunes = 80

// titleOf returns the title of a session: that of the first prompt that asks for something.
func titleOf(prompts []string) string {
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

func newPacked(kind agent.AgentType) *packedTalk {
	return &packedTalk{Version: packedVersion, Talk: agent.NewNormalizer(kind), Log: checkpoint.Log{Limit: checkpoint.MessagesChunkSize}}
}

// messages returns the messages of the session's stored transcript for a checkpoint; nil if there
// are none. A failure never prevents the checkpoint: a reader can make the messages from its
// transcript.
func (s *ManualCommitStrategy) messages(ctx context.Context, o *open) *checkpoint.Messages {
	c := &o.side.Capture
	if c.Log.Bytes == 0 {
		return nil
	}
	p, err := s.pack(ctx, o)
	if err != nil {
		s.Log.Warn("checkpoint without messages", "session_id", o.id.String(), "err", err)
		return nil
	}
	if p.Info.MessageCount == 0 {
		return nil
	}
	return &checkpoint.Messages{Info: p.Info, Chunks: p.Log.Blobs()}
}

// pack packs the messages of the transcript up to its end.
func (s *ManualCommitStrategy) pack(ctx context.Context, o *open) (*packedTalk, error) {
	c := &o.side.Capture
	p := o.packed
	if p == nil {
		p = s.loadPacked(o)
	}
	transcript := c.Log.ContentHash()
	if p.Version == packedVersion && p.Info.Transcript == transcript && p.Info.SessionID == o.id.String() && p.Info.Agent == o.state.AgentType {
		o.packed = p
		return p, nil
	}
	pk := &packer{s: s, ctx: ctx, from: &c.Log, p: p}
	if p.Version != packedVersion || p.Talk == nil || p.Talk.Agent != o.state.AgentType || !pk.continues() {
		p = newPacked(o.state.AgentType)
		pk.p = p
	}
	if err := pk.run(); err != nil {
		o.packed = nil
		return nil, fmt.Errorf("pack messages: %w", err)
	}
	p.Info.SessionID, p.Info.Agent, p.Info.Transcript = o.id.String(), o.state.AgentType, transcript
	o.packed, o.repacked = p, true
	return p, nil
}

// loadPacked reads the messages that the last checkpoint stored; empty if there are none.
func (s *ManualCommitStrategy) loadPacked(o *open) *packedTalk {
	var p packedTalk
	if err := s.store.LoadSide(o.id, messagesName, &p); err != nil {
		return &packedTalk{}
	}
	return &p
}

// keepPacked stores the packed messages of a checkpoint. It must run after a ref reaches their
// chunks.
func (s *ManualCommitStrategy) keepPacked(o *open) {
	if !o.repacked {
		return
	}
	data, err := json.Marshal(o.packed)
	if err == nil {
		err = durable.WriteCache(filepath.Join(s.store.Dir(o.id), messagesName), data, 0o600)
	}
	if err != nil {
		s.Log.Warn("messages not kept", "session_id", o.id.String(), "err", err)
	}
	o.repacked = false
}

// packer packs the messages of a stored transcript, continuing where p ends.
type packer struct {
	s    *ManualCommitStrategy
	ctx  context.Context
	from *checkpoint.Log
	p    *packedTalk

	lines    bytes.Buffer // encoded messages that are not packed yet
	messages []agent.Message
	first    []byte // the unpacked part of the chunk in which p ends
}

// continues reports whether the transcript begins with what was packed.
func (k *packer) continues() bool {
	p := k.p
	if p.Chunks > len(k.from.Closed) || chunksDigest(k.from.Closed[:p.Chunks]) != p.Digest {
		return false
	}
	if p.Tail.Size == 0 {
		return p.Chunks > 0
	}
	data, err := k.chunk(p.Chunks)
	if err != nil || int64(len(data)) < p.Tail.Size || k.s.repo.BlobOID(data[:p.Tail.Size]) != p.Tail.OID {
		return false
	}
	k.first = data[p.Tail.Size:]
	return true
}

func chunksDigest(chunks checkpoint.Chunks) string {
	h := sha256.New()
	for _, c := range chunks {
		h.Write(c.OID.Bytes())
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// chunk returns the text of one chunk of the transcript, with its final newline.
func (k *packer) chunk(i int) ([]byte, error) {
	if i == len(k.from.Closed) {
		if text := k.from.TailText(); text != nil || k.from.Tail.Size == 0 {
			return text, nil
		}
		return k.blob(k.from.Tail.OID)
	}
	if i > len(k.from.Closed) {
		return nil, nil
	}
	data, err := k.blob(k.from.Closed[i].OID)
	return append(data[:len(data):len(data)], '\n'), err
}

// blob reads a blob, also one that this process has just written.
func (k *packer) blob(oid git.OID) ([]byte, error) {
	data, err := k.s.repo.Reader(k.ctx).Blob(oid)
	if errors.Is(err, git.ErrMissing) {
		if err = k.s.repo.Writer().Sync(); err == nil {
			data, err = k.s.repo.Reader(k.ctx).Blob(oid)
		}
	}
	return data, err
}

// run packs the messages that are new.
func (k *packer) run() error {
	if k.p.Talk.Agent == agent.AgentTypeGemini {
		if done, err := k.document(); done || err != nil {
			return err
		}
	}
	for i := k.p.Chunks; i <= len(k.from.Closed); i++ {
		text := k.first
		if i > k.p.Chunks || text == nil {
			var err error
			if text, err = k.chunk(i); err != nil {
				return err
			}
		}
		for line := range bytes.Lines(text) {
			k.messages = k.p.Talk.AddLine(k.messages[:0], bytes.TrimSuffix(line, []byte("\n")))
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
	if err != nil || !agent.IsDocument(first) {
		return false, err
	}
	folder := k.from.Entries()
	if err := k.s.repo.Writer().Sync(); err != nil { // the document may have just been written
		return true, err
	}
	doc, missing, err := checkpoint.TranscriptIn(k.s.repo.Reader(k.ctx), folder, agent.AgentTypeGemini)
	if err == nil && len(missing) > 0 {
		err = &checkpoint.MissingChunkError{Names: missing}
	}
	if err != nil {
		return true, err
	}
	*k.p = *newPacked(agent.AgentTypeGemini)
	if k.messages, err = k.p.Talk.AddDocument(doc); err != nil {
		return true, err
	}
	if err := k.add(); err != nil {
		return true, err
	}
	return true, k.finish()
}

// add encodes the messages of a line.
func (k *packer) add() error {
	enc := json.NewEncoder(&k.lines)
	enc.SetEscapeHTML(false)
	for i := range k.messages {
		if err := enc.Encode(&k.messages[i]); err != nil {
			return err
		}
		k.count(&k.messages[i])
		if k.lines.Len() >= batchBytes {
			if err := k.grow(); err != nil {
				return err
			}
		}
	}
	return nil
}

// count updates the figures that a list of conversations shows.
func (k *packer) count(m *agent.Message) {
	info := &k.p.Info
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
	if m.Asks() {
		info.TurnCount++
		if info.Title == "" || agent.Title(info.Title, titleRunes) == "" {
			if title := titleOf([]string{m.Content}); info.Title == "" || agent.Title(title, titleRunes) != "" {
				info.Title = title
			}
		}
	}
}

func (k *packer) grow() error {
	read := func(oid git.OID) ([]byte, error) { return k.blob(oid) }
	err := k.p.Log.Grow(k.s.repo.Writer(), read, k.lines.Bytes())
	k.lines.Reset()
	return err
}

func (k *packer) finish() error {
	if err := k.grow(); err != nil {
		return err
	}
	if err := k.p.Log.Flush(k.s.repo.Writer()); err != nil {
		return err
	}
	p := k.p
	p.Chunks, p.Digest, p.Tail = len(k.from.Closed), chunksDigest(k.from.Closed), k.from.Tail
	p.Info.Chunks, p.Info.Size, p.Info.Hash = len(p.Log.Blobs()), p.Log.Bytes, p.Log.ContentHash()
	p.Info.Usage = nil
	if used := p.Talk.Usage(); !used.IsZero() {
		p.Info.Usage = &used
	}
	return nil
}
