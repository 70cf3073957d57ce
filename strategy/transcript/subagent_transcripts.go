package transcript

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/document"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/durable"
	"entire/strategy/sessionstate"
)

// subagentFile is the existing transcript of a subagent.
type subagentFile struct {
	agent, path string
	changed     time.Time
}

// subagentFiles returns the transcripts of the session's subagents, the last changed first:
// those that the conversation names, and those in the agent's folder for the session.
func subagentFiles(o *sessionstate.LockedSession) []subagentFile {
	if o.State.TranscriptPath == "" {
		return nil
	}
	a := agents.For(o.State.AgentType)
	var names []string
	if t := o.Engine.Capture.Conversation; t != nil {
		names = append(names, t.AgentIDs...)
	}
	names = append(names, subagentsIn(a, o.State.TranscriptPath, o.ID)...)
	seen := map[string]bool{}
	var out []subagentFile
	for _, aid := range names {
		for _, path := range a.SubagentTranscripts(o.State.TranscriptPath, o.ID, aid) {
			fi, err := os.Stat(path)
			if seen[path] || err != nil || !fi.Mode().IsRegular() {
				continue
			}
			seen[path] = true
			out = append(out, subagentFile{aid, path, fi.ModTime()})
			break
		}
	}
	slices.SortStableFunc(out, func(a, b subagentFile) int { return b.changed.Compare(a.changed) })
	return out
}

// subagentsIn returns the subagents with a transcript in the session's own folder. It ignores a
// folder that all sessions share.
func subagentsIn(a agent.Agent, transcript string, sid id.SessionID) []string {
	const stand = "0"
	paths := a.SubagentTranscripts(transcript, sid, stand)
	if len(paths) == 0 || filepath.Dir(paths[0]) == filepath.Dir(transcript) {
		return nil
	}
	before, after, _ := strings.Cut(filepath.Base(paths[0]), stand)
	entries, err := os.ReadDir(filepath.Dir(paths[0]))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		name, begins := strings.CutPrefix(e.Name(), before)
		aid, ends := strings.CutSuffix(name, after)
		if _, err := id.ParseToolUseID(aid); begins && ends && err == nil && aid != "" {
			out = append(out, aid)
		}
	}
	return out
}

// SubagentPositions returns the positions in the transcripts of the subagents that changed last.
// If there are very many, the others have ended.
func SubagentPositions(o *sessionstate.LockedSession) []shadow.SubagentPosition {
	files := subagentFiles(o)
	var out []shadow.SubagentPosition
	for _, f := range files[:min(len(files), shadow.MaxSubagents)] {
		text, err := durable.Read(f.path, agent.MaxTranscript)
		if err != nil {
			continue
		}
		text = text[:bytes.LastIndexByte(text, '\n')+1]
		if len(text) == 0 || document.Is(text) {
			continue
		}
		sum := sha256.Sum256(text)
		out = append(out, shadow.SubagentPosition{Agent: f.agent,
			TranscriptPosition: shadow.TranscriptPosition{Offset: int64(len(text)), Prefix: hex.EncodeToString(sum[:8])}})
	}
	return out
}

// CutSubagents cuts the transcripts of subagents to their positions in a step. The whole files
// are kept next to them. It returns warnings for the user.
func CutSubagents(s *sessionstate.Env, o *sessionstate.LockedSession, at []shadow.SubagentPosition) []string {
	var warnings []string
	for _, pos := range at {
		paths := agents.For(o.State.AgentType).SubagentTranscripts(o.State.TranscriptPath, o.ID, pos.Agent)
		i := slices.IndexFunc(paths, sessionstate.PathExists)
		if i < 0 {
			continue // the agent has deleted the transcript
		}
		from, _, err := findTranscript(paths[i], pos.TranscriptPosition)
		if err == nil {
			err = ReplaceWithPrefix(paths[i], from, pos.Offset)
		}
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("the conversation of subagent %s was not taken back: %v", pos.Agent, err))
		}
	}
	return warnings
}
