package teleportcmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"entire/id"
	"entire/internal/archive"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/teleport"
	"entire/internal/term"
	"entire/session"
	"entire/strategy/handoff"
	"entire/strategy/restore"
	"entire/strategy/resume"
	"entire/strategy/rewind"
)

// An arrival is a bundle that this machine receives.
type arrival struct {
	l      *sessionlib.Library
	o      receiveOptions
	key    teleport.Key
	source sealedSource

	head    *teleport.Head
	sid     id.SessionID
	landing *handoff.Receive // nil if nothing of the repository is received
	staging *session.Staging
	meta    session.SessionMetadata
	state   []byte
	keep    func(context.Context) error // stores the session
	grown   bool                        // it continues the session that is here
	done    bool                        // the files are already in place
	plan    *rewind.Plan
	outcome *restore.RewindOutcome
	view    sessionlib.ResumeView
}

func (a *arrival) close() {
	if a.staging != nil {
		a.staging.Close()
	}
	if a.landing != nil {
		a.landing.Close()
	}
}

// receive receives the bundle. Until it calls place, nothing changes that a person sees.
func (a *arrival) receive(ctx context.Context) error {
	if err := a.verify(ctx); err != nil {
		return receiveFailure(err)
	}
	if a.l.Wp == nil && a.head.Repo != nil && a.head.Repo.Worktree {
		return cliui.Failf("clone it, and receive it in the clone; nothing was changed", "the files of the session belong to a repository, and there is none here")
	}
	if err := a.l.SettleIn(ctx); err != nil {
		return err
	}
	if err := a.begin(ctx); err != nil {
		return err
	}
	if err := a.take(ctx); err != nil {
		return receiveFailure(err)
	}
	if err := a.choose(ctx); err != nil {
		return err
	}
	if err := a.mayPlace(ctx); err != nil {
		return err
	}
	if err := a.claim(ctx); err != nil {
		return err
	}
	if err := a.place(ctx); err != nil {
		return err
	}
	if a.landing != nil && a.head.Repo.Worktree {
		if err := a.landing.DropRefs(ctx); err != nil {
			return err
		}
	}
	return a.source.done(ctx)
}

// claim removes the bundle from the remote, so that only this machine continues the session. The
// fetched copy stays here until everything is in place.
func (a *arrival) claim(ctx context.Context) error {
	mine, err := a.source.claim(ctx)
	if err != nil && mine {
		fmt.Fprintf(a.l.Env.Err, "warning: the remote still has it (%s); it expires on %s\n", cliui.ShownLine(err.Error()), a.head.Expires.UTC().Format("2006-01-02 15:04 MST"))
		return ctx.Err()
	}
	if err == nil && !mine {
		err = receiveFailure(handoff.ErrTaken)
	}
	return err
}

// read opens the bundle and reads it to its end.
func (a *arrival) read(ctx context.Context, what string, take func(archive.Entry, io.Reader) error) error {
	in, size, err := a.source.open()
	if err != nil {
		return err
	}
	defer in.Close()
	bar := term.NewProgress(a.l.Env.Err, what, size)
	defer bar.Done()
	a.head, err = teleport.Read(&tellingReader{ctx, in, bar.Add}, a.key, a.l.Env.Now(), func(h *teleport.Head, e archive.Entry, content io.Reader) error {
		a.head = h
		if take == nil {
			return nil
		}
		return take(e, content)
	})
	return err
}

// A tellingReader reports how much was read, and stops when ctx is cancelled.
type tellingReader struct {
	ctx  context.Context
	r    io.Reader
	tell func(int64)
}

func (t *tellingReader) Read(b []byte) (int, error) {
	if err := t.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := t.r.Read(b)
	t.tell(int64(n))
	return n, err
}

// verify reads the whole bundle and keeps nothing.
func (a *arrival) verify(ctx context.Context) error {
	if err := a.read(ctx, "Checking", nil); err != nil {
		return err
	}
	var err error
	a.sid, err = id.ParseSessionID(a.head.Session)
	return err
}

// begin prepares the staging area and the repository for what comes; nobody sees either.
func (a *arrival) begin(ctx context.Context) error {
	l, repo := a.l, a.head.Repo
	if l.Wp == nil {
		repo = nil
	}
	if repo != nil {
		p, err := bundleOf(a.sid, repo)
		if err != nil {
			return err
		}
		if a.landing, err = handoff.ReceiveBundle(ctx, l.Wp.Engine, p); err != nil {
			return receiveFailure(err)
		}
		if err := a.bringCommits(ctx); err != nil {
			return err
		}
	}
	var err error
	a.staging, err = l.Store.Stage(ctx)
	return err
}

func bundleOf(sid id.SessionID, r *teleport.Repository) (handoff.Bundle, error) {
	p := handoff.Bundle{Session: sid, Format: r.Format, Branch: r.Branch, Worktree: r.Worktree}
	var errs []error
	oid := func(text string) git.OID {
		if text == "" {
			return git.OID{}
		}
		oid, err := git.ParseOID(text)
		errs = append(errs, err)
		return oid
	}
	p.Head, p.Tip, p.Metadata = oid(r.Head), oid(r.Tip), oid(r.Metadata)
	for _, text := range r.Needs {
		p.Needs = append(p.Needs, oid(text))
	}
	return p, errors.Join(errs...)
}

// bringCommits fetches the commits that the bundle builds on. If they stay missing, it receives
// the session without its steps, or returns an error if the bundle has files.
func (a *arrival) bringCommits(ctx context.Context) error {
	l := a.l
	req := resume.Request{Person: workplace.Person(l.Env, a.o.json), Say: func(line string) { fmt.Fprintln(l.Env.Err, line) }}
	missing, err := a.landing.FetchMissing(ctx, req)
	if err != nil || len(missing) == 0 {
		return err
	}
	if a.head.Repo.Worktree {
		return cliui.Failf("`git fetch` it from the sender's remote, then receive again; nothing was changed",
			"%w: %s", handoff.ErrCommitMissing, missing[0])
	}
	fmt.Fprintf(l.Env.Err, "warning: its steps are left out: commit %s, on which they were made, is missing here\n", missing[0].Short())
	return a.dropLanding()
}

func (a *arrival) dropLanding() error {
	err := a.landing.Close()
	a.landing = nil
	return err
}

// take reads the bundle again, into the staging area and the repository.
func (a *arrival) take(ctx context.Context) error {
	first := *a.head
	move := a.move()
	err := a.read(ctx, "Receiving", func(e archive.Entry, content io.Reader) error {
		switch e.Kind {
		case teleport.KindFile:
			in := teleport.ReceivedFile(ctx, e.Name, content, move)
			return errors.Join(a.staging.Put(e.Name, in), in.Close())
		case teleport.KindState:
			data, err := io.ReadAll(content)
			a.state = data
			return err
		case teleport.KindPack:
			if a.landing != nil {
				return a.landing.AddPack(ctx, content, e.Size)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if first.Session != a.head.Session || !first.Made.Equal(a.head.Made) {
		return teleport.ErrTampered
	}
	if a.meta, err = a.staging.Check(ctx, a.head.Session); err != nil {
		return fmt.Errorf("%w: %w", teleport.ErrRefused, err)
	}
	if a.landing == nil {
		return nil
	}
	a.landing.State = a.state
	return a.landing.Check(ctx)
}

func (a *arrival) move() teleport.Move {
	return teleport.Move{From: a.head.From, To: teleport.Place{Home: a.l.Env.Home(), Root: a.l.Ident.Top}}
}
