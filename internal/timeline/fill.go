package timeline

import (
	"context"
	"fmt"
	"slices"

	"entire/agent"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/condense"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// promptRunes is how much of a prompt a list shows.
const promptRunes = 200

// A placed is an entry with its index in the list, -1 for one that is not in it.
type placed struct {
	entry
	index int
}

// fill returns the points of these entries. Any number of them takes a few round trips.
// Without counts, Files is -1.
func (t *Timeline) fill(ctx context.Context, at []placed, counted bool) ([]Point, error) {
	rd := t.env.Repo.Reader(ctx)
	out := make([]Point, len(at))
	var pairs [][2]git.OID
	for k, e := range at {
		c, err := rd.Commit(e.oid)
		if err != nil {
			return nil, fmt.Errorf("read point %s: %w", e.oid.Short(), err)
		}
		out[k] = t.pointOf(ctx, e.index, e.entry, c)
		if counted {
			pair, _, err := madeFrom(rd, c, out[k])
			if err != nil {
				return nil, err
			}
			pairs = append(pairs, pair)
		}
	}
	if err := t.addPrompts(ctx, out); err != nil {
		return nil, err
	}
	if err := t.addRecords(ctx, out); err != nil {
		return nil, err
	}
	if !counted {
		return out, nil
	}
	counts, err := t.env.Repo.CountLines(ctx, pairs, ".entire")
	if err != nil {
		return nil, err
	}
	for k, changes := range counts {
		out[k].Files = len(changes)
		for _, c := range changes {
			out[k].Insertions += max(c.Added, 0)
			out[k].Deletions += max(c.Removed, 0)
		}
	}
	return out, nil
}

// pointOf returns what the list and the commit object say about a point.
func (t *Timeline) pointOf(ctx context.Context, i int, e entry, c git.Commit) Point {
	p := Point{Index: i, ID: c.OID.String(), Kind: e.Kind(), When: e.time(), Lane: int(e.lane), Turn: int(e.turn), Message: c.Subject(), Files: -1}
	if e.session >= 0 {
		p.Session = t.list.sessions[e.session]
		p.Agent = t.agentOf(ctx, p.Session)
	}
	if e.Kind() == Commit {
		p.When, p.Author, p.Head = c.Committer.When, c.Author.Name, p.ID
		for _, cp := range t.checkpointsOf(c) {
			p.Checkpoints = append(p.Checkpoints, cp.String())
		}
		return p
	}
	info := shadow.ParseStep(c.Message)
	p.Label, p.Why, p.ToolUseID, p.MessageID, p.Branch = info.Label, info.Why, info.ToolUseID, info.Message, info.Branch
	if !info.Base.IsZero() {
		p.Head = info.Base.String()
	}
	if !e.takenBy.IsZero() {
		p.TakenBy = e.takenBy.String()
		if cp := t.list.takenIn[e.takenBy]; !cp.IsZero() {
			p.TakenBy, p.TakenIn = t.list.takerOf(e.takenBy, cp).String(), cp.String()
		}
	}
	if e.more >= 0 {
		r := t.list.rewinds[e.more]
		p.When = r.At
		p.Rewind = &RewindInfo{ID: r.ID, Kind: r.Kind, Point: r.Point, Before: r.Before, Of: r.RewindID, UndoneBy: r.UndoneBy, Scope: r.Scope, Gone: r.Gone,
			Final: r.Kind == condense.RewindUndo && slices.ContainsFunc(t.list.rewinds[:e.more], clearsRedo)}
	} else {
		p.When = c.Author.When
	}
	return p
}

// clearsRedo reports whether an entry of the log ends the chance to redo what was undone before it.
func clearsRedo(e condense.RewindEntry) bool {
	return e.Kind != condense.RewindUndo && e.Kind != condense.RewindRedo && e.Kind != condense.RewindDropped
}

func (t *Timeline) checkpointsOf(c git.Commit) []id.CheckpointID {
	return t.list.links.Of(c.OID, c.Message)
}

// addPrompts reads the prompts of steps.
func (t *Timeline) addPrompts(ctx context.Context, points []Point) error {
	var specs []string
	var of []int
	for i, p := range points {
		if sid, err := id.ParseSessionID(p.Session); err == nil && (p.Kind == Turn || p.Kind == Task || p.Kind == Auto) {
			specs, of = append(specs, p.ID+":"+shadow.SessionDir(sid)+"/prompt.txt"), append(of, i)
		}
	}
	objs, err := t.env.Repo.Reader(ctx).Objects(specs...)
	if err != nil {
		return err
	}
	for k, o := range objs {
		if o.Type == "blob" {
			points[of[k]].Prompt = step.FirstPromptOf(string(o.Data), promptRunes)
		}
	}
	return nil
}

// addRecords reads what the metadata branch has of the commits' checkpoints.
func (t *Timeline) addRecords(ctx context.Context, points []Point) error {
	var ids []id.CheckpointID
	for _, p := range points {
		if t.only != nil && !slices.ContainsFunc(p.Checkpoints, func(text string) bool { return t.only[text] }) {
			continue
		}
		for _, text := range p.Checkpoints {
			if cp, err := id.NewCheckpointID(text); err == nil {
				ids = append(ids, cp)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	stored, prompts, err := records.NewReader(t.env.Repo).ReadManyWithPrompts(ctx, ids)
	if err != nil {
		return err
	}
	by := map[string]records.StoredCheckpoint{}
	for _, s := range stored {
		by[s.Summary.CheckpointID.String()] = s
	}
	for i := range points {
		p := &points[i]
		for _, text := range p.Checkpoints {
			s, ok := by[text]
			if !ok {
				continue
			}
			p.Tokens = sum(p.Tokens, s.Usage())
			if p.Session == "" {
				info := s.Info()
				p.Session, p.Agent, p.Branch = info.SessionID, info.Agent, s.Summary.Branch
				p.Prompt = step.FirstPromptOf(sessionstate.LastString(prompts[s.Summary.CheckpointID]), promptRunes)
			}
		}
	}
	return nil
}

// madeFrom returns the tree before a point and its own. A first step changed the commit it was made on; for a
// label, the tree before it is that of the step that saved the worktree first; for a rewind, the tree of
// the step that its entry in the log names. Where what was there before is missing, known is false and both
// trees are its own.
func madeFrom(rd *git.Reader, c git.Commit, p Point) (pair [2]git.OID, known bool, err error) {
	parent, found, err := parentOf(rd, c)
	if err == nil && found && p.Kind == Label && shadow.ParseStep(parent.Message).Why == shadow.WhyBeforeLabel {
		parent, found, err = parentOf(rd, parent)
	}
	if p.Rewind != nil {
		parent, found, err = rd.CommitOf(p.Rewind.Before)
	}
	switch {
	case err != nil:
		return pair, false, err
	case found:
		return [2]git.OID{parent.Tree, c.Tree}, true, nil
	case hasParent(c): // git has pruned it, or the clone is shallow
		return [2]git.OID{c.Tree, c.Tree}, false, nil
	}
	return [2]git.OID{{}, c.Tree}, true, nil
}

func hasParent(c git.Commit) bool { return !ParentID(c).IsZero() }

// ParentID returns the parent of a step or commit, or a first step's base commit; zero for none.
func ParentID(c git.Commit) git.OID {
	if len(c.Parents) > 0 {
		return c.Parents[0]
	}
	return shadow.ParseStep(c.Message).Base
}

func parentOf(rd *git.Reader, c git.Commit) (parent git.Commit, found bool, err error) {
	oid := ParentID(c)
	if oid.IsZero() {
		return git.Commit{}, false, nil
	}
	return rd.CommitOf(oid.String())
}

// sum adds token usages; nil stands for an unknown one.
func sum(a, b *agent.TokenUsage) *agent.TokenUsage {
	switch {
	case b == nil:
		return a
	case a == nil:
		return b
	}
	u := a.Add(*b)
	return &u
}
