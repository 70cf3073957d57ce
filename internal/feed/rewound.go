package feed

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strconv"
	"strings"

	"entire/agent"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/session"
)

// This file detects from the transcript alone that a conversation was rewound: the transcript begins
// like the stored conversation and ends, or continues differently, before the last message. It needs
// no event for this, so a killed process loses nothing. In the same way it detects that a rewound
// conversation was restored.

// rewindText is the text of the stored rewind record, for readers of the session.
const rewindText = "The conversation was taken back to here."

// sessionMessages is the stored conversation, in order.
type sessionMessages struct {
	names []string // all messages ever stored
	main  []bool   // by the agent itself, not by a subagent
	at    map[string]int
	first string // first message of the agent itself
	last  string
	tip   string // last message that was not rewound
}

func (k *sessionMessages) add(m session.Entry) {
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

// reach returns the last message that belongs to the message name of the agent itself: those of its
// subagents follow it. Messages for which gone is true were rewound too.
func (k *sessionMessages) reach(name string, gone func(string) bool) string {
	to := name
	for i := k.at[name] + 1; i < len(k.names) && !k.main[i]; i++ {
		if !gone(k.names[i]) {
			to = k.names[i]
		}
	}
	return to
}

// reread is the state of reading the session's transcript again.
type reread struct {
	from string // first message in the transcript
	last string // latest message that is stored already
	was  string // last message of the stored conversation
	over bool   // further messages are new, or may be
	// streamOver is over, for the raw stream.
	streamOver bool
	// copy says that nothing was read from this file before. It may be an old copy, so its end does
	// not show a rewind.
	copy bool
}

// noteMessages records messages of the transcript before the stored ones are removed. It reports whether one
// of them is the first new message.
func (s *eventRun) noteMessages(aid string, messages []agent.Message) (isNew bool) {
	r := s.reread
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

// firstNew is called for the first new line and for the first new message (after a kill, the line may
// be stored without it). If the conversation continues from an earlier message, the rewind is stored
// before either.
func (s *eventRun) firstNew(rest io.Reader, line bool) error {
	r := s.reread
	if line {
		r.streamOver = true
	}
	there, err := contains(rest, `"`+conversation.RecordUUID(r.was)+`"`)
	if err != nil || there { // only an earlier line was changed
		r.over = true
		return err
	}
	if line {
		s.recordStreamRewind()
	}
	if r.over {
		return nil
	}
	r.over = true
	return s.recordRewind(func(string) bool { return false })
}

// sharesStart reports whether the transcript begins like the stored conversation.
func (s *eventRun) sharesStart() bool {
	r := s.reread
	return !r.copy && r.last != "" && r.from == s.known.conversation.first
}

// recordRewind stores a rewind of the conversation to the last known message.
func (s *eventRun) recordRewind(gone func(string) bool) error {
	r, k := s.reread, s.known
	if !s.sharesStart() || r.last == k.conversation.tip {
		return nil
	}
	m, err := s.store.RewindRecord(k.conversation.reach(r.last, gone), rewindText)
	if err != nil {
		return err
	}
	s.batch.messages = append(s.batch.messages, m)
	k.conversation.tip, s.pos.Tip, s.changed, s.rewound = r.last, r.last, true, true
	return nil
}

// recordStreamRewind stores the rewind in the raw stream, which is written first.
func (s *eventRun) recordStreamRewind() {
	raw := s.known.raw[""]
	if !s.sharesStart() || raw == nil || raw.head < 0 || raw.head == raw.tip {
		return
	}
	s.batch.raw = append(append(s.batch.raw, session.StreamRewind(raw.ends[raw.head])...), '\n')
	raw.tip, raw.records, s.changed = raw.head, raw.records+1, true
}

// finishReread is called at the end of the transcript. If the transcript ends before the stored
// conversation, it stores a rewind.
func (s *eventRun) finishReread() error {
	r := s.reread
	if r == nil {
		return nil
	}
	if !r.streamOver {
		s.recordStreamRewind()
	}
	if r.over {
		return nil
	}
	gone := func(name string) bool { return s.known.shorter[s.known.agents[name]] && !s.known.seen[name] }
	err := s.recordRewind(gone)
	s.pos.Main.Rewound = r.last != s.known.conversation.last
	return err
}

// contains reports whether the rest of a file contains text.
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

// eraStart says that the lines from Line on were written after the conversation's Era-th rewind. Lines
// without an ID are named by their number, which an earlier line may have had.
type eraStart struct {
	Line int `json:"line"`
	Era  int `json:"era"`
}

// rename gives the messages of the last line, which is of the given era, unique names.
func (st *stream) rename(messages []agent.Message, era int) {
	if n := len(st.Eras); n == 0 && era > 0 || n > 0 && st.Eras[n-1].Era != era {
		st.Eras = append(st.Eras, eraStart{st.normalizer.Lines, era})
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

// era returns the stream's current era.
func (st *stream) era() int {
	if n := len(st.Eras); n > 0 {
		return st.Eras[n-1].Era
	}
	return 0
}

// readHistory reads all messages ever stored.
func (s *eventRun) readHistory() error {
	k := s.known
	if k.all {
		return nil
	}
	k.all, k.conversation, k.agents = true, sessionMessages{at: map[string]int{}}, map[string]string{}
	for m, err := range s.store.History(s.ctx, s.sid) {
		var bad *session.BadLineError
		switch {
		case errors.As(err, &bad):
		case err != nil:
			return err
		case m.Rewind == nil:
			k.messages[m.UUID] = true
			k.conversation.add(m)
			if m.AgentID != "" {
				k.agents[m.UUID] = m.AgentID
			}
		}
	}
	return nil
}

// onlyAppended reports whether a document only has new messages at its end.
func (s *eventRun) onlyAppended(doc []byte, fresh []agent.Message) bool {
	ids, ok := document.MessageIDs(doc)
	if !ok || s.known != nil {
		return !ok
	}
	isNew := map[string]bool{}
	for _, m := range fresh {
		isNew[conversation.RecordUUID(m.UUID)] = true
	}
	i := lastIndex(ids, conversation.RecordUUID(s.pos.Tip))
	return s.pos.Tip == "" || i >= 0 && allNew(ids[i+1:], isNew)
}

// firstNewInDocument does what firstNew does, for the messages of a document.
func (s *eventRun) firstNewInDocument(messages []agent.Message) error {
	r, k := s.reread, s.known
	if r == nil {
		return nil
	}
	i := 0
	for i < len(messages) && k.messages[messages[i].UUID] {
		i++
	}
	s.noteMessages("", messages[:i])
	if i == len(messages) {
		return nil
	}
	r.over = true
	for _, m := range messages[i:] {
		if m.UUID == k.conversation.tip { // only an earlier message was changed
			return nil
		}
	}
	return s.recordRewind(func(string) bool { return false })
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
