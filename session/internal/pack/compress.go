package pack

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
	"entire/session/internal/conversation"
	"entire/session/internal/index"
	"entire/session/internal/layout"
	"entire/session/internal/log"
)

// MinPackBytes is how many uncompressed bytes a log must have for compression to pay off.
const MinPackBytes = 16 << 10

// CompressOptions select what [entire/session.Store.Compress] compresses.
type CompressOptions struct {
	Before   time.Time                   // compress sessions that were last used before this time
	Leave    func(sessionID string) bool // reports sessions to leave alone; nil leaves none
	DryRun   bool                        // measure, and change nothing
	Progress func(done, all int64)       // called with counts of bytes; may be nil
}

// Compressed says what [entire/session.Store.Compress] did, or would do.
type Compressed struct {
	Sessions []string // the sessions that have a newly compressed log, in ascending order
	Was      int64    // bytes of the replaced files
	Is       int64    // bytes of the files that replaced them; 0 for a dry run
	Failed   map[string]error
}

// Compress compresses the logs of those of the sessions that o selects. It calls at,
// which tests set and which may be nil, after each step of its work.
func Compress(ctx context.Context, b *layout.Base, all []conversation.SessionMetadata, o CompressOptions, at func(session, what string)) (Compressed, error) {
	out := Compressed{Failed: map[string]error{}}
	found, err := packable(ctx, b, all, o)
	if err != nil {
		return out, fmt.Errorf("compress conversations: %w", err)
	}
	if len(found) > 0 && !o.DryRun {
		if now, err := durable.Clock(b.Path); err == nil { // folders that killed calls left may be large
			index.RemoveStaleBuilds(b.Path, now)
		}
	}
	c := &compression{Base: b, o: o, at: at, out: &out, done: map[string]bool{}}
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
func packable(ctx context.Context, b *layout.Base, all []conversation.SessionMetadata, o CompressOptions) ([]*sharedLog, error) {
	restored := b.Restored()
	known := map[[2]uint64]*sharedLog{}
	var list []*sharedLog
	for _, m := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		used := conversation.LastUsed(m)
		if at := restored[m.ID]; at.After(used) {
			used = at
		}
		if o.Leave != nil && o.Leave(m.ID) {
			continue
		}
		for _, file := range LogsOf(b, m.ID, used.Before(o.Before) && !used.IsZero()) {
			info, err := os.Lstat(filepath.Join(b.Dir(m.ID), file))
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			u := index.DiskFileOf(info)
			inode := [2]uint64{u.Device, u.Inode}
			l := known[inode]
			if l == nil || u.Inode == 0 {
				l = &sharedLog{links: u.Links, bytes: uncompressedSize(b, m.ID, file, info.Size())}
				known[inode] = l
				list = append(list, l)
			}
			l.names = append(l.names, logName{m.ID, file})
		}
	}
	return slices.DeleteFunc(list, func(l *sharedLog) bool { return l.bytes < MinPackBytes || int64(len(l.names)) < l.links }), nil
}

// LogsOf names the logs in a session's folder that Compress may replace: shared files always,
// because they never change; the session's own logs only when it is unused.
func LogsOf(b *layout.Base, sessionID string, unused bool) (names []string) {
	shared, err := log.ReadBase(b.Dir(sessionID))
	if err != nil {
		return nil // reading the session reports the error
	}
	if unused {
		names = append(names, layout.MessagesName, layout.TranscriptName)
	}
	for _, p := range slices.Concat(shared.Messages, shared.Transcript) {
		names = append(names, p.File)
	}
	return names
}

// uncompressedSize returns how many bytes of a log's file are uncompressed content.
func uncompressedSize(b *layout.Base, sessionID, file string, size int64) int64 {
	if size < MinPackBytes {
		return size
	}
	head, _, err := log.HeadOf(filepath.Join(b.Dir(sessionID), file))
	if err != nil {
		return 0
	}
	if head != nil {
		size -= head.Length
	}
	return size
}

// compression is one call of Compress.
type compression struct {
	*layout.Base
	o        CompressOptions
	at       func(session, what string) // may be nil
	out      *Compressed
	all, now int64
	done     map[string]bool
}

func (c *compression) end() Compressed {
	c.out.Sessions = slices.Sorted(maps.Keys(c.done))
	if len(c.done) > 0 && !c.o.DryRun {
		forgetUse(c.Base, c.out.Sessions)
	}
	return *c.out
}

func (c *compression) tell(n int64) {
	if c.now += n; c.o.Progress != nil {
		c.o.Progress(min(c.now, c.all), c.all)
	}
}

func (c *compression) step(session, what string) {
	if c.at != nil {
		c.at(session, what)
	}
}

// compress compresses one file and replaces it under all its names.
func (c *compression) compress(ctx context.Context, f *sharedLog) {
	end := c.now + f.bytes
	defer func() { c.tell(end - c.now) }()
	err := c.one(ctx, f)
	for _, gone := range []error{layout.ErrUsed, errNothingToPack, layout.ErrNotFound, fs.ErrNotExist, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, gone) { // the next call tries it again
			return
		}
	}
	if err != nil {
		sid := f.names[0].session
		c.out.Failed[sid] = errors.Join(c.out.Failed[sid], fmt.Errorf("%s: %w", f.names[0].file, err))
	}
}

// one compresses the file in a scratch folder and installs it. If one is killed, RemoveStaleBuilds
// removes the scratch folder an hour later.
func (c *compression) one(ctx context.Context, f *sharedLog) error {
	first := f.names[0]
	scratch, err := os.MkdirTemp(c.Path, layout.BuildPattern)
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	log, err := log.OpenLog(filepath.Join(c.Dir(first.session), first.file))
	if err != nil {
		return err
	}
	defer log.Close()
	p := &packer{ctx: ctx, dir: scratch, name: first.file, log: log, tell: c.tell}
	if err := p.make(); err != nil {
		return err
	}
	c.step(first.session, "it is made")
	is, err := index.FilesBelow(scratch)
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
		c.out.Was += log.Info.Size()
		for _, u := range is {
			c.out.Is += u.Bytes
		}
		if log.Packed != nil {
			c.out.Was += fileSize(log.Packed.File)
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

func (c *compression) install(p *packer, n logName) error {
	_, dir, l, err := c.Lock(n.session)
	if err != nil {
		return err
	}
	defer l.Release()
	return p.install(dir, n.file, func(what string) { c.step(n.session, what) })
}

// forgetUse removes sessions from the cache of disk use, so that they are measured again.
func forgetUse(b *layout.Base, sessions []string) {
	path := filepath.Join(b.Path, index.UseName)
	use := index.ReadUse(path)
	for _, sid := range sessions {
		delete(use, sid)
	}
	index.WriteUse(path, use)
}
