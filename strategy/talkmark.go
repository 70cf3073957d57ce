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

// talkMark is where a session's conversation stands: what the agent's own files
// hold, byte for byte, and what was counted of it. A zero one is that of a session
// whose agent keeps no transcript.
type talkMark struct {
	Main   fileMark   `json:"main,omitzero"`
	Agents []fileMark `json:"agents,omitempty"` // subagents' transcripts

	Condensed       agent.Mark       `json:"condensed,omitzero"`
	CondensedAgents agent.TokenUsage `json:"condensed_agents,omitzero"`
	Start           int              `json:"start,omitempty"` // of the next checkpoint's part
}

// fileMark is what a file holds. Without a sum, there was none.
type fileMark struct {
	Path string `json:"path"` // as text of any bytes
	Size int64  `json:"size,omitempty"`
	Sum  string `json:"sum,omitempty"` // SHA-256
	// Messages and IDs tell a document, which its agent rewrites in place.
	Messages int    `json:"messages,omitempty"`
	IDs      string `json:"ids,omitempty"` // a digest of theirs
}

// IsZero reports a mark that says nothing.
func (m talkMark) IsZero() bool { return m.Main == fileMark{} && len(m.Agents) == 0 }

// talkMark is where the session's conversation stands now.
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

// markFile is what the file at path holds now.
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

// talkTo brings the conversation to where a mark says it stood: the agent's files
// byte for byte, as far as they or what was kept of them still have it, and what is
// stored of it with them. What the files held stays beside them. Done again it
// changes nothing. It returns what a person should know.
func (s *ManualCommitStrategy) talkTo(ctx context.Context, o *open, m talkMark) []string {
	if m.IsZero() {
		return nil
	}
	left := o.side.Capture.Talk
	var told []string
	for _, at := range m.Agents {
		if err := at.restore(); err != nil {
			told = append(told, fmt.Sprintf("a subagent's conversation was not taken along: %v", err))
		}
	}
	if err := s.movedTalk(ctx, o, m.Main.restore); err != nil {
		return append(told, fmt.Sprintf("the conversation was not taken along: %v", err))
	}
	if m.Main.Sum != "" && m.Main.Size == 0 {
		o.side.Capture.becomes(capture{})
	}
	if err := s.readTranscript(ctx, o); err != nil {
		told = append(told, fmt.Sprintf("the conversation will be read at the agent's next turn: %v", err))
	}
	o.side.Capture.heard(o.side.Capture.Talk) // counted when it was said
	// A commit since may have taken more of what both conversations have.
	if n := o.side.Condensed.Items; n <= m.Condensed.Items || !left.Shares(o.side.Capture.Talk, n) {
		o.side.Condensed, o.side.CondensedAgents, o.state.CheckpointTranscriptStart = m.Condensed, m.CondensedAgents, m.Start
	}
	o.side.Chunks = max(o.side.Chunks, len(o.side.Capture.Log.Entries()))
	o.condensedNoFurther()
	if t := o.side.Capture.Talk; t != nil {
		o.side.Turn.Talk = t.Mark()
	}
	return told
}

// condensedNoFurther is for a conversation that was taken back to before the last
// checkpoint: what comes now is new, and counted from here.
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

// restore makes the file hold what the mark says, from itself or from what was
// kept of it. A file that was not there stays as it is.
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

// cut is the document in a file with just the messages that the mark speaks of.
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

// begins reports whether a file begins with what the mark says, and its size.
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
