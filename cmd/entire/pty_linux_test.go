package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// keyCodes are what a terminal sends for keys with a name.
var keyCodes = map[string]string{
	"enter": "\r", "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "esc": "\x1b", "tab": "\t", "space": " ", "ctrl-c": "\x03",
}

// ptyWait is how long a command on a terminal may take to show what is waited for.
const ptyWait = 2 * time.Minute

// cmdTTY runs a command on a terminal of its own, of 100 columns and 30 lines.
// KEYS is a file: "wait TEXT" goes on when the program has shown TEXT since the
// last key, "key NAME" and "type TEXT" are what the person does then, and "copy
// FROM TO" is a file that somebody writes meanwhile. What was
// shown, without what only moves the cursor, is the command's stdout. The terminal
// is $COLUMNS wide, else 100, and is a $TERM, else one of many colours.
func cmdTTY(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: tty KEYS COMMAND [ARG...]")
	}
	master, slave, err := openPTY()
	ts.Check(err)
	defer master.Close()
	if n, err := strconv.Atoi(ts.Getenv("COLUMNS")); err == nil {
		ts.Check(unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 30, Col: uint16(n)}))
	}
	path := ""
	for dir := range strings.SplitSeq(ts.Getenv("PATH"), string(os.PathListSeparator)) {
		if _, err := os.Stat(dir + "/" + args[1]); err == nil {
			path = dir + "/" + args[1]
			break
		}
	}
	cmd := exec.Command(path, args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "PATH", "NO_COLOR", "ACCESSIBLE", "XDG_DATA_HOME", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "TMPDIR", "ENTIRE_IDENTITY", "XDG_RUNTIME_DIR"} {
		if value := ts.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Env = append(cmd.Env, "TERM="+cmp.Or(ts.Getenv("TERM"), "xterm-256color"))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	ts.Check(cmd.Start())
	slave.Close()
	screen := &shown{ended: make(chan struct{})}
	go screen.readFrom(master)
	err = typeKeys(master, screen, cmd.Dir, ts.ReadFile(args[0]))
	if err != nil {
		cmd.Process.Kill()
	}
	kill := time.AfterFunc(ptyWait, func() { cmd.Process.Kill() })
	exit := cmd.Wait()
	kill.Stop()
	screen.drain(master)
	fmt.Fprint(ts.Stdout(), screen.text())
	if leak := leaks([]byte(strings.ReplaceAll(screen.text(), "\b", ""))); leak != "" || strings.Contains(screen.raw(), "\x1b[38;5;213m") {
		ts.Fatalf("%q shows %q", args, leak)
	}
	switch {
	case err != nil:
		ts.Fatalf("%v; shown:\n%s", err, screen.text())
	case (exit != nil) != neg:
		ts.Fatalf("ended with %v; shown:\n%s", exit, screen.text())
	}
}

// openPTY opens a terminal: the side of the person, and that of the program.
func openPTY() (master, slave *os.File, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 30, Col: 100})
	}
	if err == nil {
		slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	return master, slave, err
}

// shown collects what a program writes to its terminal.
type shown struct {
	mu    sync.Mutex
	data  []byte
	ended chan struct{} // closed when nothing more can come
}

func (s *shown) readFrom(f *os.File) {
	defer close(s.ended)
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		s.mu.Lock()
		s.data = append(s.data, buf[:n]...)
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// drain waits until all that the command wrote is read. The terminal ends with the last process that has it; a process in the
// background may keep it.
func (s *shown) drain(from *os.File) {
	for end := time.Now().Add(2 * time.Second); ; {
		select {
		case <-s.ended:
			return
		case <-time.After(10 * time.Millisecond):
		}
		if unread, err := unix.IoctlGetInt(int(from.Fd()), unix.TIOCINQ); time.Now().After(end) && (err != nil || unread == 0) {
			return
		}
	}
}

var escapes = regexp.MustCompile(`\x1b\[[0-9;?<=>]*[ -/]*[@-~]|\x1b[P\]_^][^\x07\x1b]*(\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>78NOcDEHM]`)

func (s *shown) text() string {
	return strings.ReplaceAll(escapes.ReplaceAllString(s.raw(), ""), "\r", "")
}

func (s *shown) raw() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.data)
}

// typeKeys does what a script of keys says, with files below dir.
func typeKeys(to *os.File, screen *shown, dir, script string) error {
	seen := 0
	for line := range strings.Lines(script) {
		verb, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch verb {
		case "", "#":
		case "wait":
			if err := screen.wait(arg, &seen); err != nil {
				return err
			}
		case "key":
			if keyCodes[arg] == "" {
				return fmt.Errorf("no key is called %q", arg)
			}
			to.WriteString(keyCodes[arg])
		case "type":
			to.WriteString(arg)
		case "copy":
			from, name, _ := strings.Cut(arg, " ")
			data, err := os.ReadFile(filepath.Join(dir, from))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
			}
			if err != nil {
				return err
			}
		default:
			return fmt.Errorf("not a line of keys: %q", line)
		}
	}
	return nil
}

// wait looks without regard to spaces, which a program may draw by moving the
// cursor.
func (s *shown) wait(text string, seen *int) error {
	want := strings.Join(strings.Fields(text), "")
	for end := time.Now().Add(ptyWait); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		now := strings.Join(strings.Fields(s.text()), "")
		if i := strings.Index(now[min(*seen, len(now)):], want); i >= 0 {
			*seen += i + len(want)
			return nil
		}
	}
	return fmt.Errorf("%q was not shown", text)
}
