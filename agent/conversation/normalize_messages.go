package conversation

import (
	"slices"

	"entire/agent"
)

// maxGivenMessages bounds how many of the latest messages of a list can be extended by a later line, or be
// the target of a step back.
const maxGivenMessages = 256

// given describes which parts of a message were returned so far.
type given struct {
	Key uint64 `json:"key"`
	// Before was the last message when this one came; Tip is the last of its own parts.
	Before string `json:"before,omitempty"`
	Tip    string `json:"tip,omitempty"`
	Pieces int    `json:"pieces,omitempty"`
	// Text is the length of the returned text, Sum its digest.
	Text int    `json:"text,omitempty"`
	Sum  uint64 `json:"sum,omitempty"`
	// Calls is the number of calls returned, Open lists those without a result.
	Calls int   `json:"calls,omitempty"`
	Open  []int `json:"open,omitempty"`
}

// stepBack makes the predecessor of a message the last one.
func (n *Normalizer) stepBack(messageID string) {
	if g := n.givenOf(messageID); g != nil {
		n.Links.setTip(agent.MainChain, g.Before)
	}
}

// Knows reports whether a message was there before.
func (n *Normalizer) Knows(messageID string) bool {
	_, found := n.Conversation.find(messageID)
	return found
}

func (n *Normalizer) givenOf(messageID string) *given {
	key := keyOf(messageID)
	for i := len(n.Given) - 1; i >= 0; i-- {
		if n.Given[i].Key == key {
			return &n.Given[i]
		}
	}
	return nil
}

// AddMessage appends the new parts of a message of a list, which has this name. It appends nothing for a
// message that it has forgotten.
func (n *Normalizer) AddMessage(dst []agent.Message, r *agent.Record, name string) []agent.Message {
	_, again := n.Conversation.numberOf(name)
	g := n.givenOf(name)
	if g == nil && again {
		n.Repeated++
		return dst
	}
	if g == nil {
		n.Given = append(n.Given, given{Key: keyOf(name), Before: n.Links.tip(agent.MainChain)})
		if len(n.Given) > maxGivenMessages {
			n.Given = slices.Delete(n.Given, 0, len(n.Given)-maxGivenMessages)
		}
		g = &n.Given[len(n.Given)-1]
	}
	m := *r
	m.ID, m.Parts = name, namedCalls(r.Parts, name)
	var used *agent.TokenUsage
	if m.Role == agent.RoleAssistant {
		used = n.addedUsage(name, func() { n.Conversation.addMessageUsage(&m, again) })
	}
	pieces := g.pieces(&m, used)
	if len(pieces) == 0 && again {
		n.Repeated++
	}
	return n.give(dst, g, &m, pieces)
}

// give appends parts of a message after those returned before.
func (n *Normalizer) give(dst []agent.Message, g *given, m *agent.Record, pieces []agent.Message) []agent.Message {
	if len(pieces) == 0 {
		return dst
	}
	parent, last := g.Tip, n.Links.tip(agent.MainChain)
	if g.Pieces == 0 {
		parent = last
	}
	follow := parent == last
	for i := range pieces {
		p := &pieces[i]
		g.Pieces++
		p.UUID, p.ParentUUID, p.Timestamp = pieceName(m.ID, g.Pieces), parent, ParseTimestamp(m.Time)
		parent = p.UUID
	}
	g.Tip = parent
	if follow {
		n.Links.setTip(agent.MainChain, parent)
	}
	return append(dst, pieces...)
}

// pieces returns the new messages of m: text and calls, then results.
func (g *given) pieces(m *agent.Record, used *agent.TokenUsage) []agent.Message {
	text := g.fresh(textOf(m))
	if m.Role != agent.RoleAssistant {
		if text == "" {
			return nil
		}
		return []agent.Message{{Role: m.Role, Content: text,
			Injected: m.Role == agent.RoleUser && typedIn(m) == "" && agent.CleanPrompt(text) == ""}}
	}
	calls, results := g.calls(m)
	if text == "" && len(calls) == 0 && used == nil {
		return results
	}
	said := agent.Message{Role: agent.RoleAssistant, Content: text, ToolCalls: calls,
		Model: agent.Clip(m.Model, agent.MaxName), MessageID: m.ID, Usage: used}
	return append([]agent.Message{said}, results...)
}

// fresh returns the part of a message's text that was not returned: all of it if it no
// longer begins with the returned text.
func (g *given) fresh(text string) string {
	old := text
	if g.Text <= len(text) && g.Text > 0 && keyOf(text[:g.Text]) == g.Sum {
		text = text[g.Text:]
	} else if text == "" {
		return ""
	}
	g.Text, g.Sum = len(old), keyOf(old)
	return text
}

// calls returns the calls of a message that were not returned yet, and the results that
// were not.
func (g *given) calls(m *agent.Record) (calls []agent.ToolUse, results []agent.Message) {
	i, forgotten := -1, false // the call, and whether its result is given at once or never
	for k := range m.Parts {
		switch p := &m.Parts[k]; p.Kind {
		case agent.CallPart:
			if i++; i < g.Calls {
				forgotten = false
				continue
			}
			calls = append(calls, p.Call.ToolUse)
			g.Calls++
			if forgotten = len(g.Open) >= MaxOpen; !forgotten {
				g.Open = append(g.Open, i)
			}
		case agent.ResultPart:
			at := slices.Index(g.Open, i)
			if at < 0 && !forgotten {
				continue
			}
			if at >= 0 {
				g.Open = slices.Delete(g.Open, at, at+1)
			}
			results = append(results, resultOf(p))
		}
	}
	return calls, results
}
