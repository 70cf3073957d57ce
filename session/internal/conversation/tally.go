package conversation

import (
	"time"

	"entire/agent"
)

// titleRunes is the most characters a title has.
const titleRunes = 80

// A Tally is what a range of messages adds to a session's metadata.
type Tally struct {
	Messages, Prompts  int
	rewinds            int // if not 0, the other counts are not those of the conversation
	Usage              agent.TokenUsage
	HasUsage           bool // at least one message has its usage
	Title, Model, Last string
	files              map[string]int // how often tools changed each file
	Begun, Updated     time.Time      // the first timestamp, and the latest
}

// Add counts one more message.
func (t *Tally) Add(m *Message) {
	if m.Rewind != nil {
		t.addRewind(m)
		return
	}
	t.Messages++
	t.Last = m.UUID
	if m.Usage != nil {
		t.Usage, t.HasUsage = t.Usage.Add(*m.Usage), true
	}
	if m.Timestamp.After(t.Updated) {
		t.Updated = m.Timestamp
	}
	if t.Begun.IsZero() {
		t.Begun = m.Timestamp
	}
	if m.Sidechain || m.AgentID != "" {
		return
	}
	if m.Model != "" && m.Role == agent.RoleAssistant {
		t.Model = m.Model
	}
	if m.IsPrompt() {
		t.Prompts++
		t.Title = betterTitle(t.Title, TitleOf(m.Content))
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

// betterTitle returns the first of two titles, unless only the second asks for something.
func betterTitle(first, second string) string {
	if first == "" || second != "" && agent.Title(first, titleRunes) == "" && agent.Title(second, titleRunes) != "" {
		return second
	}
	return first
}

// addRewind counts the record of a rewind.
func (t *Tally) addRewind(m *Message) {
	t.rewinds++
	if m.Timestamp.After(t.Updated) {
		t.Updated = m.Timestamp
	}
}

// addRewound counts only the tokens of a message that a rewind has taken out.
func (t *Tally) addRewound(m *Message) {
	if m.Usage != nil {
		t.Usage, t.HasUsage = t.Usage.Add(*m.Usage), true
	}
	if m.Timestamp.After(t.Updated) {
		t.Updated = m.Timestamp
	}
}

// Merge adds the tally of the messages after t.
func (t *Tally) Merge(u *Tally) {
	t.rewinds += u.rewinds
	t.Messages += u.Messages
	t.Prompts += u.Prompts
	if u.HasUsage {
		t.Usage, t.HasUsage = t.Usage.Add(u.Usage), true
	}
	if u.Updated.After(t.Updated) {
		t.Updated = u.Updated
	}
	if t.Begun.IsZero() {
		t.Begun = u.Begun
	}
	t.Title = betterTitle(t.Title, u.Title)
	for name, n := range u.files {
		if t.files == nil {
			t.files = map[string]int{}
		}
		t.files[name] += n
	}
	if u.Model != "" {
		t.Model = u.Model
	}
	if u.Messages > 0 {
		t.Last = u.Last
	}
}

// AddTo adds the tally to metadata. It keeps the user's title, and any other title unless titled
// prefers the new one. It does not count prompts as turns, because the program that runs the
// session sets TurnCount.
func (t *Tally) AddTo(meta *SessionMetadata) {
	if t.Messages == 0 && t.rewinds == 0 {
		return
	}
	if !t.Updated.IsZero() && (meta.MessageCount == 0 || t.Updated.After(meta.UpdatedAt)) {
		meta.UpdatedAt = t.Updated
	}
	meta.MessageCount += t.Messages
	if t.Messages > 0 {
		meta.LastMessage = t.Last
	}
	meta.Rewinds += t.rewinds
	if meta.TitleBy != TitledByUser {
		meta.Title = betterTitle(meta.Title, t.Title)
	}
	t.addTouchedTo(meta)
	if t.Model != "" {
		meta.Model = t.Model
	}
	if t.HasUsage {
		sum := t.Usage
		if meta.Usage != nil {
			sum = sum.Add(*meta.Usage)
		}
		meta.Usage = &sum
		meta.TotalTokens += t.Usage.Total()
	}
}
