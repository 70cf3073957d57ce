package feed

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strconv"
	"strings"

	"entire/agent"
	"entire/session"
)

// This file finds out that a conversation was taken back, from what the transcript
// is: it begins as what is stored does, and ends or goes on otherwise before the
// last message. Whoever took it back need not tell, and who was killed in between
// has lost nothing. The same way it is found that it was brought forth again.

// taken is what is written of it into the store for people to read.
const taken = "The conversation was taken back to here."

// said is what the store's conversation is made of, in order.
type said struct {
	names []string // of all messages that were ever said
	main  []bool   // by the agent itself, not by a subagent
	at    map[string]int
	first string // of the main ones
	last  string
	tip   string // of those that were not taken back
}

func (k *said) add(m session.Entry) {
	main := !m.Sidechain && m.AgentID == ""
	k.at[m.UUID] = len(k.names)
	k.names, k.main = append(k.names, m.UUID), append(k.main, main)
	if !main {
		return
	}
	k.first, k.last = cmp.Or(k.first, m.UUID), m.UUID
	if !m.Rewound {
		k.tip = m.UUID
	}
}

// reach is the last message that belongs to what was said when name was the last of
// the agent's own: what its subagents said comes after it. seen has it no more where
// it was taken back too.
func (k *said) reach(name string, gone func(string) bool) string {
	to := name
	for i := k.at[name] + 1; i < len(k.names) && !k.main[i]; i++ {
		if !gone(k.names[i]) {
			to = k.names[i]
		}
	}
	return to
}

// retrace is the reading again of the session's transcript.
type retrace struct {
	from string // the first message
	last string // the latest of those that are known
	was  string // the last of the conversation as the store has it
	over bool   // what comes now is new, or not to be told from that
	// streamOver is over for the agent's stream.
	streamOver bool
	// copy is that of a file that nothing was read from before: it may be an old copy,
	// and says nothing of where the conversation is.
	copy bool
}

// meet takes note of messages that the transcript gives, before those that are known
// are taken out. It reports whether one of them is the first that is not.
func (s *sitting) meet(aid string, messages []agent.Message) (isNew bool) {
	r := s.retrace
	if aid != "" && s.known != nil {
		for i := range messages {
			s.known.seen[messages[i].UUID] = true
		}
	}
	if r == nil || aid != "" {
		return false
	}
	for i := range messages {
		m := &messages[i]
		if m.Sidechain || m.AgentID != "" {
			continue
		}
		r.from = cmp.Or(r.from, m.UUID)
		switch {
		case r.over:
		case s.known.messages[m.UUID]:
			r.last = m.UUID
		default:
			return true
		}
	}
	return false
}

// divides is called for the first line that is not known, and for the first message:
// after a kill the line may be there without it. Where the conversation goes on from
// an earlier place, the store is told before it has either.
func (s *sitting) divides(rest io.Reader, line bool) error {
	r := s.retrace
	if line {
		r.streamOver = true
	}
	there, err := contains(rest, `"`+agent.RecordUUID(r.was)+`"`)
	if err != nil || there { // a line before the end was changed
		r.over = true
		return err
	}
	if line {
		s.streamBack()
	}
	if r.over {
		return nil
	}
	r.over = true
	return s.wentBack(func(string) bool { return false })
}

// follows reports whether the transcript begins as what is stored does.
func (s *sitting) follows() bool {
	r := s.retrace
	return !r.copy && r.last != "" && r.from == s.known.said.first
}

// wentBack writes down that the conversation is not where the store has it.
func (s *sitting) wentBack(gone func(string) bool) error {
	r, k := s.retrace, s.known
	if !s.follows() || r.last == k.said.tip {
		return nil
	}
	m, err := s.store.RewindRecord(k.said.reach(r.last, gone), taken)
	if err != nil {
		return err
	}
	s.batch.messages = append(s.batch.messages, m)
	k.said.tip, s.pos.Tip, s.moved, s.back = r.last, r.last, true, true
	return nil
}

// streamBack is wentBack for the agent's own stream, which is written first.
func (s *sitting) streamBack() {
	raw := s.known.raw[""]
	if !s.follows() || raw == nil || raw.head < 0 || raw.head == raw.tip {
		return
	}
	s.batch.raw = append(append(s.batch.raw, session.StreamRewind(raw.ends[raw.head])...), '\n')
	raw.tip, raw.records, s.moved = raw.head, raw.records+1, true
}

// retraced is called when all was read: a transcript may end where the store does
// not.
func (s *sitting) retraced() error {
	r := s.retrace
	if r == nil {
		return nil
	}
	if !r.streamOver {
		s.streamBack()
	}
	if r.over {
		return nil
	}
	gone := func(name string) bool { return s.known.shorter[s.known.agents[name]] && !s.known.seen[name] }
	err := s.wentBack(gone)
	s.pos.Main.Again = r.last != s.known.said.last
	return err
}

// contains looks for a text in what is left of a file.
func contains(rest io.Reader, text string) (bool, error) {
	if text == `""` {
		return false, nil
	}
	buf, held := make([]byte, 256<<10), 0
	for {
		n, err := rest.Read(buf[held:])
		held += n
		if bytes.Contains(buf[:held], []byte(text)) {
			return true, nil
		}
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		held = copy(buf, buf[max(0, held-len(text)):held])
	}
}

// eraFrom says that the lines of a transcript from one on are what they are since
// the conversation was taken back for the n-th time. Lines that have no name of
// their own are named by their number, which another line had before.
type eraFrom struct {
	Line int `json:"line"`
	Era  int `json:"era"`
}

// rename gives the messages of the line that was just read, of an era, names that no
// others have.
func (st *stream) rename(messages []agent.Message, era int) {
	if n := len(st.Eras); n == 0 && era > 0 || n > 0 && st.Eras[n-1].Era != era {
		st.Eras = append(st.Eras, eraFrom{st.normalizer.Lines, era})
	}
	if len(st.Eras) == 0 {
		return
	}
	for i := range messages {
		m := &messages[i]
		m.UUID, m.ParentUUID = st.nameOf(m.UUID), st.nameOf(m.ParentUUID)
	}
}

func (st *stream) nameOf(name string) string {
	number, numbered := strings.CutPrefix(name, "line-")
	if !numbered {
		return name
	}
	number, piece, pieces := strings.Cut(number, "#")
	line, err := strconv.Atoi(number)
	if err != nil {
		return name
	}
	era := 0
	for _, e := range st.Eras {
		if e.Line <= line {
			era = e.Era
		}
	}
	if era == 0 {
		return name
	}
	name = "line-" + number + "." + strconv.Itoa(era)
	if pieces {
		name += "#" + piece
	}
	return name
}

// era is the present one of a stream.
func (st *stream) era() int {
	if n := len(st.Eras); n > 0 {
		return st.Eras[n-1].Era
	}
	return 0
}

// rawLines is what is stored of a stream.
type rawLines struct {
	at   map[string][]int // by digest
	used []bool
	pred []int   // the line before it when it was written, -1 for none
	ends []int64 // bytes
	eras []int

	records   int  // how often the stream was taken back
	tip       int  // the last line of it as it is
	head      int  // the last that was read again
	fromStart bool // it is read from its first line
	fresh     bool // the line before was new
}

func newRawLines(fromStart bool) *rawLines {
	return &rawLines{at: map[string][]int{}, tip: -1, head: -1, fromStart: fromStart}
}

// add takes note of a stored line, which ends at end.
func (r *rawLines) add(line []byte, end int64) {
	if n, is := session.RewoundTo(line); is {
		r.records++
		r.tip = -1
		for i, e := range r.ends {
			if e <= n {
				r.tip = i
			}
		}
		r.used, r.pred, r.ends, r.eras = append(r.used, true), append(r.pred, r.tip), append(r.ends, 1<<62), append(r.eras, r.records)
		return
	}
	d, i := digest(line), len(r.used)
	r.at[d] = append(r.at[d], i)
	r.used, r.pred, r.ends, r.eras = append(r.used, false), append(r.pred, r.tip), append(r.ends, end), append(r.eras, r.records)
	r.tip = i
}

// has reports whether a line is stored already, once for each time that it is, and
// in which era it was written. A line that has no UUID may be the same as any other:
// it is known only where it follows the line that it follows there.
func (r *rawLines) has(line []byte) (era int, known bool) {
	if r == nil {
		return 0, false
	}
	named := bytes.Contains(line, []byte(`"uuid"`))
	for _, i := range r.at[digest(line)] {
		if r.used[i] || !named && (r.fresh || r.fromStart && r.head >= 0 && r.pred[i] != r.head) {
			continue
		}
		r.used[i], r.head, r.fresh = true, i, false
		return r.eras[i], true
	}
	r.fresh = true
	return r.records, false
}

// readHistory takes note of everything that was ever said.
func (s *sitting) readHistory() error {
	k := s.known
	if k.all {
		return nil
	}
	k.all, k.said, k.agents = true, said{at: map[string]int{}}, map[string]string{}
	for m, err := range s.store.History(s.ctx, s.sid) {
		var bad *session.BadLineError
		switch {
		case errors.As(err, &bad):
		case err != nil:
			return err
		case m.Rewind == nil:
			k.messages[m.UUID] = true
			k.said.add(m)
			if m.AgentID != "" {
				k.agents[m.UUID] = m.AgentID
			}
		}
	}
	return nil
}

// usual reports that a document is what it was, and what is new in it at its end.
func (s *sitting) usual(doc []byte, fresh []agent.Message) bool {
	ids, ok := agent.MessageIDs(doc)
	if !ok || s.known != nil {
		return !ok
	}
	isNew := map[string]bool{}
	for _, m := range fresh {
		isNew[agent.RecordUUID(m.UUID)] = true
	}
	i := lastIndex(ids, agent.RecordUUID(s.pos.Tip))
	return s.pos.Tip == "" || i >= 0 && allNew(ids[i+1:], isNew)
}

// documentDivides is divides for all the messages of a document.
func (s *sitting) documentDivides(messages []agent.Message) error {
	r, k := s.retrace, s.known
	if r == nil {
		return nil
	}
	i := 0
	for i < len(messages) && k.messages[messages[i].UUID] {
		i++
	}
	s.meet("", messages[:i])
	if i == len(messages) {
		return nil
	}
	r.over = true
	for _, m := range messages[i:] {
		if m.UUID == k.said.tip { // something before the end was changed
			return nil
		}
	}
	return s.wentBack(func(string) bool { return false })
}

func lastIndex(list []string, name string) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == name {
			return i
		}
	}
	return -1
}

func allNew(ids []string, isNew map[string]bool) bool {
	for _, name := range ids {
		if name != "" && !isNew[name] {
			return false
		}
	}
	return true
}
