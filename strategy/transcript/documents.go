package transcript

import (
	"bytes"
	"os"
	"path/filepath"

	"entire/agent"
	"entire/agent/agents"
	"entire/id"
	"entire/internal/durable"
)

// documentMax bounds the size in bytes of one document of a conversation.
const documentMax = 64 << 20

// ReadDocuments returns the documents in which the agent's program keeps the session, by path, and what
// kept it from reading others.
func ReadDocuments(keeper agent.DocumentKeeper, home string, session id.SessionID) (map[string][]byte, []error) {
	paths, err := filepath.Glob(keeper.Documents(home, session))
	if err != nil {
		return nil, []error{err}
	}
	documents := map[string][]byte{}
	var unread []error
	for _, path := range paths {
		text, err := durable.Read(path, documentMax)
		if err != nil {
			unread = append(unread, err)
			continue
		}
		documents[path] = text
	}
	return documents, unread
}

// documentsLog returns the plan to restore a conversation that the agent's program keeps as documents, for
// an agent of that kind; ok is false for any other.
func (h Homes) documentsLog(kind agent.AgentType, sid id.SessionID, lines []byte) (log PlannedLog, ok bool) {
	keeper, ok := agents.For(kind).(agent.DocumentKeeper)
	if !ok || h.Home == "" {
		return PlannedLog{}, false
	}
	documents := keeper.Restored(h.Home, h.Top, sid, lines)
	if len(documents) == 0 {
		return PlannedLog{}, false
	}
	return PlannedLog{SessionID: sid.String(), Agent: kind, Path: documents[0].Path, Transcript: lines, documents: documents,
		present: func() ([]byte, error) {
			there, unread := ReadDocuments(keeper, h.Home, sid)
			if len(unread) > 0 {
				return nil, unread[0]
			}
			lines, _ := keeper.Lines(sid, there)
			return lines, nil
		}}, true
}

// writeDocuments writes the documents of a plan. The session's own is written last: the program does not
// find a conversation whose other files are missing.
func (log PlannedLog) writeDocuments() error {
	for i := len(log.documents) - 1; i >= 0; i-- {
		doc := log.documents[i]
		if _, err := os.Lstat(doc.Path); err == nil && doc.Stays {
			continue
		}
		if err := durable.WriteFile(doc.Path, doc.Text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// hasMoreLines reports whether one conversation has more lines than another.
func hasMoreLines(one, other []byte) bool {
	newline := []byte("\n")
	return bytes.Count(one, newline) > bytes.Count(other, newline)
}
