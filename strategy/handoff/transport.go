package handoff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"entire/internal/git"
	"entire/strategy/resume"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// TeleportRefs is the folder of the refs that hold sealed bundles, here and at remotes. Each is
// named by an ID that is derived from its code.
const TeleportRefs = "refs/entire/teleport/"

const (
	partBytes      = 8 << 20 // bytes of a sealed bundle in one blob
	partsPerCommit = 4       // blobs in each commit; the commits are pushed one after the other
	maxParts       = 4096
	expiresMark    = "Expires: "
	partsMark      = "Parts: "
)

var (
	// ErrNoTeleport is returned if no bundle has this code.
	ErrNoTeleport = errors.New("nothing is there under this code")

	// ErrTaken is returned if somebody else has received the bundle in between.
	ErrTaken = errors.New("it was received elsewhere meanwhile")

	// ErrRemoteLocked is returned if the remote refuses to write the ref though nobody has moved it.
	ErrRemoteLocked = errors.New("the ref is locked there")

	// ErrIncomplete is returned for a bundle whose sending was interrupted.
	ErrIncomplete = errors.New("it was not sent completely yet")
)

// network returns git's access to other repositories, with what it may ask and show the person.
func network(s *sessionstate.Env, who git.Person) *git.Network {
	n := s.Repo.Network()
	n.Person = who
	return n
}

// transportSignature is the signature of the commits that hold bundles; it names no person.
func transportSignature(at time.Time) git.Signature {
	return git.Signature{Name: "entire", Email: "teleport@entire.invalid", When: at.UTC().Truncate(time.Hour)}
}

// StoreBundle writes a sealed bundle into the repository, under its own ref. Nothing is sent yet.
// Only the bundle's expiry and its length are not sealed.
func StoreBundle(ctx context.Context, s *sessionstate.Env, name string, expires time.Time, sealed io.Reader) error {
	w := s.Repo.Writer()
	var entries []git.TreeEntry
	var tip git.OID
	commit := func(last bool) error {
		tree, err := w.Tree(entries)
		if err != nil {
			return err
		}
		message := fmt.Sprintf("teleport\n\n%s%s\n", expiresMark, expires.UTC().Format(time.RFC3339))
		if last {
			message += fmt.Sprintf("%s%d\n", partsMark, len(entries))
		}
		c := git.Commit{Tree: tree, Author: transportSignature(s.Now()), Committer: transportSignature(s.Now()), Message: message}
		if !tip.IsZero() {
			c.Parents = []git.OID{tip}
		}
		tip, err = w.Commit(c)
		return err
	}
	buf := make([]byte, partBytes)
	for last := false; !last; {
		n, err := io.ReadFull(sealed, buf)
		last = errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if n > 0 {
			oid, err := w.Blob(buf[:n])
			if err != nil {
				return err
			}
			entries = append(entries, git.TreeEntry{Mode: git.ModeFile, Name: partName(len(entries)), OID: oid})
		}
		if len(entries) > maxParts {
			return fmt.Errorf("it has more than %s", worktree.InMiB(maxParts*partBytes))
		}
		if last || len(entries)%partsPerCommit == 0 {
			if err := commit(last); err != nil {
				return err
			}
		}
	}
	return setRef(ctx, s, TeleportRefs+name, tip)
}

func partName(n int) string { return fmt.Sprintf("part-%05d", n) }

// SendBundle sends a stored bundle commit by commit; what an interrupted try has already sent is
// not sent again. It returns ErrNoTeleport if there is no such bundle here, and ErrRemoteLocked if
// the remote refuses this name.
func SendBundle(ctx context.Context, s *sessionstate.Env, who git.Person, url, name string) error {
	tip, there, err := s.Repo.Ref(ctx, TeleportRefs+name)
	if err != nil {
		return err
	}
	if !there {
		return ErrNoTeleport
	}
	var pieces []git.OID // the newest commit first
	newest, err := s.Repo.Reader(ctx).Commit(tip)
	if err != nil {
		return err
	}
	for c, err := range step.Ancestors(ctx, s, newest, math.MaxInt) {
		if err != nil {
			return err
		}
		pieces = append(pieces, c.OID)
	}
	n := network(s, who)
	have, _, err := n.Tip(ctx, url, TeleportRefs+name)
	if err != nil {
		return err
	}
	at := len(pieces) - 1
	for i, oid := range pieces {
		if oid == have {
			at = i - 1
		}
	}
	for ; at >= 0; at-- {
		err := n.Push(ctx, url, pieces[at], TeleportRefs+name)
		if errors.Is(err, git.ErrRejected) {
			// Nobody else has sent under this name: a push that was killed has left its lock at the remote.
			if now, _, terr := n.Tip(ctx, url, TeleportRefs+name); terr == nil && now == have {
				return fmt.Errorf("%w: %w", ErrRemoteLocked, err)
			}
		}
		if err != nil {
			return err
		}
		have = pieces[at]
	}
	return nil
}

// FetchBundle fetches a sealed bundle from a remote; ErrNoTeleport if the remote has no bundle of
// that name.
func FetchBundle(ctx context.Context, s *sessionstate.Env, who git.Person, url, name string) error {
	n := network(s, who)
	_, there, err := n.Tip(ctx, url, TeleportRefs+name)
	if err != nil {
		return err
	}
	if !there {
		return ErrNoTeleport
	}
	err = n.Fetch(ctx, url, TeleportRefs+name, TeleportRefs+name)
	if err != nil { // another machine may have received it since
		if _, there, gone := n.Tip(ctx, url, TeleportRefs+name); gone == nil && !there {
			return ErrNoTeleport
		}
	}
	return err
}

// OpenBundle reads a sealed bundle of this repository. size is an upper bound. It returns
// ErrNoTeleport if there is no bundle of that name, and ErrIncomplete if parts are missing.
func OpenBundle(ctx context.Context, s *sessionstate.Env, name string) (sealed io.Reader, size int64, err error) {
	rd := s.Repo.Reader(ctx)
	tip, there, err := rd.CommitOf(TeleportRefs + name)
	if err != nil {
		return nil, 0, err
	}
	if !there {
		return nil, 0, ErrNoTeleport
	}
	entries, err := rd.Tree(tip.Tree)
	if err != nil {
		return nil, 0, err
	}
	if len(entries) > maxParts || messageField(tip.Message, partsMark) != fmt.Sprint(len(entries)) {
		return nil, 0, ErrIncomplete
	}
	for i, e := range entries {
		if e.Name != partName(i) || e.Mode != git.ModeFile {
			return nil, 0, ErrIncomplete
		}
	}
	return &partReader{s: s, ctx: ctx, left: entries}, int64(len(entries)) * partBytes, nil
}

// partReader reads the parts of a bundle one after the other.
type partReader struct {
	s    *sessionstate.Env
	ctx  context.Context
	left []git.TreeEntry
	now  []byte
}

func (p *partReader) Read(b []byte) (int, error) {
	for len(p.now) == 0 {
		if len(p.left) == 0 {
			return 0, io.EOF
		}
		var err error
		if p.now, err = p.s.Repo.Reader(p.ctx).Blob(p.left[0].OID); err != nil {
			return 0, err
		}
		p.left = p.left[1:]
	}
	n := copy(b, p.now)
	p.now = p.now[n:]
	return n, nil
}

// messageField returns the rest of the message's line that begins with mark, "" if there is none.
func messageField(message, mark string) string {
	for line := range strings.Lines(message) {
		if value, ok := strings.CutPrefix(line, mark); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// StoredBundle is a sealed bundle in this repository or at a remote.
type StoredBundle struct {
	ID       string    `json:"id"`
	Expires  time.Time `json:"expires_at,omitzero"` // zero if it is not known here
	Complete bool      `json:"complete"`
	Local    bool      `json:"here"`
	Remote   bool      `json:"at_remote"`

	oid git.OID
}

// Bundles lists the sealed bundles of this repository.
func Bundles(ctx context.Context, s *sessionstate.Env) ([]StoredBundle, error) {
	refs, err := s.Repo.Refs(ctx, TeleportRefs)
	if err != nil {
		return nil, err
	}
	var list []StoredBundle
	for _, ref := range refs {
		if !step.IsOwnRef(ref) {
			continue
		}
		p := StoredBundle{ID: strings.TrimPrefix(ref.Name, TeleportRefs), Local: true, oid: ref.OID}
		if err := readBundleInfo(ctx, s, &p); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// readBundleInfo fills in what the bundle's newest commit says, if that commit is here.
func readBundleInfo(ctx context.Context, s *sessionstate.Env, p *StoredBundle) error {
	c, there, err := s.Repo.Reader(ctx).CommitOf(p.oid.String())
	if err != nil || !there {
		return err
	}
	p.Expires, _ = time.Parse(time.RFC3339, messageField(c.Message, expiresMark)) // a time that cannot be parsed counts as not known
	p.Complete = messageField(c.Message, partsMark) != ""
	return nil
}

// BundlesAt lists the bundles of this repository and of a remote.
func BundlesAt(ctx context.Context, s *sessionstate.Env, who git.Person, url string) ([]StoredBundle, error) {
	list, err := Bundles(ctx, s)
	if err != nil {
		return nil, err
	}
	refs, err := network(s, who).List(ctx, url, TeleportRefs)
	if err != nil {
		return nil, err
	}
	for _, ref := range refs {
		name, found := strings.TrimPrefix(ref.Name, TeleportRefs), false
		for i := range list {
			if list[i].ID == name {
				list[i].Remote, found = true, true
			}
		}
		if !found {
			p := StoredBundle{ID: name, Remote: true, oid: ref.OID}
			if err := readBundleInfo(ctx, s, &p); err != nil {
				return nil, err
			}
			list = append(list, p)
		}
	}
	return list, nil
}

// DropRemoteBundle deletes a bundle at a remote. was is true if this call deleted it; among
// several callers, only one gets true. A bundle that is gone is no error.
func DropRemoteBundle(ctx context.Context, s *sessionstate.Env, who git.Person, url, name string) (was bool, err error) {
	n := network(s, who)
	oid, there, err := n.Tip(ctx, url, TeleportRefs+name)
	if err != nil || !there {
		return false, err
	}
	return n.Delete(ctx, url, oid, TeleportRefs+name)
}

// DropBundle deletes a bundle of this repository; was reports whether there was one.
func DropBundle(ctx context.Context, s *sessionstate.Env, name string) (was bool, err error) {
	oid, there, err := s.Repo.Ref(ctx, TeleportRefs+name)
	if err != nil || !there {
		return false, err
	}
	return true, s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: TeleportRefs + name, Old: oid}})
}

// DropExpired deletes, at a remote and here, the expired bundles that this repository knows,
// except the one named but. A bundle that the remote lacks stays here. Without an expired bundle
// the remote is not asked.
func DropExpired(ctx context.Context, s *sessionstate.Env, who git.Person, url, but string) (dropped int, err error) {
	list, err := Bundles(ctx, s)
	if err != nil {
		return 0, err
	}
	for _, p := range list {
		if p.ID == but || !expired(s, p) {
			continue
		}
		was, err := DropRemoteBundle(ctx, s, who, url, p.ID)
		if err == nil && was {
			dropped++
			_, err = DropBundle(ctx, s, p.ID)
		}
		if err != nil {
			return dropped, err
		}
	}
	return dropped, nil
}

// expired reports whether nobody with a roughly correct clock can receive the bundle any more.
func expired(s *sessionstate.Env, p StoredBundle) bool {
	return !p.Expires.IsZero() && s.Now().After(p.Expires)
}

// FetchURLs returns the remotes to ask for a bundle, the likeliest first, and their URLs.
func FetchURLs(ctx context.Context, s *sessionstate.Env) (names, urls []string, err error) {
	remotes, err := resume.PreferredRemotes(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	for _, remote := range remotes {
		url, err := s.Repo.FetchURL(ctx, remote)
		if err != nil {
			return nil, nil, err
		}
		names, urls = append(names, remote), append(urls, url)
	}
	return names, urls, nil
}

// OrphanTeleports adds the expired bundles of this repository to a clean-up plan.
func OrphanTeleports(ctx context.Context, s *sessionstate.Env, plan *CleanupPlan) error {
	list, err := Bundles(ctx, s)
	if err != nil {
		return err
	}
	for _, p := range list {
		if expired(s, p) {
			plan.Add(Orphan{Kind: OrphanTeleport, Name: TeleportRefs + p.ID, Why: "expired on " + p.Expires.UTC().Format("2006-01-02 15:04 MST"), OID: p.oid})
		}
	}
	return nil
}
