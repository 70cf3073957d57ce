package githead

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"entire/checkpoint/records"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/sessionstate"
)

const (
	// ReflogTail is how many bytes at the end of HEAD's reflog are read.
	ReflogTail = 16 << 10
	// UndoneMax bounds the commits that one reset is taken to have undone, and the number of
	// resets.
	UndoneMax = 20
)

// Reflog returns the end of HEAD's reflog.
func Reflog(ctx context.Context, s *sessionstate.Env) []byte {
	return s.Repo.ReflogTail(ctx, s.Repo.GitDir, "HEAD", ReflogTail)
}

// ReflogSize returns the size of HEAD's reflog in bytes; 0 for none.
func ReflogSize(ctx context.Context, s *sessionstate.Env) int64 {
	return s.Repo.ReflogSize(ctx, s.Repo.GitDir, "HEAD")
}

// ReflogSince returns what HEAD's reflog gained after an earlier size, at most ReflogTail bytes;
// nil if that is not known, or if git has shortened the reflog.
func ReflogSince(ctx context.Context, s *sessionstate.Env, size int64) []byte {
	now := ReflogSize(ctx, s)
	if size <= 0 || now <= size {
		return nil
	}
	return s.Repo.ReflogTail(ctx, s.Repo.GitDir, "HEAD", min(now-size, ReflogTail))
}

// Resets returns the last resets in HEAD's reflog, the newest first.
func Resets(ctx context.Context, s *sessionstate.Env) []reflogReset {
	return parseResets(Reflog(ctx, s))
}

// LinkedUndone returns the linked commits that resets undid. The answer for the same resets never
// changes and is cached, so that later commits need not search again.
func LinkedUndone(ctx context.Context, s *sessionstate.Env, resets []reflogReset) ([]git.OID, error) {
	if len(resets) == 0 {
		return nil, nil
	}
	path, key := filepath.Join(s.LocalDir(), "resets.cache"), resetsDigest(resets)
	var known struct {
		Resets string    `json:"resets"`
		Linked []git.OID `json:"linked"`
	}
	if data, err := durable.ReadOwn(path); err == nil && json.Unmarshal(data, &known) == nil && known.Resets == key {
		return known.Linked, nil
	}
	linked, err := findLinked(ctx, s, resets)
	if err != nil {
		return nil, err
	}
	known.Resets, known.Linked = key, linked
	data, err := json.Marshal(known)
	if err == nil {
		err = durable.WriteCache(path, data, 0o600)
	}
	if err != nil {
		s.Log.Warn("what resets undid is not remembered", "err", err)
	}
	return linked, nil
}

func resetsDigest(resets []reflogReset) string {
	h := sha256.New()
	for _, r := range resets {
		fmt.Fprintln(h, r.from, r.to)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// findLinked asks git, in one round trip.
func findLinked(ctx context.Context, s *sessionstate.Env, resets []reflogReset) ([]git.OID, error) {
	var specs []string
	for _, r := range resets {
		specs = append(specs, AncestorSpecs(r.from.String(), UndoneMax)...)
	}
	objs, err := s.Repo.Reader(ctx).Objects(specs...)
	if err != nil {
		return nil, err
	}
	links, err := records.NewReader(s.Repo).Links(ctx)
	if err != nil {
		return nil, err
	}
	var out []git.OID
	seen := map[git.OID]bool{}
	for i, r := range resets {
		for _, o := range objs[i*UndoneMax : (i+1)*UndoneMax] {
			if o.Type != "commit" || o.OID == r.to || seen[o.OID] {
				break // pruned, or the reset's target
			}
			seen[o.OID] = true
			c, err := git.ParseCommit(o.OID, o.Data)
			if err != nil {
				return nil, err
			}
			if len(links.Of(c.OID, c.Message)) > 0 {
				out = append(out, o.OID)
			}
		}
	}
	return out, nil
}

// reflogReset is a reset in HEAD's reflog: HEAD's commits before and after.
type reflogReset struct{ from, to git.OID }

// parseResets returns the resets in a reflog that moved away from a commit, newest first.
func parseResets(reflog []byte) []reflogReset {
	var out []reflogReset
	for _, e := range slices.Backward(git.ParseReflog(reflog)) {
		if len(out) < UndoneMax && strings.HasPrefix(e.What, "reset: ") && e.Old != e.New && !e.Old.IsZero() && !e.New.IsZero() {
			out = append(out, reflogReset{e.Old, e.New})
		}
	}
	return out
}

// AmendedCommit returns the commit that an amend has just replaced by cm, according to HEAD's reflog;
// zero for any other commit.
func AmendedCommit(ctx context.Context, s *sessionstate.Env, cm MadeCommit) git.OID {
	entries := git.ParseReflog(Reflog(ctx, s))
	if len(entries) == 0 {
		return git.OID{}
	}
	last := entries[len(entries)-1]
	if last.New != cm.OID || !strings.HasPrefix(last.What, "commit (amend)") {
		return git.OID{}
	}
	return last.Old
}
