package main

import (
	"context"
	"fmt"
	"time"

	"entire/agent"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/rewind"
	"entire/strategy/step"
)

// A pointView is a point as `entire checkpoints` shows it, and its JSON form: the fields of
// `rewind --list`, and more.
type pointView struct {
	ID         string          `json:"id"`
	Kind       string          `json:"kind"`
	Message    string          `json:"message"`
	Date       time.Time       `json:"date"`
	Label      string          `json:"label,omitempty"`
	Why        string          `json:"why,omitempty"`
	SessionID  string          `json:"session_id,omitempty"`
	Agent      agent.AgentType `json:"agent,omitempty"`
	Prompt     string          `json:"session_prompt,omitempty"`
	Turn       int             `json:"turn,omitempty"`
	MessageID  string          `json:"message_id,omitempty"`
	ToolUseID  string          `json:"tool_use_id,omitempty"`
	Checkpoint string          `json:"condensation_id,omitempty"`
	Head       string          `json:"head,omitempty"`
	Branch     string          `json:"branch,omitempty"`
	TakenBy    string          `json:"taken_by,omitempty"`
	TakenIn    string          `json:"taken_in,omitempty"`
	IsLogsOnly bool            `json:"is_logs_only"`
	Files      int             `json:"files"` // number of changed files
	Insertions int             `json:"insertions"`
	Deletions  int             `json:"deletions"`

	changes []git.LineCount
}

// what describes the point: its label, or else its subject, and the commit that took it.
func (v pointView) what() string {
	what := v.Message
	if v.Label != "" {
		what = v.Label
	}
	if what = shortLine(what, messageRunes); v.TakenBy != "" {
		what += " (in " + shortID(v.TakenBy) + ")"
	}
	return what
}

// kindOf returns the kind of a point in one word.
func kindOf(p step.RewindPoint) string {
	switch {
	case p.IsTaskCheckpoint:
		return "task"
	case rewind.IsCommit(p):
		return "commit"
	case p.Label != "" || p.Why == shadow.WhyLabel:
		return "label"
	case p.Why == shadow.WhyTurnEnd || p.Why == shadow.WhyInterrupted || p.Why == "":
		return "turn"
	case shadow.IsAutomatic(p.Why):
		return "auto"
	case p.Why == shadow.WhyRewind || p.Why == shadow.WhyUndo || p.Why == shadow.WhyRedo:
		return "rewind"
	}
	return "saved" // a step made before another operation
}

func viewPoint(p step.RewindPoint) pointView {
	return pointView{
		ID: p.ID, Kind: kindOf(p), Message: p.Message, Date: p.Date, Label: p.Label, Why: p.Why,
		SessionID: p.SessionID, Agent: p.Agent, Prompt: p.SessionPrompt, Turn: p.Turn, MessageID: p.MessageID,
		ToolUseID: p.ToolUseID, Checkpoint: p.CheckpointID.String(), Head: p.Head, Branch: p.Branch, TakenBy: p.TakenBy, TakenIn: p.TakenIn.String(), IsLogsOnly: p.IsLogsOnly,
	}
}

// viewPoints returns the views of points, each with what it changed.
func viewPoints(ctx context.Context, wp *workplace, points []step.RewindPoint) ([]pointView, error) {
	views := make([]pointView, len(points))
	agents := map[string]agent.AgentType{}
	for i, p := range points {
		views[i] = viewPoint(p)
		if p.Agent == "" && p.SessionID != "" {
			if _, known := agents[p.SessionID]; !known {
				agents[p.SessionID] = agentOfState(ctx, wp, p.SessionID)
			}
			views[i].Agent = agents[p.SessionID]
		}
	}
	pairs, err := madeFrom(ctx, wp, points)
	if err != nil {
		return nil, err
	}
	changes, err := wp.repo.CountLines(ctx, pairs, ".entire")
	if err != nil {
		return nil, err
	}
	for i, of := range changes {
		views[i].changed(of)
	}
	return views, nil
}

func agentOfState(ctx context.Context, wp *workplace, session string) agent.AgentType {
	sid, err := id.ParseSessionID(session)
	if err != nil {
		return ""
	}
	if st, err := wp.store.Load(ctx, sid); err == nil {
		return st.AgentType
	}
	return ""
}

func (v *pointView) changed(changes []git.LineCount) {
	v.changes, v.Files = changes, len(changes)
	for _, c := range changes {
		v.Insertions += max(c.Added, 0)
		v.Deletions += max(c.Removed, 0)
	}
}

// madeFrom returns, for each point, the tree before it and its own tree. A first step changed the
// commit it was made on; for a label, the tree before it is that of the step that saved the
// worktree first.
func madeFrom(ctx context.Context, wp *workplace, points []step.RewindPoint) ([][2]git.OID, error) {
	h := commitReader{wp.repo.Reader(ctx), map[git.OID]git.Commit{}}
	made, before := make([]git.OID, len(points)), make([]git.OID, len(points))
	for i, p := range points {
		oid, err := git.ParseOID(p.ID)
		if err != nil {
			return nil, err
		}
		made[i] = oid
	}
	if err := h.read(made); err != nil {
		return nil, err
	}
	for i, oid := range made {
		if h.known[oid].OID.IsZero() {
			return nil, fmt.Errorf("read checkpoint %s: it is missing", oid)
		}
		before[i] = below(h.known[oid])
	}
	if err := h.read(before); err != nil {
		return nil, err
	}
	for i, p := range points {
		if c := h.known[before[i]]; kindOf(p) == "label" && shadow.ParseStep(c.Message).Why == shadow.WhyBeforeLabel {
			before[i] = below(c)
		}
	}
	if err := h.read(before); err != nil {
		return nil, err
	}
	pairs := make([][2]git.OID, len(made))
	for i := range made {
		is := h.known[made[i]].Tree
		was := h.known[before[i]].Tree
		if was.IsZero() && !before[i].IsZero() { // git has pruned it: the change is unknown
			was = is
		}
		pairs[i] = [2]git.OID{was, is}
	}
	return pairs, nil
}

// below returns the parent of a step or commit, or a first step's base commit; zero for none.
func below(c git.Commit) git.OID {
	if len(c.Parents) > 0 {
		return c.Parents[0]
	}
	return shadow.ParseStep(c.Message).Base
}

// A commitReader reads each commit once; known has no entry for a missing one.
type commitReader struct {
	rd    *git.Reader
	known map[git.OID]git.Commit
}

func (r commitReader) read(oids []git.OID) error {
	var specs []string
	for _, oid := range oids {
		if _, known := r.known[oid]; !known && !oid.IsZero() {
			specs = append(specs, oid.String())
		}
	}
	objs, err := r.rd.Objects(specs...)
	if err != nil {
		return err
	}
	for _, o := range objs {
		if o.Type != "commit" {
			continue
		}
		if r.known[o.OID], err = git.ParseCommit(o.OID, o.Data); err != nil {
			return err
		}
	}
	return nil
}
