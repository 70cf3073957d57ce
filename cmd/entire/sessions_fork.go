package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/agent"
	"entire/id"
	"entire/session"
)

// newSessionID returns a random UUID, version 4, the form of agents' session IDs.
func newSessionID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// fork makes a new session of the messages up to one: in the store, and as a transcript where the
// agent looks for it. If the transcript fails, fork deletes the stored session.
func (l *library) fork(ctx context.Context, s listedSession, o againOptions) (againView, error) {
	at, err := l.message(ctx, s, o.at)
	if err != nil {
		return againView{}, err
	}
	transcript, err := l.longest(ctx, s)
	if err != nil {
		return againView{}, err
	}
	if err := l.bring(ctx, s); err != nil {
		return againView{}, err
	}
	child, err := id.ParseSessionID(newSessionID())
	if err != nil {
		return againView{}, err
	}
	cut, err := forked(s.Agent, transcript, at, child.String())
	if errors.Is(err, agent.ErrNoMessage) { // a rewind removed the message
		if taken, terr := l.takenBack(ctx, s, at); terr == nil {
			cut, err = forked(s.Agent, taken, at, child.String())
		}
	}
	if err != nil {
		return againView{}, fmt.Errorf("fork session %s: %w", s.ID, err)
	}
	store := l.storeOf(s.Project)
	made, err := store.ForkAt(ctx, s.ID, child.String(), at)
	if err != nil {
		return againView{}, err
	}
	v, err := l.hand(ctx, s, made, child, cut)
	if err == nil {
		err = l.addResults(ctx, store, s.Agent, made, cut)
	}
	if err != nil {
		return againView{}, errors.Join(err, store.DeleteContext(ctx, child.String()))
	}
	return v, nil
}

// hand writes a fork's transcript where the agent looks for it. For an agent whose place is
// unknown it writes none: the fork is only in the store.
func (l *library) hand(ctx context.Context, s listedSession, made *session.Session, child id.SessionID, transcript []byte) (againView, error) {
	fork := s
	fork.ID, fork.Parent, fork.ForkedAt, fork.Sources = child.String(), s.ID, made.Metadata.ForkPoint, []string{inStore}
	v := againView{SessionID: fork.ID, Agent: s.Agent, Prompt: cmp.Or(s.Title, s.Description), Parent: fork.Parent, ForkedAt: fork.ForkedAt}
	homes := l.homes(ctx, fork)
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
	v.Path, v.Command, v.Restored = log.Path, log.ResumeCommand, true
	v.Folder = l.folderFor(fork, homes, log.Path)
	if v.Folder != "" && v.Folder != s.Folder {
		err := l.storeOf(s.Project).UpdateMetadataContext(ctx, v.SessionID, func(m *session.SessionMetadata) { m.CWD = v.Folder })
		if err != nil {
			return v, err
		}
	}
	return v, l.adopt(ctx, fork, log.Path)
}

// addResults stores what a fork's transcript has after the message: results of tool calls that
// would otherwise be missing.
func (l *library) addResults(ctx context.Context, store *session.Store, t agent.AgentType, made *session.Session, transcript []byte) error {
	have := map[string]bool{}
	for _, m := range made.Messages {
		have[m.UUID] = true
	}
	more := agent.Normalize(t, cleaned(t, transcript))
	more = slices.DeleteFunc(more, func(m agent.Message) bool { return have[m.UUID] || m.Role != agent.RoleTool })
	return store.AppendBatch(ctx, made.Metadata.ID, session.Batch{Messages: more})
}

// message returns the UUID of the session's message that begins with prefix.
func (l *library) message(ctx context.Context, s listedSession, prefix string) (string, error) {
	if prefix == "" {
		return "", nil
	}
	var found []string
	err := l.eachEntry(ctx, s, true, func(m saidEntry) error {
		switch {
		case m.UUID == prefix:
			found = []string{prefix}
			return errFound
		case strings.HasPrefix(m.UUID, prefix) && agent.RecordUUID(m.UUID) == m.UUID:
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
		return "", failf(fmt.Sprintf("`entire sessions show %s --messages` shows them", shownSession(s.ID)), "session %s: %w: %s", s.ID, session.ErrNoMessage, prefix)
	case 1:
		return found[0], nil
	}
	return "", failf("give more of the UUID", "session %s: %d messages begin with %q", s.ID, len(found), prefix)
}

var errFound = errors.New("found")
