package session

import (
	"time"

	"entire/agent"
)

// titleRunes is how long a title may be.
const titleRunes = 80

// A tally is what messages add to a session's metadata.
type tally struct {
	messages, prompts  int
	rewinds            int // where there are any, what else is counted is not the conversation's
	usage              agent.TokenUsage
	used               bool // any of them says what it used
	title, model, last string
	files              map[string]int // that were changed: how often
	begun, updated     time.Time      // the first and the latest that a message names
}

func (t *tally) add(m *Message) {
	if m.Rewind != nil {
		t.addRewind(m)
		return
	}
	t.messages++
	t.last = m.UUID
	if m.Usage != nil {
		t.usage, t.used = t.usage.Add(*m.Usage), true
	}
	if m.Timestamp.After(t.updated) {
		t.updated = m.Timestamp
	}
	if t.begun.IsZero() {
		t.begun = m.Timestamp
	}
	if m.Sidechain || m.AgentID != "" {
		return
	}
	if m.Model != "" && m.Role == agent.RoleAssistant {
		t.model = m.Model
	}
	if m.Asks() {
		t.prompts++
		t.title = titled(t.title, TitleOf(m.Content))
	}
	t.addTouched(m)
}

// TitleOf is what a prompt makes a session's title; if it asks for nothing, that
// is no title as long as there is a better one.
func TitleOf(prompt string) string {
	if title := agent.Title(prompt, titleRunes); title != "" {
		return title
	}
	return agent.ShortPrompt(agent.CleanPrompt(prompt), titleRunes)
}

// titled is the first of two titles, unless only the second asks for something.
func titled(first, second string) string {
	if first == "" || second != "" && agent.Title(first, titleRunes) == "" && agent.Title(second, titleRunes) != "" {
		return second
	}
	return first
}

// addRewind counts a record of one.
func (t *tally) addRewind(m *Message) {
	t.rewinds++
	if m.Timestamp.After(t.updated) {
		t.updated = m.Timestamp
	}
}

// addRewound counts of a message that was taken back what it used.
func (t *tally) addRewound(m *Message) {
	if m.Usage != nil {
		t.usage, t.used = t.usage.Add(*m.Usage), true
	}
	if m.Timestamp.After(t.updated) {
		t.updated = m.Timestamp
	}
}

// merge adds what came after t.
func (t *tally) merge(u *tally) {
	t.rewinds += u.rewinds
	t.messages += u.messages
	t.prompts += u.prompts
	if u.used {
		t.usage, t.used = t.usage.Add(u.usage), true
	}
	if u.updated.After(t.updated) {
		t.updated = u.updated
	}
	if t.begun.IsZero() {
		t.begun = u.begun
	}
	t.title = titled(t.title, u.title)
	for name, n := range u.files {
		if t.files == nil {
			t.files = map[string]int{}
		}
		t.files[name] += n
	}
	if u.model != "" {
		t.model = u.model
	}
	if u.messages > 0 {
		t.last = u.last
	}
}

// into brings metadata up to date. A title that it has stands; the prompts
// are not counted as turns, which whoever runs the session says.
func (t *tally) into(meta *SessionMetadata) {
	if t.messages == 0 && t.rewinds == 0 {
		return
	}
	if !t.updated.IsZero() && (meta.MessageCount == 0 || t.updated.After(meta.UpdatedAt)) {
		meta.UpdatedAt = t.updated
	}
	meta.MessageCount += t.messages
	if t.messages > 0 {
		meta.LastMessage = t.last
	}
	meta.Rewinds += t.rewinds
	if meta.TitleBy != TitledByUser {
		meta.Title = titled(meta.Title, t.title)
	}
	t.touched(meta)
	if t.model != "" {
		meta.Model = t.model
	}
	if t.used {
		sum := t.usage
		if meta.Usage != nil {
			sum = sum.Add(*meta.Usage)
		}
		meta.Usage = &sum
		meta.TotalTokens += t.usage.Total()
	}
}
