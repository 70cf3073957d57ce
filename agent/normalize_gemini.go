package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
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

// name sets the ID of a message without a usable one, derived from its content; seen
// counts messages with equal content.
func (m *geminiMessage) name(seen map[string]int) {
	if m.id != "" && len(m.id) <= maxName {
		return
	}
	said := m.id + "\x00" + m.kind + "\x00" + m.timestamp + "\x00" + string(m.content)
	seen[said]++
	m.id = fmt.Sprintf("msg-%016x", messageKey(fmt.Sprint(seen[said])+said))
}

func (n *Normalizer) addRecord(dst []Message, line []byte) []Message {
	var r geminiRecord
	if !r.scan(line) {
		n.Malformed++
		return dst
	}
	switch {
	case r.rewindTo != "":
		n.stepBack(r.rewindTo)
	case r.set != nil:
		seen := map[string]int{}
		for _, text := range r.saved() {
			var m geminiMessage
			if m.scan(text) && m.kind != "" {
				m.name(seen)
				dst = n.addGemini(dst, &m, true)
			}
		}
	case r.message.kind != "":
		r.message.id = n.lineName(r.message.id)
		dst = n.addGemini(dst, &r.message, false)
	}
	return dst
}

// stepBack makes the predecessor of a message the last one.
func (n *Normalizer) stepBack(messageID string) {
	if g := n.geminiGiven(messageID); g != nil {
		n.Links.setTip(mainChain, g.Before)
	}
}

func (n *Normalizer) geminiGiven(messageID string) *geminiGiven {
	key := messageKey(messageID)
	for i := len(n.Gemini) - 1; i >= 0; i-- {
		if n.Gemini[i].Key == key {
			return &n.Gemini[i]
		}
	}
	return nil
}

// addGemini appends the new parts of a message. It appends nothing for a message that it
// has forgotten.
func (n *Normalizer) addGemini(dst []Message, m *geminiMessage, saved bool) []Message {
	_, again := n.Talk.place(m.id)
	g := n.geminiGiven(m.id)
	if g == nil && again {
		n.Repeated++
		return dst
	}
	if g == nil {
		n.Gemini = append(n.Gemini, geminiGiven{Key: messageKey(m.id), Before: n.Links.tip(mainChain)})
		if len(n.Gemini) > maxGeminiGiven {
			n.Gemini = slices.Delete(n.Gemini, 0, len(n.Gemini)-maxGeminiGiven)
		}
		g = &n.Gemini[len(n.Gemini)-1]
	}
	var used *TokenUsage
	if m.kind == "gemini" {
		used = n.spend(m.id, func() { n.Talk.addGeminiUsage(m, again) })
	}
	pieces := n.geminiPieces(g, m, used)
	if len(pieces) == 0 && again {
		n.Repeated++
	}
	return n.giveGemini(dst, g, m, pieces)
}

// giveGemini appends parts of a message after those returned before.
func (n *Normalizer) giveGemini(dst []Message, g *geminiGiven, m *geminiMessage, pieces []Message) []Message {
	if len(pieces) == 0 {
		return dst
	}
	parent, last := g.Tip, n.Links.tip(mainChain)
	if g.Pieces == 0 {
		parent = last
	}
	follow := parent == last
	for i := range pieces {
		p := &pieces[i]
		g.Pieces++
		p.UUID, p.ParentUUID, p.Timestamp = pieceName(m.id, g.Pieces), parent, moment(m.timestamp)
		parent = p.UUID
	}
	g.Tip = parent
	if follow {
		n.Links.setTip(mainChain, parent)
	}
	return append(dst, pieces...)
}

// geminiPieces returns the new messages of m: text and calls, then results.
func (n *Normalizer) geminiPieces(g *geminiGiven, m *geminiMessage, used *TokenUsage) []Message {
	text := g.fresh(geminiText(m.content))
	if m.kind != "gemini" {
		if text == "" {
			return nil
		}
		if m.kind == "user" {
			return []Message{{Role: RoleUser, Content: text, Injected: m.prompt() == "" && CleanPrompt(text) == ""}}
		}
		return []Message{{Role: RoleSystem, Content: text}}
	}
	calls, results := g.tools(m)
	if text == "" && len(calls) == 0 && used == nil {
		return results
	}
	said := Message{Role: RoleAssistant, Content: text, ToolCalls: calls,
		Model: clip(m.model, maxName), MessageID: m.id, Usage: used}
	return append([]Message{said}, results...)
}

// fresh returns the part of a message's text that was not returned: all of it if it no
// longer begins with the returned text.
func (g *geminiGiven) fresh(text string) string {
	old := text
	if g.Text <= len(text) && g.Text > 0 && messageKey(text[:g.Text]) == g.Sum {
		text = text[g.Text:]
	} else if text == "" {
		return ""
	}
	g.Text, g.Sum = len(old), messageKey(old)
	return text
}

// tools returns the calls of a message that were not returned yet, and the results that
// were not.
func (g *geminiGiven) tools(m *geminiMessage) (calls []ToolUse, results []Message) {
	i := -1
	m.eachCall(func(call geminiCall) {
		i++
		if call.id == "" || len(call.id) > maxName {
			call.id = fmt.Sprintf("%s/call-%d", m.id, i+1)
		}
		if i >= g.Calls {
			calls = append(calls, ToolUse{ID: call.id, Name: call.name, Input: rawInput([]byte(call.args.Raw))})
			g.Calls++
			if len(g.Open) < maxOpen {
				g.Open = append(g.Open, i)
			} else if !call.open() {
				results = append(results, call.answer())
			}
		}
		if at := slices.Index(g.Open, i); at >= 0 && !call.open() {
			g.Open = slices.Delete(g.Open, at, at+1)
			results = append(results, call.answer())
		}
	})
	return calls, results
}

// answer returns the result of a call as a message.
func (c geminiCall) answer() Message {
	text := c.output()
	if text == "" {
		text = valid(c.shown.String())
	}
	return Message{Role: RoleTool, Content: text, ToolCallID: c.id, ToolName: c.name,
		IsError: c.status == "error" || c.status == "cancelled"}
}

// output returns the call's result as the model received it.
func (c geminiCall) output() string {
	var texts []string
	take := func(part gjson.Result) {
		response := part.Get("functionResponse.response")
		switch {
		case part.Type == gjson.String:
			texts = append(texts, valid(part.Str))
		case firstText(response, "output", "error") != "":
			texts = append(texts, valid(firstText(response, "output", "error")))
		case response.Exists():
			texts = append(texts, valid(response.Raw))
		default:
			texts = append(texts, partWord(part))
		}
	}
	if !c.result.IsArray() {
		if c.result.Exists() && c.result.Type != gjson.Null {
			take(c.result)
		}
		return strings.Join(texts, "\n\n")
	}
	c.result.ForEach(func(_, part gjson.Result) bool { take(part); return true })
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "\n\n")
}

// geminiText returns the text of a message, with placeholders for content that is not
// text.
func geminiText(raw []byte) string {
	content := gjson.ParseBytes(raw)
	if !content.IsArray() {
		return partWord(content)
	}
	var texts []string
	content.ForEach(func(_, part gjson.Result) bool {
		if s := partWord(part); s != "" {
			texts = append(texts, s)
		}
		return true
	})
	return strings.Join(texts, "\n\n")
}

// partWord returns the text of one part, or a placeholder; "" for a thought.
func partWord(part gjson.Result) string {
	if part.Type == gjson.String {
		return valid(part.Str)
	}
	if !part.IsObject() || part.Get("thought").Type == gjson.True {
		return ""
	}
	if t := part.Get("text"); t.Type == gjson.String {
		return valid(t.Str)
	}
	kind, _, _ := strings.Cut(part.Get("inlineData.mimeType").String()+part.Get("fileData.mimeType").String(), "/")
	switch {
	case kind != "":
		return placeholder(kind)
	case part.Get("inlineData").Exists() || part.Get("fileData").Exists():
		return placeholder("")
	}
	return ""
}
