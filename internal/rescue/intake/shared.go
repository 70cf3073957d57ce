package intake

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/internal/durable"
	"entire/internal/rescue"
)

// shared returns the stored session whose messages a conversation begins with, and the last message of it that they
// share; whole says that it has no others. of is "" if there is none.
func (m *Importer) shared(ctx context.Context, c *rescue.Conversation, path, key string) (at, of string, whole bool, err error) {
	first := ""
	err = messages(c.Agent, path, func(message *agent.Message) bool {
		first = message.UUID
		return false
	})
	if err != nil || !lasting(first) {
		return "", "", false, err
	}
	best := 0
	for _, candidate := range m.beginningWith(ctx, key, first) {
		n, last, all, err := m.common(ctx, c, path, key, candidate)
		if err != nil {
			return "", "", false, err
		}
		if n > best {
			best, at, of, whole = n, last, candidate, all
		}
	}
	return at, of, whole, nil
}

// common returns how many messages at the beginning of a conversation a stored session has, the last of them, and
// whether these are all.
func (m *Importer) common(ctx context.Context, c *rescue.Conversation, path, key, candidate string) (n int, last string, all bool, err error) {
	have := map[string]bool{}
	for message, err := range m.Of(key).Messages(ctx, candidate) {
		if err != nil {
			return 0, "", false, nil // `sessions check` tells of it
		}
		have[message.UUID] = true
	}
	all = true
	err = messages(c.Agent, path, func(message *agent.Message) bool {
		if !have[message.UUID] {
			all = false
			return false
		}
		n, last = n+1, message.UUID
		return true
	})
	return n, last, all, err
}

// lasting reports whether a message has a name of its own: others are named by the number of their line.
func lasting(name string) bool { return name != "" && !strings.HasPrefix(name, "line-") }

// beginningWith returns the sessions of a project whose first message has a name.
func (m *Importer) beginningWith(ctx context.Context, key, first string) []string {
	if m.firsts == nil {
		m.firsts = map[string]map[string][]string{}
	}
	if m.firsts[key] == nil {
		m.firsts[key] = map[string][]string{}
		for sid, s := range m.Sessions {
			if s.Project == key {
				m.noteFirst(ctx, key, sid)
			}
		}
	}
	return m.firsts[key][first]
}

func (m *Importer) noteFirst(ctx context.Context, key, sid string) {
	for message, err := range m.Of(key).Messages(ctx, sid) {
		if err == nil && lasting(message.UUID) {
			m.firsts[key][message.UUID] = append(m.firsts[key][message.UUID], sid)
		}
		return
	}
}

var errStop = errors.New("stop")

// messages calls do with each message of a transcript that its agent's main conversation has, until do returns
// false.
func messages(t agent.AgentType, path string, do func(*agent.Message) bool) error {
	f, err := durable.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	each := func(list []agent.Message) error {
		for i := range list {
			if m := &list[i]; !m.Sidechain && m.AgentID == "" && !do(m) {
				return errStop
			}
		}
		return nil
	}
	n := conversation.NewNormalizer(t)
	in := bufio.NewReaderSize(f, 64<<10)
	if head, _ := in.Peek(64 << 10); agents.CountsMessages(t) && document.Is(head) {
		text, err := io.ReadAll(io.LimitReader(in, agent.MaxTranscript))
		if err != nil {
			return err
		}
		list, err := n.AddDocument(text)
		if err != nil {
			return err
		}
		_ = each(list) // it only says that it stopped
		return nil
	}
	var scratch []agent.Message
	_, err = agent.Lines(in, func(line []byte) error {
		scratch = n.AddLine(scratch[:0], line)
		return each(scratch)
	})
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}
