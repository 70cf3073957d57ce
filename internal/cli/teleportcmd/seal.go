package teleportcmd

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
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/teleport"
	"entire/internal/term"
	"entire/strategy/handoff"
)

func headOf(l *sessionlib.Library, s sessionlib.ListedSession, p *handoff.Bundle, o sendOptions) teleport.Head {
	now := l.Env.Now().UTC().Truncate(time.Second)
	root := l.Ident.Top
	h := teleport.Head{
		Made: now, Expires: now.Add(o.expires), By: l.Env.Version,
		Session: s.ID, Agent: cmp.Or(s.Agent, agent.AgentTypeUnknown), Title: cliui.ShortLine(s.Title, 200), Project: l.Ident.Key,
		From: teleport.Place{Home: l.Env.Home(), Root: root},
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
func carry(ctx context.Context, l *sessionlib.Library, code teleport.Code, head teleport.Head, c *teleport.Content, p *handoff.Bundle, to target, o sendOptions) error {
	key, err := code.Key()
	if err != nil {
		return err
	}
	bar := term.NewProgress(l.Env.Err, "Sealing", c.Bytes)
	defer bar.Done()
	read, write := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		write.CloseWithError(seal(ctx, l, write, key, head, c, p, bar.Add))
	}()
	switch {
	case to.file != "" && o.force:
		err = durable.WriteStream(to.file, read, 0o600, true)
	case to.file != "":
		if err = durable.WriteNew(to.file, read, 0o600); errors.Is(err, fs.ErrExist) {
			err = cliui.Failf("--force replaces it", "%s now exists", to.name)
		}
	default:
		err = handoff.StoreBundle(ctx, l.Wp.Engine, key.ID, head.Expires, read)
	}
	read.CloseWithError(errors.Join(err, context.Canceled))
	<-done
	bar.Done()
	if err != nil || to.file != "" {
		return err
	}
	if err := tellCode(l, code, o); err != nil {
		return err
	}
	return deliver(ctx, l, code, key, to)
}

// tellCode prints the code of the sealed bundle before it is sent: after an interruption, a
// person needs the code to continue.
func tellCode(l *sessionlib.Library, code teleport.Code, o sendOptions) error {
	out := l.Env.Out
	if o.json {
		out = l.Env.Err
	}
	_, err := fmt.Fprintf(out, "Code: %s\n", code)
	return err
}

// deliver sends a bundle that is sealed and stored.
func deliver(ctx context.Context, l *sessionlib.Library, code teleport.Code, key teleport.Key, to target) error {
	err := handoff.SendBundle(ctx, l.Wp.Engine, workplace.Person(l.Env, false), to.url, key.ID)
	if errors.Is(err, handoff.ErrNoTeleport) {
		return cliui.Failf("send it again", "no bundle has this code here")
	}
	if errors.Is(err, handoff.ErrRemoteLocked) {
		return cliui.Failf("send it again with a new code; or, if a killed push left the lock, delete refs/entire/teleport/"+key.ID+".lock there", "send to %s: %w", to.name, handoff.ErrRemoteLocked)
	}
	if err != nil {
		return cliui.Failf(fmt.Sprintf("to continue: entire share send --again %s --to %s", code, cliui.ShellWord(to.name)), "send to %s: %w", to.name, err)
	}
	if n, err := handoff.DropExpired(ctx, l.Wp.Engine, workplace.Person(l.Env, false), to.url, key.ID); err != nil {
		l.Wp.Log.Info("expired bundles stay at the remote", "err", err)
	} else if n > 0 {
		fmt.Fprintf(l.Env.Err, "Removed from %s: %s that expired\n", to.name, cliui.Count(n, "bundle"))
	}
	return nil
}

// seal writes the bundle.
func seal(ctx context.Context, l *sessionlib.Library, out io.Writer, key teleport.Key, head teleport.Head, c *teleport.Content, p *handoff.Bundle, progress func(int64)) error {
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
		if err := sealPack(ctx, l, to, p); err != nil {
			return err
		}
	}
	return to.Close()
}

// sealPack adds git's pack. Its length must be known first, so it lies in a file among git's
// objects, with a name that git's own clean-up removes.
func sealPack(ctx context.Context, l *sessionlib.Library, to *teleport.Sealer, p *handoff.Bundle) error {
	f, err := os.CreateTemp(filepath.Join(l.Wp.Repo.CommonDir, "objects"), "tmp_teleport_*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := handoff.WritePack(ctx, l.Wp.Engine, p, f); err != nil {
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

func tellSent(l *sessionlib.Library, s sessionlib.ListedSession, code teleport.Code, head teleport.Head, p *handoff.Bundle, to target, o sendOptions) error {
	v := sentView{Code: code.String(), To: to.name, Expires: head.Expires, Session: s.ID, WithCode: o.withCode}
	if p != nil {
		v.Files, v.Commits = len(p.Changes), p.Ahead
	}
	if o.json {
		return l.Env.PrintJSON(v)
	}
	arg := code.String()
	if to.file != "" {
		arg = cliui.ShellWord(filepath.Base(to.file)) + " " + arg
		if err := tellCode(l, code, o); err != nil {
			return err
		}
	}
	where := "in a clone of this repository"
	if p == nil {
		where = "in the folder where the work continues"
	}
	_, err := fmt.Fprintf(l.Env.Out, "On the other machine, %s, until %s:\n  entire share receive %s\n", where, head.Expires.Format("2006-01-02 15:04 MST"), arg)
	return err
}

// sendAgain continues an interrupted send.
func sendAgain(ctx context.Context, l *sessionlib.Library, text string, o sendOptions) error {
	if l.Wp == nil {
		return cliui.Failf("go to the repository", "--again needs the repository that it was sent from")
	}
	to, err := sendTo(ctx, l, o)
	if err != nil {
		return err
	}
	if to.file != "" {
		return cliui.Failf("send it again", "--again is for remotes")
	}
	code, key, err := readKey(l.Env, text)
	if err != nil {
		return err
	}
	if err := deliver(ctx, l, code, key, to); err != nil {
		return err
	}
	_, err = fmt.Fprintf(l.Env.Out, "Code: %s\n", code)
	return err
}
