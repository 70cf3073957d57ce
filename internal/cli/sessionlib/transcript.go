package sessionlib

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/check"
	"entire/agent/conversation"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/feed"
	"entire/session"
	"entire/strategy/transcript"
)

type homesOf = transcript.Homes

// ParsedID returns a session's ID in the form that may be part of a path.
func ParsedID(s ListedSession) (id.SessionID, error) {
	sid, err := id.ParseSessionID(s.ID)
	if err != nil {
		return sid, fmt.Errorf("session %s: %w", cliui.ShownLine(s.ID), err)
	}
	return sid, nil
}

// Homes returns where the session's agent looks for its transcript.
func (l *Library) Homes(ctx context.Context, s ListedSession) homesOf {
	h := homesOf{Home: l.Env.Home(), Top: l.Ident.Top, Dirs: workplace.TranscriptDirs(l.Env)}
	if l.Wp != nil && l.Wp.Repo.Top != "" {
		h.Top = l.Wp.Repo.Top
	}
	if cliui.IsDir(s.Folder) && (!s.here || cliui.IsWithin(h.Top, s.Folder)) {
		h.Top = s.Folder
	}
	own := ""
	if s.Folder == "" || cliui.IsDir(s.Folder) || !l.namesFolder(s, h) {
		own = l.ownTranscript(ctx, s, h) // that of a folder which is gone, its agent cannot find
	}
	h.Recorded = func() string { return own }
	return h
}

// namesFolder reports whether the session's agent looks for transcripts by the folder in which it is started.
func (l *Library) namesFolder(s ListedSession, h homesOf) bool {
	a := agents.For(s.Agent)
	return !slices.Equal(a.Folders(h.Home, s.Folder, cliui.ReadIfThere), a.Folders(h.Home, h.Top, cliui.ReadIfThere))
}

// ownTranscript returns the transcript's path that a hook reported. It ignores a path elsewhere:
// an import may have fed the store from a copy.
func (l *Library) ownTranscript(ctx context.Context, s ListedSession, h homesOf) string {
	if st := l.stateOf(ctx, s); st != nil {
		return st.TranscriptPath
	}
	if !slices.Contains(s.Sources, InStore) {
		return ""
	}
	path := feed.TranscriptOf(l.StoreOf(s.Project).Dir(s.ID))
	if a := agents.For(s.Agent); a.TranscriptRoot(h.Home) == "" || h.InAgentFolder(a, path) {
		return path
	}
	return ""
}

var errNoTranscript = errors.New("no transcript is kept")

// NotKept returns the error for a session without a stored transcript.
func NotKept(s ListedSession) error {
	return cliui.Failf("its agent may not have written anything yet, or have deleted it before it was stored", "session %s: %w", s.ID, errNoTranscript)
}

// Transcript returns all stored records of a session without secrets; errNoTranscript if there
// are none. In a fork, the records of the parent session get the fork's ID.
func (l *Library) Transcript(ctx context.Context, s ListedSession) ([]byte, error) {
	var data bytes.Buffer
	err := l.WriteRaw(ctx, s, &data)
	if errors.Is(err, session.ErrNotFound) || err == nil && data.Len() == 0 {
		return nil, NotKept(s)
	}
	if err != nil || s.Parent == "" {
		return data.Bytes(), err
	}
	return forked(s.Agent, data.Bytes(), "", s.ID)
}

// forked returns a transcript up to a message, as a transcript of session newID.
func forked(t agent.AgentType, transcript []byte, at, newID string) ([]byte, error) {
	var out bytes.Buffer
	err := check.Fork(t, bytes.NewReader(transcript), &out, at, newID)
	return out.Bytes(), err
}

// WriteRaw writes the agent's own records as they are stored, byte for byte.
func (l *Library) WriteRaw(ctx context.Context, s ListedSession, out io.Writer) error {
	for record, err := range l.Source(ctx, s).SDKMessages(ctx, s.ID) {
		if err != nil {
			return err
		}
		if !agents.IsDocument(s.Agent, record) {
			record = append(slices.Clip(record), '\n')
		}
		if _, err := out.Write(record); err != nil {
			return err
		}
	}
	return nil
}

// tellLonger says if more of a session is stored than its agent's transcript has.
func (l *Library) tellLonger(log transcript.PlannedLog, s ListedSession) {
	have, err := log.Present()
	live, kept := conversation.Items(s.Agent, have), conversation.Items(s.Agent, log.Transcript)
	if err == nil && kept > live {
		fmt.Fprintf(l.Env.Err, "The agent's transcript has %d of the %d stored records; --force replaces it.\n", live, kept)
	}
}

// Live returns the agent's own transcript of a session, nil if it has none.
func (l *Library) Live(ctx context.Context, s ListedSession) (path string, transcript []byte) {
	sid, err := ParsedID(s)
	if err != nil {
		return "", nil
	}
	path = l.Homes(ctx, s).Live(agents.For(s.Agent), sid, nil)
	if !cliui.HasFile(path) {
		return path, nil
	}
	return path, cliui.ReadIfThere(path)
}

// longest returns the transcript for a fork: the agent's own, unless the store has more.
func (l *Library) longest(ctx context.Context, s ListedSession) ([]byte, error) {
	_, live := l.Live(ctx, s)
	kept, err := l.Transcript(ctx, s)
	switch {
	case live != nil && (err != nil || conversation.Items(s.Agent, live) >= conversation.Items(s.Agent, kept)):
		return live, nil
	case err != nil:
		return nil, err
	}
	return kept, nil
}
