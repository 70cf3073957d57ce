package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
	"entire/internal/lineage"
	"entire/internal/review"
)

// A gathering collects what a document is made of.
type gathering struct {
	w  *world
	wp *workplace
	b  review.Builder

	commits     []git.Commit
	checkpoints []id.CheckpointID // that commits name, or lines come from
	named       map[id.CheckpointID]git.OID
	problems    []string
}

// gather makes the document of a commit or a range.
func (w *world) gather(ctx context.Context, wp *workplace, name string) (*review.Document, error) {
	g := &gathering{w: w, wp: wp, named: map[id.CheckpointID]git.OID{}}
	r := review.Range{Name: name}
	var err error
	if first, last, ok := cutRange(name); ok {
		err = g.between(ctx, first, last, &r)
	} else {
		err = g.commit(ctx, name, &r)
	}
	if err != nil {
		return nil, err
	}
	c, err := g.cast(ctx)
	if err != nil {
		return nil, err
	}
	d := g.b.Document(r, c.sessions(ctx))
	c.behind(d)
	d.Problems = g.problems
	for _, p := range g.problems {
		fmt.Fprintf(w.err, "warning: %s\n", shownLine(p))
	}
	return d, nil
}

// cutRange takes A..B or A...B apart; a side that is left out is HEAD.
func cutRange(name string) (first, last string, ok bool) {
	first, last, ok = strings.Cut(name, "..")
	last = strings.TrimPrefix(last, ".")
	if ok && first == "" {
		first = "HEAD"
	}
	if ok && last == "" {
		last = "HEAD"
	}
	return first, last, ok
}

// deepen is what to do where a shallow clone ends too early.
const deepen = "this clone is shallow: `git fetch --unshallow` gets all commits"

// edges are the commits at which a shallow clone ends, as text; "" for a whole one.
func (g *gathering) edges() string {
	return string(readIfThere(filepath.Join(g.wp.repo.CommonDir, "shallow")))
}

// resolve finds a commit; in a shallow clone it says why there may be none.
func (g *gathering) resolve(ctx context.Context, name string) (git.Commit, error) {
	c, err := commitNamed(ctx, g.wp, name)
	if err != nil && g.edges() != "" {
		return c, failf(deepen, "commit not found: %s", name)
	}
	return c, err
}

// commit tells of one commit what was recorded of it.
func (g *gathering) commit(ctx context.Context, name string, r *review.Range) error {
	c, err := g.resolve(ctx, name)
	if err != nil {
		return err
	}
	r.Head = c.OID.String()
	if len(c.Parents) > 0 {
		r.Base = c.Parents[0].String()
	}
	if strings.Contains(g.edges(), r.Head) {
		return failf(deepen, "what %s changed is not known: its parent is not here", c.OID.Short())
	}
	rep, err := g.wp.lineage().Commit(ctx, c.OID)
	if err != nil {
		return err
	}
	g.add(c)
	for _, f := range rep.Files {
		var added, removed []review.Line
		for _, l := range f.Added {
			added = append(added, g.line(l.Number, l.Text, l.Origin, c.OID, false))
		}
		for _, l := range f.Removed {
			removed = append(removed, g.line(l.Number, l.Text, l.Origin, c.OID, false))
		}
		g.b.File(review.File{Path: f.Path, Skipped: f.Skipped, Lines: f.Lines, OldLines: f.Before}, added, removed)
	}
	return nil
}

// between tells of a range what is left of it in the end.
func (g *gathering) between(ctx context.Context, first, last string, r *review.Range) error {
	base, err := g.resolve(ctx, first)
	if err != nil {
		return err
	}
	head, err := g.resolve(ctx, last)
	if err != nil {
		return err
	}
	show, done := g.w.slowProgress()
	defer done()
	net, err := g.wp.lineage().Between(ctx, base.OID, head.OID, show)
	if err != nil {
		return err
	}
	if net.From.IsZero() && g.edges() != "" {
		return failf(deepen, "where %s left %s is not known: the commits in between are not here", last, first)
	}
	r.Base, r.Head = net.From.String(), head.OID.String()
	for _, c := range net.Commits {
		g.add(c)
	}
	for _, f := range net.Files {
		var added, removed []review.Line
		for _, l := range f.Added {
			added = append(added, g.line(l.Number, l.Text, l.Origin, l.Commit, l.Older))
		}
		for _, l := range f.Removed {
			removed = append(removed, g.line(l.Number, l.Text, l.Origin, l.Commit, l.Older))
		}
		g.b.File(review.File{Path: f.Path, OldPath: f.OldPath, Skipped: f.Skipped, Lines: f.Lines, OldLines: f.OldLines}, added, removed)
	}
	return nil
}

// slowProgress shows a person how far it has come once it has taken a second.
func (w *world) slowProgress() (func(done, total int), func()) {
	show, done := w.progress()
	begun := w.now()
	return func(n, total int) {
		if w.now().Sub(begun) > time.Second {
			show("files", n, total)
		}
	}, done
}

func (g *gathering) add(c git.Commit) {
	named := checkpoint.ParseCheckpointTrailers(c.Message)
	var ids []string
	for _, cp := range named {
		ids = append(ids, cp.String())
		g.named[cp] = c.OID
		g.knows(cp)
	}
	subject, _, _ := strings.Cut(c.Message, "\n")
	when := c.Author.When.UTC()
	if y := when.Year(); y < 1 || y > 9999 {
		when = time.Unix(0, 0).UTC() // no form that others read
	}
	g.commits = append(g.commits, c)
	g.b.Commit(review.Commit{ID: c.OID.String(), Author: c.Author.Name, Email: c.Author.Email,
		Time: when.Format(time.RFC3339), Subject: subject, Checkpoints: ids})
}

func (g *gathering) knows(cp id.CheckpointID) {
	if !cp.IsZero() && !slices.Contains(g.checkpoints, cp) {
		g.checkpoints = append(g.checkpoints, cp)
	}
}

// line is a line of the document. Nothing is said of older ones.
func (g *gathering) line(number int, text string, o lineage.Origin, commit git.OID, older bool) review.Line {
	l := review.Line{Number: number, Text: text, Owner: review.Owner{Class: review.Older}}
	if older {
		return l
	}
	if !commit.IsZero() {
		l.Commit = commit.String()
	}
	if o.Agent() {
		g.knows(o.Checkpoint)
	}
	l.Owner = review.Owner{Class: o.Owner.Class, Session: o.Owner.SessionID, Agent: o.Owner.Agent, Model: o.Owner.Model, Turn: o.Owner.Turn,
		ToolUseID: o.Owner.ToolUseID, Checkpoint: o.Checkpoint.String(), Evidence: string(o.Evidence)}
	return l
}

// cast reads what the checkpoints store of their sessions.
func (g *gathering) cast(ctx context.Context) (*cast, error) {
	records := checkpoint.NewRecords(g.wp.repo)
	known, err := records.Exists(ctx, g.checkpoints)
	if err != nil {
		return nil, err
	}
	g.missing(known)
	ids := slices.DeleteFunc(slices.Clone(g.checkpoints), func(cp id.CheckpointID) bool { return !known[cp] })
	prompts, err := records.Prompts(ctx, ids)
	if err != nil {
		return nil, err
	}
	stored, err := records.ReadMany(ctx, ids)
	if err != nil {
		return nil, err
	}
	if len(stored) != len(ids) {
		return nil, fmt.Errorf("%s went while they were read", count(len(ids)-len(stored), "checkpoint"))
	}
	recorded, err := records.Attributions(ctx, ids)
	if err != nil {
		return nil, err
	}
	c := &cast{records: records, at: map[string]int{}, talks: map[string]talk{}}
	for k, cp := range ids {
		for i, s := range stored[k].Sessions {
			if s.Err != nil {
				g.problems = append(g.problems, fmt.Sprintf("checkpoint %s, session %d: %v", cp, i, oneLine(s.Err.Error())))
				continue
			}
			text := ""
			if i < len(prompts[cp]) {
				text = prompts[cp][i]
			}
			c.add(cp, s.Metadata, checkpoint.SplitPrompts(text))
			if recorded[cp] == nil {
				c.count(s.Metadata)
			}
		}
	}
	return c, nil
}

// missing tells of checkpoints that are named and not here.
func (g *gathering) missing(known map[id.CheckpointID]bool) {
	var gone []string
	for _, cp := range g.checkpoints {
		if !known[cp] {
			gone = append(gone, cp.String())
		}
	}
	if len(gone) > 0 {
		g.problems = append(g.problems, fmt.Sprintf("%s that the commits name %s not stored here (%s …); `git fetch origin %s:%s` gets those that were pushed",
			count(len(gone), "checkpoint"), plural(len(gone), "is", "are"), gone[0], checkpoint.MetadataBranch, checkpoint.RemoteMetadataRef))
	}
}

// A cast is the sessions of a change, with all that its checkpoints say of each.
type cast struct {
	records *checkpoint.Records
	list    []review.Session
	at      map[string]int
	parts   [][]part // of each session
	talks   map[string]talk
}

// part is a session's part in a checkpoint. Its prompts are all up to there.
type part struct {
	cp      id.CheckpointID
	kind    agent.AgentType
	start   int
	prompts []string
}

func (c *cast) add(cp id.CheckpointID, m checkpoint.CommittedMetadata, prompts []string) {
	i, there := c.at[m.SessionID]
	if !there {
		i = len(c.list)
		c.at[m.SessionID] = i
		c.list = append(c.list, review.Session{ID: m.SessionID, Agent: string(m.Agent)})
		c.parts = append(c.parts, nil)
	}
	s := &c.list[i]
	s.Checkpoints = append(s.Checkpoints, cp.String())
	if m.TokenUsage != nil && !m.TokenUsage.IsZero() {
		sum := *m.TokenUsage
		if s.Usage != nil {
			sum = s.Usage.Add(sum)
		}
		s.Usage = &sum
	}
	c.parts[i] = append(c.parts[i], part{cp, m.Agent, m.GetTranscriptStart(), prompts})
}

// count takes over a checkpoint's own count, where it is one: another tool's total
// is a balance, and may be less than the agent's lines.
func (c *cast) count(m checkpoint.CommittedMetadata) {
	a := m.InitialAttribution
	if a == nil || a.TotalCommitted <= 0 || a.AgentLines < 0 || a.AgentLines > a.TotalCommitted || a.TotalCommitted > 1<<24 {
		return
	}
	s := &c.list[c.at[m.SessionID]]
	if s.Counted == nil {
		s.Counted = &review.Counted{}
	}
	s.Counted.AgentLines += a.AgentLines
	s.Counted.TotalCommitted += a.TotalCommitted
}

// Bounds of what is read to find out which prompts are a change's, and what came
// of each.
const (
	transcriptsRead = 20
	transcriptsMax  = 64 << 20
)

// sessions are those, each with the prompts of its parts.
func (c *cast) sessions(ctx context.Context) []review.Session {
	read, size := 0, 0
	for i := range c.list {
		first, last := ends(c.parts[i])
		prompts := last.prompts
		if len(prompts) > 0 && read < transcriptsRead && size < transcriptsMax {
			read++
			talk := c.read(ctx, c.list[i].ID, last)
			size += talk.size
			if own := promptsFrom(talk.passages, first.start); len(own) > 0 { // in prompt.txt a rule in a prompt divides it
				prompts = own
			}
			c.talks[c.list[i].ID] = talk
		}
		c.list[i].Prompts = typed(prompts)
	}
	return c.list
}

// ends are the parts of a session where the change's part of its conversation
// begins and where it ends.
func ends(parts []part) (first, last part) {
	first, last = parts[0], parts[0]
	for _, p := range parts {
		if p.start < first.start {
			first = p
		}
		if len(p.prompts) > len(last.prompts) || len(p.prompts) == len(last.prompts) && p.start > last.start {
			last = p
		}
	}
	return first, last
}

// talk is a conversation as it is stored, with those of its subagents.
type talk struct {
	passages  []agent.Passage
	subagents [][]agent.Passage
	size      int
}

// read reads a session's conversation up to a part; what cannot be read is empty.
func (c *cast) read(ctx context.Context, sid string, p part) talk {
	content, _ := c.records.SessionByID(ctx, p.cp, sid)
	if content == nil {
		return talk{}
	}
	t := talk{passages: agent.Passages(p.kind, content.Transcript), size: len(content.Transcript)}
	subagents, _ := c.records.SubagentTranscripts(ctx, p.cp, sid, subagentMax)
	for _, s := range subagents {
		t.subagents, t.size = append(t.subagents, agent.Passages(p.kind, s)), t.size+len(s)
	}
	return t
}

// promptsFrom are what a person typed from an item of the transcript on.
func promptsFrom(talk []agent.Passage, start int) []string {
	var out []string
	for _, p := range talk {
		if p.Kind == agent.Prompted && p.Chain == "" && p.Item >= start {
			out = append(out, p.Text)
		}
	}
	return out
}

// behind notes which prompts were behind which lines.
func (c *cast) behind(d *review.Document) {
	for sid, t := range c.talks {
		d.Behind(sid, review.PromptsOfCalls(t.passages, t.subagents...))
	}
}

// typed leaves out what other versions stored among the prompts and nobody typed.
func typed(prompts []string) []string {
	var out []string
	for _, p := range prompts {
		if p = agent.CleanPrompt(p); p != "" && !strings.HasPrefix(p, "<task-notification>") && !strings.HasPrefix(p, "[Request interrupted by user") {
			out = append(out, p)
		}
	}
	return out
}
