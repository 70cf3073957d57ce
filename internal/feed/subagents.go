package feed

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/id"
	"entire/internal/durable"
)

// maxAgents is the most subagents of a session whose transcripts are read.
const maxAgents = 500

// noteAgent records a subagent. Its transcript is read from now on.
func (s *eventRun) noteAgent(aid string) {
	if !isAgentID(aid) || s.pos.Agents[aid] != nil || len(s.pos.Agents) >= maxAgents {
		return
	}
	if s.pos.Agents == nil {
		s.pos.Agents = map[string]*stream{}
	}
	s.pos.Agents[aid] = &stream{}
	s.changed = true
}

// isAgentID reports whether aid can be part of a file name.
func isAgentID(aid string) bool {
	_, err := id.ParseToolUseID(aid)
	return err == nil && aid != ""
}

// findAgents looks for subagents in the folder where the agent keeps their transcripts.
func (s *eventRun) findAgents(a agent.Agent) {
	const stand = "0"
	paths := a.SubagentTranscripts(s.pos.Main.Path, s.ev.SessionID, stand)
	if len(paths) == 0 || filepath.Dir(paths[0]) == filepath.Dir(s.pos.Main.Path) { // all sessions share that folder
		return
	}
	before, after, _ := strings.Cut(filepath.Base(paths[0]), stand)
	entries, err := os.ReadDir(filepath.Dir(paths[0]))
	if err != nil {
		return
	}
	for _, e := range entries {
		name, begins := strings.CutPrefix(e.Name(), before)
		if aid, ends := strings.CutSuffix(name, after); begins && ends {
			s.noteAgent(aid)
		}
	}
}

// readSubagents reads the transcripts of the session's subagents. Their messages go to the session
// with their AgentID; their raw streams are separate.
func (s *eventRun) readSubagents() error {
	s.noteAgent(s.ev.AgentID)
	if s.pos.Main.Path == "" {
		return nil
	}
	a := agents.For(s.ev.AgentType)
	if s.ev.Type != agent.TurnStart && s.ev.Type != agent.SessionStart {
		s.findAgents(a)
	}
	var problems []error
	for aid := range s.pos.Agents {
		for _, path := range a.SubagentTranscripts(s.pos.Main.Path, s.ev.SessionID, aid) {
			read, err := s.readSubagent(aid, path)
			if err != nil {
				problems = append(problems, err)
			}
			if read {
				break
			}
		}
	}
	return errors.Join(problems...)
}

// readSubagent reports whether there is a transcript at path.
func (s *eventRun) readSubagent(aid, path string) (bool, error) {
	st := s.pos.Agents[aid]
	if fi, err := os.Stat(path); err != nil || fi.Size() == 0 {
		return false, nil
	} else if fi.Size() == st.Offset && path == st.Path && s.known == nil {
		return true, nil
	}
	f, err := durable.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = s.readStream(aid, st, f, path)
	return true, errors.Join(err, s.appendAgentRaw(aid))
}

// appendAgentRaw appends to a subagent's raw stream. It first truncates a torn end that a killed process
// left; that line is read again.
func (s *eventRun) appendAgentRaw(aid string) error {
	lines := s.batch.agentRaw
	if len(lines) == 0 {
		return nil
	}
	s.batch.agentRaw = lines[:0]
	path := s.agentFile(aid)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.lost = true
		return err
	}
	f, err := durable.OpenOwn(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		s.lost = true
		return err
	}
	defer f.Close()
	end, err := wholeLines(f)
	if err != nil {
		s.lost = true
		return err
	}
	if _, err := f.WriteAt(lines, end); err != nil {
		s.lost = true
		return errors.Join(err, f.Truncate(end))
	}
	return nil
}

// wholeLines truncates a file after its last complete line and returns its new size.
func wholeLines(f *os.File) (int64, error) {
	end, size, err := lastLine(f)
	if err == nil && end < size {
		err = f.Truncate(end)
	}
	return end, err
}

// lastLine returns the end of the last complete line, and the size of the file.
func lastLine(f *os.File) (end, size int64, err error) {
	fi, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	buf := make([]byte, 64<<10)
	for end = fi.Size(); end > 0; {
		n := min(end, int64(len(buf)))
		if _, err := f.ReadAt(buf[:n], end-n); err != nil {
			return 0, 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return end - n + int64(i) + 1, fi.Size(), nil
		}
		end -= n
	}
	return 0, fi.Size(), nil
}

func (s *eventRun) agentFile(aid string) string {
	return filepath.Join(s.dir, agentsName, aid+".jsonl")
}

// rawFile returns the path of a subagent's raw stream, or of the session's for "".
func (s *eventRun) rawFile(aid string) string {
	if aid == "" {
		return filepath.Join(s.dir, "transcript.jsonl")
	}
	return s.agentFile(aid)
}
