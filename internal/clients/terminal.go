//go:build linux

package clients

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A terminal is how a person would use a program that continues a session only in its own interface.
type terminal struct {
	ready string // what is on the screen when it waits for a prompt
	quit  string // the keys that end it
}

// A screen collects what a program shows.
type screen struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// typed runs the command in a terminal of its own, types the prompt there, and ends the program when the model has ended
// the turn.
func (w *World) typed(ctx context.Context, client Client, command []string, prompt string) (*Run, error) {
	master, slave, err := openTerminal()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", client.Name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, turnLimit)
	r := &Run{Command: command, cancel: cancel, done: make(chan struct{}), began: time.Now()}
	r.cmd = w.start(ctx, client, command)
	r.cmd.Env = append(r.cmd.Env, "TERM=xterm-256color")
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = slave, slave, slave
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true} // a new session is a process group, too
	before := len(w.Model.Ledger())
	if err := r.cmd.Start(); err != nil {
		cancel()
		return nil, errors.Join(fmt.Errorf("start %s: %w", client.Name, err), master.Close(), slave.Close())
	}
	_ = slave.Close()
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := master.Read(buffer)
			_, _ = r.said.Write(buffer[:n])
			if err != nil {
				return
			}
		}
	}()
	go w.drive(ctx, client, r, master, prompt, before)
	go func() {
		defer close(r.done)
		r.err = r.cmd.Wait()
		_ = master.Close()
	}()
	return r, nil
}

// enterAgain is how long a person waits for what they typed to appear, or to be sent.
const enterAgain = 2 * time.Second

// drive is the person's hands: they type the prompt when the program is ready, and quit when the turn is over.
func (w *World) drive(ctx context.Context, client Client, r *Run, master *os.File, prompt string, before int) {
	until := func(met func() bool) bool {
		for !met() {
			select {
			case <-ctx.Done():
				return false
			case <-r.done:
				return false
			case <-time.After(100 * time.Millisecond):
			}
		}
		return true
	}
	if !until(func() bool { return strings.Contains(r.said.String(), client.terminal.ready) }) {
		return
	}
	time.Sleep(time.Second) // it draws its screen before it reads keys
	_, _ = master.WriteString(prompt)
	quiet, seen, pressed := time.Now(), before, time.Now().Add(-enterAgain*3/4)
	if !until(func() bool {
		ledger := w.Model.Ledger()
		if len(ledger) == before && time.Since(pressed) > enterAgain {
			// On a busy machine it can miss the key that sends the prompt; it ignores one that comes too often.
			_, _ = master.WriteString("\r")
			pressed = time.Now()
		}
		if len(ledger) != seen {
			quiet, seen = time.Now(), len(ledger)
		}
		return len(ledger) > before && ledger[len(ledger)-1].Last && time.Since(quiet) > 2*time.Second
	}) {
		return
	}
	r.left.Store(true)
	for range 3 {
		_, _ = master.WriteString(client.terminal.quit)
		quiet = time.Now()
		if !until(func() bool { return time.Since(quiet) > 3*time.Second }) {
			return
		}
	}
	r.cancel()
}

func openTerminal() (master, slave *os.File, err error) {
	if master, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err != nil {
		return nil, nil, fmt.Errorf("open a terminal: %w", err)
	}
	fd := int(master.Fd())
	err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 120})
	}
	number := 0
	if err == nil {
		number, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
	}
	if err == nil {
		slave, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("open a terminal: %w", err), master.Close())
	}
	return master, slave, nil
}
