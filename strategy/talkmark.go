package strategy

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
	"entire/internal/durable"
)

// talkMark is a position in a session's conversation: the content of the agent's files, and what
// the session had counted of it. It is zero for a session whose agent keeps no transcript.
type talkMark struct {
	Main   fileMark   `json:"main,omitzero"`
	Agents []fileMark `json:"agents,omitempty"` // transcripts of subagents

	Condensed       agent.Mark       `json:"condensed,omitzero"`
	CondensedAgents agent.TokenUsage `json:"condensed_agents,omitzero"`
	Start           int              `json:"start,omitempty"` // where the next checkpoint's part begins
}

// fileMark identifies the content of a file. Sum is "" if there was no file.
type fileMark struct {
	Path string `json:"path"` // encoded, as the path may be any bytes
	Size int64  `json:"size,omitempty"`
	Sum  string `json:"sum,omitempty"` // SHA-256
	// Messages and IDs identify a document, which its agent rewrites in place.
	Messages int    `json:"messages,omitempty"`
	IDs      string `json:"ids,omitempty"` // digest of the messages' IDs
}

// IsZero reports whether the mark names no file.
func (m talkMark) IsZero() bool { return m.Main == fileMark{} && len(m.Agents) == 0 }

// talkMark returns the present position in the session's conversation.
func (s *ManualCommitStrategy) talkMark(_ context.Context, o *open) (talkMark, error) {
	m := talkMark{Condensed: o.side.Condensed, CondensedAgents: o.side.CondensedAgents, Start: o.state.CheckpointTranscriptStart}
	var err error
	if m.Main, err = markFile(o.state.TranscriptPath); err != nil {
		return talkMark{}, fmt.Errorf("mark the conversation: %w", err)
	}
	for _, sub := range o.subagentFiles() {
		at, err := markFile(sub.path)
		if err != nil {
			return talkMark{}, fmt.Errorf("mark the conversation: %w", err)
		}
		m.Agents = append(m.Agents, at)
	}
	return m, nil
}

// markFile returns the mark of the file at path.
func markFile(path string) (fileMark, error) {
	if path == "" {
		return fileMark{}, nil
	}
	f, err := durable.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fileMark{Path: pathText(path)}, nil
	}
	if err != nil {
		return fileMark{}, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return fileMark{}, err
	}
	m := fileMark{Path: pathText(path), Size: n, Sum: hex.EncodeToString(h.Sum(nil))}
	if !startsDocument(f) {
		return m, nil
	}
	text, err := readDocument(f)
	if ids, ok := agent.MessageIDs(text); err == nil && ok {
		m.Messages, m.IDs = len(ids), idsDigest(ids)
	}
	return m, err
}

func idsDigest(ids []string) string {
	sum := sha256.Sum256([]byte(strings.Join(ids, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// talkTo restores the conversation at a mark: the agent's files byte for byte, if they or files
// kept of them still hold it, and the stored conversation. It keeps the replaced files and is
// idempotent. It returns warnings for the user.
func (s *ManualCommitStrategy) talkTo(ctx context.Context, o *open, m talkMark) []string {
	if m.IsZero() {
		return nil
	}
	left := o.side.Capture.Talk
	var warnings []string
	for _, at := range m.Agents {
		if err := at.restore(); err != nil {
			warnings = append(warnings, fmt.Sprintf("a subagent's conversation was not taken along: %v", err))
		}
	}
	if err := s.movedTalk(ctx, o, m.Main.restore); err != nil {
		return append(warnings, fmt.Sprintf("the conversation was not taken along: %v", err))
	}
	if m.Main.Sum != "" && m.Main.Size == 0 {
		o.side.Capture.becomes(capture{})
	}
	if err := s.readTranscript(ctx, o); err != nil {
		warnings = append(warnings, fmt.Sprintf("the conversation will be read at the agent's next turn: %v", err))
	}
	o.side.Capture.heard(o.side.Capture.Talk) // these calls were recorded when they were first read
	// A later checkpoint may hold more of what both conversations share.
	if n := o.side.Condensed.Items; n <= m.Condensed.Items || !left.Shares(o.side.Capture.Talk, n) {
		o.side.Condensed, o.side.CondensedAgents, o.state.CheckpointTranscriptStart = m.Condensed, m.CondensedAgents, m.Start
	}
	o.side.Chunks = max(o.side.Chunks, len(o.side.Capture.Log.Entries()))
	o.condensedNoFurther()
	if t := o.side.Capture.Talk; t != nil {
		o.side.Turn.Talk = t.Mark()
	}
	return warnings
}

// condensedNoFurther moves the end of the last checkpoint back if the conversation was cut
// before it, so that everything after the cut counts as new.
func (o *open) condensedNoFurther() {
	t := o.side.Capture.Talk
	if t == nil {
		return
	}
	if now := t.Mark(); now.Lines < o.side.Condensed.Lines || now.Items < o.side.Condensed.Items {
		o.side.Condensed, o.side.CondensedAgents = now, o.seenSubagents()
		o.state.CheckpointTranscriptStart = t.Items()
	}
}

// restore restores the file's content from the file itself or from a kept one. It does nothing
// if the mark has no sum.
func (m fileMark) restore() error {
	if m.Sum == "" {
		return nil
	}
	path := textPath(m.Path)
	candidates, err := withKept(path)
	if err != nil {
		return err
	}
	best, size := "", int64(0)
	for _, name := range candidates {
		n, ok := m.begins(name)
		if ok && (best == "" || n == m.Size && size != m.Size) {
			best, size = name, n
		}
	}
	if best != "" {
		return cutTo(path, best, m.Size)
	}
	for _, name := range candidates {
		if text, ok := m.cut(name); ok {
			return replaceKept(path, text)
		}
	}
	return fmt.Errorf("%s no longer holds it", path)
}

// cut returns the document in a file, cut to the messages that the mark covers.
func (m fileMark) cut(name string) ([]byte, bool) {
	if m.IDs == "" {
		return nil, false
	}
	f, err := durable.Open(name)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	text, err := readDocument(f)
	if err != nil {
		return nil, false
	}
	ids, ok := agent.MessageIDs(text)
	if !ok || len(ids) < m.Messages || idsDigest(ids[:m.Messages]) != m.IDs {
		return nil, false
	}
	return agent.CutDocument(text, m.Messages)
}

// begins returns a file's size and reports whether it begins with the marked content.
func (m fileMark) begins(name string) (size int64, ok bool) {
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
