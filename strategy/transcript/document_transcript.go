package transcript

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/checkpoint/chunk"
	"entire/checkpoint/shadow"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/sessionstate"
)

// advanceDocument is advance for a transcript that is one JSON document. If the agent is writing
// the document at this moment, it returns ErrTranscript and leaves the capture as it was.
func advanceDocument(s *sessionstate.Env, kind agent.AgentType, ctx, reading context.Context, c *sessionstate.TranscriptState, f *os.File, path string) error {
	raw, err := ReadDocument(f)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrTranscript, path, err)
	}
	digest := DocumentDigest(raw)
	if c.DocumentSum == digest && c.Path == path && c.Conversation != nil && tailExists(ctx, s, c) {
		return nil
	}
	clean, err := redactWithin(reading, s, raw)
	if err != nil {
		return err
	}
	next, err := captureDocument(s, kind, path, c.Folder, clean)
	if err != nil {
		return err
	}
	if next == nil {
		return fmt.Errorf("%w: %s: not valid JSON, or being written", ErrTranscript, path)
	}
	noteCallsSince(next, c, clean)
	next.ActivityLog = c.ActivityLog
	next.Path, next.Offset, next.DocumentSum = path, int64(len(raw)), digest
	*c = *next
	return nil
}

// DocumentDigest returns the digest by which the state knows a transcript that is one document.
func DocumentDigest(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// ReadDocument reads a whole transcript from its beginning; an error if it is larger than a transcript may
// be.
func ReadDocument(f io.ReadSeeker) ([]byte, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(f, agent.MaxTranscript+1))
	if err == nil && len(raw) > agent.MaxTranscript {
		err = fmt.Errorf("larger than %d bytes", agent.MaxTranscript)
	}
	return raw, err
}

// captureDocument stores a redacted document of an agent that works in a folder; it returns nil if clean is no document.
func captureDocument(s *sessionstate.Env, t agent.AgentType, path, folder string, clean []byte) (*sessionstate.TranscriptState, error) {
	conversation := conversation.NewConversation(t).In(folder)
	if !conversation.AddDocument(clean) {
		return nil, nil
	}
	log, err := chunk.DocumentLog(s.Repo.Conversation(path), clean)
	if err != nil {
		return nil, fmt.Errorf("store transcript: %w", err)
	}
	return &sessionstate.TranscriptState{Log: log, Conversation: conversation, Folder: folder}, nil
}

// documentAt returns the capture that a step's folder holds, nil if its transcript is not one
// document.
func documentAt(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, folder []git.TreeEntry) (*sessionstate.TranscriptState, error) {
	if !agents.CountsMessages(o.State.AgentType) {
		return nil, nil
	}
	data, missing, err := chunk.TranscriptIn(s.Repo.Reader(ctx), folder, o.State.AgentType)
	if err != nil || len(missing) > 0 || !document.Is(data) {
		return nil, err
	}
	c, err := captureDocument(s, o.State.AgentType, o.State.TranscriptPath, o.Engine.Capture.Folder, data)
	if c != nil {
		c.Path = o.State.TranscriptPath
		c.DocumentIDs, _ = document.MessageIDs(data)
	}
	return c, err
}

// cutDocument cuts the agent's document after the last message that a step saw, using the agent's
// own bytes. A copy of the whole is kept next to it. It returns warnings for the person.
func cutDocument(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, pos shadow.TranscriptPosition) []string {
	path, c := o.State.TranscriptPath, &o.Engine.Capture
	text, err := FindDocument(path, pos, c.DocumentIDs)
	if err == nil {
		err = MoveTranscript(ctx, s, o, func() error { return ReplaceIfDifferent(path, text) })
	}
	if err != nil {
		c.DocumentSum = "" // so that the next event reads the document again
		return []string{fmt.Sprintf("the conversation was not taken back: %v", err)}
	}
	c.DocumentSum, c.Offset = DocumentDigest(text), int64(len(text))
	return nil
}

// FindDocument returns a document that ends with the messages in seen: a file that has the step's
// size and digest, or a longer one, cut off. It looks at the agent's own file and at the copies
// that earlier rewinds kept.
func FindDocument(path string, pos shadow.TranscriptPosition, seen []string) ([]byte, error) {
	candidates, err := TranscriptAndKept(path)
	if err != nil {
		return nil, err
	}
	var cut []byte
	for _, name := range candidates {
		f, err := durable.Open(name)
		if err != nil {
			continue
		}
		text, err := ReadDocument(f)
		f.Close()
		if err != nil {
			continue
		}
		if int64(len(text)) == pos.Offset && DocumentDigest(text)[:len(pos.Prefix)] == pos.Prefix {
			return text, nil
		}
		if ids, ok := document.MessageIDs(text); ok && cut == nil && beginsWith(ids, seen) {
			cut, _ = document.Cut(text, len(seen))
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

// ScanLiveDocument reads the agent's live document as evidence. Nothing of it is stored; a
// document over liveDocumentMax is not read.
func ScanLiveDocument(t agent.AgentType, folder string, f *os.File) *conversation.Conversation {
	conversation := conversation.NewConversation(t).In(folder)
	if fi, err := f.Stat(); err != nil || fi.Size() > liveDocumentMax {
		return conversation
	}
	if raw, err := ReadDocument(f); err == nil {
		conversation.AddDocument(raw)
	}
	return conversation
}

// liveDocumentMax bounds the size of a document that is read as evidence, because it has to be
// read as a whole.
const liveDocumentMax = 64 << 20
