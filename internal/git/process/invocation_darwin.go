package process

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// commandLine returns the command line of a process and its parent's ID; none and 0 if there
// is no such process.
func commandLine(pid int) (args []string, parent int) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return nil, 0
	}
	parent = int(info.Eproc.Ppid)
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(raw) < 4 {
		return nil, parent
	}
	// The number of arguments, the program's path padded with NULs, and the
	// arguments, each ended by one.
	n := int(binary.NativeEndian.Uint32(raw))
	rest := raw[4:]
	if i := bytes.IndexByte(rest, 0); i >= 0 {
		rest = bytes.TrimLeft(rest[i:], "\x00")
	}
	for ; n > 0 && len(rest) > 0; n-- {
		arg, after, _ := bytes.Cut(rest, []byte{0})
		args, rest = append(args, string(arg)), after
	}
	return args, parent
}
