package agent

import "bytes"

// This file reads whole, complete transcripts. Items are numbered as Conversation.Items
// counts them; a start beyond the end stands for the whole transcript.

// readerOf returns the agent whose format a transcript has: t or, if it is unknown, the
// one that the transcript's outline shows.
func readerOf(t AgentType, transcript []byte) AgentType {
	if (t == "" || t == AgentTypeUnknown) && IsDocument(transcript) {
		return AgentTypeGemini
	}
	return t
}

// Items returns how many items a whole transcript has.
func Items(t AgentType, transcript []byte) int {
	if t = readerOf(t, transcript); t == AgentTypeGemini {
		return Read(t, transcript).Items()
	}
	n := bytes.Count(transcript, []byte("\n"))
	if len(transcript) > 0 && transcript[len(transcript)-1] != '\n' {
		n++
	}
	return n
}

// PromptsFrom returns the user's prompts in a whole transcript from item start on.
func PromptsFrom(t AgentType, transcript []byte, start int) []string {
	if t = readerOf(t, transcript); t != AgentTypeGemini {
		return Read(t, fromLine(transcript, start)).Prompts
	}
	c := Read(t, transcript)
	if start > c.Messages {
		start = 0
	}
	return c.PromptsSince(Mark{Items: start})
}

// CondenseFrom is Condense for a whole transcript from item start on.
func CondenseFrom(t AgentType, transcript []byte, start int, files []string) string {
	if t = readerOf(t, transcript); t != AgentTypeGemini {
		return condense(t, fromLine(transcript, start), files)
	}
	var entries []string
	for _, m := range geminiMessages(transcript, start) {
		entries = append(entries, m.condensed()...)
	}
	return joinEntries(entries, files)
}

// fromLine returns text without its first n lines; all of it if it has fewer.
func fromLine(text []byte, n int) []byte {
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
func geminiMessages(transcript []byte, start int) []geminiMessage {
	t := geminiThreadOf(transcript)
	if start > t.talk.Messages {
		start = 0
	}
	var out []geminiMessage
	for _, e := range t.entries {
		if e.n >= start {
			out = append(out, e.geminiMessage)
		}
	}
	return out
}

// geminiThreadOf returns the final state of a whole transcript.
func geminiThreadOf(transcript []byte) geminiThread {
	var t geminiThread
	if IsDocument(transcript) {
		if d, ok := parseDocument(transcript); ok {
			for i := range d.parts {
				t.put(d.message(i))
			}
		}
	} else {
		wholeFile(transcript, t.add)
	}
	return t
}

// geminiThread holds the messages of a transcript so far, in order.
type geminiThread struct {
	talk    geminiTalk
	entries []geminiEntry
	at      map[int]int // the index in entries of a message
}

type geminiEntry struct {
	geminiMessage
	n int
}

func (t *geminiThread) add(line []byte) {
	var r geminiRecord
	if !r.scan(line) {
		return
	}
	switch {
	case r.rewindTo != "":
		if n, found := t.talk.find(r.rewindTo); found {
			t.cut(n)
		}
	case r.set != nil:
		for _, text := range r.saved() {
			t.put(text)
		}
	case r.message.kind != "":
		t.put(line)
	}
}

func (t *geminiThread) put(text []byte) {
	var m geminiMessage
	if !m.scan(text) || m.kind == "" {
		return
	}
	n, _ := t.talk.place(m.id)
	if i, there := t.at[n]; there {
		t.entries[i].geminiMessage = m
		return
	}
	if t.at == nil {
		t.at = map[int]int{}
	}
	t.at[n] = len(t.entries)
	t.entries = append(t.entries, geminiEntry{m, n})
}

// cut removes a message and those after it.
func (t *geminiThread) cut(n int) {
	i, there := t.at[n]
	if !there {
		return
	}
	for _, e := range t.entries[i:] {
		delete(t.at, e.n)
	}
	t.entries = t.entries[:i]
}

func (m *geminiMessage) condensed() []string {
	if p := m.prompt(); p != "" {
		return []string{"[User] " + p}
	}
	var out []string
	if a := m.answer(); a != "" {
		out = append(out, "[Assistant] "+a)
	}
	if m.kind == "gemini" {
		m.eachCall(func(c geminiCall) { out = append(out, "[Tool] "+c.line()) })
	}
	return out
}
