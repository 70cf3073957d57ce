package strategy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"

	"entire/internal/git"
)

// KeptFile is a path that was not changed or not captured, and the reason.
type KeptFile struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// snapshot is the present state of the worktree relative to HEAD. The blobs of its files are
// stored, but no ref reaches them yet.
type snapshot struct {
	head    git.OID // zero on an unborn branch
	branch  string
	files   fileStates
	stats   map[string]cachedStat
	skipped []KeptFile
	staged  map[string]bool // paths whose index entry differs from HEAD
	hashed  int             // number of files that were hashed because the cache did not know them
	broken  error           // the first error of the disk
	late    lateFiles       // files that were not read in time

	uncaptured []Uncaptured    // skipped, and what a tree cannot hold
	gaps       git.OID         // the stored blob with uncaptured
	included   map[string]bool // ignored files that the settings include
	linked     map[string]bool // by folder: whether it lies behind a symbolic link
}

// breaks records the first error of the disk. A step is made without the files that it hides; a
// rewind is refused.
func (snap *snapshot) breaks(err error) {
	if snap.broken == nil {
		snap.broken = err
	}
}

// takeSnapshot reads the files that git's status lists. It hashes only files whose stat data
// changed since the cache was written.
func (s *ManualCommitStrategy) takeSnapshot(ctx context.Context, st *git.Status) (*snapshot, error) {
	return s.takeSnapshotReading(ctx, ctx, st)
}

// takeSnapshotReading is takeSnapshot, but leaves out the files that are not read when the
// context reading ends.
func (s *ManualCommitStrategy) takeSnapshotReading(ctx, reading context.Context, st *git.Status) (*snapshot, error) {
	snap := &snapshot{head: st.Head, branch: st.Branch, stats: map[string]cachedStat{}, staged: map[string]bool{}, linked: map[string]bool{".": false}}
	for _, n := range st.Nested {
		snap.skip(n, GapNested, "nested repository")
	}
	for _, c := range st.Closed {
		snap.skip(c.Path, GapUnreadable, "not readable")
		if !c.Denied {
			snap.breaks(fmt.Errorf("%s: %s", c.Path, c.Why))
		}
	}
	for _, p := range st.Unstorable {
		snap.skip(p, GapName, "git cannot store a file of this name")
	}
	found := map[string]*finding{}
	var hash []string
	for _, e := range mergeEntries(st.Entries) {
		if !e.Untracked && !e.Unmerged && (e.IndexMode != e.HeadMode || e.IndexOID != e.HeadOID) {
			snap.staged[e.Path] = true
		}
		if err := s.ofHead(ctx, &e, st.Head); err != nil {
			return nil, err
		}
		f, err := s.look(e, snap)
		if err != nil {
			return nil, err
		}
		if f == nil {
			continue
		}
		found[e.Path] = f
		if e.Ignored {
			snap.include(e.Path)
		}
	}
	s.fitIn(found, snap)
	for p, f := range found {
		if f.hash {
			hash = append(hash, p)
		}
	}
	sort.Slice(hash, func(i, j int) bool { // tracked files first, in case there is no time for all
		if a, b := found[hash[i]].tracked, found[hash[j]].tracked; a != b {
			return a
		}
		return hash[i] < hash[j]
	})
	if err := s.hashFound(ctx, reading, hash, found, snap); err != nil {
		return nil, err
	}
	for _, f := range found {
		if f.drop || f.sameContent(f.headMode, f.headOID) || f.mode == 0 && f.headMode == 0 {
			continue
		}
		snap.files = append(snap.files, f.fileState)
	}
	sortStates(snap.files)
	return snap, nil
}

// finding is the state of one path while a snapshot is taken.
type finding struct {
	fileState
	headMode uint32
	headOID  git.OID
	key      statKey
	hash     bool // the content is not stored yet
	tracked  bool
	drop     bool
}

// mergeEntries merges the entries of a path. A path that was removed from the index but is on
// disk has two entries; the file on disk counts.
func mergeEntries(entries []git.StatusEntry) []git.StatusEntry {
	at := make(map[string]int, len(entries))
	out := make([]git.StatusEntry, 0, len(entries))
	for _, e := range entries {
		i, twice := at[e.Path]
		if !twice {
			at[e.Path] = len(out)
			out = append(out, e)
			continue
		}
		if out[i].HeadMode == 0 {
			out[i].HeadMode, out[i].HeadOID = e.HeadMode, e.HeadOID
		}
	}
	return out
}

// look returns the state of one path. It returns nil if a step keeps HEAD's entry.
func (s *ManualCommitStrategy) look(e git.StatusEntry, snap *snapshot) (*finding, error) {
	if ownPath(e.Path) {
		return nil, nil
	}
	if e.Submodule || e.HeadMode == git.ModeGitlink || e.WorkMode == git.ModeGitlink {
		snap.skip(e.Path, GapSubmodule, "submodule")
		return nil, nil
	}
	f := &finding{fileState: fileState{path: e.Path}, headMode: e.HeadMode, headOID: e.HeadOID, tracked: !e.Untracked}
	if snap.beyondLink(s.repo.Top, path.Dir(e.Path)) {
		return f, nil // what is there belongs to the target of the link, not to this path
	}
	full := filepath.Join(s.repo.Top, filepath.FromSlash(e.Path))
	fi, err := os.Lstat(full)
	switch {
	case (errors.Is(err, fs.ErrNotExist) || isNotDir(err)) && e.AsIndex && e.IndexMode != 0:
		return nil, nil // staged, but outside the sparse checkout
	case errors.Is(err, fs.ErrNotExist) || isNotDir(err):
		return f, nil
	case err != nil:
		snap.skip(e.Path, GapUnreadable, "not readable")
		if !errors.Is(err, fs.ErrPermission) {
			snap.breaks(err)
		}
		return nil, nil
	case fi.IsDir():
		return f, nil // a folder has replaced the file; status lists its files separately
	case fi.Mode()&fs.ModeSymlink != 0:
		return f, s.lookLink(full, f)
	case !fi.Mode().IsRegular():
		snap.skip(e.Path, GapSpecial, "special file ("+specialKind(fi.Mode())+")")
		return nil, nil
	}
	f.mode = s.fileMode(e, fi)
	f.key = keyOf(fi)
	if e.AsIndex && fi.Size() > s.CaptureLimit {
		f.oid = e.IndexOID // git has stored it already
		return f, nil
	}
	if fi.Size() > s.CaptureLimit {
		snap.skip(e.Path, GapLarge, "larger than "+inMiB(s.CaptureLimit))
		return nil, nil
	}
	s.lookMode(e.Path, fi, snap)
	if was, ok := s.loadCache().stats[e.Path]; ok && was.key == f.key {
		f.oid = was.oid
		snap.stats[e.Path] = was
	} else {
		f.hash = true
	}
	return f, nil
}

// beyondLink reports whether a folder is a symbolic link or lies below one.
func (snap *snapshot) beyondLink(top, dir string) bool {
	if linked, known := snap.linked[dir]; known {
		return linked
	}
	linked := snap.beyondLink(top, path.Dir(dir))
	if !linked {
		fi, err := os.Lstat(filepath.Join(top, filepath.FromSlash(dir)))
		if err != nil && !absent(err) && !errors.Is(err, fs.ErrPermission) {
			snap.breaks(err)
		}
		linked = err == nil && fi.Mode()&fs.ModeSymlink != 0
	}
	snap.linked[dir] = linked
	return linked
}

func (s *ManualCommitStrategy) lookLink(full string, f *finding) error {
	target, err := os.Readlink(full)
	if err != nil {
		return fmt.Errorf("read link %s: %w", f.path, err)
	}
	f.mode = git.ModeSymlink
	f.oid, err = s.repo.Writer().Blob([]byte(target))
	return err
}

// fileMode returns the file's mode in a tree: by its executable bit, or by the index if
// core.fileMode is off.
func (s *ManualCommitStrategy) fileMode(e git.StatusEntry, fi fs.FileInfo) uint32 {
	if !s.repo.FileMode {
		if e.IndexMode != 0 {
			return e.IndexMode
		}
		return git.ModeFile
	}
	if e.WorkMode == git.ModeSymlink {
		return git.ModeSymlink // core.symlinks=false: the link's text in a plain file
	}
	if fi.Mode()&0o111 != 0 {
		return git.ModeExec
	}
	return git.ModeFile
}

func keyOf(fi fs.FileInfo) statKey {
	ino, ctime := inode(fi)
	return statKey{size: fi.Size(), mtime: fi.ModTime().UnixNano(), ctime: ctime, ino: ino, mode: uint32(fi.Mode())}
}

// hashFound stores the content of the changed files. If a file changes while it is read, the
// cache does not get its stat data.
func (s *ManualCommitStrategy) hashFound(ctx, reading context.Context, paths []string, found map[string]*finding, snap *snapshot) error {
	if len(paths) == 0 {
		return nil
	}
	snap.hashed = len(paths)
	res, err := s.repo.HashFiles(reading, paths)
	late := err != nil && reading.Err() != nil && ctx.Err() == nil
	if err != nil && !late {
		return err
	}
	now := s.Now()
	for _, p := range paths {
		f := found[p]
		oid, ok := res.OIDs[p]
		if _, looked := res.Skipped[p]; !ok && !looked && late {
			snap.leaveLate(f, s.loadCache())
			continue
		}
		if !ok {
			f.drop = res.Skipped[p] != "gone"
			f.mode = 0
			if f.drop {
				snap.skip(p, GapUnreadable, res.Skipped[p])
			}
			continue
		}
		f.oid = oid
		fi, err := os.Lstat(filepath.Join(s.repo.Top, filepath.FromSlash(p)))
		if err == nil && keyOf(fi) == f.key && now.Sub(fi.ModTime()) > racy {
			snap.stats[p] = cachedStat{f.key, oid}
		}
	}
	for _, p := range res.Raw {
		s.Log.Warn("stored without its clean filter", "path", p)
	}
	return nil
}

// cacheOf returns the cache entry for a worktree that equals the step tip.
func (snap *snapshot) cacheOf(ref string, tip git.OID) *worktreeCache {
	return &worktreeCache{head: snap.head, ref: ref, tip: tip, files: snap.files, stats: snap.stats, gaps: snap.gaps}
}

// ofHead sets the HEAD side of an unmerged entry to HEAD's own entry. Git reports "our" side of
// the merge, which may have another name such as `dir~HEAD` if a folder was in the way of dir.
func (s *ManualCommitStrategy) ofHead(ctx context.Context, e *git.StatusEntry, head git.OID) error {
	if !e.Unmerged || e.HeadMode == 0 {
		return nil
	}
	tree, err := s.headTree(ctx, head)
	if err != nil {
		return err
	}
	had, ok, err := s.repo.Reader(ctx).Path(tree, e.Path)
	if err != nil {
		return err
	}
	if !ok {
		had.Mode, had.OID = 0, git.OID{}
	}
	e.HeadMode, e.HeadOID = had.Mode, had.OID
	return nil
}
