package strategy

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"entire/internal/durable"
	"entire/internal/git"
)

// racy is how close to the moment of recording a file's time may be before its stat data proves
// nothing: a second write could fall into the same tick.
const racy = 20 * time.Millisecond

// statKey is a file's stat data at the moment when it was hashed.
type statKey struct {
	size, mtime, ctime int64
	ino                uint64
	mode               uint32
}

// worktreeCache remembers the worktree as it was in the last step, so that the next event hashes
// only changed files and, if there are none, reads no tree. It can be deleted at any time: every
// entry is checked against the file's stat data, and the whole cache against HEAD and the tip of
// the shadow branch.
type worktreeCache struct {
	head  git.OID // HEAD the files are relative to
	ref   string  // shadow ref of the step; "" when there is none
	tip   git.OID // the step
	files fileStates
	stats map[string]cachedStat
	gaps  git.OID // the step's list of what it did not capture, zero for none
}

// cachedStat is the blob of a file that had these stat data.
type cachedStat struct {
	key statKey
	oid git.OID
}

const cacheMagic = "entire-worktree-4"

func (s *ManualCommitStrategy) cachePath() string {
	return filepath.Join(s.localDir(), "worktree.cache")
}

// loadCache reads the cache once. A missing or damaged cache is empty. So is a cache whose step
// is not the tip of its branch: a slow process may have written it over a newer one, or git may
// have pruned the blobs of a deleted branch.
func (s *ManualCommitStrategy) loadCache() *worktreeCache {
	if s.cache == nil {
		s.cache = &worktreeCache{stats: map[string]cachedStat{}}
		if data, err := os.ReadFile(s.cachePath()); err == nil {
			if c, err := parseCache(data); err == nil && (c.ref == "" && len(c.files) == 0 || s.isTip(c.ref, c.tip)) {
				s.cache = c
			}
		}
	}
	return s.cache
}

// isTip reports whether a ref has a value, without starting git. For a ref that only git can read
// it returns false, and the cache is not used.
func (s *ManualCommitStrategy) isTip(ref string, tip git.OID) bool {
	if tip.IsZero() || !strings.HasPrefix(ref, "refs/heads/entire/") {
		return false
	}
	loose, err := os.ReadFile(filepath.Join(s.repo.CommonDir, filepath.FromSlash(ref)))
	if err == nil {
		return strings.TrimSpace(string(loose)) == tip.String()
	}
	packed, err := os.ReadFile(filepath.Join(s.repo.CommonDir, "packed-refs"))
	return err == nil && bytes.Contains(packed, []byte("\n"+tip.String()+" "+ref+"\n"))
}

// reloadCache reads the cache again, because another session may have written it since.
func (s *ManualCommitStrategy) reloadCache() *worktreeCache {
	s.cache = nil
	return s.loadCache()
}

func (s *ManualCommitStrategy) saveCache(c *worktreeCache) {
	s.cache = c
	if err := durable.WriteCache(s.cachePath(), c.encode(), 0o600); err != nil {
		s.Log.Warn("worktree cache not saved", "err", err)
	}
}

func (c *worktreeCache) encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\x00%s\x00%s\x00%s\x00%s\x00", cacheMagic, c.head, c.ref, c.tip, c.gaps)
	for _, f := range c.files {
		st := c.stats[f.path]
		if st.oid != f.oid { // the stat data are of another version
			st = cachedStat{}
		}
		b.WriteString(f.path)
		b.WriteByte(0)
		for _, n := range []int64{int64(f.mode), st.key.size, st.key.mtime, st.key.ctime, int64(st.key.ino), int64(st.key.mode)} {
			b.WriteString(strconv.FormatInt(n, 36))
			b.WriteByte(0)
		}
		b.WriteString(f.oid.String())
		b.WriteByte(0)
	}
	b.WriteString("end")
	return b.Bytes()
}

func parseCache(data []byte) (*worktreeCache, error) {
	fields := bytes.Split(data, []byte{0})
	if len(fields) < 6 || string(fields[0]) != cacheMagic || string(fields[len(fields)-1]) != "end" || (len(fields)-6)%8 != 0 {
		return nil, fmt.Errorf("worktree cache is damaged")
	}
	c := &worktreeCache{ref: string(fields[2]), stats: map[string]cachedStat{}}
	var err error
	if c.head, err = parseOptional(fields[1]); err != nil {
		return nil, err
	}
	if c.tip, err = parseOptional(fields[3]); err != nil {
		return nil, err
	}
	if c.gaps, err = parseOptional(fields[4]); err != nil {
		return nil, err
	}
	for rec := fields[5 : len(fields)-1]; len(rec) >= 8; rec = rec[8:] {
		var n [6]int64
		for i := range n {
			if n[i], err = strconv.ParseInt(string(rec[i+1]), 36, 64); err != nil {
				return nil, err
			}
		}
		f := fileState{path: string(rec[0]), mode: uint32(n[0])}
		if f.oid, err = parseOptional(rec[7]); err != nil {
			return nil, err
		}
		c.files = append(c.files, f)
		if n[5] != 0 {
			c.stats[f.path] = cachedStat{statKey{n[1], n[2], n[3], uint64(n[4]), uint32(n[5])}, f.oid}
		}
	}
	return c, nil
}

// parseOptional parses an object ID; an empty text is the zero ID.
func parseOptional(hex []byte) (git.OID, error) {
	if len(hex) == 0 {
		return git.OID{}, nil
	}
	return git.ParseOID(string(hex))
}
