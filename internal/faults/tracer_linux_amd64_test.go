package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// canTrace: calls can be counted and broken one by one.
const canTrace = true

// tracerVar makes the test binary trace a command: its value is a traced as JSON.
const tracerVar = "ENTIRE_FAULTS_TRACE"

// traced is a command to be run under the tracer, and what is to happen to it.
type traced struct {
	Args  []string // of the command
	Root  string   // calls on files below it count
	Out   string   // standard output and error go there
	Class string   // of the calls that count
	Only  string   // if set, only calls of this description count
	At    int      // which of them it happens to, from 1; 0 for none
	Fault string   // EIO, ENOSPC, EACCES, EMFILE…, KILL (the process), KILLALL (with all others)
	Log   bool     // note every call that counts
	To    string   // the outcome as JSON goes there

	Filtered bool // it is the traced process itself: it is to stop at these calls only
}

func untraced() []string {
	return slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, tracerVar+"=") })
}

// filtered becomes the command, in which calls of the classes are reported to the
// tracer, and no others: to stop at each one would take ten times as long.
func filtered(job traced) error {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := filter(job.Class)
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if _, _, err := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog))); err != 0 {
		return err
	}
	return syscall.Exec(job.Args[0], job.Args, untraced())
}

// filter stops at the calls that may be of a class; an open for reading, which is
// the most frequent, is known by its flags.
func filter(class string) []unix.SockFilter {
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	ret := func(what uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: what}
	}
	prog := []unix.SockFilter{load(0)} // the call's number
	for nr, s := range shapes {
		if !s.mayBe(class) {
			continue
		}
		is := unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(nr), Jf: 1}
		if class == change && s.name == "openat" {
			is.Jf = 4
			prog = append(prog, is, load(16+2*8), // its flags
				unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC, Jt: 1},
				ret(unix.SECCOMP_RET_ALLOW), ret(unix.SECCOMP_RET_TRACE))
			continue
		}
		prog = append(prog, is, ret(unix.SECCOMP_RET_TRACE))
	}
	return append(prog, ret(unix.SECCOMP_RET_ALLOW))
}

// outcome is how a traced command ended.
type outcome struct {
	Calls  int      // that counted
	Hit    string   // the call that it happened to
	Code   int      // exit status; -1 when killed
	Events []string `json:",omitempty"`
}

// trace runs in a process of its own: a tracer sees every child of its process.
func trace(job traced) error {
	runtime.LockOSThread()
	out, err := os.Create(job.Out)
	if err != nil {
		return err
	}
	defer out.Close()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	job.Filtered = true
	text, err := json.Marshal(job)
	if err != nil {
		return err
	}
	cmd := exec.Command(self)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	cmd.Env = append(untraced(), tracerVar+"="+string(text))
	if err := cmd.Start(); err != nil {
		return err
	}
	t := &tracer{job: job, threads: map[int]bool{}, main: cmd.Process.Pid}
	if err := t.run(); err != nil {
		return err
	}
	data, err := json.Marshal(t.out)
	if err != nil {
		return err
	}
	return os.WriteFile(job.To, data, 0o600)
}

type tracer struct {
	job     traced
	main    int
	threads map[int]bool
	begun   bool // the command itself
	out     outcome
}

const traceOptions = unix.PTRACE_O_TRACESECCOMP | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK |
	unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_EXITKILL

func (t *tracer) run() error {
	var ws unix.WaitStatus
	if _, err := unix.Wait4(t.main, &ws, 0, nil); err != nil {
		return err
	}
	if err := unix.PtraceSetOptions(t.main, traceOptions); err != nil {
		return err
	}
	t.threads[t.main] = true
	if err := unix.PtraceCont(t.main, 0); err != nil {
		return err
	}
	for len(t.threads) > 0 {
		pid, err := unix.Wait4(-1, &ws, unix.WALL, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		t.event(pid, ws)
	}
	return nil
}

func (t *tracer) event(pid int, ws unix.WaitStatus) {
	switch {
	case ws.Exited(), ws.Signaled():
		delete(t.threads, pid)
		if pid == t.main {
			t.out.Code = ws.ExitStatus() // -1 for a signal
		}
		return
	case !ws.Stopped():
		return
	}
	known := t.threads[pid]
	t.threads[pid] = true
	sig := ws.StopSignal()
	switch {
	case sig == unix.SIGTRAP && ws.TrapCause() == unix.PTRACE_EVENT_SECCOMP:
		t.call(pid)
		sig = 0
	case sig == unix.SIGTRAP && ws.TrapCause() == unix.PTRACE_EVENT_EXEC:
		t.begun = true
		if was, err := unix.PtraceGetEventMsg(pid); err == nil && int(was) != pid {
			delete(t.threads, int(was)) // that thread goes by the process's number from now on
		}
		sig = 0
	case sig == unix.SIGTRAP, sig == unix.SIGSTOP && !known:
		sig = 0 // another event, or a thread that begins
	case sig == unix.SIGSTOP:
		sig = 0
	}
	// The thread may have been killed meanwhile.
	_ = unix.PtraceCont(pid, int(sig))
}

// call looks at a call that is about to be made, and lets it happen or not.
func (t *tracer) call(pid int) {
	var regs unix.PtraceRegs
	if !t.begun || unix.PtraceGetRegs(pid, &regs) != nil {
		return
	}
	c, ok := t.look(pid, &regs)
	if !ok {
		return
	}
	t.out.Calls++
	if t.job.Log {
		t.out.Events = append(t.out.Events, c)
	}
	if t.out.Calls != t.job.At {
		return
	}
	t.out.Hit = c
	_ = os.WriteFile(t.job.To+".hit", []byte(c), 0o600) // should it never end
	switch t.job.Fault {
	case "KILL":
		_ = unix.Kill(pid, unix.SIGKILL)
	case "KILLALL":
		for other := range t.threads {
			_ = unix.Kill(other, unix.SIGKILL)
		}
	default:
		regs.Orig_rax = ^uint64(0) // no call, and this is what it returns
		regs.Rax = uint64(-int64(errnos[t.job.Fault]))
		_ = unix.PtraceSetRegs(pid, &regs)
	}
}

var errnos = map[string]syscall.Errno{"EIO": unix.EIO, "ENOSPC": unix.ENOSPC, "EACCES": unix.EACCES, "EMFILE": unix.EMFILE,
	"EAGAIN": unix.EAGAIN, "EROFS": unix.EROFS}

// A shape says where a call names its files.
type shape struct {
	name  string
	class string
	fd    int // argument that is a file descriptor, or the folder of path; -1 for none
	path  int // argument that is a path; -1 for none
}

const (
	change  = "change"
	read    = "read"
	process = "process" // what processes say to each other
	begin   = "begin"   // of a process or a pipe
)

var shapes = map[uint64]shape{
	unix.SYS_OPEN: {"open", read, -1, 0}, unix.SYS_OPENAT: {"openat", read, 0, 1}, unix.SYS_OPENAT2: {"openat2", read, 0, 1}, unix.SYS_CREAT: {"creat", change, -1, 0},
	unix.SYS_STAT: {"stat", read, -1, 0}, unix.SYS_LSTAT: {"lstat", read, -1, 0}, unix.SYS_NEWFSTATAT: {"newfstatat", read, 0, 1}, unix.SYS_STATX: {"statx", read, 0, 1},
	unix.SYS_ACCESS: {"access", read, -1, 0}, unix.SYS_FACCESSAT: {"faccessat", read, 0, 1}, unix.SYS_FACCESSAT2: {"faccessat2", read, 0, 1},
	unix.SYS_READLINK: {"readlink", read, -1, 0}, unix.SYS_READLINKAT: {"readlinkat", read, 0, 1}, unix.SYS_CHDIR: {"chdir", read, -1, 0},
	unix.SYS_READ: {"read", read, 0, -1}, unix.SYS_PREAD64: {"pread64", read, 0, -1}, unix.SYS_READV: {"readv", read, 0, -1}, unix.SYS_FSTAT: {"fstat", read, 0, -1},
	unix.SYS_GETDENTS64: {"getdents64", read, 0, -1}, unix.SYS_MMAP: {"mmap", read, 4, -1}, unix.SYS_LSEEK: {"lseek", read, 0, -1}, unix.SYS_STATFS: {"statfs", read, -1, 0},
	unix.SYS_WRITE: {"write", change, 0, -1}, unix.SYS_PWRITE64: {"pwrite64", change, 0, -1}, unix.SYS_WRITEV: {"writev", change, 0, -1},
	unix.SYS_CLOSE: {"close", read, 0, -1}, unix.SYS_FSYNC: {"fsync", change, 0, -1}, unix.SYS_FDATASYNC: {"fdatasync", change, 0, -1}, unix.SYS_SYNCFS: {"syncfs", change, 0, -1},
	unix.SYS_SYNC_FILE_RANGE: {"sync_file_range", change, 0, -1}, unix.SYS_FTRUNCATE: {"ftruncate", change, 0, -1}, unix.SYS_FALLOCATE: {"fallocate", change, 0, -1},
	unix.SYS_COPY_FILE_RANGE: {"copy_file_range", change, 2, -1}, unix.SYS_SENDFILE: {"sendfile", change, 0, -1}, unix.SYS_FLOCK: {"flock", change, 0, -1},
	unix.SYS_FCHMOD: {"fchmod", change, 0, -1}, unix.SYS_CHMOD: {"chmod", change, -1, 0}, unix.SYS_FCHMODAT: {"fchmodat", change, 0, 1}, unix.SYS_FCHMODAT2: {"fchmodat2", change, 0, 1},
	unix.SYS_UTIMENSAT: {"utimensat", change, 0, 1}, unix.SYS_MKDIR: {"mkdir", change, -1, 0}, unix.SYS_MKDIRAT: {"mkdirat", change, 0, 1},
	unix.SYS_RMDIR: {"rmdir", change, -1, 0}, unix.SYS_UNLINK: {"unlink", change, -1, 0}, unix.SYS_UNLINKAT: {"unlinkat", change, 0, 1},
	unix.SYS_RENAME: {"rename", change, -1, 1}, unix.SYS_RENAMEAT: {"renameat", change, 2, 3}, unix.SYS_RENAMEAT2: {"renameat2", change, 2, 3},
	unix.SYS_LINK: {"link", change, -1, 1}, unix.SYS_LINKAT: {"linkat", change, 2, 3}, unix.SYS_SYMLINK: {"symlink", change, -1, 1}, unix.SYS_SYMLINKAT: {"symlinkat", change, 1, 2},
	unix.SYS_CLONE: {"clone", begin, -1, -1}, unix.SYS_CLONE3: {"clone3", begin, -1, -1}, unix.SYS_FORK: {"fork", begin, -1, -1}, unix.SYS_VFORK: {"vfork", begin, -1, -1},
	unix.SYS_EXECVE: {"execve", begin, -1, -1}, unix.SYS_PIPE2: {"pipe2", begin, -1, -1}, unix.SYS_PIPE: {"pipe", begin, -1, -1},
}

// mayBe reports that a call may turn out to be of a class.
func (s shape) mayBe(class string) bool {
	switch class {
	case change:
		return s.class == change || s.name == "open" || s.name == "openat" || s.name == "close"
	case process:
		return s.class != begin
	}
	return s.class == class
}

// look describes the call that a thread is about to make, if it counts.
func (t *tracer) look(pid int, regs *unix.PtraceRegs) (string, bool) {
	s, ok := shapes[regs.Orig_rax]
	if !ok {
		return "", false
	}
	args := []uint64{regs.Rdi, regs.Rsi, regs.Rdx, regs.R10, regs.R8, regs.R9}
	class, name := s.class, ""
	if s.path >= 0 {
		name = peek(pid, args[s.path])
	}
	if !filepath.IsAbs(name) && class != begin {
		base := "cwd"
		if s.fd >= 0 && int32(args[s.fd]) >= 0 {
			base = "fd/" + strconv.Itoa(int(int32(args[s.fd])))
		} else if s.path < 0 {
			return "", false
		}
		dir, err := os.Readlink(fmt.Sprintf("/proc/%d/%s", pid, base))
		if err != nil {
			return "", false
		}
		if strings.HasPrefix(dir, "pipe:") {
			class = process
		}
		name = strings.TrimSuffix(dir+"/"+name, "/")
	}
	switch s.name {
	case "openat":
		class = opens(args[2])
	case "open":
		class = opens(args[1])
	case "close":
		if writable(pid, args[0]) {
			class = change
		}
	}
	if class != t.job.Class || class != process && class != begin && name != t.job.Root && !strings.HasPrefix(name, t.job.Root+"/") {
		return "", false
	}
	name = strings.TrimPrefix(strings.TrimPrefix(name, t.job.Root), "/")
	described := comm(pid) + " " + s.name + " " + name
	return described, t.job.Only == "" || t.job.Only == described
}

func opens(flags uint64) string {
	if flags&(unix.O_WRONLY|unix.O_RDWR|unix.O_CREAT|unix.O_TRUNC) != 0 {
		return change
	}
	return read
}

func writable(pid int, fd uint64) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", pid, int32(fd)))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(data)) {
		if digits, ok := strings.CutPrefix(line, "flags:"); ok {
			flags, err := strconv.ParseUint(strings.TrimSpace(digits), 8, 64)
			return err == nil && opens(flags&^unix.O_CREAT) == change
		}
	}
	return false
}

func comm(pid int) string {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return strings.TrimSpace(string(data))
}

// peek reads a path from a traced process.
func peek(pid int, addr uint64) string {
	var buf [4096]byte
	n := min(uint64(len(buf)), 4096-addr%4096)
	local := []unix.Iovec{{Base: &buf[0]}}
	local[0].SetLen(len(buf))
	remote := []unix.RemoteIovec{{Base: uintptr(addr), Len: int(n)}}
	if addr%4096 != 0 {
		remote = append(remote, unix.RemoteIovec{Base: uintptr(addr + n), Len: len(buf) - int(n)})
	}
	got, err := unix.ProcessVMReadv(pid, local, remote, 0)
	if err != nil {
		return ""
	}
	if i := bytes.IndexByte(buf[:got], 0); i >= 0 {
		return string(buf[:i])
	}
	return ""
}
