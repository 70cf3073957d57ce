package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/id"
	"entire/internal/archive"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/redact"
	"entire/internal/teleport"
	"entire/internal/term"
	"entire/strategy"
)

type sendOptions struct {
	to                          string
	expires                     time.Duration
	withCode, again, force, yes bool
	json                        bool
}

func (w *world) teleportSendCommand() *cobra.Command {
	var o sendOptions
	cmd := &cobra.Command{
		Use:   "send [SESSION]",
		Short: "Seal a session under a spoken code, and send it",
		Long: `Seal a session, its steps and its checkpoints under a code of six words, and put it
where the other machine finds it: at the repository's remote, as a ref that is taken
away once it was received, or into a file. With --with-code everything goes along that
is not committed, and what is committed and on no remote.

What is said in the session goes without secrets, as it is stored, and is looked
through once more. Files are not changed: those with something in them that looks
like a secret are named first. On a terminal you are asked before anything is sent;
elsewhere it goes ahead, unless a file looks like that: then it wants --yes.

Without SESSION it is the latest of this folder. Without --to it goes to where
sessions may be sent (` + "`entire push --list`" + `), if that is one place.`,
		Example: `  entire teleport send --with-code --to origin
  entire teleport send 6e1f0d2 --to ./session.teleport --expires 2h
  entire teleport send --again hammer-velvet-tiger-candle-maple-orbit --to origin`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.again {
				return nil
			}
			return atMostOneArgument(cmd, args)
		},
		ValidArgsFunction: w.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.expires <= 0 || o.expires > teleport.MaxExpiry {
				return failf("such as --expires 2h", "a parcel expires after %s at most", teleport.MaxExpiry)
			}
			return w.withLibrary(cmd.Context(), func(l *library) error {
				if o.again {
					return l.sendAgain(cmd.Context(), strings.Join(args, " "), o)
				}
				return l.teleport(cmd.Context(), args, o)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.withCode, "with-code", false, "with everything that is not committed, or on no remote")
	f.StringVar(&o.to, "to", "", "the `remote`, or the file, to send it to")
	f.DurationVar(&o.expires, "expires", teleport.DefaultExpiry, "how long it may be received")
	f.BoolVar(&o.again, "again", false, "go on sending what was interrupted, under the same code")
	f.BoolVarP(&o.force, "force", "f", false, "replace the file if it is there")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	cmd.RegisterFlagCompletionFunc("to", w.completeRemotes)
	return cmd
}

// target is where a parcel goes: one of both.
type target struct {
	name string
	url  string
	file string
}

// sendTo finds out what --to means.
func (l *library) sendTo(ctx context.Context, o sendOptions) (target, error) {
	hint := "--to origin, or --to ./session.teleport for a file"
	if o.to == "" {
		if l.wp == nil {
			return target{}, failf("--to ./session.teleport", "say where to with --to")
		}
		agreed, err := l.wp.engine.Agreed(ctx)
		if err != nil {
			return target{}, err
		}
		if len(agreed) != 1 {
			return target{}, failf(hint, "say where to with --to")
		}
		o.to = agreed[0]
	}
	path := o.to
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.dir, path)
	}
	info, err := os.Lstat(path)
	isFile := err == nil && info.Mode().IsRegular()
	if isFile && !o.force {
		return target{}, failf("--force replaces it", "%s is there already", o.to)
	}
	if l.wp != nil && !isFile {
		if url, err := l.wp.engine.SendURL(ctx, o.to); err == nil {
			return target{name: o.to, url: url}, nil
		}
	}
	if !strings.ContainsAny(o.to, "/\\.") {
		return target{}, failf("a file is written as ./"+o.to, "no remote is called %q", o.to)
	}
	if err == nil && !isFile {
		return target{}, failf("name another", "%s is there already, and is neither a file nor a repository", o.to)
	}
	return target{name: o.to, file: path}, nil
}

func (l *library) teleport(ctx context.Context, args []string, o sendOptions) error {
	to, err := l.sendTo(ctx, o)
	if err != nil {
		return err
	}
	s, err := l.toSend(ctx, args)
	if err != nil {
		return err
	}
	sid, err := parsedID(s)
	if err != nil {
		return err
	}
	folder, err := l.storeOf(s.Project).Folder(ctx, s.ID)
	if err != nil {
		return err
	}
	defer folder.Close()
	content, err := teleport.Gather(ctx, folder, redact.Line)
	if err != nil {
		return err
	}
	parcel, err := l.parcel(ctx, sid, o.withCode)
	if err != nil {
		return err
	}
	suspects, err := l.preview(s, content, parcel, to, o)
	if err != nil {
		return err
	}
	if err := l.maySend(ctx, s, to, suspects, o); err != nil {
		return err
	}
	code := teleport.NewCode()
	head := l.headOf(s, parcel, o)
	if err := l.carry(ctx, code, head, content, parcel, to); err != nil {
		return err
	}
	return l.tellSent(s, code, head, parcel, to, o)
}

// toSend is the session to send, which is in a store then.
func (l *library) toSend(ctx context.Context, args []string) (s listedSession, err error) {
	if len(args) > 0 {
		s, err = l.find(ctx, args[0])
	} else {
		s, err = l.latest(ctx)
	}
	if err != nil {
		return s, err
	}
	if s.asGit || !slices.Contains(s.Sources, inStore) {
		if err := l.bring(ctx, s); err != nil {
			return s, err
		}
		s.Project = cmp.Or(s.Project, l.ident.Key)
	}
	if s.State == stateActive {
		fmt.Fprintln(l.w.err, "warning: the session is in the middle of a turn; what it does from now on stays here")
	}
	return s, nil
}

// parcel is what of the repository goes along, nil outside of one.
func (l *library) parcel(ctx context.Context, sid id.SessionID, withCode bool) (*strategy.Parcel, error) {
	if l.wp == nil {
		if withCode {
			return nil, failf("leave --with-code out", "there is no repository here whose files could go along")
		}
		return nil, nil
	}
	if withCode && l.wp.repo.Top == "" {
		return nil, failf("leave --with-code out", "a bare repository has no files")
	}
	p, err := l.wp.engine.PlanParcel(ctx, sid, withCode)
	switch {
	case errors.Is(err, strategy.ErrUnborn):
		return nil, failf("commit something that both machines have first", "%w", err)
	case errors.Is(err, strategy.ErrOtherWorktree):
		return nil, failf("go there, or leave --with-code out", "%w", err)
	case errors.Is(err, strategy.ErrNotCarried):
		return nil, failf("remove it, or commit it if the others are to have it", "%w", err)
	}
	return p, err
}

// A suspect is a file that goes along and looks as if it had a secret in it.
type suspect struct {
	Path  string `json:"path"`
	Count int    `json:"count"`
}

const suspectBytes = 1 << 20 // of a file that are looked at

// preview tells what goes along and what does not.
func (l *library) preview(s listedSession, c *teleport.Content, p *strategy.Parcel, to target, o sendOptions) ([]suspect, error) {
	out := l.w.err
	fmt.Fprintf(out, "Session %s, %s: %s\n", shortOf(s.ID, shortSession), count(s.Messages, "message"), titleOf(s))
	for _, name := range slices.Sorted(maps.Keys(c.Secrets)) {
		fmt.Fprintf(out, "  %s with secrets in %s: they are blanked\n", count(c.Secrets[name], "line"), name)
	}
	if p == nil {
		return nil, nil
	}
	if p.Checkpoints > 0 {
		fmt.Fprintf(out, "  %s of commits\n", count(p.Checkpoints, "checkpoint"))
	}
	if len(p.Others) > 0 {
		fmt.Fprintf(out, "  with its steps go those of %s on the same commit: %s\n", count(len(p.Others), "other session"), strings.Join(p.Others, ", "))
	}
	if !o.withCode {
		fmt.Fprintln(out, "  not what is uncommitted; --with-code takes it along")
		return nil, nil
	}
	if p.Ahead > 0 {
		fmt.Fprintf(out, "  %s of %s that no remote has\n", count(p.Ahead, "commit"), cmp.Or(p.Branch, "HEAD"))
	}
	fmt.Fprintf(out, "  %s that %s not committed", count(len(p.Changes), "file"), isAre(len(p.Changes)))
	fmt.Fprintln(out, ":")
	var suspects []suspect
	for _, ch := range p.Changes {
		n := 0
		if ch.Action != strategy.PlanRemove {
			n = l.secretsIn(ch.Path)
		}
		note := ""
		if n > 0 {
			suspects = append(suspects, suspect{ch.Path, n})
			note = fmt.Sprintf("  <- looks like %s", count(n, "secret"))
		}
		fmt.Fprintf(out, "    %-6s %s%s\n", ch.Action, shownName(ch.Path), note)
	}
	for _, k := range p.NotCaptured {
		fmt.Fprintf(out, "  stays here: %s (%s)\n", shownName(k.Path), k.Why)
	}
	return suspects, nil
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// secretsIn counts what looks like a secret in a file of the worktree.
func (l *library) secretsIn(path string) int {
	f, err := os.Open(filepath.Join(l.wp.repo.Top, filepath.FromSlash(path)))
	if err != nil {
		return 0
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return 0
	}
	data, err := io.ReadAll(io.LimitReader(f, suspectBytes))
	if err != nil {
		return 0
	}
	return len(redact.Scan(string(data)))
}

// maySend asks a person, or makes sure that nobody has to be.
func (l *library) maySend(ctx context.Context, s listedSession, to target, suspects []suspect, o sendOptions) error {
	if o.yes {
		return nil
	}
	t := l.w.terminal()
	if !t.Interactive {
		if len(suspects) > 0 {
			return failf("--yes sends it all the same; files are sent as they are", "%s %s something that looks like a secret: %s",
				count(len(suspects), "file"), hasHave(len(suspects)), suspects[0].Path)
		}
		return nil
	}
	detail := "Only who has the code can read it."
	if len(suspects) > 0 {
		detail += " Files are sent as they are, with what looks like secrets."
	}
	yes, err := t.Confirm(ctx, "Send it to "+to.name+"?", detail)
	if errors.Is(err, term.ErrCancelled) || err == nil && !yes {
		fmt.Fprintln(l.w.err, "Nothing was sent.")
		return errTold
	}
	return err
}

func hasHave(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

func (l *library) headOf(s listedSession, p *strategy.Parcel, o sendOptions) teleport.Head {
	now := l.w.now().UTC().Truncate(time.Second)
	root := l.ident.Top
	h := teleport.Head{
		Made: now, Expires: now.Add(o.expires), By: version,
		Session: s.ID, Agent: cmp.Or(s.Agent, agent.AgentTypeUnknown), Title: shortLine(s.Title, 200), Project: l.ident.Key,
		From: teleport.Place{Home: l.w.home(), Root: root},
	}
	if p == nil {
		return h
	}
	h.Repo = &teleport.Repository{Format: p.Format, Branch: p.Branch, Head: hexOf(p.Head), Tip: hexOf(p.Tip), Metadata: hexOf(p.Metadata), Worktree: p.Worktree}
	for _, oid := range p.Needs {
		h.Repo.Needs = append(h.Repo.Needs, oid.String())
	}
	return h
}

func hexOf(oid git.OID) string {
	if oid.IsZero() {
		return ""
	}
	return oid.String()
}

// carry seals the parcel and brings it where it is to go.
func (l *library) carry(ctx context.Context, code teleport.Code, head teleport.Head, c *teleport.Content, p *strategy.Parcel, to target) error {
	key, err := code.Key()
	if err != nil {
		return err
	}
	bar := term.NewProgress(l.w.err, "Sealing", c.Bytes)
	defer bar.Done()
	read, write := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		write.CloseWithError(l.seal(ctx, write, key, head, c, p, bar.Add))
	}()
	if to.file != "" {
		err = durable.WriteStream(to.file, read, 0o600, true)
	} else {
		err = l.wp.engine.StoreParcel(ctx, key.ID, head.Expires, read)
	}
	read.CloseWithError(errors.Join(err, context.Canceled))
	<-done
	bar.Done()
	if err != nil || to.file != "" {
		return err
	}
	return l.deliver(ctx, code, key, to)
}

// deliver sends a parcel that is sealed and stored.
func (l *library) deliver(ctx context.Context, code teleport.Code, key teleport.Key, to target) error {
	err := l.wp.engine.SendParcel(ctx, l.w.way(false), to.url, key.ID)
	if errors.Is(err, strategy.ErrNoTeleport) {
		return failf("send it anew", "nothing is left here under this code")
	}
	if err != nil {
		return failf(fmt.Sprintf("to go on: entire teleport send --again %s --to %s", code, shellWord(to.name)), "send to %s: %w", to.name, err)
	}
	return nil
}

// seal writes the parcel.
func (l *library) seal(ctx context.Context, out io.Writer, key teleport.Key, head teleport.Head, c *teleport.Content, p *strategy.Parcel, progress func(int64)) error {
	to, err := teleport.NewSealer(out, key, head)
	if err != nil {
		return err
	}
	if err := c.Write(ctx, to, progress); err != nil {
		return err
	}
	if p != nil && p.State != nil {
		if err := to.AddBytes(archive.Entry{Kind: teleport.KindState}, p.State); err != nil {
			return err
		}
	}
	if p != nil && (!p.Tip.IsZero() || !p.Metadata.IsZero()) {
		if err := l.sealPack(ctx, to, p); err != nil {
			return err
		}
	}
	return to.Close()
}

// sealPack adds git's part. Its length has to be known first: it lies in a file among
// git's objects, of a name that git's own clean-up knows.
func (l *library) sealPack(ctx context.Context, to *teleport.Sealer, p *strategy.Parcel) error {
	f, err := os.CreateTemp(filepath.Join(l.wp.repo.CommonDir, "objects"), "tmp_teleport_*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := l.wp.engine.WritePack(ctx, p, f); err != nil {
		return err
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return to.Add(archive.Entry{Kind: teleport.KindPack, Size: size}, f)
}

// sentView is what was sent, as --json prints it.
type sentView struct {
	Code     string    `json:"code"`
	To       string    `json:"to"`
	Expires  time.Time `json:"expires_at"`
	Session  string    `json:"session_id"`
	WithCode bool      `json:"with_code"`
	Files    int       `json:"files"`   // uncommitted ones
	Commits  int       `json:"commits"` // that no remote has
}

func (l *library) tellSent(s listedSession, code teleport.Code, head teleport.Head, p *strategy.Parcel, to target, o sendOptions) error {
	v := sentView{Code: code.String(), To: to.name, Expires: head.Expires, Session: s.ID, WithCode: o.withCode}
	if p != nil {
		v.Files, v.Commits = len(p.Changes), p.Ahead
	}
	if o.json {
		return l.w.printJSON(v)
	}
	arg := code.String()
	if to.file != "" {
		arg = shellWord(filepath.Base(to.file)) + " " + arg
	}
	where := "in a clone of this repository"
	if p == nil {
		where = "in the folder where it is to go on"
	}
	_, err := fmt.Fprintf(l.w.out, "Code: %s\nOn the other machine, %s, until %s:\n  entire teleport receive %s\n",
		code, where, head.Expires.Format("2006-01-02 15:04 MST"), arg)
	return err
}

// sendAgain goes on with what was interrupted.
func (l *library) sendAgain(ctx context.Context, text string, o sendOptions) error {
	if l.wp == nil {
		return failf("go to the repository", "there is nothing of it here")
	}
	to, err := l.sendTo(ctx, o)
	if err != nil {
		return err
	}
	if to.file != "" {
		return failf("send it anew", "--again is for remotes")
	}
	code, err := l.w.readCode(text)
	if err != nil {
		return err
	}
	key, err := code.Key()
	if err != nil {
		return err
	}
	if err := l.deliver(ctx, code, key, to); err != nil {
		return err
	}
	_, err = fmt.Fprintf(l.w.out, "Code: %s\n", code)
	return err
}
