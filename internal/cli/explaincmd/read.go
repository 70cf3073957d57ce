package explaincmd

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"entire/agent"
	"entire/agent/conversation"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
)

// A checkpointView is a checkpoint as explain shows it. Its JSON form is what `entire explain
// --json` prints, in a list for a commit with several checkpoints.
type checkpointView struct {
	ID        string                   `json:"checkpoint_id"` // for a step, its commit
	Temporary bool                     `json:"temporary"`
	TakenIn   string                   `json:"taken_in,omitempty"` // for a committed turn, its commit's checkpoint
	Created   time.Time                `json:"created_at"`
	Author    string                   `json:"author,omitempty"`
	Email     string                   `json:"email,omitempty"`
	Branch    string                   `json:"branch,omitempty"`
	Strategy  string                   `json:"strategy,omitempty"`
	Message   string                   `json:"message,omitempty"` // for a step
	Steps     int                      `json:"checkpoints_count"`
	Tokens    int                      `json:"tokens"` // all kinds together
	Usage     *agent.TokenUsage        `json:"token_usage,omitempty"`
	Files     []string                 `json:"files_touched"`
	Commits   []workplace.LinkedCommit `json:"commits"`
	Sessions  []sessionView            `json:"sessions"`
	Problems  []string                 `json:"problems,omitempty"` // what could not be read, or does not match
}

// A sessionView is one session's record in a checkpoint.
type sessionView struct {
	Index       int                          `json:"index"`
	ID          string                       `json:"session_id"`
	Agent       agent.AgentType              `json:"agent,omitempty"`
	Created     time.Time                    `json:"created_at"`
	Steps       int                          `json:"checkpoints_count"`
	Files       []string                     `json:"files_touched"`
	Usage       *agent.TokenUsage            `json:"token_usage,omitempty"`
	Prompts     []string                     `json:"prompts"`
	Lines       int                          `json:"transcript_lines"`
	Bytes       int                          `json:"transcript_bytes"`
	Start       int                          `json:"checkpoint_transcript_start"`   // the line or message where the checkpoint's part begins
	Hash        string                       `json:"content_hash,omitempty"`        // of the transcript that was read
	StoredHash  string                       `json:"stored_content_hash,omitempty"` // only if it differs
	Summary     *metadata.Summary            `json:"summary,omitempty"`
	Attribution *metadata.InitialAttribution `json:"initial_attribution,omitempty"`
	Scoped      []string                     `json:"checkpoint_prompts"`   // of the checkpoint's part
	Transcript  string                       `json:"transcript,omitempty"` // for people; whole with --full, else the checkpoint's part
	TaskID      string                       `json:"tool_use_id,omitempty"`

	intent string // the prompt whose work is in the commit, "" if unknown
}

// readCheckpoint reads everything about a checkpoint; slot picks one session, -1 means all. What
// cannot be read becomes a problem of the view, not an error.
func readCheckpoint(ctx context.Context, wp *workplace.Workplace, cp id.CheckpointID, slot int, o explainOptions) (checkpointView, error) {
	reader := records.NewReader(wp.Repo)
	stored, err := reader.Read(ctx, cp)
	if err != nil {
		return checkpointView{}, err
	}
	if slot >= len(stored.Sessions) {
		return checkpointView{}, fmt.Errorf("checkpoint %s has %s, numbered from 0", cp, cliui.Count(len(stored.Sessions), "session"))
	}
	info, sum := stored.Info(), stored.Summary
	v := checkpointView{
		ID: cp.String(), Created: info.CreatedAt, Branch: sum.Branch, Strategy: sum.Strategy,
		Steps: sum.CheckpointsCount, Files: cliui.NotNil(sum.FilesTouched),
	}
	if v.Usage = usageOf(stored, slot); v.Usage != nil {
		v.Tokens = v.Usage.Total()
	}
	if stored.Err != nil {
		v.problem("%v", stored.Err)
	}
	for i, s := range stored.Sessions {
		if s.Err != nil {
			v.problem("session %d: %v", i, s.Err)
		}
		if slot >= 0 && slot != i {
			continue
		}
		content, err := reader.Session(ctx, cp, i)
		if err != nil && s.Err == nil {
			v.problem("session %d: %v", i, err)
		}
		if content != nil {
			s := v.session(i, content, o, wp.Repo.Top)
			s.intent = intentOf(ctx, reader, cp, content)
			v.Sessions = append(v.Sessions, s)
		}
	}
	if err := v.findCommits(ctx, wp, cp, o.wide); err != nil {
		v.problem("commits: %v", err)
	}
	return v, nil
}

// usageOf returns the tokens of one session, or of all if slot is -1.
func usageOf(c records.StoredCheckpoint, slot int) *agent.TokenUsage {
	if slot >= 0 {
		return c.Sessions[slot].Metadata.TokenUsage
	}
	return c.Usage()
}

func (v *checkpointView) problem(format string, args ...any) {
	v.Problems = append(v.Problems, fmt.Sprintf(format, args...))
}

// findCommits sets the commits, and takes the author from them. For a checkpoint without a commit
// it searches the metadata branch's history, which is slow.
func (v *checkpointView) findCommits(ctx context.Context, wp *workplace.Workplace, cp id.CheckpointID, everywhere bool) error {
	commits, err := workplace.CommitsOf(ctx, wp.Repo, cp, everywhere)
	if err != nil {
		return err
	}
	v.Commits = cliui.NotNil(commits)
	if len(commits) > 0 {
		v.Author, v.Email = commits[len(commits)-1].Author, commits[len(commits)-1].Email
		return nil
	}
	author, err := records.NewReader(wp.Repo).Author(ctx, cp)
	v.Author, v.Email = author.Name, author.Email
	return err
}

func (v *checkpointView) session(index int, c *records.SessionContent, o explainOptions, top string) sessionView {
	m := c.Metadata
	s := sessionView{
		Index: index, ID: m.SessionID, Agent: m.Agent, Created: m.CreatedAt, Steps: m.CheckpointsCount,
		Files: cliui.NotNil(m.FilesTouched), Usage: m.TokenUsage, Prompts: cliui.NotNil(metadata.SplitPrompts(c.Prompts)),
		Lines: conversation.Items(m.Agent, c.Transcript), Bytes: len(c.Transcript), Start: m.GetTranscriptStart(),
		Summary: m.Summary, Attribution: m.InitialAttribution, TaskID: m.ToolUseID,
	}
	switch {
	case len(c.Transcript) == 0 && c.Problem == nil:
		v.problem("session %s has no transcript", m.SessionID)
	case len(c.Transcript) > 0:
		s.Hash = fmt.Sprintf("sha256:%x", sha256.Sum256(c.Transcript))
	}
	if c.HashMismatch != nil {
		s.StoredHash = c.HashMismatch.Stored
		v.problem("%v", c.HashMismatch)
	}
	s.Scoped = cliui.NotNil(conversation.PromptsFrom(m.Agent, c.Transcript, s.Start))
	if !o.short {
		s.Transcript = readable(c.Transcript, m.Agent, s.Start, o.full, top)
	}
	return s
}

// readable returns a transcript as text for people, from item start on, or all of it. Paths of
// tools below the worktree top are relative to it.
func readable(transcript []byte, kind agent.AgentType, start int, full bool, top string) string {
	if full {
		start = 0
	}
	var b strings.Builder
	for line := range strings.Lines(cliui.Printable(conversation.CondenseFrom(kind, transcript, start, nil))) {
		if strings.HasPrefix(line, "[Tool] ") && top != "" {
			line = strings.ReplaceAll(line, filepath.ToSlash(top)+"/", "")
		}
		b.WriteString(line)
	}
	return b.String()
}
