package strategy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
	"entire/internal/durable"
)

// LogsOutcome is what was done to bring conversations back.
type LogsOutcome struct {
	Restored []RestoredSession
	Skipped  []string // one line each: which session, and why
}

// RestoredSession is a conversation that the agent can continue.
type RestoredSession struct {
	SessionID     string
	Path          string // the transcript that was written
	Agent         agent.AgentType
	Prompt        string
	ResumeCommand string
}

// RestoreLogs writes the transcripts of a checkpoint's sessions to where their
// agent looks for them. A local transcript that holds more than the checkpoint
// is not replaced unless forced. Nothing is written outside the agent's own
// folder, whatever the metadata says.
func (s *ManualCommitStrategy) RestoreLogs(ctx context.Context, p RewindPoint, force bool) (*LogsOutcome, error) {
	if p.CheckpointID.IsZero() {
		return nil, errors.New("not a logs-only rewind point")
	}
	records := checkpoint.NewRecords(s.repo)
	rec, err := records.Read(ctx, p.CheckpointID)
	if err != nil {
		return nil, fmt.Errorf("restore logs of %s: %w", p.CheckpointID, err)
	}
	out := &LogsOutcome{}
	for i, sess := range rec.Sessions {
		if sess.Err != nil {
			out.Skipped = append(out.Skipped, fmt.Sprintf("session %d: %v", i, sess.Err))
			continue
		}
		restored, why := s.restoreLog(ctx, records, p.CheckpointID, i, sess.Metadata, force)
		if why != "" {
			out.Skipped = append(out.Skipped, why)
			continue
		}
		out.Restored = append(out.Restored, restored)
	}
	return out, nil
}

func (s *ManualCommitStrategy) restoreLog(ctx context.Context, records *checkpoint.Records, cp id.CheckpointID, i int, meta checkpoint.CommittedMetadata, force bool) (RestoredSession, string) {
	sid, err := id.ParseSessionID(meta.SessionID)
	if err != nil {
		return RestoredSession{}, fmt.Sprintf("session %d: %v", i, err)
	}
	a, ok := agent.ByType(meta.Agent)
	if !ok {
		return RestoredSession{}, fmt.Sprintf("session %s: its agent %q is not known here", sid, meta.Agent)
	}
	content, err := records.Session(ctx, cp, i)
	if len(content.Transcript) == 0 {
		return RestoredSession{}, fmt.Sprintf("session %s: no transcript (%v)", sid, err)
	}
	path := s.transcriptHome(a, sid, meta.TranscriptPath)
	if fi, err := os.Stat(path); err == nil && fi.Size() > int64(len(content.Transcript)) && !force {
		return RestoredSession{}, fmt.Sprintf("session %s: %s holds more than the checkpoint; kept", sid, path)
	}
	if _, err := os.Lstat(path); err == nil {
		if err := keepBeside(path); err != nil {
			return RestoredSession{}, fmt.Sprintf("session %s: %v", sid, err)
		}
	}
	if err := durable.WriteFile(path, content.Transcript, 0o600); err != nil {
		return RestoredSession{}, fmt.Sprintf("session %s: %v", sid, err)
	}
	return RestoredSession{SessionID: sid.String(), Path: path, Agent: a.Type(), Prompt: firstPrompt(content.Prompts), ResumeCommand: a.ResumeCommand(sid)}, ""
}

// transcriptHome is where the agent looks for a session's transcript. What the
// metadata says counts only inside the folder that the agent keeps them in.
func (s *ManualCommitStrategy) transcriptHome(a agent.Agent, sid id.SessionID, stored string) string {
	def := a.TranscriptPath(s.Home, s.repo.Top, sid)
	root := filepath.Dir(filepath.Dir(def)) + string(filepath.Separator)
	if stored == "" || !filepath.IsLocal(filepath.FromSlash(stored)) {
		return def
	}
	path := filepath.Join(s.Home, filepath.FromSlash(stored))
	if filepath.Base(path) != filepath.Base(def) || !strings.HasPrefix(path, root) {
		return def
	}
	if fi, err := os.Lstat(path); err == nil && !fi.Mode().IsRegular() {
		return def
	}
	return path
}
