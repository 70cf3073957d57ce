package conversation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/claude"
	"entire/agent/gemini"
)

// maxGeminiGiven bounds how many of the latest messages of a Gemini transcript can be
// extended by a later line, or be the target of a step back.
const maxGeminiGiven = 256

// geminiGiven describes which parts of a message were returned so far.
type geminiGiven struct {
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

func (n *Normalizer) addRecord(dst []agent.Message, line []byte) []agent.Message {
	var r gemini.Record
	if !r.Scan(line) {
		n.Malformed++
		return dst
	}
	switch {
	case r.RewindTo != "":
		n.stepBack(r.RewindTo)
	case r.Set != nil:
		seen := map[string]int{}
		for _, text := range r.Saved() {
			var m gemini.Message
			if m.Scan(text) && m.Kind != "" {
				m.Name(seen)
				dst = n.AddGemini(dst, &m, true)
			}
		}
	case r.Message.Kind != "":
		r.Message.ID = n.lineName(r.Message.ID)
		dst = n.AddGemini(dst, &r.Message, false)
	}
	return dst
}

// stepBack makes the predecessor of a message the last one.
func (n *Normalizer) stepBack(messageID string) {
	if g := n.geminiGiven(messageID); g != nil {
		n.Links.setTip(agent.MainChain, g.Before)
	}
}

func (n *Normalizer) geminiGiven(messageID string) *geminiGiven {
	key := gemini.MessageKey(messageID)
	for i := len(n.Gemini) - 1; i >= 0; i-- {
		if n.Gemini[i].Key == key {
			return &n.Gemini[i]
		}
	}
	return nil
}

// AddGemini appends the new parts of a message. It appends nothing for a message that it
// has forgotten.
func (n *Normalizer) AddGemini(dst []agent.Message, m *gemini.Message, saved bool) []agent.Message {
	_, again := n.Conversation.numberOf(m.ID)
	g := n.geminiGiven(m.ID)
	if g == nil && again {
		n.Repeated++
		return dst
	}
	if g == nil {
		n.Gemini = append(n.Gemini, geminiGiven{Key: gemini.MessageKey(m.ID), Before: n.Links.tip(agent.MainChain)})
		if len(n.Gemini) > maxGeminiGiven {
			n.Gemini = slices.Delete(n.Gemini, 0, len(n.Gemini)-maxGeminiGiven)
		}
		g = &n.Gemini[len(n.Gemini)-1]
	}
	var used *agent.TokenUsage
	if m.Kind == "gemini" {
		used = n.addedUsage(m.ID, func() { n.Conversation.addGeminiUsage(m, again) })
	}
	pieces := n.geminiPieces(g, m, used)
	if len(pieces) == 0 && again {
		n.Repeated++
	}
	return n.giveGemini(dst, g, m, pieces)
}

// giveGemini appends parts of a message after those returned before.
func (n *Normalizer) giveGemini(dst []agent.Message, g *geminiGiven, m *gemini.Message, pieces []agent.Message) []agent.Message {
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
		p.UUID, p.ParentUUID, p.Timestamp = pieceName(m.ID, g.Pieces), parent, ParseTimestamp(m.Timestamp)
		parent = p.UUID
	}
	g.Tip = parent
	if follow {
		n.Links.setTip(agent.MainChain, parent)
	}
	return append(dst, pieces...)
}

// geminiPieces returns the new messages of m: text and calls, then results.
func (n *Normalizer) geminiPieces(g *geminiGiven, m *gemini.Message, used *agent.TokenUsage) []agent.Message {
	text := g.fresh(geminiText(m.Content))
	if m.Kind != "gemini" {
		if text == "" {
			return nil
		}
		if m.Kind == "user" {
			return []agent.Message{{Role: agent.RoleUser, Content: text, Injected: m.Prompt() == "" && agent.CleanPrompt(text) == ""}}
		}
		return []agent.Message{{Role: agent.RoleSystem, Content: text}}
	}
	calls, results := g.tools(m)
	if text == "" && len(calls) == 0 && used == nil {
		return results
	}
	said := agent.Message{Role: agent.RoleAssistant, Content: text, ToolCalls: calls,
		Model: agent.Clip(m.Model, agent.MaxName), MessageID: m.ID, Usage: used}
	return append([]agent.Message{said}, results...)
}

// fresh returns the part of a message's text that was not returned: all of it if it no
// longer begins with the returned text.
func (g *geminiGiven) fresh(text string) string {
	old := text
	if g.Text <= len(text) && g.Text > 0 && gemini.MessageKey(text[:g.Text]) == g.Sum {
		text = text[g.Text:]
	} else if text == "" {
		return ""
	}
	g.Text, g.Sum = len(old), gemini.MessageKey(old)
	return text
}

// tools returns the calls of a message that were not returned yet, and the results that
// were not.
func (g *geminiGiven) tools(m *gemini.Message) (calls []agent.ToolUse, results []agent.Message) {
	i := -1
	m.EachCall(func(call gemini.Call) {
		i++
		if call.ID == "" || len(call.ID) > agent.MaxName {
			call.ID = fmt.Sprintf("%s/call-%d", m.ID, i+1)
		}
		if i >= g.Calls {
			calls = append(calls, agent.ToolUse{ID: call.ID, Name: call.Name, Input: claude.RawInput([]byte(call.Args.Raw))})
			g.Calls++
			if len(g.Open) < MaxOpen {
				g.Open = append(g.Open, i)
			} else if !call.Open() {
				results = append(results, call.Answer())
			}
		}
		if at := slices.Index(g.Open, i); at >= 0 && !call.Open() {
			g.Open = slices.Delete(g.Open, at, at+1)
			results = append(results, call.Answer())
		}
	})
	return calls, results
}

// geminiText returns the text of a message, with placeholders for content that is not
// text.
func geminiText(raw []byte) string {
	content := gjson.ParseBytes(raw)
	if !content.IsArray() {
		return gemini.PartWord(content)
	}
	var texts []string
	content.ForEach(func(_, part gjson.Result) bool {
		if s := gemini.PartWord(part); s != "" {
			texts = append(texts, s)
		}
		return true
	})
	return strings.Join(texts, "\n\n")
}
