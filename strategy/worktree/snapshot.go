package worktree

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
	"entire/strategy/sessionstate"
)

// whyLate is the reason stated for a file that a step lacks because the hook's time ran out.
const whyLate = "it was not read in the time that a hook has"

// skipLate leaves a file out of the snapshot for lack of time: it stays as it is in the last step.
func (snap *Snapshot) skipLate(f *inspectedPath, last *sessionstate.WorktreeCache) {
	snap.Late.Count++
	snap.Late.Until = max(snap.Late.Until, ChangedAt(f.key))
	snap.Uncaptured = append(snap.Uncaptured, Uncaptured{Path: f.Path, Gap: GapLate, Why: whyLate})
	was, ok := Find(last.Files, f.Path)
	if f.leftOut = !ok || last.Head != snap.Head; !f.leftOut {
		f.Mode, f.OID = was.Mode, was.OID
	}
}

// ChangedAt returns when a file last changed, in nanoseconds, as far as the system tells.
func ChangedAt(k sessionstate.StatKey) int64 { return max(k.Mtime, k.Ctime) }

// Snapshot is the present state of the worktree relative to HEAD. The blobs of its files are
// stored, but no ref reaches them yet.
type Snapshot struct {
	Head        git.OID // zero on an unborn branch
	Branch      string
	Files       sessionstate.PathVersions
	Stats       map[string]sessionstate.CachedStat
	Skipped     []sessionstate.KeptFile
	Staged      map[string]bool        // paths whose index entry differs from HEAD
	HashedCount int                    // number of files that were hashed because the cache did not know them
	DiskError   error                  // the first error of the disk
	Late        sessionstate.LateFiles // files that were not read in time

	Uncaptured []Uncaptured    // skipped, and what a tree cannot hold
	Gaps       git.OID         // the stored blob with uncaptured
	Included   map[string]bool // ignored files that the settings include
	Symlinked  map[string]bool // by folder: whether it lies behind a symbolic link

	Exact map[string]git.OID // path -> the stored bytes of the file, if git might write others for its blob
}

// noteDiskError records the first error of the disk. A step is made without the files that it hides; a
// rewind is refused.
func (snap *Snapshot) noteDiskError(err error) {
	if snap.DiskError == nil {
		snap.DiskError = err
	}
}

// TakeSnapshot reads the files that git's status lists. It hashes only files whose stat data
// changed since the cache was written.
func TakeSnapshot(ctx context.Context, s *sessionstate.Env, st *git.Status) (*Snapshot, error) {
	return TakeSnapshotUntil(s, ctx, ctx, st)
}

// TakeSnapshotUntil is TakeSnapshot, but leaves out the files that are not read when the
// context reading ends.
func TakeSnapshotUntil(s *sessionstate.Env, ctx, reading context.Context, st *git.Status) (*Snapshot, error) {
	snap := &Snapshot{Head: st.Head, Branch: st.Branch, Stats: map[string]sessionstate.CachedStat{}, Staged: map[string]bool{}, Symlinked: map[string]bool{".": false}, Exact: map[string]git.OID{}}
	for _, n := range st.Nested {
		snap.LeaveOut(n, GapNested, "nested repository")
	}
	for _, c := range st.Closed {
		snap.LeaveOut(c.Path, GapUnreadable, "not readable")
		if !c.Denied {
			snap.noteDiskError(fmt.Errorf("%s: %s", c.Path, c.Why))
		}
	}
	for _, p := range st.Unstorable {
		snap.LeaveOut(p, GapName, "git cannot store a file of this name")
	}
	found := map[string]*inspectedPath{}
	var hash []string
	for _, e := range MergeEntries(st.Entries) {
		if !e.Untracked && !e.Unmerged && (e.IndexMode != e.HeadMode || e.IndexOID != e.HeadOID) {
			snap.Staged[e.Path] = true
		}
		if err := resolveUnmerged(ctx, s, &e, st.Head); err != nil {
			return nil, err
		}
		f, err := inspectPath(ctx, s, e, snap)
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
	applySizeLimit(s, found, snap)
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
	if err := hashFound(s, ctx, reading, hash, found, snap); err != nil {
		return nil, err
	}
	for _, f := range found {
		if f.leftOut || SameContent(f.PathVersion, f.headMode, f.headOID) || f.Mode == 0 && f.headMode == 0 {
			continue
		}
		snap.Files = append(snap.Files, f.PathVersion)
	}
	SortVersions(snap.Files)
	return snap, nil
}

// inspectedPath is the state of one path while a snapshot is taken.
type inspectedPath struct {
	sessionstate.PathVersion
	headMode uint32
	headOID  git.OID
	key      sessionstate.StatKey
	hash     bool // the content is not stored yet
	tracked  bool
	leftOut  bool
}

// MergeEntries merges the entries of a path. A path that was removed from the index but is on
// disk has two entries; the file on disk counts.
func MergeEntries(entries []git.StatusEntry) []git.StatusEntry {
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

// inspectPath returns the state of one path. It returns nil if a step keeps HEAD's entry.
func inspectPath(ctx context.Context, s *sessionstate.Env, e git.StatusEntry, snap *Snapshot) (*inspectedPath, error) {
	if OwnPath(e.Path) {
		return nil, nil
	}
	if e.Submodule || e.HeadMode == git.ModeGitlink || e.WorkMode == git.ModeGitlink {
		snap.LeaveOut(e.Path, GapSubmodule, "submodule")
		return nil, nil
	}
	f := &inspectedPath{PathVersion: sessionstate.PathVersion{Path: e.Path}, headMode: e.HeadMode, headOID: e.HeadOID, tracked: !e.Untracked}
	if snap.BeyondLink(s.Repo.Top, path.Dir(e.Path)) {
		return f, nil // what is there belongs to the target of the link, not to this path
	}
	full := filepath.Join(s.Repo.Top, filepath.FromSlash(e.Path))
	fi, err := os.Lstat(full)
	switch {
	case (errors.Is(err, fs.ErrNotExist) || IsNotDir(err)) && e.AsIndex && e.IndexMode != 0:
		return nil, nil // staged, but outside the sparse checkout
	case errors.Is(err, fs.ErrNotExist) || IsNotDir(err):
		return f, nil
	case err != nil:
		snap.LeaveOut(e.Path, GapUnreadable, "not readable")
		if !errors.Is(err, fs.ErrPermission) {
			snap.noteDiskError(err)
		}
		return nil, nil
	case fi.IsDir():
		return f, nil // a folder has replaced the file; status lists its files separately
	case fi.Mode()&fs.ModeSymlink != 0:
		return f, inspectLink(s, full, f)
	case !fi.Mode().IsRegular():
		snap.LeaveOut(e.Path, GapSpecial, "special file ("+specialKind(fi.Mode())+")")
		return nil, nil
	}
	f.Mode = fileMode(s, e, fi)
	f.key = KeyOf(fi)
	if e.AsIndex && fi.Size() > s.CaptureLimit {
		f.OID = e.IndexOID // git has stored it already
		return f, nil
	}
	if fi.Size() > s.CaptureLimit {
		snap.LeaveOut(e.Path, GapLarge, "larger than "+InMiB(s.CaptureLimit))
		return nil, nil
	}
	notePermissions(s, e.Path, fi, snap)
	if was, ok := LoadCache(ctx, s).Stats[e.Path]; ok && was.Key == f.key {
		f.OID = was.OID
		snap.Stats[e.Path] = was
		if !was.Exact.IsZero() {
			snap.Exact[e.Path] = was.Exact
		}
	} else {
		f.hash = true
	}
	return f, nil
}

// BeyondLink reports whether a folder is a symbolic link or lies below one.
func (snap *Snapshot) BeyondLink(top, dir string) bool {
	if linked, known := snap.Symlinked[dir]; known {
		return linked
	}
	linked := snap.BeyondLink(top, path.Dir(dir))
	if !linked {
		fi, err := os.Lstat(filepath.Join(top, filepath.FromSlash(dir)))
		if err != nil && !IsAbsent(err) && !errors.Is(err, fs.ErrPermission) {
			snap.noteDiskError(err)
		}
		linked = err == nil && fi.Mode()&fs.ModeSymlink != 0
	}
	snap.Symlinked[dir] = linked
	return linked
}

func inspectLink(s *sessionstate.Env, full string, f *inspectedPath) error {
	target, err := os.Readlink(full)
	if err != nil {
		return fmt.Errorf("read link %s: %w", f.Path, err)
	}
	f.Mode = git.ModeSymlink
	f.OID, err = s.Repo.Writer().Blob([]byte(target))
	return err
}

// fileMode returns the file's mode in a tree as git does: by its executable bit, or by the index if
// core.fileMode or core.symlinks is off.
func fileMode(s *sessionstate.Env, e git.StatusEntry, fi fs.FileInfo) uint32 {
	switch {
	case e.WorkMode == git.ModeSymlink, s.Repo.PlainLinks && e.IndexMode == git.ModeSymlink:
		return git.ModeSymlink // the link's text in a plain file
	case !s.Repo.FileMode && IsRegular(e.IndexMode):
		return e.IndexMode
	case !s.Repo.FileMode:
		return git.ModeFile
	}
	if fi.Mode()&0o111 != 0 {
		return git.ModeExec
	}
	return git.ModeFile
}

// KeyOf returns what the cache remembers of a file's stat data: while it is the same, the content is taken
// for the same.
func KeyOf(fi fs.FileInfo) sessionstate.StatKey {
	ino, ctime := inode(fi)
	return sessionstate.StatKey{Size: fi.Size(), Mtime: fi.ModTime().UnixNano(), Ctime: ctime, Ino: ino, Mode: uint32(fi.Mode())}
}

// hashFound stores the content of the changed files. If a file changes while it is read, the
// cache does not get its stat data.
func hashFound(s *sessionstate.Env, ctx, reading context.Context, paths []string, found map[string]*inspectedPath, snap *Snapshot) error {
	if len(paths) == 0 {
		return nil
	}
	snap.HashedCount = len(paths)
	res, err := s.Repo.HashFiles(reading, paths)
	late := err != nil && reading.Err() != nil && ctx.Err() == nil
	if err != nil && !late {
		return err
	}
	if err := keepExact(s, res, snap); err != nil {
		return err
	}
	now := s.Now()
	for _, p := range paths {
		f := found[p]
		oid, ok := res.OIDs[p]
		if _, looked := res.Skipped[p]; !ok && !looked && late {
			snap.skipLate(f, LoadCache(ctx, s))
			continue
		}
		if !ok {
			f.leftOut = res.Skipped[p] != "gone"
			f.Mode = 0
			if f.leftOut {
				snap.LeaveOut(p, GapUnreadable, res.Skipped[p])
			}
			continue
		}
		f.OID = oid
		fi, err := os.Lstat(filepath.Join(s.Repo.Top, filepath.FromSlash(p)))
		if err == nil && KeyOf(fi) == f.key && now.Sub(fi.ModTime()) > racyWindow {
			snap.Stats[p] = sessionstate.CachedStat{Key: f.key, OID: oid, Exact: snap.Exact[p]}
		}
	}
	for _, p := range res.Raw {
		s.Log.Warn("stored without its clean filter", "path", p)
	}
	return nil
}

// CacheOf returns the cache entry for a worktree that equals the step tip.
func (snap *Snapshot) CacheOf(ref string, tip git.OID) *sessionstate.WorktreeCache {
	return &sessionstate.WorktreeCache{Head: snap.Head, Ref: ref, Tip: tip, Files: snap.Files, Stats: snap.Stats, Gaps: snap.Gaps}
}

// resolveUnmerged sets the HEAD side of an unmerged entry to HEAD's own entry. Git reports "our" side of
// the merge, which may have another name such as `dir~HEAD` if a folder was in the way of dir.
func resolveUnmerged(ctx context.Context, s *sessionstate.Env, e *git.StatusEntry, head git.OID) error {
	if !e.Unmerged || e.HeadMode == 0 {
		return nil
	}
	tree, err := HeadTree(ctx, s, head)
	if err != nil {
		return err
	}
	had, ok, err := s.Repo.Reader(ctx).Path(tree, e.Path)
	if err != nil {
		return err
	}
	if !ok {
		had.Mode, had.OID = 0, git.OID{}
	}
	e.HeadMode, e.HeadOID = had.Mode, had.OID
	return nil
}
