package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"entire/agent"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/feed"
	"entire/session"
	"entire/strategy/transcript"
)

type homesOf = transcript.TranscriptHomes

// parsedID returns a session's ID in the form that may be part of a path.
func parsedID(s listedSession) (id.SessionID, error) {
	sid, err := id.ParseSessionID(s.ID)
	if err != nil {
		return sid, fmt.Errorf("session %s: %w", shownLine(s.ID), err)
	}
	return sid, nil
}

// homes returns where the session's agent looks for its transcript.
func (l *library) homes(ctx context.Context, s listedSession) homesOf {
	h := homesOf{Home: l.w.home(), Top: l.ident.Top, Dirs: l.w.transcriptDirs()}
	if l.wp != nil && l.wp.repo.Top != "" {
		h.Top = l.wp.repo.Top
	}
	if isDir(s.Folder) && (!s.here || within(h.Top, s.Folder)) {
		h.Top = s.Folder
	}
	own := l.ownTranscript(ctx, s, h)
	h.Recorded = func() string { return own }
	return h
}

// ownTranscript returns the transcript's path that a hook reported. It ignores a path elsewhere:
// an import may have fed the store from a copy.
func (l *library) ownTranscript(ctx context.Context, s listedSession, h homesOf) string {
	if st := l.stateOf(ctx, s); st != nil {
		return st.TranscriptPath
	}
	if !slices.Contains(s.Sources, inStore) {
		return ""
	}
	path := feed.TranscriptOf(l.storeOf(s.Project).Dir(s.ID))
	if a := agent.For(s.Agent); a.TranscriptRoot(h.Home) == "" || h.InAgentFolder(a, path) {
		return path
	}
	return ""
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return path != "" && err == nil && fi.IsDir()
}

func hasFile(path string) bool {
	fi, err := os.Stat(path)
	return path != "" && err == nil && fi.Mode().IsRegular() && fi.Size() > 0
}

func readIfThere(path string) []byte {
	data, err := durable.Read(path, agent.MaxTranscript)
	if err != nil {
		return nil
	}
	return data
}

var errNoTranscript = errors.New("no transcript is kept")

// notKept returns the error for a session of which no transcript is stored.
func notKept(s listedSession) error {
	return failf("its agent may not have written anything yet, or have deleted it before it was stored", "session %s: %w", s.ID, errNoTranscript)
}

// transcript returns all stored records of a session without secrets; errNoTranscript if there
// are none. In a fork, the records of the parent session get the fork's ID.
func (l *library) transcript(ctx context.Context, s listedSession) ([]byte, error) {
	var data bytes.Buffer
	err := l.writeRaw(ctx, s, &data)
	if errors.Is(err, session.ErrNotFound) || err == nil && data.Len() == 0 {
		return nil, notKept(s)
	}
	if err != nil || s.Parent == "" {
		return data.Bytes(), err
	}
	return forked(s.Agent, data.Bytes(), "", s.ID)
}

// forked returns a transcript up to a message, as a transcript of session newID.
func forked(t agent.AgentType, transcript []byte, at, newID string) ([]byte, error) {
	var out bytes.Buffer
	err := agent.ForkTranscript(t, bytes.NewReader(transcript), &out, at, newID)
	return out.Bytes(), err
}

// writeRaw writes the agent's own records as they are stored, byte for byte.
func (l *library) writeRaw(ctx context.Context, s listedSession, out io.Writer) error {
	for record, err := range l.source(ctx, s).SDKMessages(ctx, s.ID) {
		if err != nil {
			return err
		}
		if s.Agent != agent.AgentTypeGemini || !agent.IsDocument(record) {
			record = append(slices.Clip(record), '\n')
		}
		if _, err := out.Write(record); err != nil {
			return err
		}
	}
	return nil
}

// tellLonger says if more of a session is stored than its agent's transcript has.
func (l *library) tellLonger(path string, transcript []byte, s listedSession) {
	live, kept := agent.Items(s.Agent, readIfThere(path)), agent.Items(s.Agent, transcript)
	if kept > live {
		fmt.Fprintf(l.w.err, "The agent's transcript has %d of the %d stored records; --force replaces it.\n", live, kept)
	}
}

// live returns the agent's own transcript of a session, nil if it has none.
func (l *library) live(ctx context.Context, s listedSession) (path string, transcript []byte) {
	sid, err := parsedID(s)
	if err != nil {
		return "", nil
	}
	path = l.homes(ctx, s).Live(agent.For(s.Agent), sid, nil)
	if !hasFile(path) {
		return path, nil
	}
	return path, readIfThere(path)
}

// longest returns the transcript for a fork: the agent's own, unless the store has more.
func (l *library) longest(ctx context.Context, s listedSession) ([]byte, error) {
	_, live := l.live(ctx, s)
	kept, err := l.transcript(ctx, s)
	switch {
	case live != nil && (err != nil || agent.Items(s.Agent, live) >= agent.Items(s.Agent, kept)):
		return live, nil
	case err != nil:
		return nil, err
	}
	return kept, nil
}
