package index

import (
	"encoding/json"
	"maps"
	"math"
	"slices"

	"entire/agent"
	"entire/session/internal/conversation"
	"entire/session/internal/layout"
)

// ListMagic begins the index of conversations. It has the frame that an Encoder seals, as the
// index of states has, and entries of its own. It is a cache too.
const ListMagic = "entire conversations index 3\n"

// A ListEntry is one session as the index knows it.
type ListEntry struct {
	Name  string       // the name of its folder
	Stamp layout.Stamp // the stamp of metadata.json
	Known bool         // false if meta cannot be read and is empty
	Meta  conversation.SessionMetadata
}

// A ListIndex holds what was read of the sessions, and when.
type ListIndex struct {
	Begun    int64       // the file system's clock before the first session was read, in ns
	Sessions []ListEntry // in ascending order of name
}

// Encode returns the complete file.
func (x ListIndex) Encode() []byte {
	e := Encoder{Table: map[string]uint64{}}
	for i := range x.Sessions {
		e.listEntry(&x.Sessions[i])
	}
	return e.Seal(ListMagic, x.Begun, len(x.Sessions))
}

func (e *Encoder) listEntry(l *ListEntry) {
	e.Text(l.Name)
	e.Stamp(l.Stamp)
	e.Flag(l.Known)
	if !l.Known {
		return
	}
	m := &l.Meta
	for _, s := range texts(m) {
		e.Text(*s)
	}
	for _, n := range []int{m.MessageCount, m.TurnCount, m.TotalTokens, m.Rewinds} {
		e.Int(int64(n))
	}
	e.uint(math.Float64bits(m.TotalCostUSD))
	e.Time(m.CreatedAt)
	e.Time(m.UpdatedAt)
	e.Int(m.Counted)
	e.Flag(m.EndedAt != nil)
	if m.EndedAt != nil {
		e.Time(*m.EndedAt)
	}
	e.usage(m.Usage)
	e.list(m.Tags)
	e.list(m.Branches)
	e.touched(m.Touched)
	e.uint(uint64(len(m.Unknown)))
	for _, f := range m.Unknown {
		e.Text(f.Key)
		e.Text(string(f.Raw))
	}
}

// texts returns the text fields in the order in which they are written, without the ID, which
// is the folder's name.
func texts(m *conversation.SessionMetadata) []*string {
	return []*string{&m.ProjectHash, &m.CWD, &m.Model, &m.ExitReason, &m.ParentID, &m.ForkPoint, &m.AgentName,
		(*string)(&m.AgentType), &m.Title, &m.TitleBy, &m.LastMessage}
}

func (e *Encoder) usage(u *agent.TokenUsage) {
	e.Flag(u != nil)
	if u == nil {
		return
	}
	for _, n := range []int{u.InputTokens, u.CacheCreationTokens, u.CacheReadTokens, u.OutputTokens, u.APICallCount, u.CacheCreationHourTokens, u.ReasoningTokens} {
		e.Int(int64(n))
	}
	e.usage(u.SubagentTokens)
}

// DecodeList reads what Encode wrote.
func DecodeList(data []byte) (x ListIndex, err error) {
	x.Begun, x.Sessions, err = Decode(data, ListMagic, (*Decoder).listEntry, func(l *ListEntry) string { return l.Name })
	return x, err
}

func (d *Decoder) listEntry(l *ListEntry) {
	l.Name = d.Text()
	l.Stamp = d.Stamp()
	l.Known = d.Flag()
	if !l.Known || d.Bad {
		return
	}
	m := &l.Meta
	m.ID = d.Session(l.Name).String()
	for _, s := range texts(m) {
		*s = d.Text()
	}
	m.MessageCount, m.TurnCount, m.TotalTokens, m.Rewinds = int(d.Int()), int(d.Int()), int(d.Int()), int(d.Int())
	m.TotalCostUSD = math.Float64frombits(d.uint())
	m.CreatedAt, m.UpdatedAt, m.Counted = d.Time(), d.Time(), d.Int()
	if d.Flag() {
		at := d.Time()
		m.EndedAt = &at
	}
	m.Usage = d.usage(usageDepth)
	m.Tags, m.Branches, m.Touched = d.list(), d.list(), d.touched()
	for range d.Length() {
		m.Unknown = append(m.Unknown, layout.Field{Key: d.Text(), Raw: json.RawMessage(d.Text())})
	}
}

// usageDepth bounds how deep the usage of subagents may be nested; no agent nests any.
const usageDepth = 8

func (d *Decoder) usage(depth int) *agent.TokenUsage {
	if !d.Flag() {
		return nil
	}
	if depth == 0 {
		d.fail()
		return nil
	}
	u := new(agent.TokenUsage)
	for _, n := range []*int{&u.InputTokens, &u.CacheCreationTokens, &u.CacheReadTokens, &u.OutputTokens, &u.APICallCount, &u.CacheCreationHourTokens, &u.ReasoningTokens} {
		*n = int(d.Int())
	}
	u.SubagentTokens = d.usage(depth - 1)
	return u
}

func (e *Encoder) list(texts []string) {
	e.uint(uint64(len(texts)))
	for _, t := range texts {
		e.Text(t)
	}
}

func (d *Decoder) list() (out []string) {
	for range d.Length() {
		out = append(out, d.Text())
	}
	return out
}

func (e *Encoder) touched(t *conversation.Touched) {
	e.Flag(t != nil)
	if t == nil {
		return
	}
	for _, counts := range []map[string]int{t.Folders, t.Languages} {
		e.uint(uint64(len(counts)))
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			e.Text(name)
			e.Int(int64(counts[name]))
		}
	}
}

func (d *Decoder) touched() *conversation.Touched {
	if !d.Flag() {
		return nil
	}
	t := &conversation.Touched{}
	for _, counts := range []*map[string]int{&t.Folders, &t.Languages} {
		n := d.Length()
		if n == 0 {
			continue
		}
		*counts = make(map[string]int, n)
		for range n {
			name := d.Text()
			(*counts)[name] = int(d.Int())
		}
	}
	return t
}
