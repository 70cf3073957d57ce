package conversation

import (
	"bytes"
	"slices"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/document"
)

// This file reads whole, complete transcripts. Items are numbered as Conversation.Items
// counts them; a start beyond the end stands for the whole transcript.

// readerOf returns the agent whose format a transcript has: t or, if it is unknown, the
// one that the transcript's outline shows.
func readerOf(t agent.AgentType, transcript []byte) agent.AgentType {
	if (t == "" || t == agent.AgentTypeUnknown) && document.Is(transcript) {
		return agents.OfDocuments()
	}
	return t
}

// Items returns how many items a whole transcript has.
func Items(t agent.AgentType, transcript []byte) int {
	if t = readerOf(t, transcript); agents.CountsMessages(t) {
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
	if t = readerOf(t, transcript); !agents.CountsMessages(t) {
		return Read(t, FromLine(transcript, start)).Prompts
	}
	c := Read(t, transcript)
	if start > c.Messages {
		start = 0
	}
	return c.PromptsSince(Mark{Items: start})
}

// UsageFrom returns the usage in a transcript from item start on.
func UsageFrom(t agent.AgentType, transcript []byte, start int) (sum agent.TokenUsage) {
	if t = readerOf(t, transcript); !agents.CountsMessages(t) {
		return Read(t, FromLine(transcript, start)).Usage()
	}
	for _, m := range finalMessagesOf(t, transcript).from(start) {
		if m.Usage != nil {
			sum = sum.Add(*m.Usage)
		}
	}
	return sum
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

// finalMessagesOf returns the final state of a whole transcript that is a list of messages.
func finalMessagesOf(t agent.AgentType, transcript []byte) finalMessages {
	f := finalMessages{at: map[int]int{}}
	if document.Is(transcript) {
		EachMessage(t, transcript, func(_ int, r *agent.Record, name string) { f.put(r, name) })
		return f
	}
	n := 0
	agent.EachFinalLine(transcript, func(line []byte) {
		n++
		l := ReadLine(t, line)
		for i := range l.Records {
			switch r := &l.Records[i]; {
			case l.Saved:
				f.put(r, l.Names[i])
			case r.BackTo != "":
				f.cut(r.BackTo)
			default:
				f.put(r, LineName(r.ID, n))
			}
		}
	})
	return f
}

// finalMessages holds the messages of a transcript so far, in order.
type finalMessages struct {
	numbers messageState
	list    []finalMessage
	at      map[int]int // the index in list of a message
}

type finalMessage struct {
	agent.Record
	name string
	n    int
}

// from returns the messages from number start on.
func (f finalMessages) from(start int) []finalMessage {
	if start > f.numbers.Messages {
		return f.list
	}
	return slices.DeleteFunc(f.list, func(m finalMessage) bool { return m.n < start })
}

func (f *finalMessages) put(r *agent.Record, name string) {
	if r == nil || r.Role == "" {
		return
	}
	n, _ := f.numbers.numberOf(r.ID)
	if i, there := f.at[n]; there {
		f.list[i].Record, f.list[i].name = *r, name
		return
	}
	f.at[n] = len(f.list)
	f.list = append(f.list, finalMessage{*r, name, n})
}

// cut removes a message and those after it.
func (f *finalMessages) cut(messageID string) {
	n, found := f.numbers.find(messageID)
	i, there := f.at[n]
	if !found || !there {
		return
	}
	for _, m := range f.list[i:] {
		delete(f.at, m.n)
	}
	f.list = f.list[:i]
}
