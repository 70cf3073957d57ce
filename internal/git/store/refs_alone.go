package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"entire/internal/durable"
	"entire/internal/git/config"
)

// A loneRef is a ref that is created, moved or deleted without git, as git does it with a ref in a file.
type loneRef struct {
	repo   *Repo
	update RefUpdate
	path   string   // the ref's file
	value  string   // the file that becomes its lock; empty before that is written and after it is removed
	file   *os.File // that file, while it is open
	born   time.Time
	locked bool
	committed
}

// logging says which refs get a reflog.
type logging int

const (
	logIfThere logging = iota // only those that have one
	logBranches
	logAll
)

// committed is what git says of whoever moves refs.
type committed struct {
	who  string // the committer
	zone *time.Location
	log  logging
}

// committer returns who moves refs. ok is false if git may do more: run a hook, guess who the user is.
func (r *Repo) committer() (c committed, ok bool) {
	if !r.Ordinary || r.InTables() || slices.ContainsFunc(r.Env, changesRefs) {
		return c, false
	}
	conf, ok := r.gitConfig()
	if !ok || r.refsWatched(conf) || shared(conf) {
		return c, false
	}
	name, email, known := conf.Who("committer")
	c.who = name + " <" + email + ">"
	var zoned, logs bool
	c.zone, zoned = conf.Zone()
	c.log, logs = logged(conf)
	return c, known && zoned && logs
}

// loneRef returns a ref that git would move with a few system calls. ok is false if git may do more, such as
// to follow a link.
func (r *Repo) loneRef(ctx context.Context, u RefUpdate) (l *loneRef, ok bool) {
	if !ours(u.Name) || !plainName(u.Name) || r.headIs(u.Name) || u.New.IsZero() && u.Old.IsZero() {
		return nil, false
	}
	// A branch must name a commit that is there.
	if !u.New.IsZero() {
		if o, ok := r.Reader(ctx).object(u.New); !ok || o.Type != "commit" && strings.HasPrefix(u.Name, "refs/heads/") {
			return nil, false
		}
	}
	return &loneRef{repo: r, update: u, path: filepath.Join(r.CommonDir, filepath.FromSlash(u.Name))}, true
}

// plainName reports whether every version of git takes a name as it is.
func plainName(ref string) bool {
	for part := range strings.SplitSeq(ref, "/") {
		if part == "" || part[0] == '.' || part[0] == '-' || strings.HasSuffix(part, ".lock") || strings.HasSuffix(part, ".") || strings.Contains(part, "..") {
			return false
		}
	}
	return strings.Trim(ref, "/-._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// headIs reports whether HEAD names a ref, or may: git then writes HEAD's reflog, too.
func (r *Repo) headIs(ref string) bool {
	text, err := durable.ReadPlain(filepath.Join(r.GitDir, "HEAD"), maxPathFile)
	return err != nil || strings.TrimSpace(strings.TrimPrefix(string(text), "ref:")) == ref
}

// changesRefs reports whether a variable changes how git writes refs.
func changesRefs(variable string) bool {
	return strings.HasPrefix(variable, "GIT_QUARANTINE_PATH=") || strings.HasPrefix(variable, "GIT_REF_") || strings.HasPrefix(variable, "GIT_REFERENCE_")
}

// shared reports whether git may give new files the permissions of a shared repository. That is usually in the repository's
// own configuration, and the repository then not an ordinary one; but the user's counts, too.
func shared(c *config.Config) bool {
	_, set, sure := c.Last("core.sharedrepository")
	return set || !sure
}

const refHook = "reference-transaction"

// refsWatched reports whether git may run a hook when refs change.
func (r *Repo) refsWatched(c *config.Config) bool {
	dir := filepath.Join(r.CommonDir, "hooks")
	if value, set, sure := c.Last("core.hookspath"); set || !sure {
		path, known := c.Path(value, r.Dir())
		if !sure || !known {
			return true
		}
		dir = path
	}
	_, err := os.Lstat(filepath.Join(dir, refHook))
	return !errors.Is(err, fs.ErrNotExist) || c.Mentions(refHook)
}

func logged(c *config.Config) (which logging, ok bool) {
	value, set, sure := c.Last("core.logallrefupdates")
	switch value = strings.ToLower(value); {
	case !set:
		return logBranches, sure
	case value == "true" || value == "yes" || value == "on" || value == "1":
		return logBranches, sure
	case value == "always":
		return logAll, sure
	}
	return logIfThere, sure && (value == "false" || value == "no" || value == "off" || value == "0")
}

// write writes the new value, if there is one, to a temporary file, which stays open.
func (l *loneRef) write() error {
	if l.deletes() {
		return nil
	}
	f, err := l.repo.createTemp(filepath.Dir(l.repo.loosePath(l.update.New)), 0o666)
	if err != nil {
		return err
	}
	l.value, l.file = f.Name(), f
	if err := l.fill(); err != nil {
		return err
	}
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	l.born = fi.ModTime()
	return f.Sync()
}

func (l *loneRef) fill() error {
	_, err := l.file.WriteAt([]byte(l.update.New.String()+"\n"), 0)
	return err
}

// close closes the file if it is open.
func (l *loneRef) close() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// foldersTries bounds how often the folders of a ref are made: git removes empty ones at any time.
const foldersTries = 3

// lock makes the file that was written the ref's lock, for a deletion an empty one.
func (l *loneRef) lock() bool {
	for range foldersTries {
		err := l.makeLock()
		if err == nil {
			l.locked = true
			return true
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
		_ = os.MkdirAll(filepath.Dir(l.path), 0o777) // the next try tells
	}
	return false
}

func (l *loneRef) makeLock() error {
	if l.deletes() {
		f, err := os.OpenFile(l.path+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return err
		}
		return f.Close()
	}
	// Others tell a lock that was left by its time, and the flush may have taken long. The same bytes once more give it the
	// time of its file system, where the files may be another machine's: sshfs and SMB would set a time of this one.
	if l.file != nil {
		if err := cmpErr(l.fill(), l.close()); err != nil {
			return err
		}
	}
	return os.Link(l.value, l.path+".lock")
}

// compare compares the ref with its old value, under its lock. It need not be written if it
// has the new value, and must not if it has another one, which is [ErrRefMoved]. What is not
// known must be asked of git.
func (l *loneRef) compare() (needed, known bool, err error) {
	fi, err := os.Lstat(l.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && !fi.Mode().IsRegular() {
		return false, false, nil
	}
	has, found, ok := l.repo.fileRef(l.update.Name)
	switch {
	case !ok || !found && !l.available():
		return false, false, nil
	case has == l.update.New:
		return false, true, nil
	case has != l.update.Old:
		return false, true, fmt.Errorf("update %s: %w", l.update.Name, ErrRefMoved)
	}
	return true, true, nil
}

// available reports whether packed refs leave the name of a new ref free: none is a folder
// of it, or in it.
func (l *loneRef) available() bool {
	text, err := durable.Read(filepath.Join(l.repo.CommonDir, "packed-refs"), refsMax)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	name := l.update.Name
	for at := strings.LastIndexByte(name, '/'); at > 0; at = strings.LastIndexByte(name[:at], '/') {
		if bytes.Contains(text, []byte(" "+name[:at]+"\n")) {
			return false
		}
	}
	return !bytes.Contains(text, []byte(" "+name+"/"))
}

// record appends to the reflog, if git would. The ref's lock guards the reflog, too.
func (l *loneRef) record() error {
	file := reflogFile(l.repo.CommonDir, l.update.Name)
	create := l.log == logAll || l.log == logBranches && strings.HasPrefix(l.update.Name, "refs/heads/")
	f, err := openLog(file, create)
	if !create && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	line := fmt.Sprintf("%s %s %s %d %s\n", l.repo.HexOrZeros(l.update.Old), l.update.New, l.who, l.born.Unix(), l.born.In(l.zone).Format("-0700"))
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() {
		return cmpErr(err, durable.ErrNoFile)
	}
	if _, err = f.WriteString(line); err != nil {
		_ = f.Truncate(fi.Size())
	}
	return err
}

func openLog(file string, create bool) (f *os.File, err error) {
	how := os.O_WRONLY | os.O_APPEND | syscall.O_NONBLOCK // a pipe would wait for a reader
	if create {
		how |= os.O_CREATE
	}
	for range foldersTries {
		f, err = os.OpenFile(file, how, 0o666)
		if !create || !errors.Is(err, fs.ErrNotExist) {
			break
		}
		_ = os.MkdirAll(filepath.Dir(file), 0o777) // the next try tells
	}
	return f, err
}
