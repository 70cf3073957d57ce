package strategy

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
	"entire/id"
	"entire/internal/durable"
)

// TranscriptHomes knows where on this machine agents look for the transcripts of
// the project at Top, which need not be a repository.
type TranscriptHomes struct {
	Home string                     // the user's
	Top  string                     // the folder that the agent works in
	Dirs map[agent.AgentName]string // as Options.TranscriptDirs
	// Own is what this machine itself knows of where the session's transcript is,
	// "" for nothing: the only word to be taken where an agent has no folder.
	Own func() string
}

// transcriptHome is where the agent looks for a session's transcript, "" if that
// is not known.
func (s *ManualCommitStrategy) transcriptHome(ctx context.Context, a agent.Agent, sid id.SessionID, stored string, transcript []byte) string {
	h := TranscriptHomes{s.Home, s.repo.Top, s.TranscriptDirs, func() string { return s.ownTranscript(ctx, a, sid) }}
	return h.find(a, sid, stored, transcript)
}

// find is where the agent looks for a session's transcript, "" if that is not
// known. What the metadata says counts only inside the folder that the agent keeps
// them in, and only for a file that is the session's by its name.
func (h TranscriptHomes) find(a agent.Agent, sid id.SessionID, stored string, transcript []byte) string {
	root, folders := h.folders(a)
	if root == "" || len(folders) == 0 {
		return h.Own()
	}
	name := a.FileName(sid, transcript)
	if path := h.storedHome(a, sid, root, stored); path != "" {
		// With one folder for a project, the agent looks nowhere else: not in that of
		// the same project in another clone, nor as another machine called it.
		if slices.Contains(folders, filepath.Dir(path)) || len(folders) > 1 && isThere(path) || path == h.Own() {
			return path
		}
		name = filepath.Base(path) // of a project in another place
	}
	if path := newestOf(a, sid, folders); path != "" {
		return path
	}
	return filepath.Join(folderFor(folders), name)
}

// folders are those in which the agent may keep the project's transcripts, and
// the one above them all.
func (h TranscriptHomes) folders(a agent.Agent) (root string, folders []string) {
	if dir := h.Dirs[a.Name()]; dir != "" {
		return dir, []string{dir}
	}
	return a.TranscriptRoot(h.Home), a.Folders(h.Home, h.Top, readIfThere)
}

// storedHome is what the metadata says, if that is to be believed.
func (h TranscriptHomes) storedHome(a agent.Agent, sid id.SessionID, root, stored string) string {
	if stored == "" || !filepath.IsLocal(filepath.FromSlash(stored)) {
		return ""
	}
	path := filepath.Join(h.Home, filepath.FromSlash(stored))
	if !a.OwnsFile(filepath.Base(path), sid) || !strings.HasPrefix(path, root+string(filepath.Separator)) {
		return ""
	}
	if fi, err := os.Lstat(path); err == nil && !fi.Mode().IsRegular() {
		return ""
	}
	return path
}

// newestOf is the session's transcript that was written last, "" if there is none.
func newestOf(a agent.Agent, sid id.SessionID, folders []string) string {
	var newest fs.FileInfo
	found := ""
	for _, dir := range folders {
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

// folderFor is the first of the folders that is there, or else the first.
func folderFor(folders []string) string {
	for _, dir := range folders {
		if fi, err := os.Stat(dir); err == nil && fi.IsDir() {
			return dir
		}
	}
	return folders[0]
}

func isThere(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular()
}

// ownTranscript is what this machine itself knows of where a session's transcript
// is: the only word to be taken where the agent has no folder for them.
func (s *ManualCommitStrategy) ownTranscript(ctx context.Context, a agent.Agent, sid id.SessionID) string {
	st, err := s.store.Load(ctx, sid)
	if err != nil || agent.For(st.AgentType) != a {
		return ""
	}
	return st.TranscriptPath
}

func readIfThere(path string) []byte {
	data, err := durable.Read(path, agent.MaxTranscript)
	if err != nil {
		return nil
	}
	return data
}

// holdsMore reports whether the file that is there has more of the conversation
// than what would replace it.
func holdsMore(log PlannedLog, fi fs.FileInfo) bool {
	if log.Agent == agent.AgentTypeGemini && agent.IsDocument(log.transcript) {
		have, err := durable.Read(log.Path, agent.MaxTranscript)
		return err == nil && agent.Items(log.Agent, have) > agent.Items(log.Agent, log.transcript)
	}
	if fi.Size() > int64(len(log.transcript)) {
		return true
	}
	have, err := durable.Read(log.Path, agent.MaxTranscript)
	return err == nil && lastSaid(have).After(lastSaid(log.transcript))
}

// lastSaid is when the last line of a transcript was written; zero where it does
// not say.
func lastSaid(transcript []byte) time.Time {
	transcript = bytes.TrimRight(transcript, "\r\n\t ")
	var line struct {
		Timestamp time.Time `json:"timestamp"`
	}
	if json.Unmarshal(transcript[bytes.LastIndexByte(transcript, '\n')+1:], &line) != nil {
		return time.Time{}
	}
	return line.Timestamp
}
