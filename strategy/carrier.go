package strategy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"entire/internal/git"
)

// teleportRefs is the folder of the refs that hold sealed bundles, here and at remotes. Each is
// named by an ID that is derived from its code.
const teleportRefs = "refs/entire/teleport/"

const (
	partBytes   = 8 << 20 // bytes of a sealed bundle in one blob
	stageParts  = 4       // blobs in each commit; the commits are pushed one after the other
	maxParts    = 4096
	expiresMark = "Expires: "
	partsMark   = "Parts: "
)

var (
	// ErrNoTeleport is returned if no bundle has this code.
	ErrNoTeleport = errors.New("nothing is there under this code")

	// ErrTaken is returned if somebody else has received the bundle in between.
	ErrTaken = errors.New("it was received elsewhere meanwhile")

	// ErrHeldThere is returned if the remote refuses to write the ref though nobody has moved it.
	ErrHeldThere = errors.New("the ref is locked there")

	// ErrIncomplete is returned for a bundle whose sending was interrupted.
	ErrIncomplete = errors.New("it was not sent completely yet")
)

// Way says how to reach another repository, and who may be asked and shown what.
type Way struct {
	Ask      bool // git and ssh may ask the person at Stdin
	Stdin    io.Reader
	Progress io.Writer
}

// network returns git's access to other repositories, with what w allows.
func (s *ManualCommitStrategy) network(w Way) *git.Network {
	n := s.repo.Network()
	n.Ask, n.Stdin, n.Progress = w.Ask, w.Stdin, w.Progress
	return n
}

// carrier is the signature of the commits that hold bundles; it names no person.
func carrier(at time.Time) git.Signature {
	return git.Signature{Name: "entire", Email: "teleport@entire.invalid", When: at.UTC().Truncate(time.Hour)}
}

// StoreParcel writes a sealed bundle into the repository, under its own ref. Nothing is sent yet.
// Only the bundle's expiry and its length are not sealed.
func (s *ManualCommitStrategy) StoreParcel(ctx context.Context, name string, expires time.Time, sealed io.Reader) error {
	w := s.repo.Writer()
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
		c := git.Commit{Tree: tree, Author: carrier(s.Now()), Committer: carrier(s.Now()), Message: message}
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
			return fmt.Errorf("it has more than %s", inMiB(maxParts*partBytes))
		}
		if last || len(entries)%stageParts == 0 {
			if err := commit(last); err != nil {
				return err
			}
		}
	}
	return s.setRef(ctx, teleportRefs+name, tip)
}

func partName(n int) string { return fmt.Sprintf("part-%05d", n) }

// SendParcel sends a stored bundle commit by commit; what an interrupted try has already sent is
// not sent again. It returns ErrNoTeleport if there is no such bundle here, and ErrHeldThere if
// the remote refuses this name.
func (s *ManualCommitStrategy) SendParcel(ctx context.Context, w Way, url, name string) error {
	tip, there, err := s.repo.Ref(ctx, teleportRefs+name)
	if err != nil {
		return err
	}
	if !there {
		return ErrNoTeleport
	}
	var pieces []git.OID // the newest commit first
	for c, err := s.repo.Reader(ctx).Commit(tip); ; c, err = s.repo.Reader(ctx).Commit(c.Parents[0]) {
		if err != nil {
			return err
		}
		if pieces = append(pieces, c.OID); len(c.Parents) == 0 {
			break
		}
	}
	n := s.network(w)
	have, _, err := n.Tip(ctx, url, teleportRefs+name)
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
		err := n.Push(ctx, url, pieces[at], teleportRefs+name)
		if errors.Is(err, git.ErrRejected) {
			// Nobody else has sent under this name: a push that was killed has left its lock at the remote.
			if now, _, terr := n.Tip(ctx, url, teleportRefs+name); terr == nil && now == have {
				return fmt.Errorf("%w: %w", ErrHeldThere, err)
			}
		}
		if err != nil {
			return err
		}
		have = pieces[at]
	}
	return nil
}

// FetchParcel fetches a sealed bundle from a remote; ErrNoTeleport if the remote has no bundle of
// that name.
func (s *ManualCommitStrategy) FetchParcel(ctx context.Context, w Way, url, name string) error {
	n := s.network(w)
	_, there, err := n.Tip(ctx, url, teleportRefs+name)
	if err != nil {
		return err
	}
	if !there {
		return ErrNoTeleport
	}
	return n.Fetch(ctx, url, teleportRefs+name, teleportRefs+name)
}

// OpenParcel reads a sealed bundle of this repository. size is an upper bound. It returns
// ErrNoTeleport if there is no bundle of that name, and ErrIncomplete if parts are missing.
func (s *ManualCommitStrategy) OpenParcel(ctx context.Context, name string) (sealed io.Reader, size int64, err error) {
	rd := s.repo.Reader(ctx)
	tip, there, err := rd.CommitOf(teleportRefs + name)
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
	if len(entries) > maxParts || field(tip.Message, partsMark) != fmt.Sprint(len(entries)) {
		return nil, 0, ErrIncomplete
	}
	for i, e := range entries {
		if e.Name != partName(i) || e.Mode != git.ModeFile {
			return nil, 0, ErrIncomplete
		}
	}
	return &partsOf{s: s, ctx: ctx, left: entries}, int64(len(entries)) * partBytes, nil
}

// partsOf reads the parts of a bundle one after the other.
type partsOf struct {
	s    *ManualCommitStrategy
	ctx  context.Context
	left []git.TreeEntry
	now  []byte
}

func (p *partsOf) Read(b []byte) (int, error) {
	for len(p.now) == 0 {
		if len(p.left) == 0 {
			return 0, io.EOF
		}
		var err error
		if p.now, err = p.s.repo.Reader(p.ctx).Blob(p.left[0].OID); err != nil {
			return 0, err
		}
		p.left = p.left[1:]
	}
	n := copy(b, p.now)
	p.now = p.now[n:]
	return n, nil
}

// field returns the rest of the message's line that begins with mark, "" if there is none.
func field(message, mark string) string {
	for line := range strings.Lines(message) {
		if value, ok := strings.CutPrefix(line, mark); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// StoredParcel is a sealed bundle in this repository or at a remote.
type StoredParcel struct {
	ID       string    `json:"id"`
	Expires  time.Time `json:"expires_at,omitzero"` // zero if it is not known here
	Complete bool      `json:"complete"`
	Here     bool      `json:"here"`
	There    bool      `json:"at_remote"`

	oid git.OID
}

// Parcels lists the sealed bundles of this repository.
func (s *ManualCommitStrategy) Parcels(ctx context.Context) ([]StoredParcel, error) {
	refs, err := s.repo.Refs(ctx, teleportRefs)
	if err != nil {
		return nil, err
	}
	var list []StoredParcel
	for _, ref := range refs {
		if !ownRef(ref) {
			continue
		}
		p := StoredParcel{ID: strings.TrimPrefix(ref.Name, teleportRefs), Here: true, oid: ref.OID}
		if err := s.aboutParcel(ctx, &p); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// aboutParcel fills in what the bundle's newest commit says, if that commit is here.
func (s *ManualCommitStrategy) aboutParcel(ctx context.Context, p *StoredParcel) error {
	c, there, err := s.repo.Reader(ctx).CommitOf(p.oid.String())
	if err != nil || !there {
		return err
	}
	p.Expires, _ = time.Parse(time.RFC3339, field(c.Message, expiresMark)) // a time that cannot be parsed counts as not known
	p.Complete = field(c.Message, partsMark) != ""
	return nil
}

// ParcelsAt lists the bundles of this repository and of a remote.
func (s *ManualCommitStrategy) ParcelsAt(ctx context.Context, w Way, url string) ([]StoredParcel, error) {
	list, err := s.Parcels(ctx)
	if err != nil {
		return nil, err
	}
	refs, err := s.network(w).List(ctx, url, teleportRefs)
	if err != nil {
		return nil, err
	}
	for _, ref := range refs {
		name, found := strings.TrimPrefix(ref.Name, teleportRefs), false
		for i := range list {
			if list[i].ID == name {
				list[i].There, found = true, true
			}
		}
		if !found {
			p := StoredParcel{ID: name, There: true, oid: ref.OID}
			if err := s.aboutParcel(ctx, &p); err != nil {
				return nil, err
			}
			list = append(list, p)
		}
	}
	return list, nil
}

// DropRemoteParcel deletes a bundle at a remote. was is true if this call deleted it; among
// several callers, only one gets true. A bundle that is gone is no error.
func (s *ManualCommitStrategy) DropRemoteParcel(ctx context.Context, w Way, url, name string) (was bool, err error) {
	n := s.network(w)
	oid, there, err := n.Tip(ctx, url, teleportRefs+name)
	if err != nil || !there {
		return false, err
	}
	return n.Delete(ctx, url, oid, teleportRefs+name)
}

// DropParcel deletes a bundle of this repository; was reports whether there was one.
func (s *ManualCommitStrategy) DropParcel(ctx context.Context, name string) (was bool, err error) {
	oid, there, err := s.repo.Ref(ctx, teleportRefs+name)
	if err != nil || !there {
		return false, err
	}
	return true, s.repo.UpdateRefs(ctx, []git.RefUpdate{{Name: teleportRefs + name, Old: oid}})
}

// DropExpired deletes, at a remote and here, the expired bundles that this repository knows,
// except the one named but. A bundle that the remote lacks stays here. Without an expired bundle
// the remote is not asked.
func (s *ManualCommitStrategy) DropExpired(ctx context.Context, w Way, url, but string) (dropped int, err error) {
	list, err := s.Parcels(ctx)
	if err != nil {
		return 0, err
	}
	for _, p := range list {
		if p.ID == but || !s.expired(p) {
			continue
		}
		was, err := s.DropRemoteParcel(ctx, w, url, p.ID)
		if err == nil && was {
			dropped++
			_, err = s.DropParcel(ctx, p.ID)
		}
		if err != nil {
			return dropped, err
		}
	}
	return dropped, nil
}

// expired reports whether nobody with a roughly correct clock can receive the bundle any more.
func (s *ManualCommitStrategy) expired(p StoredParcel) bool {
	return !p.Expires.IsZero() && s.Now().After(p.Expires)
}

// SendURL returns the URL that a push to a remote, a URL or a repository's path goes to; an error
// if target is none of them.
func (s *ManualCommitStrategy) SendURL(ctx context.Context, target string) (string, error) {
	urls, err := s.resolve(ctx, target)
	if err != nil {
		return "", err
	}
	return urls[0], nil
}

// FetchURLs returns the remotes to ask for a bundle, the likeliest first, and their URLs.
func (s *ManualCommitStrategy) FetchURLs(ctx context.Context) (names, urls []string, err error) {
	remotes, err := s.preferredRemotes(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, remote := range remotes {
		url, err := s.repo.FetchURL(ctx, remote)
		if err != nil {
			return nil, nil, err
		}
		names, urls = append(names, remote), append(urls, url)
	}
	return names, urls, nil
}

// orphanTeleports adds the expired bundles of this repository to a clean-up plan.
func (s *ManualCommitStrategy) orphanTeleports(ctx context.Context, plan *CleanupPlan) error {
	list, err := s.Parcels(ctx)
	if err != nil {
		return err
	}
	for _, p := range list {
		if s.expired(p) {
			plan.add(Orphan{Kind: OrphanTeleport, Name: teleportRefs + p.ID, Why: "expired on " + p.Expires.UTC().Format("2006-01-02 15:04 MST"), oid: p.oid})
		}
	}
	return nil
}

// examineTeleports reports the expired bundles.
func (s *ManualCommitStrategy) examineTeleports(ctx context.Context) ([]Finding, error) {
	plan := &CleanupPlan{}
	if err := s.orphanTeleports(ctx, plan); err != nil {
		return nil, err
	}
	var found []Finding
	for _, o := range plan.Orphans {
		found = append(found, Finding{Kind: "teleport", Subject: o.Name, Why: o.Why, Note: true,
			Hint: "`entire clean --force` removes it here, `entire teleport cancel " + strings.TrimPrefix(o.Name, teleportRefs) + " --to REMOTE` at a remote"})
	}
	return found, nil
}
