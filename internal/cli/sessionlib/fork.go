package sessionlib

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/agent"
	"entire/agent/check"
	"entire/agent/conversation"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/session"
	transcripts "entire/strategy/transcript"
)

// newSessionID returns a random UUID, version 4, the form of agents' session IDs.
func newSessionID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Fork makes a new session of the messages up to one: in the store, and as a transcript where the
// agent looks for it. If the transcript fails, fork deletes the stored session.
func (l *Library) Fork(ctx context.Context, s ListedSession, o ResumeOptions) (ResumeView, error) {
	at, err := l.message(ctx, s, o.At)
	if err != nil {
		return ResumeView{}, err
	}
	transcript, err := l.longest(ctx, s)
	if err != nil {
		return ResumeView{}, err
	}
	if err := l.Bring(ctx, s); err != nil {
		return ResumeView{}, err
	}
	child, err := id.ParseSessionID(newSessionID())
	if err != nil {
		return ResumeView{}, err
	}
	cut, err := forked(s.Agent, transcript, at, child.String())
	if errors.Is(err, check.ErrNoMessage) { // a rewind removed the message
		if taken, terr := l.takenBack(ctx, s, at); terr == nil {
			cut, err = forked(s.Agent, taken, at, child.String())
		}
	}
	if err != nil {
		return ResumeView{}, fmt.Errorf("fork session %s: %w", s.ID, err)
	}
	store := l.StoreOf(s.Project)
	made, err := store.ForkAt(ctx, s.ID, child.String(), at)
	if err != nil {
		return ResumeView{}, err
	}
	v, err := l.hand(ctx, s, made, child, cut)
	if err == nil {
		err = l.addResults(ctx, store, s.Agent, made, cut)
	}
	if err != nil {
		return ResumeView{}, errors.Join(err, store.DeleteContext(ctx, child.String()))
	}
	return v, nil
}

// hand writes a fork's transcript where the agent looks for it. For an agent whose place is
// unknown it writes none: the fork is only in the store.
func (l *Library) hand(ctx context.Context, s ListedSession, made *session.Session, child id.SessionID, transcript []byte) (ResumeView, error) {
	fork := s
	fork.ID, fork.Parent, fork.ForkedAt, fork.Sources = child.String(), s.ID, made.Metadata.ForkPoint, []string{InStore}
	v := ResumeView{SessionID: fork.ID, Agent: s.Agent, Prompt: cmp.Or(s.Title, s.Description), Parent: fork.Parent, ForkedAt: fork.ForkedAt}
	homes := l.Homes(ctx, fork)
	log, err := homes.PlanRestore(child, s.Agent, transcript, true)
	if errors.Is(err, errNoHome) {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	if err := log.Write(); err != nil {
		return v, err
	}
	if l.Wp != nil { // what the fork shares with its parent counts for the parent
		if err := transcripts.NoteContinued(ctx, l.Wp.Engine, child, s.Agent, transcript); err != nil {
			return v, err
		}
	}
	v.Path, v.Command, v.Restored = log.Path, log.ResumeCommand, true
	v.Folder = l.folderFor(fork, homes, log.Path)
	if v.Folder != "" && v.Folder != s.Folder {
		err := l.StoreOf(s.Project).UpdateMetadataContext(ctx, v.SessionID, func(m *session.SessionMetadata) { m.CWD = v.Folder })
		if err != nil {
			return v, err
		}
	}
	return v, l.Adopt(ctx, fork, log.Path)
}

// addResults stores what a fork's transcript has after the message: results of tool calls that
// would otherwise be missing.
func (l *Library) addResults(ctx context.Context, store *session.Store, t agent.AgentType, made *session.Session, transcript []byte) error {
	have := map[string]bool{}
	for _, m := range made.Messages {
		have[m.UUID] = true
	}
	more := conversation.Normalize(t, cleaned(t, transcript))
	more = slices.DeleteFunc(more, func(m agent.Message) bool { return have[m.UUID] || m.Role != agent.RoleTool })
	return store.AppendBatch(ctx, made.Metadata.ID, session.Batch{Messages: more})
}

// message returns the UUID of the session's message that begins with prefix.
func (l *Library) message(ctx context.Context, s ListedSession, prefix string) (string, error) {
	if prefix == "" {
		return "", nil
	}
	var found []string
	err := l.EachEntry(ctx, s, true, func(m SaidEntry) error {
		switch {
		case m.UUID == prefix:
			found = []string{prefix}
			return errFound
		case strings.HasPrefix(m.UUID, prefix) && conversation.RecordUUID(m.UUID) == m.UUID:
			found = append(found, m.UUID)
		}
		return nil
	})
	if err != nil && !errors.Is(err, errFound) {
		return "", err
	}
	found = slices.Compact(found)
	switch len(found) {
	case 0:
		return "", cliui.Failf(fmt.Sprintf("`entire sessions show %s --messages` shows them", cliui.ShownSession(s.ID)), "session %s: %w: %s", s.ID, session.ErrNoMessage, prefix)
	case 1:
		return found[0], nil
	}
	return "", cliui.Failf("give more of the UUID", "session %s: %d messages begin with %q", s.ID, len(found), prefix)
}

var errFound = errors.New("found")
