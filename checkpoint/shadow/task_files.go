package shadow

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"entire/agent"
	"entire/checkpoint/chunk"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/redact"
)

// TaskFiles holds what is stored of a subagent's run, in the folder of its tool use.
type TaskFiles struct {
	SessionID, ToolUseID, AgentID, UUID string
	SubagentTranscript                  string // path of the file; "" for none

	Incremental bool
	Sequence    int
	Kind        string
	Data        []byte
	Now         time.Time
}

func (f *TaskFiles) Valid() error {
	if f.ToolUseID == "" {
		return fmt.Errorf("task of session %s has no tool use ID", f.SessionID)
	}
	if _, err := id.ParseToolUseID(f.ToolUseID); err != nil {
		return err
	}
	if _, err := id.ParseToolUseID(f.AgentID); err != nil {
		return fmt.Errorf("subagent of task %s: %w", f.ToolUseID, err)
	}
	return nil
}

// Store writes the files below dir, which is relative to the root of the tree base. document is
// the content of checkpoint.json. The result at is the path that names the task in a message.
func (f *TaskFiles) Store(ctx context.Context, repo *git.Repo, base git.OID, dir string, document []byte) (edits []git.Edit, at string, err error) {
	o := &chunk.Overlay{Writer: repo.Sealed(f.SessionID), Dir: dir}
	if f.Incremental {
		at, err = f.storeIncrement(ctx, repo, base, o)
	} else {
		at, err = dir, f.storeFinal(o, document)
	}
	return o.Edits, at, err
}

func (f *TaskFiles) storeFinal(o *chunk.Overlay, document []byte) error {
	if err := o.Add("checkpoint.json", git.ModeFile, document); err != nil {
		return err
	}
	if f.SubagentTranscript == "" || f.AgentID == "" {
		return nil
	}
	raw, err := durable.Read(f.SubagentTranscript, agent.MaxTranscript)
	if err != nil {
		return fmt.Errorf("read subagent's transcript: %w", err)
	}
	return o.AddFile("agent-"+f.AgentID+".jsonl", git.ModeFile, raw)
}

// storeIncrement writes checkpoints/NNN-<tool use>.json under a free number.
func (f *TaskFiles) storeIncrement(ctx context.Context, repo *git.Repo, base git.OID, o *chunk.Overlay) (at string, err error) {
	number, err := f.freeNumber(ctx, repo, base, o.Dir+"/checkpoints")
	if err != nil {
		return "", err
	}
	doc := struct {
		Type      string          `json:"type"`
		ToolUseID string          `json:"tool_use_id"`
		Timestamp time.Time       `json:"timestamp"`
		Data      json.RawMessage `json:"data"`
	}{f.Kind, f.ToolUseID, f.Now.UTC(), nil}
	if len(f.Data) > 0 && json.Valid(f.Data) {
		doc.Data = redact.JSON(f.Data)
	} else if len(f.Data) > 0 {
		if doc.Data, err = json.Marshal(redact.Text(string(f.Data))); err != nil {
			return "", err
		}
	}
	data, err := chunk.EncodeDocument(doc)
	if err != nil {
		return "", fmt.Errorf("encode tool input: %w", err)
	}
	name := fmt.Sprintf("checkpoints/%03d-%s.json", number, f.ToolUseID)
	return path.Join(o.Dir, name), o.Add(name, git.ModeFile, data)
}

// freeNumber returns the requested sequence number, or, if that is taken, the first after the
// existing ones.
func (f *TaskFiles) freeNumber(ctx context.Context, repo *git.Repo, base git.OID, dir string) (int, error) {
	number := max(f.Sequence, 1)
	if base.IsZero() {
		return number, nil
	}
	e, found, err := repo.Reader(ctx).Path(base, dir)
	if err != nil || !found || e.Mode != git.ModeTree {
		return number, err
	}
	entries, err := repo.Reader(ctx).Tree(e.OID)
	if err != nil {
		return 0, err
	}
	highest, taken := 0, false
	for _, e := range entries {
		digits, _, _ := strings.Cut(e.Name, "-")
		if n, err := strconv.Atoi(digits); err == nil {
			highest = max(highest, n)
			taken = taken || n == number
		}
	}
	if taken {
		return highest + 1, nil
	}
	return number, nil
}

// shadowDocument returns checkpoint.json in the form of steps: agent_id always present, no
// final newline.
func (f *TaskFiles) shadowDocument() ([]byte, error) {
	return json.MarshalIndent(struct {
		SessionID      string `json:"session_id"`
		ToolUseID      string `json:"tool_use_id"`
		CheckpointUUID string `json:"checkpoint_uuid"`
		AgentID        string `json:"agent_id"`
	}{f.SessionID, f.ToolUseID, f.UUID, f.AgentID}, "", "  ")
}

// CommittedDocument returns checkpoint.json in the form of committed checkpoints.
func (f *TaskFiles) CommittedDocument() ([]byte, error) {
	return chunk.EncodeDocument(struct {
		SessionID      string `json:"session_id"`
		ToolUseID      string `json:"tool_use_id"`
		CheckpointUUID string `json:"checkpoint_uuid"`
		AgentID        string `json:"agent_id,omitempty"`
	}{f.SessionID, f.ToolUseID, f.UUID, f.AgentID})
}
