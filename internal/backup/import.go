package backup

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"entire/internal/archive"
	"entire/session"
)

// Outcome is the result of importing one session.
type Outcome string

// The outcomes. Scripts read them.
const (
	Imported      Outcome = "imported"
	Same          Outcome = "same"   // the store has all of it
	Newer         Outcome = "newer"  // the store has all of it, and more
	ImportedAsNew Outcome = "beside" // the store has another session with this ID: imported under a new ID
	LeftOut       Outcome = "left_out"
)

// Result is the result of importing one session.
type Result struct {
	ID      string // its ID in the archive
	Project string // the project that it was imported into
	As      string // its ID in the store; "" if it was skipped
	Outcome Outcome
	Title   string
	Count   int // number of messages
}

// Target says where sessions are imported.
type Target struct {
	// Store returns the key and the store of the project into which sessions of the given project are
	// imported.
	Store func(project string) (string, *session.Store)
	// KeepBoth imports a session under a new ID if another session has its ID.
	KeepBoth bool
	Progress func(int64)
}

// Import imports what Read found, reading the archive again. It prepares every session before the
// first one becomes visible.
func (p *Plan) Import(ctx context.Context, in io.Reader, to Target) ([]Result, error) {
	m := &importing{ctx: ctx, plan: p, to: to}
	defer m.close()
	r, err := each(ctx, in, to.Progress, m.entry)
	if err == nil && r.Digest() != p.digest {
		err = errors.New("the archive was changed while it was read")
	}
	if err != nil {
		return nil, err
	}
	if err := m.decide(); err != nil {
		return nil, err
	}
	return m.publish()
}

type importing struct {
	ctx    context.Context
	plan   *Plan
	to     Target
	staged []*staged
}

type staged struct {
	Planned
	*session.Staging
	store *session.Store
	key   string
	meta  session.SessionMetadata
	taken Result
}

func (m *importing) close() {
	for _, s := range m.staged {
		s.Close()
	}
}

func (m *importing) entry(e archive.Entry, content io.Reader) error {
	if e.Kind == kindSession {
		return m.begin(len(m.staged))
	}
	if e.Of < 1 || e.Of != len(m.staged) {
		return archive.ErrDamaged
	}
	s := m.staged[e.Of-1]
	if e.Kind == kindFile {
		return s.Put(e.Name, content)
	}
	var about aboutShared
	if err := json.Unmarshal(e.About, &about); err != nil {
		return err
	}
	if about.Session < 1 || about.Session >= e.Of {
		return archive.ErrDamaged
	}
	return s.Link(e.Name, m.staged[about.Session-1].Staging, about.File, about.Bytes)
}

func (m *importing) begin(i int) error {
	if i >= len(m.plan.Sessions) {
		return archive.ErrDamaged
	}
	s := &staged{Planned: m.plan.Sessions[i]}
	s.key, s.store = m.to.Store(s.Project)
	var err error
	if s.Staging, err = s.store.Stage(m.ctx); err != nil {
		return err
	}
	m.staged = append(m.staged, s)
	return nil
}

// decide determines the outcome of each session.
func (m *importing) decide() error {
	for _, s := range m.staged {
		meta, err := s.Check(m.ctx, s.ID)
		if err != nil {
			return fmt.Errorf("%w: %w", archive.ErrDamaged, err)
		}
		s.meta = meta
		s.taken = Result{ID: s.ID, Project: s.key, As: s.ID, Title: meta.Title, Count: meta.MessageCount}
		if err := m.choose(s); err != nil {
			return err
		}
	}
	return nil
}

func (m *importing) choose(s *staged) error {
	relation, err := s.Compare(m.ctx, s.ID)
	if err != nil {
		return err
	}
	if relation == session.RelationOther {
		if !m.to.KeepBoth {
			s.taken.Outcome, s.taken.As = LeftOut, ""
			return nil
		}
		print, err := s.Fingerprint(m.ctx)
		if err != nil {
			return err
		}
		s.taken.As = newIDFor(s.ID, print)
		if relation, err = s.Compare(m.ctx, s.taken.As); err != nil {
			return err
		}
		if relation == session.RelationNew {
			s.taken.Outcome = ImportedAsNew
			return nil
		}
	}
	switch relation {
	case session.RelationNew:
		s.taken.Outcome = Imported
	case session.RelationSame:
		s.taken.Outcome = Same
	case session.RelationOlder:
		s.taken.Outcome = Newer
	default:
		return fmt.Errorf("session %s: %s is another one, too", s.ID, s.taken.As)
	}
	return nil
}

// newIDFor returns the new ID for a session whose ID another session has. The same session always gets
// the same ID.
func newIDFor(sid, print string) string {
	const room = 200
	return sid[:min(len(sid), room)] + "_" + print
}

// publish makes the sessions visible, parents first, in the archive's order.
func (m *importing) publish() ([]Result, error) {
	var out []Result
	for _, s := range m.staged {
		if s.taken.Outcome == Imported || s.taken.Outcome == ImportedAsNew {
			if err := s.Keep(m.ctx, s.ID, s.taken.As, m.edit(s)); err != nil {
				return out, err
			}
		}
		out = append(out, s.taken)
	}
	return out, nil
}

// edit returns the changes to the session's metadata.
func (m *importing) edit(s *staged) func(*session.SessionMetadata) {
	parent := ""
	i := slices.IndexFunc(m.staged, func(p *staged) bool {
		return p.ID == s.meta.ParentID && p.Project == s.Project && p.taken.Outcome == ImportedAsNew
	})
	if i >= 0 {
		parent = m.staged[i].taken.As
	}
	return func(meta *session.SessionMetadata) {
		meta.ParentID = cmp.Or(parent, meta.ParentID)
		if meta.ProjectHash != "" {
			meta.ProjectHash = s.key
		}
	}
}
