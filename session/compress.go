package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"entire/internal/durable"
)

// packLeast is how many uncompressed bytes a log must have for compression to pay off.
const packLeast = 16 << 10

// CompressOptions select what [Store.Compress] compresses.
type CompressOptions struct {
	Before   time.Time                   // compress sessions that were last used before this time
	Leave    func(sessionID string) bool // reports sessions to leave alone; nil leaves none
	DryRun   bool                        // measure, and change nothing
	Progress func(done, all int64)       // called with counts of bytes; may be nil
}

// Compressed says what [Store.Compress] did, or would do.
type Compressed struct {
	Sessions []string // the sessions that have a newly compressed log, in ascending order
	Was      int64    // bytes of the replaced files
	Is       int64    // bytes of the files that replaced them; 0 for a dry run
	Failed   map[string]error
}

// Compress compresses the logs of sessions that were not used for some time. Sessions with
// compressed logs are read, appended to and forked as before. A file that forks share stays
// shared; Compress leaves a file that a session in use or in the trash also shares. It leaves a
// session that is used meanwhile. Compress can be killed at any point, and several calls may
// run at once.
func (s *Store) Compress(ctx context.Context, o CompressOptions) (Compressed, error) {
	all, err := s.ListContext(ctx)
	if err != nil {
		return Compressed{Failed: map[string]error{}}, fmt.Errorf("compress conversations: %w", err)
	}
	return compressSessions(ctx, s.queue.Base, all, o, nil)
}

// compressSessions compresses the logs of those of the sessions that o selects. It calls at,
// which tests set and which may be nil, after each step of its work.
func compressSessions(ctx context.Context, b *Base, all []SessionMetadata, o CompressOptions, at func(session, what string)) (Compressed, error) {
	out := Compressed{Failed: map[string]error{}}
	found, err := b.packable(ctx, all, o)
	if err != nil {
		return out, fmt.Errorf("compress conversations: %w", err)
	}
	if len(found) > 0 && !o.DryRun {
		if now, err := durable.Clock(b.base); err == nil { // folders that killed calls left may be large
			sweepBuilds(b.base, now)
		}
	}
	c := &compressing{Base: b, o: o, at: at, out: &out, done: map[string]bool{}}
	for _, f := range found {
		c.all += f.bytes
	}
	for _, f := range found {
		if err := ctx.Err(); err != nil {
			return c.end(), fmt.Errorf("compress conversations: %w", err)
		}
		if o.DryRun {
			out.Was += f.bytes
			for _, n := range f.names {
				c.done[n.session] = true
			}
			continue
		}
		c.compress(ctx, f)
	}
	return c.end(), nil
}

// A sharedLog is the file of a log, with every name the file has.
type sharedLog struct {
	names []logName
	bytes int64 // uncompressed bytes of it
	links int64
}

type logName struct{ session, file string }

// packable finds the logs to compress. It leaves a file unless all its names are found and may
// be changed: otherwise the old bytes would stay on the disk.
func (b *Base) packable(ctx context.Context, all []SessionMetadata, o CompressOptions) ([]*sharedLog, error) {
	restored := b.Restored()
	known := map[[2]uint64]*sharedLog{}
	var list []*sharedLog
	for _, m := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		used := lastUse(m)
		if at := restored[m.ID]; at.After(used) {
			used = at
		}
		if o.Leave != nil && o.Leave(m.ID) {
			continue
		}
		for _, file := range b.logsOf(m.ID, used.Before(o.Before) && !used.IsZero()) {
			info, err := os.Lstat(filepath.Join(b.Dir(m.ID), file))
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			u := usedBy(info)
			inode := [2]uint64{u.Device, u.Inode}
			l := known[inode]
			if l == nil || u.Inode == 0 {
				l = &sharedLog{links: u.links, bytes: b.notPacked(m.ID, file, info.Size())}
				known[inode] = l
				list = append(list, l)
			}
			l.names = append(l.names, logName{m.ID, file})
		}
	}
	return slices.DeleteFunc(list, func(l *sharedLog) bool { return l.bytes < packLeast || int64(len(l.names)) < l.links }), nil
}

// logsOf names the logs in a session's folder that Compress may replace: shared files always,
// because they never change; the session's own logs only when it is unused.
func (b *Base) logsOf(sessionID string, unused bool) (names []string) {
	shared, err := readBase(b.Dir(sessionID))
	if err != nil {
		return nil // reading the session reports the error
	}
	if unused {
		names = append(names, messagesName, transcriptName)
	}
	for _, p := range slices.Concat(shared.Messages, shared.Transcript) {
		names = append(names, p.File)
	}
	return names
}

// notPacked returns how many bytes of a log's file are uncompressed content.
func (b *Base) notPacked(sessionID, file string, size int64) int64 {
	if size < packLeast {
		return size
	}
	head, _, err := headOf(filepath.Join(b.Dir(sessionID), file))
	if err != nil {
		return 0
	}
	if head != nil {
		size -= head.length
	}
	return size
}

// compressing is one call of Compress.
type compressing struct {
	*Base
	o        CompressOptions
	at       func(session, what string) // may be nil
	out      *Compressed
	all, now int64
	done     map[string]bool
}

func (c *compressing) end() Compressed {
	c.out.Sessions = slices.Sorted(maps.Keys(c.done))
	if len(c.done) > 0 && !c.o.DryRun {
		c.forgetUse(c.out.Sessions)
	}
	return *c.out
}

func (c *compressing) tell(n int64) {
	if c.now += n; c.o.Progress != nil {
		c.o.Progress(min(c.now, c.all), c.all)
	}
}

func (c *compressing) step(session, what string) {
	if c.at != nil {
		c.at(session, what)
	}
}

// compress compresses one file and replaces it under all its names.
func (c *compressing) compress(ctx context.Context, f *sharedLog) {
	end := c.now + f.bytes
	defer func() { c.tell(end - c.now) }()
	err := c.one(ctx, f)
	for _, gone := range []error{ErrUsed, errNothing, ErrNotFound, fs.ErrNotExist, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, gone) { // the next call tries it again
			return
		}
	}
	if err != nil {
		sid := f.names[0].session
		c.out.Failed[sid] = errors.Join(c.out.Failed[sid], fmt.Errorf("%s: %w", f.names[0].file, err))
	}
}

// one compresses the file in a scratch folder and installs it. If one is killed, sweepBuilds
// removes the scratch folder an hour later.
func (c *compressing) one(ctx context.Context, f *sharedLog) error {
	first := f.names[0]
	scratch, err := os.MkdirTemp(c.base, buildPattern)
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	log, err := OpenLog(filepath.Join(c.Dir(first.session), first.file))
	if err != nil {
		return err
	}
	defer log.Close()
	p := &packing{ctx: ctx, dir: scratch, name: first.file, log: log, tell: c.tell}
	if err := p.make(); err != nil {
		return err
	}
	c.step(first.session, "it is made")
	is, err := filesBelow(scratch)
	if err != nil {
		return err
	}
	placed := false
	for _, n := range f.names {
		if err = c.install(p, n); err != nil {
			break
		}
		placed = true
		c.done[n.session] = true
	}
	if placed {
		c.out.Was += log.info.Size()
		for _, u := range is {
			c.out.Is += u.Bytes
		}
		if log.packed != nil {
			c.out.Was += fileSize(log.packed.file)
		}
	}
	return err
}

func fileSize(f *os.File) int64 {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

func (c *compressing) install(p *packing, n logName) error {
	_, dir, l, err := c.lock(n.session)
	if err != nil {
		return err
	}
	defer l.Release()
	return p.install(dir, n.file, func(what string) { c.step(n.session, what) })
}

// forgetUse removes sessions from the cache of disk use, so that they are measured again.
func (b *Base) forgetUse(sessions []string) {
	path := filepath.Join(b.base, useName)
	use := readUse(path)
	for _, sid := range sessions {
		delete(use, sid)
	}
	writeUse(path, use)
}
