package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/id"
	"entire/internal/durable"
	"entire/strategy/sessionstate"
)

// Homes finds the folders on this machine in which agents keep the transcripts of the
// project at Top, which need not be a repository.
type Homes struct {
	Home string                     // of the user
	Top  string                     // the folder in which the agent works
	Dirs map[agent.AgentName]string // as in Options.TranscriptDirs
	// Recorded returns the path of the session's transcript that this machine has recorded, "" for none.
	// If an agent has no folder, no other path is trusted.
	Recorded func() string
}

// Home returns where the agent looks for a session's transcript, "" if that is
// unknown.
func Home(ctx context.Context, s *sessionstate.Env, a agent.Agent, sid id.SessionID, stored string, transcript []byte) string {
	h := Homes{s.Home, s.Repo.Top, s.TranscriptDirs, func() string { return recordedTranscript(ctx, s, a, sid) }}
	return h.find(a, sid, stored, transcript)
}

// find returns where the agent looks for a session's transcript, "" if that is unknown. It uses
// the path in the metadata only if it lies in the agent's folder and has the name of the
// session's file.
func (h Homes) find(a agent.Agent, sid id.SessionID, stored string, transcript []byte) string {
	root, folders := h.folders(a)
	if root == "" || len(folders) == 0 {
		return h.Recorded()
	}
	if dated, ok := a.(agent.SessionFolders); ok {
		folders = append(dated.SessionFolders(root, sid), folders...)
	}
	name := a.FileName(sid, transcript)
	if path := h.trustedPath(a, sid, root, stored); path != "" {
		// An agent with one folder for a project reads no other: neither the folder of another clone nor
		// the one that another machine named.
		own := filepath.Dir(name)
		in := func(folder string) bool { return filepath.Dir(path) == filepath.Join(folder, own) }
		if slices.ContainsFunc(folders, in) || len(folders) > 1 && isRegularFile(path) || path == h.Recorded() {
			return path
		}
		name = filepath.Join(own, filepath.Base(path)) // the path is that of the project in another place
	}
	if path := newestTranscript(a, sid, folders); path != "" {
		return path
	}
	return filepath.Join(firstExistingFolder(folders), name)
}

// folders returns the folders in which the agent may keep the project's transcripts, and their
// common root.
func (h Homes) folders(a agent.Agent) (root string, folders []string) {
	if dir := h.Dirs[a.Name()]; dir != "" {
		return dir, []string{dir}
	}
	return a.TranscriptRoot(h.Home), a.Folders(h.Home, h.Top, ReadIfExists)
}

// trustedPath returns the path in the metadata, "" if it cannot be trusted.
func (h Homes) trustedPath(a agent.Agent, sid id.SessionID, root, stored string) string {
	if stored == "" || !filepath.IsLocal(filepath.FromSlash(stored)) {
		return ""
	}
	path := filepath.Join(h.Home, filepath.FromSlash(stored))
	if !a.OwnsFile(path, sid) || !strings.HasPrefix(path, root+string(filepath.Separator)) {
		return ""
	}
	if fi, err := os.Lstat(path); err == nil && !fi.Mode().IsRegular() {
		return ""
	}
	return path
}

// newestTranscript returns the session's transcript that was written last, "" if there is none.
func newestTranscript(a agent.Agent, sid id.SessionID, folders []string) string {
	var newest fs.FileInfo
	found := ""
	for _, dir := range folders {
		if path := filepath.Join(dir, a.FileName(sid, nil)); filepath.Dir(path) != dir { // a folder for each session
			if isRegularFile(path) {
				return path
			}
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			fi, err := e.Info()
			if err != nil || !fi.Mode().IsRegular() || !a.OwnsFile(e.Name(), sid) {
				continue
			}
			if newest == nil || fi.ModTime().After(newest.ModTime()) {
				newest, found = fi, filepath.Join(dir, e.Name())
			}
		}
	}
	return found
}

// firstExistingFolder returns the first folder that exists, the first of all if none does.
func firstExistingFolder(folders []string) string {
	for _, dir := range folders {
		if fi, err := os.Stat(dir); err == nil && fi.IsDir() {
			return dir
		}
	}
	return folders[0]
}

func isRegularFile(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular()
}

// recordedTranscript returns the path of the session's transcript that this machine has recorded, ""
// for none. If the agent has no folder for transcripts, no other path is trusted.
func recordedTranscript(ctx context.Context, s *sessionstate.Env, a agent.Agent, sid id.SessionID) string {
	st, err := s.Store.Load(ctx, sid)
	if err != nil || agents.For(st.AgentType) != a {
		return ""
	}
	return st.TranscriptPath
}

// ReadIfExists returns the content of a file, nil if it cannot be read or is larger than a transcript may
// be.
func ReadIfExists(path string) []byte {
	data, err := durable.Read(path, agent.MaxTranscript)
	if err != nil {
		return nil
	}
	return data
}

// hasMoreConversation reports whether the existing file has more of the conversation than the transcript
// that would replace it.
func hasMoreConversation(log PlannedLog, fi fs.FileInfo) bool {
	if log.documents != nil {
		have, err := log.Present()
		return err == nil && hasMoreLines(have, log.Transcript)
	}
	if agents.IsDocument(log.Agent, log.Transcript) {
		have, err := durable.Read(log.Path, agent.MaxTranscript)
		return err == nil && conversation.Items(log.Agent, have) > conversation.Items(log.Agent, log.Transcript)
	}
	if fi.Size() > int64(len(log.Transcript)) {
		return true
	}
	have, err := durable.Read(log.Path, agent.MaxTranscript)
	return err == nil && lastTimestamp(have).After(lastTimestamp(log.Transcript))
}

// lastTimestamp returns the time of a transcript's last line, zero if the line has none.
func lastTimestamp(transcript []byte) time.Time {
	transcript = bytes.TrimRight(transcript, "\r\n\t ")
	var line struct {
		Timestamp time.Time `json:"timestamp"`
	}
	if json.Unmarshal(transcript[bytes.LastIndexByte(transcript, '\n')+1:], &line) != nil {
		return time.Time{}
	}
	return line.Timestamp
}
