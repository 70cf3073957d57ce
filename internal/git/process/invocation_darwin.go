package process

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"golang.org/x/sys/unix"
)

// look returns what the kernel shows of a process.
func look(pid int) (at running) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return at
	}
	at.parent = int(info.Eproc.Ppid)
	at.started = strconv.FormatInt(info.Proc.P_starttime.Nano(), 10)
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(raw) < 4 {
		return at
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
		at.args, rest = append(at.args, string(arg)), after
	}
	return at
}
