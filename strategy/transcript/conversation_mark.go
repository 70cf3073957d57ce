package transcript

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"entire/agent"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/internal/durable"
	"entire/strategy/sessionstate"
)

// ConversationMark is a position in a session's conversation: the content of the agent's files, and what
// the session had counted of it. It is zero for a session whose agent keeps no transcript.
type ConversationMark struct {
	Main      transcriptMark   `json:"main,omitzero"`
	Subagents []transcriptMark `json:"agents,omitempty"` // transcripts of subagents

	Condensed          conversation.Mark `json:"condensed,omitzero"`
	CondensedSubagents agent.TokenUsage  `json:"condensed_agents,omitzero"`
	TranscriptStart    int               `json:"start,omitempty"` // where the next checkpoint's part begins
}

// transcriptMark identifies the content of a file. Sum is "" if there was no file.
type transcriptMark struct {
	Path string `json:"path"` // encoded, as the path may be any bytes
	Size int64  `json:"size,omitempty"`
	Sum  string `json:"sum,omitempty"` // SHA-256
	// Messages and IDs identify a document, which its agent rewrites in place.
	Messages int    `json:"messages,omitempty"`
	IDs      string `json:"ids,omitempty"` // digest of the messages' IDs
}

// IsZero reports whether the mark names no file.
func (m ConversationMark) IsZero() bool { return m.Main == transcriptMark{} && len(m.Subagents) == 0 }

// MarkConversation returns the present position in the session's conversation.
func MarkConversation(_ context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) (ConversationMark, error) {
	m := ConversationMark{Condensed: o.Engine.CondensedMark, CondensedSubagents: o.Engine.CondensedSubagents, TranscriptStart: o.State.CheckpointTranscriptStart}
	var err error
	if m.Main, err = markFile(o.State.TranscriptPath); err != nil {
		return ConversationMark{}, fmt.Errorf("mark the conversation: %w", err)
	}
	for _, sub := range subagentFiles(o) {
		at, err := markFile(sub.path)
		if err != nil {
			return ConversationMark{}, fmt.Errorf("mark the conversation: %w", err)
		}
		m.Subagents = append(m.Subagents, at)
	}
	return m, nil
}

// markFile returns the mark of the file at path.
func markFile(path string) (transcriptMark, error) {
	if path == "" {
		return transcriptMark{}, nil
	}
	f, err := durable.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return transcriptMark{Path: sessionstate.EncodePath(path)}, nil
	}
	if err != nil {
		return transcriptMark{}, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return transcriptMark{}, err
	}
	m := transcriptMark{Path: sessionstate.EncodePath(path), Size: n, Sum: hex.EncodeToString(h.Sum(nil))}
	if !document.Begins(f) {
		return m, nil
	}
	text, err := ReadDocument(f)
	if ids, ok := document.MessageIDs(text); err == nil && ok {
		m.Messages, m.IDs = len(ids), idsDigest(ids)
	}
	return m, err
}

func idsDigest(ids []string) string {
	sum := sha256.Sum256([]byte(strings.Join(ids, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// ClampCondensed moves the end of the last checkpoint back if the conversation was cut
// before it, so that everything after the cut counts as new.
func ClampCondensed(o *sessionstate.LockedSession) {
	t := o.Engine.Capture.Conversation
	if t == nil {
		return
	}
	if now := t.Mark(); now.Lines < o.Engine.CondensedMark.Lines || now.Items < o.Engine.CondensedMark.Items {
		o.Engine.CondensedMark, o.Engine.CondensedSubagents = now, KnownSubagentUsage(o)
		o.State.CheckpointTranscriptStart = t.Items()
	}
}

// Restore restores the file's content from the file itself or from a kept one. It does nothing
// if the mark has no sum.
func (m transcriptMark) Restore() error {
	if m.Sum == "" {
		return nil
	}
	path := sessionstate.DecodePath(m.Path)
	candidates, err := TranscriptAndKept(path)
	if err != nil {
		return err
	}
	best, size := "", int64(0)
	for _, name := range candidates {
		n, ok := m.matchesStart(name)
		if ok && (best == "" || n == m.Size && size != m.Size) {
			best, size = name, n
		}
	}
	if best != "" {
		return ReplaceWithPrefix(path, best, m.Size)
	}
	for _, name := range candidates {
		if text, ok := m.documentPrefix(name); ok {
			return ReplaceIfDifferent(path, text)
		}
	}
	return fmt.Errorf("%s no longer holds it", path)
}

// documentPrefix returns the document in a file, cut to the messages that the mark covers.
func (m transcriptMark) documentPrefix(name string) ([]byte, bool) {
	if m.IDs == "" {
		return nil, false
	}
	f, err := durable.Open(name)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	text, err := ReadDocument(f)
	if err != nil {
		return nil, false
	}
	ids, ok := document.MessageIDs(text)
	if !ok || len(ids) < m.Messages || idsDigest(ids[:m.Messages]) != m.IDs {
		return nil, false
	}
	return document.Cut(text, m.Messages)
}

// matchesStart returns a file's size and reports whether it begins with the marked content.
func (m transcriptMark) matchesStart(name string) (size int64, ok bool) {
	f, err := durable.Open(name)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || fi.Size() < m.Size {
		return 0, false
	}
	h := sha256.New()
	n, err := io.CopyN(h, f, m.Size)
	return fi.Size(), err == nil && n == m.Size && hex.EncodeToString(h.Sum(nil)) == m.Sum
}
