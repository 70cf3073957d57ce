package timeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/agent"
	"entire/agent/conversation"
	"entire/checkpoint/chunk"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/step"
)

const (
	saidChunks = 64  // pieces of a transcript that are searched for the turn's prompt: 8 MiB
	saidMax    = 400 // passages of a turn that are returned; the oldest are left out
)

// Details are what a point alone shows.
type Details struct {
	Point
	Changes []Change `json:"changes"`
	Unknown bool     `json:"changes_unknown,omitempty"` // what was there before is missing, as in a shallow clone
	// Prompts are the turn's prompt or, for a commit, those of its part of the sessions, in full.
	Prompts []string `json:"prompts,omitempty"`
	// Said is what the agent thought, said and called in the turn after its prompt, oldest first.
	Said []conversation.Passage `json:"-"`
	// LeftOut is the number of the turn's oldest passages that Said lacks.
	LeftOut int    `json:"-"`
	Answer  string `json:"answer,omitempty"` // the last that the agent said
	Model   string `json:"model,omitempty"`

	Before git.OID `json:"-"` // the tree before the point, zero for an empty one
	Tree   git.OID `json:"-"` // its own tree
}

// Details returns what the point with this ID, or the beginning of it, alone shows. A step or a commit
// that is not in the list, such as one of another branch, has Index -1. A conversation that cannot be read
// leaves its fields empty.
func (t *Timeline) Details(ctx context.Context, name string) (Details, error) {
	t.lock(ctx)
	defer t.mu.Unlock()
	e, err := t.placeOf(ctx, name)
	if err != nil {
		return Details{}, err
	}
	points, err := t.fill(ctx, []placed{e}, true)
	if err != nil {
		return Details{}, err
	}
	d := Details{Point: points[0], Changes: []Change{}}
	rd := t.env.Repo.Reader(ctx)
	c, err := rd.Commit(e.oid)
	if err != nil {
		return d, err
	}
	pair, known, err := madeFrom(rd, c, d.Point)
	if err != nil {
		return d, err
	}
	d.Unknown = !known
	d.Before, d.Tree = pair[0], pair[1]
	counts, err := t.env.Repo.CountLines(ctx, [][2]git.OID{pair}, ".entire")
	if err != nil {
		return d, err
	}
	d.Changes = changesOf(counts[0])
	switch d.Kind {
	case Turn, Auto:
		if err := t.addSaid(ctx, &d, c); err != nil {
			t.env.Log.Warn("the conversation of a point cannot be read", "point", d.ID, "err", err)
		}
	case Commit:
		if d.Prompts, err = t.promptsOf(ctx, d.Checkpoints); err != nil {
			t.env.Log.Warn("the prompts of a commit cannot be read", "commit", d.ID, "err", err)
		}
	}
	if len(d.Prompts) == 0 && d.Prompt != "" {
		d.Prompts = []string{d.Prompt}
	}
	return d, nil
}

// placeOf returns the entry with this name in the list, or one for the step or commit that git knows by it.
func (t *Timeline) placeOf(ctx context.Context, name string) (placed, error) {
	i, err := t.find(ctx, name)
	if err == nil {
		return placed{t.list.entries[i], i}, nil
	}
	if !errors.Is(err, ErrNoPoint) || strings.HasPrefix(name, "-") {
		return placed{}, err
	}
	c, ok, other := t.env.Repo.Reader(ctx).CommitOf(name)
	if other != nil || !ok {
		return placed{}, err
	}
	if info := shadow.ParseStep(c.Message); info.Kind != "" && !info.Base.IsZero() {
		return placed{t.list.ofStep(step.ListedStep{Step: step.Step{Commit: c, Info: info}}).entry, -1}, nil
	}
	return placed{entry{oid: c.OID, when: c.Committer.When.Unix(), session: -1, more: -1, kind: uint8(slices.Index(kinds, Commit))}, -1}, nil
}

// addSaid reads the turn that a step ended or was made in, from the end of the transcript in its tree.
func (t *Timeline) addSaid(ctx context.Context, d *Details, c git.Commit) error {
	sid, err := id.ParseSessionID(d.Session)
	if err != nil {
		return nil // a step without a session
	}
	rd := t.env.Repo.Reader(ctx)
	folder, err := shadow.EntriesAt(ctx, t.env.Repo, c.Tree, shadow.SessionDir(sid))
	if err != nil || len(folder) == 0 {
		return err
	}
	text, passages, err := lastTurn(rd, folder, d.Agent)
	if err != nil || len(passages) == 0 {
		return err
	}
	start := passages[0].Item
	if passages[0].Kind == conversation.PromptPassage {
		d.Prompts = []string{passages[0].Text}
		passages = passages[1:]
	}
	for _, p := range passages {
		if p.Chain == "" && p.Kind == conversation.TextPassage {
			d.Answer = p.Text
		}
		if p.Model != "" {
			d.Model = p.Model
		}
	}
	d.LeftOut = max(len(passages)-saidMax, 0)
	d.Said = passages[d.LeftOut:]
	if d.Model == "" { // the agent's transcript names it apart from the answers
		d.Model = conversation.Read(d.Agent, text).Model
	}
	if u := conversation.UsageFrom(d.Agent, text, start); !u.IsZero() {
		d.Tokens = &u
	}
	return nil
}

// lastTurn returns the passages of the transcript in a folder from its last prompt on, and the end of the transcript in which
// they are.
func lastTurn(rd *git.Reader, folder []git.TreeEntry, kind agent.AgentType) ([]byte, []conversation.Passage, error) {
	entries, _ := chunk.Entries(folder)
	for n := 1; n <= min(len(entries), saidChunks); n *= 2 {
		var pieces [][]byte
		for _, e := range entries[len(entries)-n:] {
			data, err := rd.Blob(e.OID)
			if err != nil {
				return nil, nil, fmt.Errorf("read %s: %w", e.Name, err)
			}
			pieces = append(pieces, data)
		}
		text := chunk.JoinTranscript(kind, pieces)
		passages := conversation.Passages(kind, text)
		for i := len(passages) - 1; i >= 0; i-- {
			if p := passages[i]; p.Chain == "" && p.Kind == conversation.PromptPassage {
				return text, passages[i:], nil
			}
		}
	}
	return nil, nil, nil
}
