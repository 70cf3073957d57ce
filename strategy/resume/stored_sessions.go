package resume

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"entire/agent/agents"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/session"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
)

// StoredSessions reads conversations from the local metadata branch and from the remote-tracking
// ones, including those of sessions that never ran in this clone. Every call reads the present
// state of the branches, except within [StoredSessions.Hold]. Not safe for concurrent use.
type StoredSessions struct {
	s       *sessionstate.Env
	records *records.Reader

	cachedState records.State // when cached was read
	cached      map[string]*storedConversation
	parts       []Part
	held        bool // cached is used as it is
}

var _ session.Reader = (*StoredSessions)(nil)

// OpenStoredSessions returns a reader of the conversations that the repository's checkpoints hold.
func OpenStoredSessions(s *sessionstate.Env) *StoredSessions {
	return &StoredSessions{s: s, records: records.NewReader(s.Repo)}
}

// StoredSession is a session as its latest checkpoint holds it.
type StoredSession struct {
	session.SessionMetadata // CWD is "": it named a folder of another machine
	// Counted is true if the numbers of messages, turns and tokens are known. They are unknown if
	// the checkpoint, written by another tool or an earlier version, holds only a transcript.
	Counted     bool
	Checkpoints []id.CheckpointID // that hold the session, sorted by ID
	Latest      id.CheckpointID   // the one whose conversation is read
}

// List returns the metadata of all sessions, the last updated first.
func (c *StoredSessions) List(ctx context.Context) ([]session.SessionMetadata, error) {
	all, err := c.All(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]session.SessionMetadata, len(all))
	for i, s := range all {
		list[i] = s.SessionMetadata
	}
	return list, nil
}

// Hold calls do, in which all calls read the state that the branches have now or had at the last call: finding out
// whether they changed takes a git process, which is much for each of a thousand sessions.
func (c *StoredSessions) Hold(do func() error) error {
	defer func(before bool) { c.held = before }(c.held)
	c.held = true
	return do()
}

// All is [StoredSessions.List] with the checkpoints that hold each session.
func (c *StoredSessions) All(ctx context.Context) ([]StoredSession, error) {
	held, err := c.conversations(ctx)
	if err != nil {
		return nil, err
	}
	var all []StoredSession
	for _, h := range held {
		s, err := c.listed(ctx, h)
		if err != nil {
			c.s.Log.Warn("stored session not readable", "session_id", h.latest.SessionID, "err", err)
			continue
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b StoredSession) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), strings.Compare(a.ID, b.ID))
	})
	return all, nil
}

// Parts returns what lists show of each session in each checkpoint, sorted by checkpoint.
func (c *StoredSessions) Parts(ctx context.Context) ([]Part, error) {
	_, err := c.conversations(ctx)
	return c.parts, err
}

// Get returns the session with exactly this ID. The error is session.ErrNotFound if no
// checkpoint holds it.
func (c *StoredSessions) Get(ctx context.Context, sessionID string) (StoredSession, error) {
	s, _, err := c.get(ctx, sessionID)
	return s, err
}

// Metadata returns the metadata of a session, session.ErrNotFound if no checkpoint holds it.
func (c *StoredSessions) Metadata(ctx context.Context, sessionID string) (session.SessionMetadata, error) {
	s, _, err := c.get(ctx, sessionID)
	return s.SessionMetadata, err
}

// Messages streams the latest conversation of a session, redacted. It implements
// [session.Reader]; the File of a bad line is its name on the metadata branch.
func (c *StoredSessions) Messages(ctx context.Context, sessionID string) iter.Seq2[session.Message, error] {
	return func(yield func(session.Message, error) bool) {
		_, conversation, err := c.get(ctx, sessionID)
		if err != nil {
			yield(session.Message{}, err)
			return
		}
		for m, err := range conversation.Messages(ctx) {
			var bad *records.BadMessageError
			if errors.As(err, &bad) {
				err = &session.BadLineError{File: conversation.File(), Offset: bad.Offset, Line: bad.Text, Err: bad.Err}
			}
			if !yield(m, err) {
				return
			}
		}
	}
}

// SDKMessages streams the non-blank lines of the session's transcript, redacted. A transcript
// that is one document is a single message.
func (c *StoredSessions) SDKMessages(ctx context.Context, sessionID string) iter.Seq2[session.SDKMessage, error] {
	return func(yield func(session.SDKMessage, error) bool) {
		_, conversation, err := c.get(ctx, sessionID)
		if err != nil {
			yield(nil, err)
			return
		}
		for line, err := range conversation.Lines(ctx) {
			if err == nil && len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			if !yield(session.SDKMessage(line), err) {
				return
			}
		}
	}
}

// NoteContinued is [transcript.NoteContinued] with what the latest checkpoint of the session has.
func (c *StoredSessions) NoteContinued(ctx context.Context, sid id.SessionID) error {
	_, stored, err := c.get(ctx, sid.String())
	if err != nil {
		return err
	}
	var text []byte
	for line, err := range stored.Lines(ctx) {
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	return transcript.NoteContinued(ctx, c.s, sid, stored.Agent, text)
}

// storedConversation is a session in the checkpoints: where its latest conversation is, and which hold it.
type storedConversation struct {
	latest      records.Conversation
	listed      *listedConversation // of the latest; nil if it must be read
	checkpoints map[id.CheckpointID]bool
}

// conversations finds all sessions. It ignores invalid session IDs, because other tools may write the
// branch.
func (c *StoredSessions) conversations(ctx context.Context) (map[string]*storedConversation, error) {
	if c.held && c.cached != nil {
		return c.cached, nil
	}
	state, err := c.records.State(ctx)
	if err != nil {
		return nil, err
	}
	if c.cached != nil && state.Equal(c.cachedState) {
		return c.cached, nil
	}
	all, err := readIndex(ctx, c.s, c.records, state)
	if err != nil {
		return nil, fmt.Errorf("list conversations: %w", err)
	}
	held := map[string]*storedConversation{}
	for _, e := range all {
		for i := range e.listed {
			t := &e.listed[i]
			h := held[t.session]
			if h == nil {
				if _, err := id.ParseSessionID(t.session); err != nil {
					continue
				}
				h = &storedConversation{checkpoints: map[id.CheckpointID]bool{}}
				held[t.session] = h
			}
			one := e.ConversationOf(t.session, t.agent, t.written, t.stored)
			if one.Messages = t.messages; len(h.checkpoints) == 0 || one.Later(h.latest) {
				h.latest, h.listed = one, nil
				if e.complete {
					h.listed = t
				}
			}
			h.checkpoints[e.ID] = true
		}
	}
	c.parts = partsOf(all)
	c.cachedState, c.cached = state, held
	return held, nil
}

func (c *StoredSessions) get(ctx context.Context, sessionID string) (StoredSession, *records.OpenConversation, error) {
	held, err := c.conversations(ctx)
	if err != nil {
		return StoredSession{}, nil, err
	}
	h := held[sessionID]
	if h == nil {
		return StoredSession{}, nil, fmt.Errorf("session %q in checkpoints: %w", sessionID, session.ErrNotFound)
	}
	return c.open(ctx, h)
}

// listed returns a session without its conversation: as the index has it, or else as git has it.
func (c *StoredSessions) listed(ctx context.Context, h *storedConversation) (StoredSession, error) {
	if t := h.listed; t != nil {
		return h.session(t.messagesInfo(), t.title, t.began), nil
	}
	s, _, err := c.open(ctx, h)
	return s, err
}

func (c *StoredSessions) open(ctx context.Context, h *storedConversation) (StoredSession, *records.OpenConversation, error) {
	conversation, err := c.records.Open(ctx, h.latest)
	if err != nil {
		return StoredSession{}, nil, err
	}
	title := ""
	if len(conversation.Prompts) > 0 {
		title = transcript.TitleOf(conversation.Prompts)
	}
	return h.session(conversation.Info, title, conversation.Metadata.CreatedAt), conversation, nil
}

// session returns a session whose latest conversation says info of itself, which may be nil, and was begun then.
func (h *storedConversation) session(info *metadata.MessagesInfo, title string, began time.Time) StoredSession {
	s := StoredSession{Latest: h.latest.Checkpoint}
	for cp := range h.checkpoints {
		s.Checkpoints = append(s.Checkpoints, cp)
	}
	slices.SortFunc(s.Checkpoints, id.CheckpointID.Compare)
	m := &s.SessionMetadata
	m.ID, m.AgentType, m.UpdatedAt, m.Title = h.latest.SessionID, h.latest.Agent, h.latest.Written, title
	m.AgentName = string(agents.For(h.latest.Agent).Name())
	if info != nil {
		s.Counted = true
		m.Model, m.CreatedAt, m.UpdatedAt = info.Model, info.CreatedAt, info.UpdatedAt
		m.MessageCount, m.TurnCount, m.Usage, m.LastMessage = info.MessageCount, info.TurnCount, info.Usage, info.LastMessage
		m.Title = cmp.Or(info.Title, title)
		if info.Usage != nil {
			m.TotalTokens = info.Usage.Total()
		}
	}
	if m.UpdatedAt.IsZero() {
		m.UpdatedAt = h.latest.Written
	}
	if m.CreatedAt.IsZero() {
		m.CreatedAt = began
	}
	return s
}
