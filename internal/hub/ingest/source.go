package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"entire/checkpoint/epoch"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/internal/hub/index"
	"entire/internal/hub/rows"
)

// A Source is one repository.
type Source struct {
	Number   int64 // in the index
	Name     string
	URL      string
	User     string
	Password string
	Folder   string // of the mirror
	Environ  []string
	Index    *index.Index
	Teams    rows.Teams
	Now      func() time.Time

	// Local says that the folder is a person's own repository: it is read and not fetched.
	Local bool
	// Batch is how many checkpoints a transaction has at most; 0 for 2,000.
	Batch int
}

// ErrBusy says that another replica reads the repository just now.
var ErrBusy = errors.New("another replica is reading the repository")

// Result is what a Sync has done.
type Result struct {
	Added, Removed int // checkpoints; one that changed counts as added
	Same           bool
}

// refs are the patterns of the refs that hold checkpoints. All have a star: git refuses to fetch a ref that is not there.
var refs = []string{"refs/heads/entire/checkpoints/v*", "refs/heads/entire/session*", "refs/entire/checkpoints/*", epoch.Refs + "*", epoch.BodyRefs + "*", inboxRefs + "*"}

// branchRef is the metadata branch, in a mirror as on the server.
const branchRef = "refs/heads/" + shadow.MetadataBranch

// Sync fetches the repository and makes the index equal to it.
func (s *Source) Sync(ctx context.Context) (Result, error) {
	release, ok, err := s.Index.TryLock(ctx, s.Number)
	if err != nil {
		return Result{}, err
	}
	if !ok {
		return Result{}, ErrBusy
	}
	defer release()
	r, err := s.sync(ctx)
	if errors.Is(err, git.ErrMissing) && !s.Local {
		err = errors.Join(err, git.RemoveMirror(s.Folder)) // damaged: the next Sync makes it anew
	}
	if err != nil {
		err = fmt.Errorf("read the repository %s: %w", s.Name, err)
		if ctx.Err() == nil {
			err = errors.Join(err, s.Index.Checked(ctx, s.Number, s.Now().UnixMilli(), err.Error()))
		}
	}
	return r, err
}

func (s *Source) sync(ctx context.Context) (Result, error) {
	m, err := s.fetched(ctx)
	if err != nil {
		return Result{}, err
	}
	defer m.Repo.Close()
	p, err := s.plan(ctx, m)
	if err != nil {
		return Result{}, err
	}
	if p.same {
		return Result{Same: true}, s.Index.Checked(ctx, s.Number, s.Now().UnixMilli(), "")
	}
	r, err := s.carryOut(ctx, m, p)
	if err == nil && !s.Local {
		_, err = m.Tidy(ctx) // still locked, so that nothing is fetched meanwhile
	}
	return r, err
}

// A plan is what the index needs to become equal to the repository.
type plan struct {
	was       index.Repository
	same      bool // nothing has changed
	done      index.Done
	read      []records.Version // to be read
	remove    []string          // that are no more
	kept      map[string]index.Kept
	forgotten map[id.CheckpointID]bool
}

func (s *Source) plan(ctx context.Context, m *git.Mirror) (p plan, err error) {
	rd := records.NewReader(m.Repo)
	state, err := rd.State(ctx)
	if err != nil {
		return p, err
	}
	if p.was, err = s.Index.Repository(ctx, s.Number); err != nil {
		return p, err
	}
	left, err := inboxState(ctx, m.Repo)
	if err != nil {
		return p, err
	}
	p.done = index.Done{State: state.String() + left, Rules: s.Teams.Digest(), At: s.Now().UnixMilli()}
	if p.same = p.was.State == p.done.State && p.was.Rules == p.done.Rules; p.same {
		return p, nil
	}
	tip, ok, err := m.Repo.Ref(ctx, branchRef)
	if err != nil {
		return p, err
	}
	if ok {
		p.done.Tip = tip.String()
	}
	versions, err := rd.Versions(ctx, state)
	if err == nil {
		versions, err = withInbox(ctx, m.Repo, versions)
	}
	if err != nil {
		return p, err
	}
	if p.kept, err = s.Index.Kept(ctx, s.Number); err != nil {
		return p, err
	}
	if err := p.forget(ctx, m.Repo); err != nil {
		return p, err
	}
	p.compare(versions)
	return p, nil
}

// forget notes what was forgotten.
func (p *plan) forget(ctx context.Context, repo *git.Repo) error {
	found, err := tombstones(ctx, repo)
	if err != nil {
		return err
	}
	p.forgotten = map[id.CheckpointID]bool{}
	for cp, t := range found {
		p.forgotten[cp] = true
		f := rows.Forgotten{Checkpoint: cp.String(), Reason: t.Reason}
		if !t.When.IsZero() {
			f.At = t.When.UnixMilli()
		}
		p.done.Forgotten = append(p.done.Forgotten, f)
	}
	return nil
}

// compare chooses what is to be read and what is to go.
func (p *plan) compare(versions []records.Version) {
	all := p.was.Rules != p.done.Rules // the rows were made by other rules
	there := make(map[string]bool, len(versions))
	for _, v := range versions {
		cp := v.ID.String()
		there[cp] = true
		if p.forgotten[v.ID] {
			there[cp] = false
			continue
		}
		if k, ok := p.kept[cp]; all || !ok || k.Tree != v.Tree.String() {
			p.read = append(p.read, v)
		}
	}
	for cp := range p.kept {
		if !there[cp] {
			p.remove = append(p.remove, cp)
		}
	}
}
