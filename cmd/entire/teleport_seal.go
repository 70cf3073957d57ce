package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"entire/agent"
	"entire/internal/archive"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/teleport"
	"entire/internal/term"
	"entire/strategy/handoff"
)

func (l *library) headOf(s listedSession, p *handoff.Bundle, o sendOptions) teleport.Head {
	now := l.w.now().UTC().Truncate(time.Second)
	root := l.ident.Top
	h := teleport.Head{
		Made: now, Expires: now.Add(o.expires), By: l.w.version,
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

// carry seals the bundle and sends it to its target.
func (l *library) carry(ctx context.Context, code teleport.Code, head teleport.Head, c *teleport.Content, p *handoff.Bundle, to target, o sendOptions) error {
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
	switch {
	case to.file != "" && o.force:
		err = durable.WriteStream(to.file, read, 0o600, true)
	case to.file != "":
		if err = durable.WriteNew(to.file, read, 0o600); errors.Is(err, fs.ErrExist) {
			err = failf("--force replaces it", "%s now exists", to.name)
		}
	default:
		err = handoff.StoreBundle(ctx, l.wp.engine, key.ID, head.Expires, read)
	}
	read.CloseWithError(errors.Join(err, context.Canceled))
	<-done
	bar.Done()
	if err != nil || to.file != "" {
		return err
	}
	if err := l.tellCode(code, o); err != nil {
		return err
	}
	return l.deliver(ctx, code, key, to)
}

// tellCode prints the code of the sealed bundle before it is sent: after an interruption, a
// person needs the code to continue.
func (l *library) tellCode(code teleport.Code, o sendOptions) error {
	out := l.w.out
	if o.json {
		out = l.w.err
	}
	_, err := fmt.Fprintf(out, "Code: %s\n", code)
	return err
}

// deliver sends a bundle that is sealed and stored.
func (l *library) deliver(ctx context.Context, code teleport.Code, key teleport.Key, to target) error {
	err := handoff.SendBundle(ctx, l.wp.engine, l.w.way(false), to.url, key.ID)
	if errors.Is(err, handoff.ErrNoTeleport) {
		return failf("send it again", "no bundle has this code here")
	}
	if errors.Is(err, handoff.ErrRemoteLocked) {
		return failf("send it again with a new code; or, if a killed push left the lock, delete refs/entire/teleport/"+key.ID+".lock there", "send to %s: %w", to.name, handoff.ErrRemoteLocked)
	}
	if err != nil {
		return failf(fmt.Sprintf("to continue: entire teleport send --again %s --to %s", code, shellWord(to.name)), "send to %s: %w", to.name, err)
	}
	if n, err := handoff.DropExpired(ctx, l.wp.engine, l.w.way(false), to.url, key.ID); err != nil {
		l.wp.log.Info("expired bundles stay at the remote", "err", err)
	} else if n > 0 {
		fmt.Fprintf(l.w.err, "Removed from %s: %s that expired\n", to.name, count(n, "bundle"))
	}
	return nil
}

// seal writes the bundle.
func (l *library) seal(ctx context.Context, out io.Writer, key teleport.Key, head teleport.Head, c *teleport.Content, p *handoff.Bundle, progress func(int64)) error {
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

// sealPack adds git's pack. Its length must be known first, so it lies in a file among git's
// objects, with a name that git's own clean-up removes.
func (l *library) sealPack(ctx context.Context, to *teleport.Sealer, p *handoff.Bundle) error {
	f, err := os.CreateTemp(filepath.Join(l.wp.repo.CommonDir, "objects"), "tmp_teleport_*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := handoff.WritePack(ctx, l.wp.engine, p, f); err != nil {
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

// A sentView is what was sent, as --json prints it.
type sentView struct {
	Code     string    `json:"code"`
	To       string    `json:"to"`
	Expires  time.Time `json:"expires_at"`
	Session  string    `json:"session_id"`
	WithCode bool      `json:"with_code"`
	Files    int       `json:"files"`   // uncommitted files
	Commits  int       `json:"commits"` // commits that no remote has
}

func (l *library) tellSent(s listedSession, code teleport.Code, head teleport.Head, p *handoff.Bundle, to target, o sendOptions) error {
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
		if err := l.tellCode(code, o); err != nil {
			return err
		}
	}
	where := "in a clone of this repository"
	if p == nil {
		where = "in the folder where the work continues"
	}
	_, err := fmt.Fprintf(l.w.out, "On the other machine, %s, until %s:\n  entire teleport receive %s\n", where, head.Expires.Format("2006-01-02 15:04 MST"), arg)
	return err
}

// sendAgain continues an interrupted send.
func (l *library) sendAgain(ctx context.Context, text string, o sendOptions) error {
	if l.wp == nil {
		return failf("go to the repository", "--again needs the repository that it was sent from")
	}
	to, err := l.sendTo(ctx, o)
	if err != nil {
		return err
	}
	if to.file != "" {
		return failf("send it again", "--again is for remotes")
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
