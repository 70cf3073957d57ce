package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"entire/id"
	"entire/internal/archive"
	"entire/internal/git"
	"entire/internal/teleport"
	"entire/internal/term"
	"entire/session"
	"entire/strategy"
)

type receiveOptions struct {
	from               string
	replace, yes, json bool
}

func (w *world) teleportReceiveCommand() *cobra.Command {
	var o receiveOptions
	cmd := &cobra.Command{
		Use:   "receive CODE | FILE [CODE]",
		Short: "Open what was sent, and go on with it here",
		Long: `Find what was sent under a code, at the remotes of this repository or in a file, check
all of it, and only then put it in place: the conversation into the store and where
its agent looks for it, with paths as they are here; its steps and checkpoints; and if
the sender said --with-code, the files as they were there. The last line is the command
that continues.

Files are put in place by a rewind: ` + "`entire undo`" + ` takes it back. HEAD has to be the commit
that they were changed on, and nothing may be uncommitted here that is not in the
parcel; with --replace it is saved first and replaced. Once all is in place the parcel
is taken away from the remote.

Case does not matter in a code, nor whether it has dashes or spaces. Without one, a
person at a terminal is asked for it, so that it is in no shell's history; elsewhere it
is read from standard input.`,
		Example: `  entire teleport receive hammer-velvet-tiger-candle-maple-orbit
  entire teleport receive session.teleport`,
		ValidArgsFunction: func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			if strings.ContainsAny(typed, "-") {
				return teleport.CompleteCode(typed), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.withLibrary(cmd.Context(), func(l *library) error { return l.receive(cmd.Context(), args, o) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "look at this `remote` only")
	f.BoolVar(&o.replace, "replace", false, "replace what is uncommitted here; it is saved first")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	cmd.RegisterFlagCompletionFunc("from", w.completeRemotes)
	return cmd
}

// A sealedSource opens what was sent, as often as it is needed.
type sealedSource struct {
	open func() (io.ReadCloser, int64, error)
	done func(context.Context) error // once all is in place
}

func (l *library) receive(ctx context.Context, args []string, o receiveOptions) error {
	file, args := l.fileArgument(args)
	text := strings.Join(args, " ")
	if text == "" {
		var err error
		if text, err = l.w.textOf(ctx, "Code"); err != nil {
			return failf("`entire teleport receive CODE`", "which code? %w", err)
		}
	}
	code, err := l.w.readCode(text)
	if err != nil {
		return err
	}
	key, err := code.Key()
	if err != nil {
		return err
	}
	source, err := l.sealedSource(ctx, file, key, o)
	if err != nil {
		return teleportFailure("receive", err)
	}
	a := &arrival{l: l, o: o, key: key, source: source}
	defer a.close()
	if err := a.receive(ctx); err != nil {
		return err
	}
	return a.tell()
}

// fileArgument is the first argument where that is a file.
func (l *library) fileArgument(args []string) (file string, rest []string) {
	if len(args) == 0 {
		return "", nil
	}
	path := args[0]
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.dir, path)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() || strings.ContainsAny(args[0], "/\\.") {
		return path, args[1:]
	}
	return "", args
}

func (l *library) sealedSource(ctx context.Context, file string, key teleport.Key, o receiveOptions) (sealedSource, error) {
	if file != "" {
		return sealedSource{
			open: func() (io.ReadCloser, int64, error) {
				f, err := os.Open(file)
				if err != nil {
					return nil, 0, err
				}
				info, err := f.Stat()
				if err != nil {
					return nil, 0, errors.Join(err, f.Close())
				}
				return f, info.Size(), nil
			},
			done: func(context.Context) error { return nil },
		}, nil
	}
	if l.wp == nil {
		return sealedSource{}, failf("go to a clone, or name a file", "there is no repository here whose remotes could have it")
	}
	engine := l.wp.engine
	remote, err := l.fetchParcel(ctx, key, o)
	if err != nil {
		return sealedSource{}, err
	}
	return sealedSource{
		open: func() (io.ReadCloser, int64, error) {
			r, size, err := engine.OpenParcel(ctx, key.ID)
			return io.NopCloser(r), size, err
		},
		done: func(ctx context.Context) error {
			if remote != "" {
				if err := engine.DropRemoteParcel(ctx, l.w.way(o.json), remote, key.ID); err != nil {
					return err // what is here stays as well, for another try
				}
			}
			return engine.DropParcel(ctx, key.ID)
		},
	}, nil
}

// fetchParcel brings a parcel here, unless an interrupted receive has done so, and
// returns the URL where it lies: "" if no remote has it any more.
func (l *library) fetchParcel(ctx context.Context, key teleport.Key, o receiveOptions) (string, error) {
	engine := l.wp.engine
	names, urls, err := engine.FetchURLs(ctx)
	if err != nil {
		return "", err
	}
	var failed []error
	for i, url := range urls {
		if o.from != "" && names[i] != o.from {
			continue
		}
		err := engine.FetchParcel(ctx, l.w.way(o.json), url, key.ID)
		if err == nil {
			return url, nil
		}
		if !errors.Is(err, strategy.ErrNoTeleport) {
			failed = append(failed, fmt.Errorf("%s: %w", names[i], err))
		}
	}
	if _, _, err := engine.OpenParcel(ctx, key.ID); err == nil {
		return "", nil
	}
	if err := errors.Join(failed...); err != nil {
		return "", err
	}
	return "", strategy.ErrNoTeleport
}

// An arrival is a parcel on its way into this machine.
type arrival struct {
	l      *library
	o      receiveOptions
	key    teleport.Key
	source sealedSource

	head    *teleport.Head
	sid     id.SessionID
	landing *strategy.Landing // nil where nothing of the repository is taken in
	staging *session.Staging
	meta    session.SessionMetadata
	state   []byte
	keep    func(context.Context) error // puts the session into the store
	grown   bool                        // it goes on from what is here
	done    bool                        // the files are in place already
	plan    *strategy.RewindPlan
	outcome *strategy.RewindOutcome
	view    againView
}

func (a *arrival) close() {
	if a.staging != nil {
		a.staging.Close()
	}
	if a.landing != nil {
		a.landing.Close()
	}
}

// receive does it all: what is before `place` changes nothing that anybody sees.
func (a *arrival) receive(ctx context.Context) error {
	if err := a.verify(ctx); err != nil {
		return teleportFailure("receive", err)
	}
	if err := a.l.settleIn(ctx); err != nil {
		return err
	}
	if err := a.begin(ctx); err != nil {
		return err
	}
	if err := a.take(ctx); err != nil {
		return teleportFailure("receive", err)
	}
	if err := a.choose(ctx); err != nil {
		return err
	}
	if err := a.mayPlace(ctx); err != nil {
		return err
	}
	if err := a.place(ctx); err != nil {
		return err
	}
	if err := a.source.done(ctx); err != nil {
		fmt.Fprintf(a.l.w.err, "warning: it was not taken away from the remote: %s; it expires on %s\n", shownLine(err.Error()), a.head.Expires.UTC().Format("2006-01-02 15:04 MST"))
	}
	return nil
}

// read opens the parcel and reads it to its end.
func (a *arrival) read(ctx context.Context, what string, take func(archive.Entry, io.Reader) error) error {
	in, size, err := a.source.open()
	if err != nil {
		return err
	}
	defer in.Close()
	bar := term.NewProgress(a.l.w.err, what, size)
	defer bar.Done()
	a.head, err = teleport.Read(&tellingReader{ctx, in, bar.Add}, a.key, a.l.w.now(), func(h *teleport.Head, e archive.Entry, content io.Reader) error {
		a.head = h
		if take == nil {
			return nil
		}
		return take(e, content)
	})
	return err
}

// tellingReader tells how much was read, and ends when it is cancelled.
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

// verify reads all of it and keeps nothing.
func (a *arrival) verify(ctx context.Context) error {
	if err := a.read(ctx, "Checking", nil); err != nil {
		return err
	}
	var err error
	a.sid, err = id.ParseSessionID(a.head.Session)
	return err
}

// begin makes room for what comes, where nobody sees it.
func (a *arrival) begin(ctx context.Context) error {
	l, repo := a.l, a.head.Repo
	if repo != nil && l.wp == nil {
		if repo.Worktree {
			return failf("clone it, and receive it in the clone", "its files belong into a repository, and here is none")
		}
		repo = nil
	}
	if repo != nil {
		p, err := parcelOf(a.sid, repo)
		if err != nil {
			return err
		}
		if a.landing, err = l.wp.engine.Land(ctx, p); err != nil {
			return teleportFailure("receive", err)
		}
		if err := a.bringCommits(ctx); err != nil {
			return err
		}
	}
	var err error
	a.staging, err = l.store.Stage(ctx)
	return err
}

func parcelOf(sid id.SessionID, r *teleport.Repository) (strategy.Parcel, error) {
	p := strategy.Parcel{Session: sid, Format: r.Format, Branch: r.Branch, Worktree: r.Worktree}
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

// bringCommits makes sure that what the parcel builds on is here. Without it the
// session comes alone, unless its files are to come.
func (a *arrival) bringCommits(ctx context.Context) error {
	l := a.l
	req := strategy.ResumeRequest{Say: func(line string) { fmt.Fprintln(l.w.err, line) }}
	way := l.w.way(a.o.json)
	req.Ask, req.Stdin, req.Progress = way.Ask, way.Stdin, way.Progress
	missing, err := a.landing.Bring(ctx, req)
	if err != nil || len(missing) == 0 {
		return err
	}
	if a.head.Repo.Worktree {
		return failf("`git fetch` it from where the sender has it, then receive again; nothing was changed",
			"%w: %s", strategy.ErrCommitMissing, missing[0])
	}
	fmt.Fprintf(l.w.err, "warning: its steps stay out: commit %s, on which they were made, is missing here\n", missing[0].Short())
	return a.dropLanding()
}

func (a *arrival) dropLanding() error {
	err := a.landing.Close()
	a.landing = nil
	return err
}

// take reads the parcel again, into the room that was made.
func (a *arrival) take(ctx context.Context) error {
	first := *a.head
	move := a.move()
	err := a.read(ctx, "Receiving", func(e archive.Entry, content io.Reader) error {
		switch e.Kind {
		case teleport.KindFile:
			in := teleport.Arrived(ctx, e.Name, content, move)
			return errors.Join(a.staging.Put(e.Name, in), in.Close())
		case teleport.KindState:
			data, err := io.ReadAll(content)
			a.state = data
			return err
		case teleport.KindPack:
			if a.landing != nil {
				return a.landing.TakePack(ctx, content, e.Size)
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
	return teleport.Move{From: a.head.From, To: teleport.Place{Home: a.l.w.home(), Root: a.l.ident.Top}}
}

// choose finds what is to become of the session and of the files. Nothing is changed.
func (a *arrival) choose(ctx context.Context) error {
	relation, err := a.staging.Compare(ctx, a.head.Session)
	if err != nil {
		return err
	}
	switch relation {
	case session.RelationNew:
		a.keep = func(ctx context.Context) error { return a.staging.Keep(ctx, a.head.Session, a.head.Session, a.edit) }
	case session.RelationOther:
		if a.grown, err = a.staging.Extends(ctx, a.head.Session); err != nil {
			return err
		}
		if !a.grown {
			return failf(fmt.Sprintf("`entire sessions delete %s` puts the one here into the trash; nothing was changed", shortOf(a.head.Session, shortSession)),
				"session %s went on differently here", a.head.Session)
		}
		a.keep = func(ctx context.Context) error { return a.staging.Replace(ctx, a.head.Session, a.edit) }
	default: // all of it is here
		a.keep = func(context.Context) error { return nil }
	}
	if a.landing == nil || !a.head.Repo.Worktree {
		return nil
	}
	a.done, err = a.landing.MayApply(ctx, a.o.replace)
	return a.notApplied(ctx, err)
}

// notApplied says why files cannot be put in place, and what can be done.
func (a *arrival) notApplied(ctx context.Context, err error) error {
	switch head := a.landing.Head; {
	case errors.Is(err, strategy.ErrOtherHead):
		if rerr := a.landing.Keep(ctx); rerr != nil {
			return errors.Join(err, rerr)
		}
		branch := cmp.Or(a.head.Repo.Branch, "HEAD")
		return failf(fmt.Sprintf("`git merge --ff-only %s` or `git switch --detach %s`, then receive it again", head.Short(), head.Short()),
			"%w: %s, on %s there", err, head.Short(), branch)
	case errors.Is(err, strategy.ErrDirty):
		return failf("commit or stash it, or say --replace: it is saved first, and `entire undo` brings it back; nothing was changed", "%w", err)
	case errors.Is(err, strategy.ErrAtWork):
		return failf("end it first; nothing was changed", "%w", err)
	}
	return err
}

// edit makes the session's metadata those of this machine.
func (a *arrival) edit(m *session.SessionMetadata) {
	m.CWD = a.move().Path(m.CWD)
	if !filepath.IsAbs(m.CWD) {
		m.CWD = a.l.ident.Top
	}
	if m.Circumstances != nil {
		m.Circumstances.CWD = a.move().Path(m.Circumstances.CWD)
	}
	m.ProjectHash, m.EndedAt, m.ExitReason = a.l.ident.Key, nil, ""
}

// mayPlace tells what would be done and asks a person.
func (a *arrival) mayPlace(ctx context.Context) error {
	l := a.l
	fmt.Fprintf(l.w.err, "Session %s, %s: %s\n", shortOf(a.head.Session, shortSession), count(a.meta.MessageCount, "message"), shortLine(a.head.Title, promptRunes))
	files := a.landing != nil && a.head.Repo.Worktree && !a.done
	if files {
		list, err := a.landing.Files(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(l.w.err, "  %s:\n", count(len(list), "file"))
		for _, c := range list {
			fmt.Fprintf(l.w.err, "    %-6s %s\n", c.Action, shownName(c.Path))
		}
	}
	t := l.w.terminal()
	if a.o.yes || !t.Interactive {
		return nil
	}
	detail := ""
	if files {
		detail = "`entire undo` takes the files back."
	}
	yes, err := t.Confirm(ctx, "Go on with it here?", detail)
	if errors.Is(err, term.ErrCancelled) || err == nil && !yes {
		fmt.Fprintln(l.w.err, "Nothing was changed.")
		return errTold
	}
	return err
}

// place puts everything where it belongs. What is interrupted here, receiving again
// completes.
func (a *arrival) place(ctx context.Context) error {
	if a.landing != nil {
		if err := a.placeInRepository(ctx); err != nil {
			return err
		}
	}
	if err := a.keep(ctx); err != nil {
		return err
	}
	return a.placeTranscript(ctx)
}

func (a *arrival) placeInRepository(ctx context.Context) (err error) {
	if err := a.landing.Release(ctx); err != nil {
		return err
	}
	if !a.head.Repo.Worktree {
		return nil
	}
	if !a.done {
		if a.plan, err = a.landing.PlanApply(ctx); err != nil {
			return err
		}
	}
	a.outcome, err = a.landing.Apply(ctx, a.plan, "")
	if err != nil {
		return failf("nothing of yours was lost; receive it again", "put the files in place: %w", err)
	}
	return nil
}

// placeTranscript puts the transcript where the agent looks for it, and has later
// events go on from there.
func (a *arrival) placeTranscript(ctx context.Context) error {
	l := a.l
	s, err := l.find(ctx, a.head.Session)
	if err != nil {
		return err
	}
	if a.view, err = l.again(ctx, s, againOptions{force: a.grown}); err != nil {
		return err
	}
	if !a.o.json {
		l.tellAround(ctx, s)
	}
	if a.view.Path == "" {
		return nil
	}
	if a.view.Restored {
		if err := l.adopt(ctx, s, a.view.Path); err != nil {
			return err
		}
	}
	if l.wp == nil {
		return nil
	}
	err = l.wp.store.Update(ctx, a.sid, func(st *session.State) error {
		st.TranscriptPath = a.view.Path
		return nil
	})
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	return err
}

// receivedView is what was received, as --json prints it.
type receivedView struct {
	againView
	Written []string `json:"written"`
	Removed []string `json:"removed"`
	Saved   string   `json:"saved,omitempty"` // the step with what was there before
	Undo    bool     `json:"can_be_undone"`
}

func (a *arrival) tell() error {
	l := a.l
	v := receivedView{againView: a.view, Written: []string{}, Removed: []string{}}
	if a.outcome != nil {
		v.Written, v.Removed, v.Saved = notNil(a.outcome.Written), notNil(a.outcome.Removed), a.outcome.SafetyID
		v.Undo = a.plan != nil && len(v.Written)+len(v.Removed) > 0
		for _, warning := range a.outcome.Warnings {
			fmt.Fprintf(l.w.err, "warning: %s\n", shownLine(warning))
		}
		for _, k := range a.outcome.Kept {
			fmt.Fprintf(l.w.err, "left alone: %s (%s)\n", shownName(k.Path), k.Why)
		}
	}
	if a.o.json {
		return l.w.printJSON(v)
	}
	if n := len(v.Written) + len(v.Removed); n > 0 {
		fmt.Fprintf(l.w.out, "%s put in place. To undo this: entire undo\n", count(n, "file"))
	}
	fmt.Fprintf(l.w.out, "Session: %s\n", a.head.Session)
	if v.Command == "" {
		fmt.Fprintf(l.w.err, "How its agent goes on with it is not known here.\n")
		return nil
	}
	_, err := fmt.Fprintf(l.w.out, "To continue this session, run:\n  %s%s\n", l.commandFrom(v.againView), comment(shortLine(v.Prompt, promptRunes)))
	return err
}
