package session

import (
	"encoding/json"
	"maps"
	"math"
	"slices"

	"entire/agent"
)

// The index of conversations has the same frame as that of states, see indexMagic, and records
// of its own. It is a cache too.
const listMagic = "entire conversations index 2\n"

// A listed is one session as the index knows it.
type listed struct {
	name  string // the name of its folder
	stamp stamp  // the stamp of metadata.json
	known bool   // false if meta cannot be read and is empty
	meta  SessionMetadata
}

// A listIndex holds what was read of the sessions, and when.
type listIndex struct {
	begun    int64    // the file system's clock before the first session was read, in ns
	sessions []listed // in ascending order of name
}

func (x listIndex) encode() []byte {
	e := encoder{table: map[string]uint64{}}
	for i := range x.sessions {
		e.listed(&x.sessions[i])
	}
	return e.seal(listMagic, x.begun, len(x.sessions))
}

func (e *encoder) listed(l *listed) {
	e.text(l.name)
	e.stamp(l.stamp)
	e.flag(l.known)
	if !l.known {
		return
	}
	m := &l.meta
	for _, s := range m.texts() {
		e.text(*s)
	}
	for _, n := range []int{m.MessageCount, m.TurnCount, m.TotalTokens, m.Rewinds} {
		e.int(int64(n))
	}
	e.uint(math.Float64bits(m.TotalCostUSD))
	e.time(m.CreatedAt)
	e.time(m.UpdatedAt)
	e.int(m.counted)
	e.flag(m.EndedAt != nil)
	if m.EndedAt != nil {
		e.time(*m.EndedAt)
	}
	e.usage(m.Usage)
	e.list(m.Tags)
	e.list(m.Branches)
	e.touched(m.Touched)
	e.uint(uint64(len(m.unknown)))
	for _, f := range m.unknown {
		e.text(f.key)
		e.text(string(f.raw))
	}
}

// texts returns the text fields in the order in which they are written, without the ID, which
// is the folder's name.
func (m *SessionMetadata) texts() []*string {
	return []*string{&m.ProjectHash, &m.CWD, &m.Model, &m.ExitReason, &m.ParentID, &m.ForkPoint, &m.AgentName,
		(*string)(&m.AgentType), &m.Title, &m.TitleBy, &m.LastMessage}
}

func (e *encoder) usage(u *agent.TokenUsage) {
	e.flag(u != nil)
	if u == nil {
		return
	}
	for _, n := range []int{u.InputTokens, u.CacheCreationTokens, u.CacheReadTokens, u.OutputTokens, u.APICallCount} {
		e.int(int64(n))
	}
	e.usage(u.SubagentTokens)
}

// decodeList reads what encode wrote. The result shares no memory with data.
func decodeList(data []byte) (listIndex, error) {
	body, err := unseal(data, listMagic)
	if err != nil {
		return listIndex{}, err
	}
	return decodeListBody(body)
}

func decodeListBody(body string) (listIndex, error) {
	d := decoder{rest: body}
	x := listIndex{begun: d.int()}
	d.table()
	x.sessions = make([]listed, d.length())
	for i := range x.sessions {
		d.listed(&x.sessions[i])
		if i > 0 && x.sessions[i].name <= x.sessions[i-1].name {
			d.fail()
		}
	}
	if d.bad || d.rest != "" {
		return listIndex{}, errIndex
	}
	return x, nil
}

func (d *decoder) listed(l *listed) {
	l.name = d.text()
	l.stamp = d.stamp()
	l.known = d.flag()
	if !l.known || d.bad {
		return
	}
	m := &l.meta
	m.ID = d.session(l.name).String()
	for _, s := range m.texts() {
		*s = d.text()
	}
	m.MessageCount, m.TurnCount, m.TotalTokens, m.Rewinds = int(d.int()), int(d.int()), int(d.int()), int(d.int())
	m.TotalCostUSD = math.Float64frombits(d.uint())
	m.CreatedAt, m.UpdatedAt, m.counted = d.time(), d.time(), d.int()
	if d.flag() {
		at := d.time()
		m.EndedAt = &at
	}
	m.Usage = d.usage(usageDepth)
	m.Tags, m.Branches, m.Touched = d.list(), d.list(), d.touched()
	for range d.length() {
		m.unknown = append(m.unknown, field{d.text(), json.RawMessage(d.text())})
	}
}

// usageDepth bounds how deep the usage of subagents may be nested; no agent nests any.
const usageDepth = 8

func (d *decoder) usage(depth int) *agent.TokenUsage {
	if !d.flag() {
		return nil
	}
	if depth == 0 {
		d.fail()
		return nil
	}
	u := new(agent.TokenUsage)
	for _, n := range []*int{&u.InputTokens, &u.CacheCreationTokens, &u.CacheReadTokens, &u.OutputTokens, &u.APICallCount} {
		*n = int(d.int())
	}
	u.SubagentTokens = d.usage(depth - 1)
	return u
}

func (e *encoder) list(texts []string) {
	e.uint(uint64(len(texts)))
	for _, t := range texts {
		e.text(t)
	}
}

func (d *decoder) list() (out []string) {
	for range d.length() {
		out = append(out, d.text())
	}
	return out
}

func (e *encoder) touched(t *Touched) {
	e.flag(t != nil)
	if t == nil {
		return
	}
	for _, counts := range []map[string]int{t.Folders, t.Languages} {
		e.uint(uint64(len(counts)))
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			e.text(name)
			e.int(int64(counts[name]))
		}
	}
}

func (d *decoder) touched() *Touched {
	if !d.flag() {
		return nil
	}
	t := &Touched{}
	for _, counts := range []*map[string]int{&t.Folders, &t.Languages} {
		n := d.length()
		if n == 0 {
			continue
		}
		*counts = make(map[string]int, n)
		for range n {
			name := d.text()
			(*counts)[name] = int(d.int())
		}
	}
	return t
}
