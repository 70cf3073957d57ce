package conversation

import (
	"bytes"

	"entire/agent"
	"entire/agent/document"
	"entire/agent/gemini"
)

func (n *Normalizer) KnownGemini(messageID string) bool {
	_, found := n.Conversation.find(messageID)
	return found
}

// This file reads whole, complete transcripts. Items are numbered as Conversation.Items
// counts them; a start beyond the end stands for the whole transcript.

// readerOf returns the agent whose format a transcript has: t or, if it is unknown, the
// one that the transcript's outline shows.
func readerOf(t agent.AgentType, transcript []byte) agent.AgentType {
	if (t == "" || t == agent.AgentTypeUnknown) && document.Is(transcript) {
		return agent.AgentTypeGemini
	}
	return t
}

// Items returns how many items a whole transcript has.
func Items(t agent.AgentType, transcript []byte) int {
	if t = readerOf(t, transcript); t == agent.AgentTypeGemini {
		return Read(t, transcript).Items()
	}
	n := bytes.Count(transcript, []byte("\n"))
	if len(transcript) > 0 && transcript[len(transcript)-1] != '\n' {
		n++
	}
	return n
}

// PromptsFrom returns the user's prompts in a whole transcript from item start on.
func PromptsFrom(t agent.AgentType, transcript []byte, start int) []string {
	if t = readerOf(t, transcript); t != agent.AgentTypeGemini {
		return Read(t, FromLine(transcript, start)).Prompts
	}
	c := Read(t, transcript)
	if start > c.Messages {
		start = 0
	}
	return c.PromptsSince(Mark{Items: start})
}

// CondenseFrom is Condense for a whole transcript from item start on.
func CondenseFrom(t agent.AgentType, transcript []byte, start int, files []string) string {
	if t = readerOf(t, transcript); t != agent.AgentTypeGemini {
		return condense(t, FromLine(transcript, start), files)
	}
	var entries []string
	for _, m := range geminiMessages(transcript, start) {
		entries = append(entries, condensedGemini(&m)...)
	}
	return joinEntries(entries, files)
}

// FromLine returns text without its first n lines; all of it if it has fewer.
func FromLine(text []byte, n int) []byte {
	rest := text
	for range n {
		if len(rest) == 0 {
			return text
		}
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	return rest
}

// geminiMessages returns the final messages of a whole transcript from start on.
func geminiMessages(transcript []byte, start int) []gemini.Message {
	t := finalMessagesOf(transcript)
	if start > t.talk.Messages {
		start = 0
	}
	var out []gemini.Message
	for _, e := range t.entries {
		if e.n >= start {
			out = append(out, e.Message)
		}
	}
	return out
}

// finalMessagesOf returns the final state of a whole transcript.
func finalMessagesOf(transcript []byte) finalMessages {
	var t finalMessages
	if document.Is(transcript) {
		if d, ok := document.Parse(transcript); ok {
			for i := range d.Parts {
				t.put(d.Message(i))
			}
		}
	} else {
		agent.EachFinalLine(transcript, t.add)
	}
	return t
}

// finalMessages holds the messages of a transcript so far, in order.
type finalMessages struct {
	talk    geminiState
	entries []geminiEntry
	at      map[int]int // the index in entries of a message
}

type geminiEntry struct {
	gemini.Message
	n int
}

func (t *finalMessages) add(line []byte) {
	var r gemini.Record
	if !r.Scan(line) {
		return
	}
	switch {
	case r.RewindTo != "":
		if n, found := t.talk.find(r.RewindTo); found {
			t.cut(n)
		}
	case r.Set != nil:
		for _, text := range r.Saved() {
			t.put(text)
		}
	case r.Message.Kind != "":
		t.put(line)
	}
}

func (t *finalMessages) put(text []byte) {
	var m gemini.Message
	if !m.Scan(text) || m.Kind == "" {
		return
	}
	n, _ := t.talk.numberOf(m.ID)
	if i, there := t.at[n]; there {
		t.entries[i].Message = m
		return
	}
	if t.at == nil {
		t.at = map[int]int{}
	}
	t.at[n] = len(t.entries)
	t.entries = append(t.entries, geminiEntry{m, n})
}

// cut removes a message and those after it.
func (t *finalMessages) cut(n int) {
	i, there := t.at[n]
	if !there {
		return
	}
	for _, e := range t.entries[i:] {
		delete(t.at, e.n)
	}
	t.entries = t.entries[:i]
}

func condensedGemini(m *gemini.Message) []string {
	if p := m.Prompt(); p != "" {
		return []string{"[User] " + p}
	}
	var out []string
	if a := m.Answer(); a != "" {
		out = append(out, "[Assistant] "+a)
	}
	if m.Kind == "gemini" {
		m.EachCall(func(c gemini.Call) { out = append(out, "[Tool] "+c.Line()) })
	}
	return out
}
