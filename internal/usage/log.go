package usage

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
)

// ErrRewound is returned by Log.AddLine for the record of a rewind: it changes what earlier lines mean, so a
// log that continues a stored one has to be read from its beginning.
var ErrRewound = errors.New("the conversation was rewound")

// An Answer is one answer of a model.
type Answer struct {
	Key    uint64 // the same in every session that has the answer
	Name   uint64 // of the answer in its session
	When   int64  // of its first message, in Unix nanoseconds; 0 if unknown
	Model  string // "" if unknown
	Tokens Tokens
	Sub    bool // a subagent's
	// Rewound says that a rewind took the answer out of the conversation, at RewoundAt (0 if unknown).
	Rewound   bool
	RewoundAt int64

	repeating bool // the answer is reported once more
	again     Tokens
}

// Time returns when the answer was given.
func (a Answer) Time() time.Time { return time.Unix(0, a.When) }

// A Log is what was read of a session's messages. The zero value is the log of an unread session.
type Log struct {
	Stamp   string // names what was read, for a source that is not read line by line
	End     int64  // of the last line that was read
	Answers []Answer
	Turns   []int64 // when each turn began, in Unix nanoseconds, oldest first

	last    int64 // the latest time so far
	resumed bool
	byName  map[uint64]int
}

// The marks of lines that count: a line without any of them counts nothing. In a text, quotes have a backslash.
var (
	usageMark  = []byte(`"usage":{`)
	userMark   = []byte(`"role":"user"`)
	rewindMark = []byte(`"rewind":{`)
)

// AddLine reads one line of a session's messages, which ends at end. It skips a line that is no message.
func (l *Log) AddLine(line []byte, end int64, rewound bool) error {
	l.End = end
	if bytes.Contains(line, rewindMark) && gjson.GetBytes(line, "rewind").IsObject() {
		if l.resumed {
			return ErrRewound
		}
		l.rewind(moment(gjson.GetBytes(line, "timestamp").String()))
		return nil
	}
	if !bytes.Contains(line, usageMark) && !bytes.Contains(line, userMark) || !gjson.ValidBytes(line) {
		return nil
	}
	l.add(readLine(line), rewound)
	return nil
}

// AddMessage reads one message of a session.
func (l *Log) AddMessage(m *agent.Message, rewound bool) {
	if m.Rewind != nil {
		l.rewind(nanos(m.Timestamp))
		return
	}
	r := record{uuid: m.UUID, role: m.Role, model: m.Model, answer: m.MessageID, when: nanos(m.Timestamp),
		sub: m.Sidechain || m.AgentID != "", injected: m.Injected}
	if m.Usage != nil {
		r.tokens = tokensOf(*m.Usage)
	}
	l.add(r, rewound)
}

// rewind notes when the answers were taken back that now are.
func (l *Log) rewind(at int64) {
	for i := range l.Answers {
		if a := &l.Answers[i]; a.Rewound && a.RewoundAt == 0 {
			a.RewoundAt = at
		}
	}
}

// A record is what a message says of tokens.
type record struct {
	uuid, role, model, answer string
	when                      int64
	tokens                    Tokens
	sub, injected             bool
}

func readLine(line []byte) (r record) {
	gjson.ParseBytes(line).ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "uuid":
			r.uuid = v.String()
		case "role":
			r.role = v.String()
		case "model":
			r.model = v.String()
		case "message_id":
			r.answer = v.String()
		case "timestamp":
			r.when = moment(v.String())
		case "agent_id":
			r.sub = r.sub || v.String() != ""
		case "sidechain":
			r.sub = r.sub || v.Bool()
		case "injected":
			r.injected = v.Bool()
		case "usage":
			r.tokens = tokensIn(v)
		}
		return true
	})
	return r
}

func tokensIn(v gjson.Result) Tokens {
	t := Tokens{Input: v.Get("input_tokens").Int(), CacheRead: v.Get("cache_read_tokens").Int(), CacheWrite: v.Get("cache_creation_tokens").Int(),
		Output: v.Get("output_tokens").Int(), Reasoning: v.Get("reasoning_tokens").Int(), HourWrite: v.Get("cache_creation_hour_tokens").Int()}
	if sub := v.Get("subagent_tokens"); sub.IsObject() {
		t = t.Add(tokensIn(sub))
	}
	return t
}

func (l *Log) add(r record, rewound bool) {
	key := r.key()
	if l.last = max(l.latest(), r.when); r.when == 0 {
		r.when = l.last
	}
	if r.role == agent.RoleUser && !r.sub && !r.injected && r.when != 0 {
		l.Turns = append(l.Turns, max(r.when, l.last)) // a clock may have been set back
	}
	if r.tokens == (Tokens{}) {
		return
	}
	name := hash(r.answer, r.uuid)
	if r.answer != "" {
		name = hash(r.answer)
	}
	if i, ok := l.names()[name]; ok {
		l.Answers[i].extend(r)
		l.Answers[i].Rewound = l.Answers[i].Rewound || rewound
		return
	}
	l.byName[name] = len(l.Answers)
	l.Answers = append(l.Answers, Answer{Key: key, Name: name, When: r.when, Model: r.model, Tokens: r.tokens, Sub: r.sub, Rewound: rewound})
}

// latest returns the time of a message that has none: that of the latest before it.
func (l *Log) latest() int64 {
	for _, a := range l.Answers[max(len(l.Answers)-1, 0):] {
		l.last = max(l.last, a.When)
	}
	for _, at := range l.Turns[max(len(l.Turns)-1, 0):] {
		l.last = max(l.last, at)
	}
	return l.last
}

func (l *Log) names() map[uint64]int {
	if l.byName == nil {
		l.byName = make(map[uint64]int, len(l.Answers))
		for i, a := range l.Answers {
			l.byName[a.Name] = i
		}
	}
	return l.byName
}

// extend adds what a further message of the answer reports. A message usually reports what it adds; one that
// was written again, long after, reports everything again.
func (a *Answer) extend(r record) {
	if r.model != "" && a.Model == "" {
		a.Model = r.model
	}
	switch {
	case r.tokens.Prompt() > 0 && r.tokens.Prompt() == a.Tokens.Prompt():
		a.repeating, a.again = true, r.tokens
	case a.repeating:
		a.again = a.again.Add(r.tokens)
	default:
		a.Tokens = a.Tokens.Add(r.tokens)
	}
	if a.again.Output > a.Tokens.Output {
		a.Tokens = a.again
	}
}

// key returns what names the answer in every session that has it. An agent's copy of a conversation keeps an
// answer's name and time; a name that is only a line's number does not count.
func (r record) key() uint64 {
	name := r.answer
	if name == "" && !strings.HasPrefix(r.uuid, "line-") {
		name = r.uuid
	}
	if r.when == 0 {
		return hash(name, r.uuid, r.model, strconv.FormatInt(r.tokens.Prompt(), 10))
	}
	return hash(name, strconv.FormatInt(r.when, 10), r.model)
}

func hash(parts ...string) uint64 {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return binary.LittleEndian.Uint64(sum[:])
}

func moment(text string) int64 {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return 0
	}
	return nanos(at)
}

// nanos returns a time that a transcript can have in Unix nanoseconds; 0 for any other.
func nanos(at time.Time) int64 {
	if at.Year() < 1970 || at.Year() > 2200 {
		return 0
	}
	return at.UnixNano()
}
