package intake

import (
	"bufio"
	"context"
	"errors"
	"hash/maphash"
	"io"
	"math"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/internal/durable"
	"entire/internal/rescue"
)

// begins returns the stored session with which a conversation begins, and the last message that they share; whole
// says that the conversation has no others. of is "" if there is none.
func (m *Importer) begins(ctx context.Context, c *rescue.Conversation, path, key string) (at, of string, whole bool, err error) {
	if c.ParentBytes > 0 {
		at, err = m.lastOf(ctx, c, key)
		if at == "" {
			return "", "", false, err
		}
		return at, c.Parent, false, err
	}
	return m.shared(ctx, c, path, key)
}

// lastOf returns the last message of the part of its parent that a conversation continues; "" if the parent is not
// stored.
func (m *Importer) lastOf(ctx context.Context, c *rescue.Conversation, key string) (last string, err error) {
	parent := m.Sessions[c.Parent]
	if parent.Project != key || parent.Agent != c.Agent || m.Transcripts[c.Parent] == "" {
		return "", nil
	}
	path, done, err := m.Plain(m.Transcripts[c.Parent])
	if err != nil {
		return "", nil // the conversation is stored without its beginning
	}
	defer done()
	err = messages(c.Agent, path, c.ParentBytes, func(message *agent.Message) bool {
		last = message.UUID
		return true
	})
	if err != nil {
		return "", err
	}
	for message, err := range m.Of(key).Messages(ctx, c.Parent) {
		if err == nil && message.UUID == last {
			return last, nil
		}
	}
	return "", nil
}

// shared returns the stored session whose messages a conversation begins with, and the last message of it that they
// share; whole says that it has no others. of is "" if there is none.
func (m *Importer) shared(ctx context.Context, c *rescue.Conversation, path, key string) (at, of string, whole bool, err error) {
	first := ""
	err = messages(c.Agent, path, 0, func(message *agent.Message) bool {
		first = message.UUID
		return !lasting(first)
	})
	if err != nil || !lasting(first) {
		return "", "", false, err
	}
	best := 0
	for _, candidate := range m.beginningWith(ctx, key, first) {
		if m.Sessions[candidate].Agent != c.Agent {
			continue
		}
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
	have := map[string]known{}
	for message, err := range m.Of(key).Messages(ctx, candidate) {
		if err != nil {
			return 0, "", false, nil // `sessions check` tells of it
		}
		have[message.UUID] = knownOf(&message, message.Content)
	}
	all = true
	err = messages(c.Agent, path, 0, func(message *agent.Message) bool {
		if !lasting(message.UUID) {
			return true // its name is the number of its line, which a fork changes
		}
		if was, ok := have[message.UUID]; !ok || !m.same(was, message) {
			all = false
			return false
		}
		n, last = n+1, message.UUID
		return true
	})
	return n, last, all, err
}

// A known is what tells a message from another one of the same name: some agents' names are short.
type known struct {
	role    string
	at      int64
	content uint64
}

var seed = maphash.MakeSeed() // the hashes are never stored

func knownOf(m *agent.Message, content string) known {
	k := known{role: m.Role, content: maphash.String(seed, content)}
	if !m.Timestamp.IsZero() {
		k.at = m.Timestamp.UnixNano()
	}
	return k
}

// same reports whether a message is the stored one.
func (m *Importer) same(stored known, message *agent.Message) bool {
	now := knownOf(message, "")
	if stored.role != now.role {
		return false
	}
	return now.at != 0 && stored.at == now.at || stored.content == maphash.String(seed, string(m.Redact([]byte(message.Content))))
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
		if err == nil && !lasting(message.UUID) {
			continue
		}
		if err == nil {
			m.firsts[key][message.UUID] = append(m.firsts[key][message.UUID], sid)
		}
		return
	}
}

var errStop = errors.New("stop")

// messages calls do with each message of a transcript, or of its first limit bytes, that its agent's main
// conversation has, until do returns false.
func messages(t agent.AgentType, path string, limit int64, do func(*agent.Message) bool) error {
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
	if limit == 0 {
		limit = math.MaxInt64
	}
	in := bufio.NewReaderSize(io.LimitReader(f, limit), 64<<10)
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
