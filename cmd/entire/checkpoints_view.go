package main

import (
	"context"
	"errors"
	"time"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
	"entire/strategy"
)

// A pointView is a point as `entire checkpoints` shows it, and its JSON form: what
// `rewind --list` has of it, and more.
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
	IsLogsOnly bool            `json:"is_logs_only"`
	Files      int             `json:"files"` // that it changed
	Insertions int             `json:"insertions"`
	Deletions  int             `json:"deletions"`

	changes []git.LineCount
}

// what is the point in words: what a person called it, or else its subject.
func (v pointView) what() string {
	if v.Label != "" {
		return shortLine(v.Label, messageRunes)
	}
	return shortLine(v.Message, messageRunes)
}

// kindOf says what a point is, in one word.
func kindOf(p strategy.RewindPoint) string {
	switch {
	case p.IsTaskCheckpoint:
		return "task"
	case p.IsCommit():
		return "commit"
	case p.Label != "" || p.Why == checkpoint.WhyLabel:
		return "label"
	case p.Why == checkpoint.WhyTurnEnd || p.Why == checkpoint.WhyInterrupted || p.Why == "":
		return "turn"
	case p.Why == checkpoint.WhyRewind || p.Why == checkpoint.WhyUndo || p.Why == checkpoint.WhyRedo:
		return "rewind"
	}
	return "saved" // what stood there when something else was about to happen
}

func viewPoint(p strategy.RewindPoint) pointView {
	return pointView{
		ID: p.ID, Kind: kindOf(p), Message: p.Message, Date: p.Date, Label: p.Label, Why: p.Why,
		SessionID: p.SessionID, Agent: p.Agent, Prompt: p.SessionPrompt, Turn: p.Turn, MessageID: p.MessageID,
		ToolUseID: p.ToolUseID, Checkpoint: p.CheckpointID.String(), Head: p.Head, Branch: p.Branch, IsLogsOnly: p.IsLogsOnly,
	}
}

// viewPoints adds to points what each of them changed.
func viewPoints(ctx context.Context, wp *workplace, points []strategy.RewindPoint) ([]pointView, error) {
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

// madeFrom is, for each point, the tree that it changed and the one it left: a
// first step changed the commit it was made on.
func madeFrom(ctx context.Context, wp *workplace, points []strategy.RewindPoint) ([][2]git.OID, error) {
	rd := wp.repo.Reader(ctx)
	commits := map[git.OID]git.Commit{}
	read := func(specs []string) ([]git.Commit, error) {
		objs, err := rd.Objects(specs...)
		if err != nil {
			return nil, err
		}
		out := make([]git.Commit, len(objs))
		for i, o := range objs {
			if o.Type != "commit" {
				continue // the commit of a first step, which git has pruned
			}
			if out[i], err = git.ParseCommit(o.OID, o.Data); err != nil {
				return nil, err
			}
			commits[o.OID] = out[i]
		}
		return out, nil
	}
	specs := make([]string, len(points))
	for i, p := range points {
		specs[i] = p.ID
	}
	made, err := read(specs)
	if err != nil {
		return nil, err
	}
	before, missing := make([]git.OID, len(made)), []string{}
	for i, c := range made {
		if c.OID.IsZero() {
			return nil, errors.New("read checkpoint " + points[i].ID + ": it is gone")
		}
		if len(c.Parents) > 0 {
			before[i] = c.Parents[0]
		} else {
			before[i] = checkpoint.ParseStep(c.Message).Base
		}
		if _, known := commits[before[i]]; !known && !before[i].IsZero() {
			missing = append(missing, before[i].String())
		}
	}
	if len(missing) > 0 {
		if _, err := read(missing); err != nil {
			return nil, err
		}
	}
	pairs := make([][2]git.OID, len(made))
	for i, c := range made {
		was, known := commits[before[i]]
		if !known && !before[i].IsZero() { // nobody can tell what it changed
			was.Tree = c.Tree
		}
		pairs[i] = [2]git.OID{was.Tree, c.Tree}
	}
	return pairs, nil
}
