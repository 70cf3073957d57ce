package worktree

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/sessionstate"
)

// racyWindow is how close to the moment of recording a file's time may be before its stat data proves
// nothing: a second write could fall into the same tick.
const racyWindow = 20 * time.Millisecond

// cacheFields is how many fields the cache has of a file.
const cacheFields = 9

const CacheMagic = "entire-worktree-5"

// CachePath returns the worktree's cache.
func CachePath(s *sessionstate.Env) string {
	return filepath.Join(s.LocalDir(), "worktree.cache")
}

// LoadCache reads the cache once. A missing or damaged cache is empty. So is a cache whose step
// is not the tip of its branch: a slow process may have written it over a newer one, or git may
// have pruned the blobs of a deleted branch.
func LoadCache(ctx context.Context, s *sessionstate.Env) *sessionstate.WorktreeCache {
	if s.Cache == nil {
		s.Cache = &sessionstate.WorktreeCache{Stats: map[string]sessionstate.CachedStat{}}
		if data, err := durable.ReadOwn(CachePath(s)); err == nil {
			if c, err := ParseCache(data); err == nil && (c.Ref == "" && len(c.Files) == 0 || isTip(ctx, s, c.Ref, c.Tip)) {
				s.Cache = c
			}
		}
	}
	return s.Cache
}

// CachedTip returns the newest step of HEAD's shadow branch as the cache names it, though the branch is not there; zero
// for none.
func CachedTip(s *sessionstate.Env, head git.OID, ref string) git.OID {
	data, err := durable.ReadOwn(CachePath(s))
	if err != nil {
		return git.OID{}
	}
	if c, err := ParseCache(data); err == nil && c.Head == head && c.Ref == ref {
		return c.Tip
	}
	return git.OID{}
}

// isTip reports whether a ref has a value. Only where refs are in tables it asks git; for another ref
// that only git can read it returns false, and the cache is not used.
func isTip(ctx context.Context, s *sessionstate.Env, ref string, tip git.OID) bool {
	if tip.IsZero() || !strings.HasPrefix(ref, "refs/heads/entire/") {
		return false
	}
	if s.Repo.InTables() {
		c, found, err := s.Repo.Reader(ctx).CommitOf(ref)
		return err == nil && found && c.OID == tip
	}
	loose, err := durable.Read(filepath.Join(s.Repo.CommonDir, filepath.FromSlash(ref)), 1<<10)
	if err == nil {
		return strings.TrimSpace(string(loose)) == tip.String()
	}
	packed, err := durable.ReadOwn(filepath.Join(s.Repo.CommonDir, "packed-refs"))
	return err == nil && bytes.Contains(packed, []byte("\n"+tip.String()+" "+ref+"\n"))
}

// ReloadCache reads the cache again, because another session may have written it since.
func ReloadCache(ctx context.Context, s *sessionstate.Env) *sessionstate.WorktreeCache {
	s.Cache = nil
	return LoadCache(ctx, s)
}

// SaveCache replaces the cache; it logs an error, because the next snapshot only takes longer without it.
func SaveCache(s *sessionstate.Env, c *sessionstate.WorktreeCache) {
	s.Cache = c
	if err := durable.WriteCache(CachePath(s), Encode(c), 0o600); err != nil {
		s.Log.Warn("worktree cache not saved", "err", err)
	}
}

// Encode returns the cache as it is stored: fields that end with a NUL.
func Encode(c *sessionstate.WorktreeCache) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\x00%s\x00%s\x00%s\x00%s\x00", CacheMagic, c.Head, c.Ref, c.Tip, c.Gaps)
	for _, f := range c.Files {
		st := c.Stats[f.Path]
		if st.OID != f.OID { // the stat data are of another version
			st = sessionstate.CachedStat{}
		}
		b.WriteString(f.Path)
		b.WriteByte(0)
		for _, n := range []int64{int64(f.Mode), st.Key.Size, st.Key.Mtime, st.Key.Ctime, int64(st.Key.Ino), int64(st.Key.Mode)} {
			b.WriteString(strconv.FormatInt(n, 36))
			b.WriteByte(0)
		}
		for _, oid := range []git.OID{f.OID, st.Exact} {
			b.WriteString(oid.String())
			b.WriteByte(0)
		}
	}
	b.WriteString("end")
	return b.Bytes()
}

// ParseCache is the reverse of Encode. A cache that is not complete is an error.
func ParseCache(data []byte) (*sessionstate.WorktreeCache, error) {
	fields := bytes.Split(data, []byte{0})
	if len(fields) < 6 || string(fields[0]) != CacheMagic || string(fields[len(fields)-1]) != "end" || (len(fields)-6)%cacheFields != 0 {
		return nil, fmt.Errorf("worktree cache is damaged")
	}
	c := &sessionstate.WorktreeCache{Ref: string(fields[2]), Stats: map[string]sessionstate.CachedStat{}}
	var err error
	if c.Head, err = ParseOptional(fields[1]); err != nil {
		return nil, err
	}
	if c.Tip, err = ParseOptional(fields[3]); err != nil {
		return nil, err
	}
	if c.Gaps, err = ParseOptional(fields[4]); err != nil {
		return nil, err
	}
	for rec := fields[5 : len(fields)-1]; len(rec) >= cacheFields; rec = rec[cacheFields:] {
		var n [6]int64
		for i := range n {
			if n[i], err = strconv.ParseInt(string(rec[i+1]), 36, 64); err != nil {
				return nil, err
			}
		}
		f := sessionstate.PathVersion{Path: string(rec[0]), Mode: uint32(n[0])}
		if f.OID, err = ParseOptional(rec[7]); err != nil {
			return nil, err
		}
		exact, err := ParseOptional(rec[8])
		if err != nil {
			return nil, err
		}
		c.Files = append(c.Files, f)
		if n[5] != 0 {
			c.Stats[f.Path] = sessionstate.CachedStat{Key: sessionstate.StatKey{Size: n[1], Mtime: n[2], Ctime: n[3], Ino: uint64(n[4]), Mode: uint32(n[5])}, OID: f.OID, Exact: exact}
		}
	}
	return c, nil
}

// ParseOptional parses an object ID; an empty text is the zero ID.
func ParseOptional(hex []byte) (git.OID, error) {
	if len(hex) == 0 {
		return git.OID{}, nil
	}
	return git.ParseOID(string(hex))
}
