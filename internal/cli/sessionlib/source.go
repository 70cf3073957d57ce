package sessionlib

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/internal/redact"
	"entire/session"
)

// A source holds a session's conversation.
type source interface {
	session.Reader
	// SDKMessages streams the agent's own records. A transcript that is one JSON document
	// is one record.
	SDKMessages(ctx context.Context, sessionID string) iter.Seq2[session.SDKMessage, error]
}

// Source returns the source with most of the session: a store, the metadata branch or, if neither
// has it, the agent's transcript.
func (l *Library) Source(ctx context.Context, s ListedSession) source {
	switch {
	case s.AsGit:
		return l.git
	case slices.Contains(s.Sources, InStore):
		return l.StoreOf(s.Project)
	}
	if _, transcript := l.Live(ctx, s); transcript != nil {
		return liveSource{s.Agent, cleaned(s.Agent, transcript)}
	}
	return l.Store
}

// Hold calls do, for which the metadata branch stays as it was when it was last read. Use it to read many sessions.
func (l *Library) Hold(do func() error) error {
	if l.git == nil {
		return do()
	}
	return l.git.Hold(do)
}

// cleaned returns a transcript without its secrets.
func cleaned(t agent.AgentType, transcript []byte) []byte {
	if agents.IsDocument(t, transcript) {
		return redact.JSON(transcript)
	}
	return redact.Lines(transcript)
}

// A liveSource is a transcript that only the agent has.
type liveSource struct {
	agent      agent.AgentType
	transcript []byte
}

func (src liveSource) Metadata(context.Context, string) (session.SessionMetadata, error) {
	return session.SessionMetadata{}, session.ErrNotFound
}

func (src liveSource) Messages(context.Context, string) iter.Seq2[session.Message, error] {
	return func(yield func(session.Message, error) bool) {
		for _, m := range conversation.Normalize(src.agent, src.transcript) {
			if !yield(m, nil) {
				return
			}
		}
	}
}

func (src liveSource) SDKMessages(context.Context, string) iter.Seq2[session.SDKMessage, error] {
	return func(yield func(session.SDKMessage, error) bool) {
		if agents.IsDocument(src.agent, src.transcript) {
			yield(src.transcript, nil)
			return
		}
		for line := range bytes.Lines(src.transcript) {
			if !strings.HasSuffix(string(line), "\n") || !yield(bytes.TrimSuffix(line, []byte("\n")), nil) {
				return // the last line is still being written
			}
		}
	}
}
