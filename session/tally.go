package session

import (
	"time"

	"entire/agent"
)

// titleRunes is the most characters a title has.
const titleRunes = 80

// A tally is what a range of messages adds to a session's metadata.
type tally struct {
	messages, prompts  int
	rewinds            int // if not 0, the other counts are not those of the conversation
	usage              agent.TokenUsage
	used               bool // at least one message has its usage
	title, model, last string
	files              map[string]int // how often tools changed each file
	begun, updated     time.Time      // the first timestamp, and the latest
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

// TitleOf returns the title of a session from one of its prompts. The title of a prompt that
// asks for nothing is used until there is a better one.
func TitleOf(prompt string) string {
	if title := agent.Title(prompt, titleRunes); title != "" {
		return title
	}
	return agent.ShortPrompt(agent.CleanPrompt(prompt), titleRunes)
}

// titled returns the first of two titles, unless only the second asks for something.
func titled(first, second string) string {
	if first == "" || second != "" && agent.Title(first, titleRunes) == "" && agent.Title(second, titleRunes) != "" {
		return second
	}
	return first
}

// addRewind counts the record of a rewind.
func (t *tally) addRewind(m *Message) {
	t.rewinds++
	if m.Timestamp.After(t.updated) {
		t.updated = m.Timestamp
	}
}

// addRewound counts only the tokens of a message that a rewind has taken out.
func (t *tally) addRewound(m *Message) {
	if m.Usage != nil {
		t.usage, t.used = t.usage.Add(*m.Usage), true
	}
	if m.Timestamp.After(t.updated) {
		t.updated = m.Timestamp
	}
}

// merge adds the tally of the messages after t.
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

// into adds the tally to metadata. It keeps the user's title, and any other title unless titled
// prefers the new one. It does not count prompts as turns, because the program that runs the
// session sets TurnCount.
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
