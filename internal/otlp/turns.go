package otlp

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"entire/agent"
	"entire/internal/usage"
)

// contentMax bounds the text of one attribute.
const contentMax = 64 << 10

// A Turns makes the spans of a session: one for each turn, and below it one for each answer of a model and each
// call of a tool.
type Turns struct {
	Session string
	Agent   string // its name
	Content bool   // also what was said
	// Turn is the turn that the next message continues, if it is no prompt. It can be stored between two messages.
	Turn Turn

	whole []*agent.Message
}

// A Turn names a turn that was begun.
type Turn struct {
	ID    string    `json:"id,omitempty"` // of its prompt, "" before the first
	Begin time.Time `json:"begin,omitzero"`
	Last  time.Time `json:"last,omitzero"` // of the latest message
	Sent  bool      `json:"sent,omitempty"`
}

// Add takes a message, and returns the spans of the turn that ended before it, if one did.
func (t *Turns) Add(m *agent.Message) []Span {
	if m.Rewind != nil {
		return nil
	}
	var done []Span
	if m.IsPrompt() && !m.Sidechain && m.AgentID == "" {
		done = t.End()
		t.Turn = Turn{ID: cmp.Or(m.UUID, m.Timestamp.Format(time.RFC3339Nano)), Begin: m.Timestamp, Last: m.Timestamp}
	}
	t.whole = append(t.whole, m)
	return done
}

// End returns the spans of the messages so far. Further messages of the turn become spans below the same one.
func (t *Turns) End() []Span {
	if len(t.whole) == 0 {
		return nil
	}
	w := turnSpans{turns: t, trace: t.Session + "/" + t.Turn.ID, last: t.Turn.Last, answers: map[string]int{}, calls: map[string]int{}, texts: map[int][]string{}}
	for _, m := range t.whole {
		w.add(m)
	}
	w.price()
	t.whole = nil
	t.Turn.Last = w.last
	if t.Turn.ID == "" || t.Turn.Sent {
		return w.spans
	}
	t.Turn.Sent = true
	return append([]Span{w.turn()}, w.spans...)
}

// turnSpans collects the spans of one turn.
type turnSpans struct {
	turns   *Turns
	trace   string
	last    time.Time // of the message before
	spans   []Span
	answers map[string]int // the span of each answer, by its name
	order   []int          // the spans of the answers, in the order of the log
	calls   map[string]int
	texts   map[int][]string // of each answer
	log     usage.Log
	prompt  string
}

func (w *turnSpans) turn() Span {
	t := w.turns
	s := Span{Trace: w.trace, ID: "turn", Name: strings.TrimSpace("invoke_agent " + t.Agent), Kind: KindInternal, Begin: t.Turn.Begin, End: w.last}
	s.Set("gen_ai.operation.name", "invoke_agent")
	s.Set("gen_ai.agent.name", t.Agent)
	s.Set("gen_ai.conversation.id", t.Session)
	var sum usage.Tokens
	model := ""
	for _, a := range w.log.Answers {
		sum, model = sum.Add(a.Tokens), cmp.Or(model, a.Model)
	}
	s.Set("gen_ai.provider.name", providerOf(model))
	s.Set("gen_ai.request.model", model)
	setTokens(&s, sum)
	if t.Content {
		s.Set("gen_ai.input.messages", said("user", w.prompt))
	}
	return s
}

func (w *turnSpans) add(m *agent.Message) {
	before := w.last
	if m.Timestamp.After(w.last) {
		w.last = m.Timestamp
	}
	at := m.Timestamp
	if at.IsZero() {
		at = w.last
	}
	if before.IsZero() || before.After(at) {
		before = at
	}
	switch m.Role {
	case agent.RoleUser:
		if w.prompt == "" && m.IsPrompt() {
			w.prompt = m.Content
		}
	case agent.RoleAssistant:
		w.answer(m, before, at)
		for _, call := range m.ToolCalls {
			w.call(m, call, at)
		}
	}
	if m.ToolCallID != "" {
		w.result(m, before, at)
	}
}

// answer makes, or extends, the span of an answer.
func (w *turnSpans) answer(m *agent.Message, before, at time.Time) {
	name := cmp.Or(m.MessageID, m.UUID)
	had := len(w.log.Answers)
	w.log.AddMessage(m, false)
	i, known := w.answers[name]
	if !known {
		i = len(w.spans)
		w.answers[name] = i
		s := Span{Trace: w.trace, ID: "answer " + name, Parent: w.parent(), Name: strings.TrimSpace("chat " + m.Model), Kind: KindClient, Begin: before}
		s.Set("gen_ai.operation.name", "chat")
		s.Set("gen_ai.conversation.id", w.turns.Session)
		s.Set("gen_ai.provider.name", providerOf(m.Model))
		s.Set("gen_ai.request.model", m.Model)
		s.Set("gen_ai.response.model", m.Model)
		s.Set("gen_ai.response.id", m.MessageID)
		s.Set("gen_ai.agent.id", m.AgentID)
		w.spans = append(w.spans, s)
	}
	if len(w.log.Answers) > had {
		w.order = append(w.order, i)
	}
	w.spans[i].End = at
	if w.turns.Content && m.Content != "" {
		w.texts[i] = append(w.texts[i], m.Content)
	}
}

// price gives the answers their tokens and texts, when all their messages are known.
func (w *turnSpans) price() {
	for n, i := range w.order {
		setTokens(&w.spans[i], w.log.Answers[n].Tokens)
	}
	for i := range w.spans {
		w.spans[i].Set("gen_ai.output.messages", said("assistant", strings.Join(w.texts[i], "\n")))
		if w.spans[i].End.Before(w.spans[i].Begin) {
			w.spans[i].End = w.spans[i].Begin
		}
	}
}

func (w *turnSpans) call(m *agent.Message, call agent.ToolUse, at time.Time) {
	if _, known := w.calls[call.ID]; known || call.ID == "" {
		return
	}
	w.calls[call.ID] = len(w.spans)
	s := w.toolSpan(call.ID, call.Name, at)
	s.Set("gen_ai.agent.id", m.AgentID)
	if w.turns.Content {
		s.Set("gen_ai.tool.call.arguments", cut(string(call.Input)))
	}
	w.spans = append(w.spans, s)
}

// result ends the span of a call. A call of messages that were sent before is a span of its own.
func (w *turnSpans) result(m *agent.Message, before, at time.Time) {
	i, known := w.calls[m.ToolCallID]
	if !known {
		i = len(w.spans)
		w.calls[m.ToolCallID] = i
		w.spans = append(w.spans, w.toolSpan(m.ToolCallID, m.ToolName, before))
	}
	w.spans[i].End = at
	if m.IsError {
		w.spans[i].Failed = true
		w.spans[i].Set("error.type", "tool_error")
	}
	if w.turns.Content {
		w.spans[i].Set("gen_ai.tool.call.result", cut(m.Content))
	}
}

func (w *turnSpans) toolSpan(id, name string, at time.Time) Span {
	s := Span{Trace: w.trace, ID: "call " + id, Parent: w.parent(), Name: strings.TrimSpace("execute_tool " + name), Kind: KindInternal, Begin: at, End: at}
	s.Set("gen_ai.operation.name", "execute_tool")
	s.Set("gen_ai.conversation.id", w.turns.Session)
	s.Set("gen_ai.tool.name", name)
	s.Set("gen_ai.tool.call.id", id)
	return s
}

// parent returns the turn's span; messages before the first prompt have none.
func (w *turnSpans) parent() string {
	if w.turns.Turn.ID == "" {
		return ""
	}
	return "turn"
}

// setTokens adds what was used. Input is all input, cached or not, as the convention wants it.
func setTokens(s *Span, t usage.Tokens) {
	s.Set("gen_ai.usage.input_tokens", t.Prompt())
	s.Set("gen_ai.usage.output_tokens", t.Output)
	s.Set("gen_ai.usage.cache_read.input_tokens", t.CacheRead)
	s.Set("gen_ai.usage.cache_creation.input_tokens", t.CacheWrite)
	s.Set("gen_ai.usage.reasoning.output_tokens", t.Reasoning)
}

// providerOf returns the convention's name for who offers a model, by how the model's name begins; "" if unknown.
func providerOf(model string) string {
	provider, name, named := strings.Cut(strings.ToLower(model), "/")
	if !named {
		provider, name = "", provider
	}
	for _, known := range []struct{ begin, provider string }{
		{"claude", "anthropic"}, {"gpt", "openai"}, {"o1", "openai"}, {"o3", "openai"}, {"o4", "openai"}, {"codex-", "openai"}, {"gemini-", "gcp.gemini"},
		{"mistral", "mistral_ai"}, {"deepseek", "deepseek"}, {"grok", "x_ai"}, {"command", "cohere"},
	} {
		if strings.HasPrefix(name, known.begin) {
			return known.provider
		}
	}
	return provider
}

// said returns a message in the form that the convention has for messages.
func said(role, text string) string {
	if text == "" {
		return ""
	}
	data, err := json.Marshal([]any{map[string]any{"role": role, "parts": []any{map[string]string{"type": "text", "content": cut(text)}}}})
	if err != nil {
		return ""
	}
	return string(data)
}

// cut returns the beginning of a text.
func cut(text string) string {
	if len(text) > contentMax {
		return strings.ToValidUTF8(text[:contentMax], "") + "…"
	}
	return text
}
