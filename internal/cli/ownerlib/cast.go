package ownerlib

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"entire/agent"
	"entire/agent/conversation"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/review"
)

// cast reads the sessions that the checkpoints record.
func (g *gathering) cast(ctx context.Context) (*cast, error) {
	reader := records.NewReader(g.wp.Repo)
	known, err := reader.Exists(ctx, g.checkpoints)
	if err != nil {
		return nil, err
	}
	tombstones, err := reader.Forgotten(ctx, cliui.NotNil(g.checkpoints))
	if err != nil {
		return nil, err
	}
	g.missing(known, tombstones)
	ids := slices.DeleteFunc(slices.Clone(g.checkpoints), func(cp id.CheckpointID) bool { return !known[cp] })
	stored, err := reader.ReadMany(ctx, ids)
	if err != nil {
		return nil, err
	}
	if len(stored) != len(ids) {
		return nil, fmt.Errorf("%s disappeared while being read", cliui.Count(len(ids)-len(stored), "checkpoint"))
	}
	c := &cast{records: reader, at: map[string]int{}, conversations: map[string]kept{}}
	for k, cp := range ids {
		for i, s := range stored[k].Sessions {
			if s.Err != nil {
				g.problems = append(g.problems, fmt.Sprintf("checkpoint %s, session %d: %v", cp, i, cliui.OneLine(s.Err.Error())))
				continue
			}
			c.add(cp, i, s.Metadata)
			if !stored[k].Lines {
				c.count(s.Metadata)
			}
		}
	}
	return c, c.readPrompts(ctx)
}

// readPrompts reads the prompts of each session, up to the end of the change's last part of it.
func (c *cast) readPrompts(ctx context.Context) error {
	var last []id.CheckpointID
	for _, parts := range c.parts {
		latest := slices.MaxFunc(parts, func(a, b part) int { return cmp.Compare(a.start, b.start) })
		for _, p := range parts {
			if p.start == latest.start {
				last = append(last, p.cp)
			}
		}
	}
	prompts, err := c.records.Prompts(ctx, last)
	for _, parts := range c.parts {
		for i, p := range parts {
			if texts := prompts[p.cp]; p.slot < len(texts) {
				parts[i].prompts = metadata.SplitPrompts(texts[p.slot])
			}
		}
	}
	return err
}

// missing notes the checkpoints that are forgotten or not stored here.
func (g *gathering) missing(known map[id.CheckpointID]bool, tombstones map[id.CheckpointID]metadata.Tombstone) {
	var gone []string
	for _, cp := range g.checkpoints {
		if t, forgotten := tombstones[cp]; forgotten {
			g.problems = append(g.problems, fmt.Sprintf("checkpoint %s was %s: the owners of its lines are unknown", cp, t))
		} else if !known[cp] {
			gone = append(gone, cp.String())
		}
	}
	if len(gone) > 0 {
		g.problems = append(g.problems, notStored(gone))
	}
}

func notStored(gone []string) string {
	return fmt.Sprintf("%s that the commits name %s not stored here (%s …); `git fetch origin %s:%s` gets those that were pushed",
		cliui.Count(len(gone), "checkpoint"), cliui.Plural(len(gone), "is", "are"), gone[0], shadow.MetadataBranch, shadow.RemoteMetadataRef)
}

// A cast is the sessions of a change, with what its checkpoints record of each.
type cast struct {
	records       *records.Reader
	list          []review.Session
	at            map[string]int
	parts         [][]part // of each session
	conversations map[string]kept
}

// A part is one session's record in a checkpoint: its slot there. prompts are all of the session's
// prompts up to that checkpoint; see readPrompts.
type part struct {
	cp      id.CheckpointID
	slot    int
	kind    agent.AgentType
	start   int
	prompts []string
}

func (c *cast) add(cp id.CheckpointID, slot int, m metadata.CommittedMetadata) {
	i, there := c.at[m.SessionID]
	if !there {
		i = len(c.list)
		c.at[m.SessionID] = i
		c.list = append(c.list, review.Session{ID: m.SessionID, Agent: string(m.Agent)})
		c.parts = append(c.parts, nil)
	}
	s := &c.list[i]
	s.Checkpoints = append(s.Checkpoints, cp.String())
	if m.TokenUsage != nil && m.TokenUsage.Total() > 0 {
		sum := *m.TokenUsage
		if s.Usage != nil {
			sum = s.Usage.Add(sum)
		}
		s.Usage = &sum
	}
	c.parts[i] = append(c.parts[i], part{cp: cp, slot: slot, kind: m.Agent, start: m.GetTranscriptStart()})
}

// count adds a checkpoint's own count of lines to the session. It ignores an inconsistent one:
// another tool's total is a balance of added and removed lines and may be less than the agent's
// lines.
func (c *cast) count(m metadata.CommittedMetadata) {
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

// Bounds of the transcripts that are read to find the prompts of a change and their results.
const (
	transcriptsRead = 20
	transcriptsMax  = 64 << 20
)

// sessions returns the sessions, each with the prompts of its parts, and with earlier prompts
// that asked for some of the lines.
func (c *cast) sessions(ctx context.Context, asked map[string]map[string]bool) []review.Session {
	read, size := 0, 0
	for i := range c.list {
		first, last := ends(c.parts[i])
		prompts := last.prompts
		if len(prompts) > 0 && read < transcriptsRead && size < transcriptsMax {
			read++
			kept := c.read(ctx, c.list[i].ID, last)
			size += kept.size
			if own := promptsFrom(kept.passages, first.start, asked[c.list[i].ID]); len(own) > 0 { // prompt.txt splits a prompt at a line of dashes
				prompts = own
			}
			c.conversations[c.list[i].ID] = kept
		}
		c.list[i].Prompts = prompts
	}
	return c.list
}

// ends returns the parts at which the change's part of a session's conversation begins and ends.
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

// kept is a stored conversation with those of its subagents.
type kept struct {
	passages  []conversation.Passage
	subagents [][]conversation.Passage
	size      int
}

// read returns a session's conversation up to a part; the zero value if it cannot be read.
func (c *cast) read(ctx context.Context, sid string, p part) kept {
	content, _ := c.records.SessionByID(ctx, p.cp, sid)
	if content == nil {
		return kept{}
	}
	t := kept{passages: conversation.Passages(p.kind, content.Transcript), size: len(content.Transcript)}
	subagents, _ := c.records.SubagentTranscripts(ctx, p.cp, sid, workplace.SubagentMax)
	for _, s := range subagents {
		t.subagents, t.size = append(t.subagents, conversation.Passages(p.kind, s)), t.size+len(s)
	}
	return t
}

// promptsFrom returns the prompts that a person typed from item start of the transcript on, and
// earlier ones whose key is in asked.
func promptsFrom(passages []conversation.Passage, start int, asked map[string]bool) []string {
	var out []string
	for _, p := range passages {
		if p.Kind == conversation.PromptPassage && p.Chain == "" && (p.Item >= start || asked[agent.PromptKey(p.Text)]) {
			out = append(out, p.Text)
		}
	}
	return out
}

// behind records which prompts led to which lines.
func (c *cast) behind(d *review.Document) {
	for sid, t := range c.conversations {
		d.SetPrompts(sid, review.PromptsOfCalls(t.passages, t.subagents...))
	}
}
