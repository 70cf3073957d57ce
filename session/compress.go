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

// packLeast is how many bytes a log has at least, that are not compressed yet, for
// it to be worth while.
const packLeast = 16 << 10

// CompressOptions say what [Store.Compress] does.
type CompressOptions struct {
	Before   time.Time                   // sessions that were last used before it
	Leave    func(sessionID string) bool // those that are left; nil for none
	DryRun   bool                        // only look
	Progress func(done, all int64)       // bytes; nil for nobody
	step     func(session, what string)  // of tests
}

// Compressed is what [Store.Compress] did, or would do.
type Compressed struct {
	Sessions []string // of which something was compressed, in ascending order
	Was      int64    // bytes of the files that were replaced
	Is       int64    // bytes of what is there for them; 0 for a dry run
	Failed   map[string]error
}

// Compress puts the logs of sessions that were not used for some time into a
// compressed form, in which they are read, appended to and forked as before. Files that
// forks share stay shared; one that is shared with a session in use, or in the trash, is
// left. A session that is used meanwhile is left, too. It can be killed, and several may
// do it at once.
func (s *Store) Compress(ctx context.Context, o CompressOptions) (Compressed, error) {
	out := Compressed{Failed: map[string]error{}}
	found, err := s.packable(ctx, o)
	if err != nil {
		return out, fmt.Errorf("compress conversations: %w", err)
	}
	if len(found) > 0 && !o.DryRun {
		if now, err := durable.Clock(s.base); err == nil { // what killed ones left may be large
			sweepBuilds(s.base, now)
		}
	}
	c := &compressing{Store: s, o: o, out: &out, done: map[string]bool{}}
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

// A sharedLog is a log's file, with all the names it has.
type sharedLog struct {
	names []logName
	bytes int64 // of it that are not compressed
	links int64
}

type logName struct{ session, file string }

// packable finds what may be compressed. A file of which not all names are found, or
// may be touched, is left: its bytes would stay on the disk.
func (s *Store) packable(ctx context.Context, o CompressOptions) ([]*sharedLog, error) {
	all, err := s.ListContext(ctx)
	if err != nil {
		return nil, err
	}
	restored := s.Restored()
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
		for _, file := range s.logsOf(m.ID, used.Before(o.Before) && !used.IsZero()) {
			info, err := os.Lstat(filepath.Join(s.Dir(m.ID), file))
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			u := usedBy(info)
			inode := [2]uint64{u.Device, u.Inode}
			l := known[inode]
			if l == nil || u.Inode == 0 {
				l = &sharedLog{links: u.links, bytes: s.notPacked(m.ID, file, info.Size())}
				known[inode] = l
				list = append(list, l)
			}
			l.names = append(l.names, logName{m.ID, file})
		}
	}
	return slices.DeleteFunc(list, func(l *sharedLog) bool { return l.bytes < packLeast || int64(len(l.names)) < l.links }), nil
}

// logsOf names the logs in a session's folder: what it shares never changes, what is
// its own is not touched while it is in use.
func (s *Store) logsOf(sessionID string, unused bool) (names []string) {
	b, err := readBase(s.Dir(sessionID))
	if err != nil {
		return nil // whoever reads it is told
	}
	if unused {
		names = append(names, messagesName, transcriptName)
	}
	for _, p := range slices.Concat(b.Messages, b.Transcript) {
		names = append(names, p.File)
	}
	return names
}

// notPacked is how many bytes of a log's file are not what says that it is compressed.
func (s *Store) notPacked(sessionID, file string, size int64) int64 {
	if size < packLeast {
		return size
	}
	head, _, err := headOf(filepath.Join(s.Dir(sessionID), file))
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
	*Store
	o        CompressOptions
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
	if c.o.step != nil {
		c.o.step(session, what)
	}
}

// compress compresses one file, under all its names.
func (c *compressing) compress(ctx context.Context, f *sharedLog) {
	end := c.now + f.bytes
	defer func() { c.tell(end - c.now) }()
	err := c.one(ctx, f)
	for _, gone := range []error{ErrUsed, errNothing, ErrNotFound, fs.ErrNotExist, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, gone) { // it is for the next time
			return
		}
	}
	if err != nil {
		sid := f.names[0].session
		c.out.Failed[sid] = errors.Join(c.out.Failed[sid], fmt.Errorf("%s: %w", f.names[0].file, err))
	}
}

// one does it. What is left behind where it is killed is swept an hour later.
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

// forgetUse has the disk use of sessions measured again.
func (s *Store) forgetUse(sessions []string) {
	path := filepath.Join(s.base, useName)
	use := readUse(path)
	for _, sid := range sessions {
		delete(use, sid)
	}
	writeUse(path, use)
}
