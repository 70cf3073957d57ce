// Command foldfs mounts a folder so that names are as on macOS: two names that differ in case, or in the form of
// Unicode, are one, and a file keeps the name that it was made with. It ends when the folder is unmounted.
//
//	foldfs FOLDER MOUNTPOINT
//
// It holds an open file descriptor for every file that the kernel knows, and no paths, so files that were renamed or
// removed stay what they are.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

func main() {
	if err := serve(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "foldfs:", err)
		os.Exit(1)
	}
}

func serve(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: foldfs FOLDER MOUNTPOINT")
	}
	fd, err := unix.Open(args[0], unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	// Nothing is cached in the kernel: another spelling of a name may have changed it.
	none := time.Duration(0)
	server, err := fs.Mount(args[1], &node{fd: fd, known: &known{nodes: map[uint64]*node{}}}, &fs.Options{
		EntryTimeout: &none, AttrTimeout: &none, NegativeTimeout: &none,
		MountOptions: fuse.MountOptions{FsName: "foldfs", Name: "foldfs", MaxWrite: 1 << 20},
	})
	if err != nil {
		return err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-stop
		server.Unmount()
	}()
	server.Wait()
	return nil
}

// key is equal for names that are one.
func key(name string) string { return norm.NFC.String(cases.Fold().String(norm.NFC.String(name))) }

// known has the node of each inode, so that a file with several names is one file for the kernel.
type known struct {
	sync.Mutex
	nodes map[uint64]*node
}

// node is a file, a folder or a link.
type node struct {
	fs.Inode
	fd    int // opened with O_PATH
	known *known
}

// self is a path that opens the node.
func (n *node) self() string { return fmt.Sprintf("/proc/self/fd/%d", n.fd) }

// stored returns the name of a folder's entry as it was made, and name itself if there is none.
func (n *node) stored(name string) string {
	var st unix.Stat_t
	if unix.Fstatat(n.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
		return name
	}
	entries, err := os.ReadDir(n.self())
	if err != nil {
		return name
	}
	for _, e := range entries {
		if strings.EqualFold(e.Name(), name) || key(e.Name()) == key(name) {
			return e.Name()
		}
	}
	return name
}

// child returns the node of an entry, by its stored name.
func (n *node) child(ctx context.Context, stored string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	fd, err := unix.Openat(n.fd, stored, unix.O_PATH|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, fs.ToErrno(err)
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return nil, fs.ToErrno(err)
	}
	out.Attr.FromStat(&st)
	n.known.Lock()
	defer n.known.Unlock()
	at := n.known.nodes[st.Ino]
	if at != nil {
		unix.Close(fd)
	} else {
		at = &node{fd: fd, known: n.known}
		n.known.nodes[st.Ino] = at
	}
	return n.NewInode(ctx, at, fs.StableAttr{Mode: st.Mode, Ino: st.Ino}), 0
}

func (n *node) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return n.child(ctx, n.stored(name), out)
}

func (n *node) Getattr(ctx context.Context, f fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	var st syscall.Stat_t
	if err := syscall.Fstat(n.fd, &st); err != nil {
		return fs.ToErrno(err)
	}
	out.FromStat(&st)
	return 0
}

func (n *node) Setattr(ctx context.Context, f fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if mode, ok := in.GetMode(); ok {
		if err := unix.Chmod(n.self(), mode); err != nil {
			return fs.ToErrno(err)
		}
	}
	uid, setUID := in.GetUID()
	gid, setGID := in.GetGID()
	if setUID || setGID {
		owner := [2]int{-1, -1}
		if setUID {
			owner[0] = int(uid)
		}
		if setGID {
			owner[1] = int(gid)
		}
		if err := unix.Fchownat(n.fd, "", owner[0], owner[1], unix.AT_EMPTY_PATH); err != nil {
			return fs.ToErrno(err)
		}
	}
	if size, ok := in.GetSize(); ok {
		if err := unix.Truncate(n.self(), int64(size)); err != nil {
			return fs.ToErrno(err)
		}
	}
	if errno := n.setTimes(in); errno != 0 {
		return errno
	}
	return n.Getattr(ctx, f, out)
}

func (n *node) setTimes(in *fuse.SetAttrIn) syscall.Errno {
	atime, setA := in.GetATime()
	mtime, setM := in.GetMTime()
	if !setA && !setM {
		return 0
	}
	times := []unix.Timespec{{Nsec: unix.UTIME_OMIT}, {Nsec: unix.UTIME_OMIT}}
	if setA {
		times[0] = unix.NsecToTimespec(atime.UnixNano())
	}
	if setM {
		times[1] = unix.NsecToTimespec(mtime.UnixNano())
	}
	return fs.ToErrno(unix.UtimesNanoAt(unix.AT_FDCWD, n.self(), times, 0))
}

func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	if err := unix.Mkdirat(n.fd, n.stored(name), mode); err != nil {
		return nil, fs.ToErrno(err)
	}
	return n.child(ctx, name, out)
}

func (n *node) Mknod(ctx context.Context, name string, mode, dev uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	if err := unix.Mknodat(n.fd, n.stored(name), mode, int(dev)); err != nil {
		return nil, fs.ToErrno(err)
	}
	return n.child(ctx, name, out)
}

func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	stored := n.stored(name)
	fd, err := unix.Openat(n.fd, stored, int(flags)&^unix.O_APPEND|unix.O_CREAT, mode)
	if err != nil {
		return nil, nil, 0, fs.ToErrno(err)
	}
	inode, errno := n.child(ctx, stored, out)
	if errno != 0 {
		unix.Close(fd)
		return nil, nil, 0, errno
	}
	return inode, fs.NewLoopbackFile(fd), 0, 0
}

func (n *node) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	fd, err := unix.Open(n.self(), int(flags)&^(unix.O_APPEND|unix.O_NOFOLLOW), 0)
	if err != nil {
		return nil, 0, fs.ToErrno(err)
	}
	return fs.NewLoopbackFile(fd), 0, 0
}

func (n *node) Unlink(ctx context.Context, name string) syscall.Errno {
	return fs.ToErrno(unix.Unlinkat(n.fd, n.stored(name), 0))
}

func (n *node) Rmdir(ctx context.Context, name string) syscall.Errno {
	return fs.ToErrno(unix.Unlinkat(n.fd, n.stored(name), unix.AT_REMOVEDIR))
}

func (n *node) Rename(ctx context.Context, name string, to fs.InodeEmbedder, newName string, flags uint32) syscall.Errno {
	dir, ok := to.(*node)
	if !ok {
		return syscall.EXDEV
	}
	return fs.ToErrno(unix.Renameat2(n.fd, n.stored(name), dir.fd, dir.stored(newName), uint(flags)))
}

func (n *node) Symlink(ctx context.Context, target, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	if err := unix.Symlinkat(target, n.fd, n.stored(name)); err != nil {
		return nil, fs.ToErrno(err)
	}
	return n.child(ctx, name, out)
}

func (n *node) Readlink(ctx context.Context) ([]byte, syscall.Errno) {
	buf := make([]byte, unix.PathMax)
	k, err := unix.Readlinkat(n.fd, "", buf)
	if err != nil {
		return nil, fs.ToErrno(err)
	}
	return buf[:k], 0
}

func (n *node) Link(ctx context.Context, target fs.InodeEmbedder, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	of, ok := target.(*node)
	if !ok {
		return nil, syscall.EXDEV
	}
	if err := unix.Linkat(unix.AT_FDCWD, of.self(), n.fd, n.stored(name), unix.AT_SYMLINK_FOLLOW); err != nil {
		return nil, fs.ToErrno(err)
	}
	return n.child(ctx, name, out)
}

func (n *node) Readdir(ctx context.Context) (fs.DirStream, syscall.Errno) {
	return fs.NewLoopbackDirStream(n.self())
}

func (n *node) Fsync(ctx context.Context, f fs.FileHandle, flags uint32) syscall.Errno {
	if file, ok := f.(fs.FileFsyncer); ok {
		return file.Fsync(ctx, flags)
	}
	return 0
}

func (n *node) Statfs(ctx context.Context, out *fuse.StatfsOut) syscall.Errno {
	var st syscall.Statfs_t
	if err := syscall.Statfs(n.self(), &st); err != nil {
		return fs.ToErrno(err)
	}
	out.FromStatfsT(&st)
	return 0
}

// OnForget closes what the kernel no longer needs.
func (n *node) OnForget() {
	n.known.Lock()
	defer n.known.Unlock()
	if ino := n.StableAttr().Ino; n.known.nodes[ino] == n {
		delete(n.known.nodes, ino)
		unix.Close(n.fd)
	}
}
