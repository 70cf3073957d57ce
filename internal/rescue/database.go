package rescue

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver

	"entire/agent"
	"entire/internal/durable"
)

const (
	maxSessions = 200_000
	maxMessages = 200_000 // of a session
)

// database finds the conversations in a database.
func (s *search) database(a agent.Agent, place *agent.HistoryPlace) {
	fi, err := os.Stat(place.Root)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil || !fi.Mode().IsRegular() {
		s.problem(place.Root, cmp.Or(err, durable.ErrNoFile))
		return
	}
	first := len(s.Conversations)
	if err := s.sessions(a, place); err != nil {
		s.problem(place.Root, fmt.Errorf("read the database: %w", err))
		return
	}
	size := fi.Size()
	if log, err := os.Stat(place.Root + "-wal"); err == nil {
		size += log.Size()
	}
	if n := len(s.Conversations) - first; n > 0 { // a database does not tell how large each one is
		for i := first; i < len(s.Conversations); i++ {
			s.Conversations[i].Size = size / int64(n)
		}
	}
}

// openDatabase opens a database for reading. Its folder stays as it is, unless a program has it open.
func openDatabase(path string) (*sql.DB, error) {
	values := url.Values{"mode": {"ro"}, "_pragma": {"query_only(1)", "busy_timeout(2000)"}}
	if fi, err := os.Stat(path + "-wal"); err != nil || fi.Size() == 0 {
		values.Set("immutable", "1")
	}
	name := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: values.Encode()}
	return sql.Open("sqlite", name.String())
}

func (s *search) sessions(a agent.Agent, place *agent.HistoryPlace) error {
	db, err := openDatabase(place.Root)
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := db.QueryContext(s.ctx, place.Database.Sessions)
	if err != nil {
		return err
	}
	defer rows.Close()
	for n := 0; rows.Next() && n < maxSessions; n++ {
		c := Conversation{Agent: a.Type(), Name: a.Name(), Path: place.Root, Unread: place.Unread, database: place.Database, place: place}
		var began, changed int64
		if err := rows.Scan(&c.Session, &c.Parent, &c.Folder, &c.Root, &c.version, &began, &changed); err != nil {
			return err
		}
		if len(c.Root) != 40 && len(c.Root) != 64 {
			c.Root = ""
		}
		c.Subagent = c.Parent != ""
		c.First, c.Last = time.UnixMilli(began).UTC(), time.UnixMilli(changed).UTC()
		c.Time = c.First
		s.Conversations = append(s.Conversations, c)
	}
	return rows.Err()
}

// Lines returns a conversation of a database as the lines of its agent.
func (c *Conversation) Lines(ctx context.Context) ([]byte, error) {
	db, err := openDatabase(c.Path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	messages, err := messagesIn(ctx, db, c.database.Messages, c.Session)
	if err != nil {
		return nil, fmt.Errorf("read session %s from %s: %w", c.Session, c.Path, err)
	}
	size := 0
	for i := range messages {
		if err := partsIn(ctx, db, c.database.Parts, &messages[i], &size); err != nil {
			return nil, fmt.Errorf("read session %s from %s: %w", c.Session, c.Path, err)
		}
	}
	return c.database.Lines(c.Session, c.version, messages), nil
}

func messagesIn(ctx context.Context, db *sql.DB, query, session string) (out []agent.HistoryMessage, err error) {
	rows, err := db.QueryContext(ctx, query, session)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var m agent.HistoryMessage
		if err := rows.Scan(&m.ID, &m.Session, &m.JSON); err != nil {
			return nil, err
		}
		if out = append(out, m); len(out) > maxMessages {
			return nil, fmt.Errorf("it has more than %d messages", maxMessages)
		}
	}
	return out, rows.Err()
}

func partsIn(ctx context.Context, db *sql.DB, query string, m *agent.HistoryMessage, size *int) error {
	rows, err := db.QueryContext(ctx, query, m.ID)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var p agent.HistoryMessagePart
		if err := rows.Scan(&p.ID, &p.JSON); err != nil {
			return err
		}
		if *size += len(p.JSON); *size > agent.MaxTranscript {
			return fmt.Errorf("it holds more than %d MiB", agent.MaxTranscript>>20)
		}
		m.Parts = append(m.Parts, p)
	}
	return rows.Err()
}
