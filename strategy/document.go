package strategy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"entire/agent"
	"entire/checkpoint"
	"entire/internal/durable"
	"entire/internal/git"
)

// shapeBytes is how much of a transcript's beginning is read to tell a document from lines.
const shapeBytes = 64 << 10

// startsDocument reports whether f is one JSON document rather than lines. Agents rewrite such a
// document in place.
func startsDocument(f *os.File) bool {
	head := make([]byte, shapeBytes)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	return agent.IsDocument(head[:n])
}

// advanceDocument is advance for a transcript that is one JSON document. If the agent is writing
// the document at this moment, it returns errTranscript and leaves the capture as it was.
func (s *ManualCommitStrategy) advanceDocument(ctx, reading context.Context, c *capture, f *os.File, path string) error {
	raw, err := readDocument(f)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", errTranscript, path, err)
	}
	digest := documentDigest(raw)
	if c.Doc == digest && c.Path == path && c.Talk != nil && s.tailExists(ctx, c) {
		return nil
	}
	clean, err := s.redactIn(reading, raw)
	if err != nil {
		return err
	}
	next, err := s.captureDocument(clean)
	if err != nil {
		return err
	}
	if next == nil {
		return fmt.Errorf("%w: %s: not valid JSON, or being written", errTranscript, path)
	}
	next.noteCallsSince(c, clean)
	next.turnsOf = c.turnsOf
	next.Path, next.Offset, next.Doc = path, int64(len(raw)), digest
	*c = *next
	return nil
}

func documentDigest(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

func readDocument(f io.ReadSeeker) ([]byte, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(f, agent.MaxTranscript+1))
	if err == nil && len(raw) > agent.MaxTranscript {
		err = fmt.Errorf("larger than %d bytes", agent.MaxTranscript)
	}
	return raw, err
}

// captureDocument stores a redacted document; it returns nil if clean is no document.
func (s *ManualCommitStrategy) captureDocument(clean []byte) (*capture, error) {
	conversation := agent.NewConversation(agent.AgentTypeGemini)
	if !conversation.AddDocument(clean) {
		return nil, nil
	}
	log, err := checkpoint.DocumentLog(s.repo.Writer(), clean)
	if err != nil {
		return nil, fmt.Errorf("store transcript: %w", err)
	}
	return &capture{Log: log, Talk: conversation}, nil
}

// documentAt returns the capture that a step's folder holds, nil if its transcript is not one
// document.
func (s *ManualCommitStrategy) documentAt(ctx context.Context, o *open, folder []git.TreeEntry) (*capture, error) {
	if o.state.AgentType != agent.AgentTypeGemini {
		return nil, nil
	}
	data, missing, err := checkpoint.TranscriptIn(s.repo.Reader(ctx), folder, o.state.AgentType)
	if err != nil || len(missing) > 0 || !agent.IsDocument(data) {
		return nil, err
	}
	c, err := s.captureDocument(data)
	if c != nil {
		c.Path = o.state.TranscriptPath
		c.seen, _ = agent.MessageIDs(data)
	}
	return c, err
}

// cutDocument cuts the agent's document after the last message that a step saw, using the agent's
// own bytes. A copy of the whole is kept next to it. It returns warnings for the person.
func (s *ManualCommitStrategy) cutDocument(ctx context.Context, o *open, pos checkpoint.TranscriptPosition) []string {
	path, c := o.state.TranscriptPath, &o.side.Capture
	text, err := documentWith(path, pos, c.seen)
	if err == nil {
		err = s.movedTalk(ctx, o, func() error { return replaceKept(path, text) })
	}
	if err != nil {
		c.Doc = "" // so that the next event reads the document again
		return []string{fmt.Sprintf("the conversation was not taken back: %v", err)}
	}
	c.Doc, c.Offset = documentDigest(text), int64(len(text))
	return nil
}

// documentWith returns a document that ends with the messages in seen: a file that has the step's
// size and digest, or a longer one, cut off. It looks at the agent's own file and at the copies
// that earlier rewinds kept.
func documentWith(path string, pos checkpoint.TranscriptPosition, seen []string) ([]byte, error) {
	candidates, err := withKept(path)
	if err != nil {
		return nil, err
	}
	var cut []byte
	for _, name := range candidates {
		f, err := durable.Open(name)
		if err != nil {
			continue
		}
		text, err := readDocument(f)
		f.Close()
		if err != nil {
			continue
		}
		if int64(len(text)) == pos.Offset && documentDigest(text)[:len(pos.Prefix)] == pos.Prefix {
			return text, nil
		}
		if ids, ok := agent.MessageIDs(text); ok && cut == nil && beginsWith(ids, seen) {
			cut, _ = agent.CutDocument(text, len(seen))
		}
	}
	if cut == nil {
		return nil, fmt.Errorf("%s no longer holds it", path)
	}
	return cut, nil
}

// beginsWith reports whether ids begins with seen.
func beginsWith(ids, seen []string) bool {
	if len(ids) < len(seen) {
		return false
	}
	for i, id := range seen {
		if ids[i] != id {
			return false
		}
	}
	return true
}

// witnessDocument reads the agent's live document as evidence. Nothing of it is stored; a
// document over evidenceDocument is not read.
func witnessDocument(f *os.File) *agent.Conversation {
	conversation := agent.NewConversation(agent.AgentTypeGemini)
	if fi, err := f.Stat(); err != nil || fi.Size() > evidenceDocument {
		return conversation
	}
	if raw, err := readDocument(f); err == nil {
		conversation.AddDocument(raw)
	}
	return conversation
}

// evidenceDocument bounds the size of a document that is read as evidence, because it has to be
// read as a whole.
const evidenceDocument = 64 << 20
