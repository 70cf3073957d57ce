package checkpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"entire/agent"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/redact"
)

// taskFiles holds what is stored of a subagent's run, in the folder of its tool use.
type taskFiles struct {
	sessionID, toolUseID, agentID, uuid string
	subagentTranscript                  string // path of the file; "" for none

	incremental bool
	sequence    int
	kind        string
	data        []byte
	now         time.Time
}

func (f *taskFiles) valid() error {
	if f.toolUseID == "" {
		return fmt.Errorf("task of session %s has no tool use ID", f.sessionID)
	}
	if _, err := id.ParseToolUseID(f.toolUseID); err != nil {
		return err
	}
	if _, err := id.ParseToolUseID(f.agentID); err != nil {
		return fmt.Errorf("subagent of task %s: %w", f.toolUseID, err)
	}
	return nil
}

// store writes the files below dir, which is relative to the root of the tree base. document is
// the content of checkpoint.json. The result at is the path that names the task in a message.
func (f *taskFiles) store(ctx context.Context, repo *git.Repo, base git.OID, dir string, document []byte) (edits []git.Edit, at string, err error) {
	o := &overlay{writer: repo.Writer(), dir: dir}
	if f.incremental {
		at, err = f.storeIncrement(ctx, repo, base, o)
	} else {
		at, err = dir, f.storeFinal(o, document)
	}
	return o.edits, at, err
}

func (f *taskFiles) storeFinal(o *overlay, document []byte) error {
	if err := o.add("checkpoint.json", git.ModeFile, document); err != nil {
		return err
	}
	if f.subagentTranscript == "" || f.agentID == "" {
		return nil
	}
	raw, err := durable.Read(f.subagentTranscript, agent.MaxTranscript)
	if err != nil {
		return fmt.Errorf("read subagent's transcript: %w", err)
	}
	return o.addFile("agent-"+f.agentID+".jsonl", git.ModeFile, raw)
}

// storeIncrement writes checkpoints/NNN-<tool use>.json under a free number.
func (f *taskFiles) storeIncrement(ctx context.Context, repo *git.Repo, base git.OID, o *overlay) (at string, err error) {
	number, err := f.freeNumber(ctx, repo, base, o.dir+"/checkpoints")
	if err != nil {
		return "", err
	}
	doc := struct {
		Type      string          `json:"type"`
		ToolUseID string          `json:"tool_use_id"`
		Timestamp time.Time       `json:"timestamp"`
		Data      json.RawMessage `json:"data"`
	}{f.kind, f.toolUseID, f.now.UTC(), nil}
	if len(f.data) > 0 && json.Valid(f.data) {
		doc.Data = redact.JSON(f.data)
	} else if len(f.data) > 0 {
		if doc.Data, err = json.Marshal(redact.Text(string(f.data))); err != nil {
			return "", err
		}
	}
	data, err := encodeDocument(doc)
	if err != nil {
		return "", fmt.Errorf("encode tool input: %w", err)
	}
	name := fmt.Sprintf("checkpoints/%03d-%s.json", number, f.toolUseID)
	return path.Join(o.dir, name), o.add(name, git.ModeFile, data)
}

// freeNumber returns the requested sequence number, or, if that is taken, the first after the
// existing ones.
func (f *taskFiles) freeNumber(ctx context.Context, repo *git.Repo, base git.OID, dir string) (int, error) {
	number := max(f.sequence, 1)
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
func (f *taskFiles) shadowDocument() ([]byte, error) {
	return json.MarshalIndent(struct {
		SessionID      string `json:"session_id"`
		ToolUseID      string `json:"tool_use_id"`
		CheckpointUUID string `json:"checkpoint_uuid"`
		AgentID        string `json:"agent_id"`
	}{f.sessionID, f.toolUseID, f.uuid, f.agentID}, "", "  ")
}

// committedDocument returns checkpoint.json in the form of committed checkpoints.
func (f *taskFiles) committedDocument() ([]byte, error) {
	return encodeDocument(struct {
		SessionID      string `json:"session_id"`
		ToolUseID      string `json:"tool_use_id"`
		CheckpointUUID string `json:"checkpoint_uuid"`
		AgentID        string `json:"agent_id,omitempty"`
	}{f.sessionID, f.toolUseID, f.uuid, f.agentID})
}
