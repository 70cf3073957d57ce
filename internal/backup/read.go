package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"entire/id"
	"entire/internal/archive"
	"entire/internal/project"
	"entire/session"
)

// limits bound what an import accepts.
var limits = archive.Limits{Entries: 5_000_000, Entry: 64 << 30, Total: 512 << 30, Ratio: 2000}

// Plan is the content of an archive.
type Plan struct {
	Sessions []Planned
	digest   string
}

// Planned is a session in an archive.
type Planned struct {
	ID      string
	Project string // key of the project it was exported from

	names map[string]bool  // with folded case
	sizes map[string]int64 // by name
}

// Read reads an archive to its end and refuses one that is incomplete or malformed. It writes nothing.
func Read(ctx context.Context, in io.Reader, progress func(int64)) (*Plan, error) {
	p := &Plan{}
	r, err := each(ctx, in, progress, func(e archive.Entry, content io.Reader) error { return p.add(e, content) })
	if err != nil {
		return nil, err
	}
	p.digest = r.Digest()
	for _, s := range p.Sessions {
		if _, ok := s.sizes["metadata.json"]; !ok {
			return nil, fmt.Errorf("%w: session %s has no metadata", archive.ErrDamaged, s.ID)
		}
	}
	return p, nil
}

// each reads the entries of an archive. The first must be the head.
func each(ctx context.Context, in io.Reader, progress func(int64), do func(archive.Entry, io.Reader) error) (*archive.Reader, error) {
	r, err := archive.NewReader(in, limits)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var seen int64
	for n := 0; ; n++ {
		e, content, err := r.Next()
		if progress != nil {
			progress(r.Read() - seen)
			seen = r.Read()
		}
		if err == nil {
			err = ctx.Err()
		}
		switch {
		case errors.Is(err, io.EOF) && n == 0:
			return nil, errNoExport
		case errors.Is(err, io.EOF):
			return r, nil
		case err != nil:
			return nil, err
		case n == 0:
			err = readHead(e, content)
		default:
			err = do(e, content)
		}
		if err != nil {
			return nil, err
		}
	}
}

var errNoExport = errors.New("the archive is no export of sessions")

func readHead(e archive.Entry, content io.Reader) error {
	if e.Kind != kindHead || e.Size > 64<<10 {
		return errNoExport
	}
	data, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	var h head
	if err := json.Unmarshal(data, &h); err != nil {
		return fmt.Errorf("%w: %w", archive.ErrDamaged, err)
	}
	if h.Version != 1 {
		return archive.ErrNewer
	}
	return nil
}

// add checks an entry against the entries before it.
func (p *Plan) add(e archive.Entry, content io.Reader) error {
	bad := func(err error) error { return fmt.Errorf("%w: %w", archive.ErrDamaged, err) }
	if e.Kind == kindSession {
		if err := p.begin(e); err != nil {
			return bad(err)
		}
		return nil
	}
	if len(p.Sessions) == 0 || e.Of != len(p.Sessions) {
		return bad(fmt.Errorf("%.60q belongs to no session", e.Name))
	}
	s := &p.Sessions[len(p.Sessions)-1]
	size := e.Size
	switch e.Kind {
	case kindFile:
	case kindShared:
		about, err := p.shared(e)
		if err != nil {
			return bad(err)
		}
		size = about.Bytes
	default:
		return archive.ErrNewer
	}
	if err := s.claim(e.Name); err != nil {
		return bad(fmt.Errorf("session %s: %w", s.ID, err))
	}
	s.sizes[e.Name] = size
	_, err := io.Copy(io.Discard, content)
	return err
}

func (p *Plan) begin(e archive.Entry) error {
	if e.Of != len(p.Sessions)+1 || e.Size != 0 {
		return errors.New("the sessions are out of order")
	}
	sid, err := id.ParseSessionID(e.Name)
	if err != nil {
		return err
	}
	var about aboutSession
	if err := json.Unmarshal(e.About, &about); err != nil {
		return err
	}
	if !project.ValidKey(about.Project) {
		return fmt.Errorf("%.60q is no key of a project", about.Project)
	}
	for _, s := range p.Sessions {
		if s.Project == about.Project && strings.EqualFold(s.ID, sid.String()) {
			return fmt.Errorf("session %s is there twice", sid)
		}
	}
	p.Sessions = append(p.Sessions, Planned{ID: sid.String(), Project: about.Project,
		names: map[string]bool{}, sizes: map[string]int64{}})
	return nil
}

// shared checks a reference to an earlier file.
func (p *Plan) shared(e archive.Entry) (about aboutShared, err error) {
	if err := json.Unmarshal(e.About, &about); err != nil {
		return about, err
	}
	if !session.IsShared(e.Name) {
		return about, fmt.Errorf("%.60q may not be shared", e.Name)
	}
	if e.Size != 0 || about.Session < 1 || about.Session >= e.Of || about.Bytes < 0 {
		return about, fmt.Errorf("%.60q shares with nothing before it", e.Name)
	}
	size, ok := p.Sessions[about.Session-1].sizes[about.File]
	if !ok || size < about.Bytes {
		return about, fmt.Errorf("%.60q shares %d bytes with a file that has not so many", e.Name, about.Bytes)
	}
	return about, nil
}

// claim refuses invalid names, and names that are the same on some file system.
func (s *Planned) claim(name string) error {
	if err := session.CheckFolderFile(name); err != nil {
		return err
	}
	fold := strings.ToLower(name)
	if s.names[fold] {
		return fmt.Errorf("%.60q is there twice", name)
	}
	s.names[fold] = true
	return nil
}
