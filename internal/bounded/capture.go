package bounded

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"time"
)

// Capture runs a command and returns what it wrote; progress, if not nil, receives its stderr as it comes.
func Capture(cmd *exec.Cmd, delay time.Duration, progress io.Writer) (stdout, stderr []byte, err error) {
	var out, said bytes.Buffer
	var to io.Writer = &said
	if progress != nil {
		to = io.MultiWriter(&said, progress)
	}
	_, err = copyOutput(cmd, delay, &out, to)
	return out.Bytes(), said.Bytes(), err
}

// copyOutput runs a command and copies its output to stdout and stderr, which it does not use after it returns. A program
// that the command started may keep the output open: then copyOutput returns after delay, held is true, and everything that
// was written before the command ended is copied. [exec.Cmd.WaitDelay] alone would lose what was not read by then.
func copyOutput(cmd *exec.Cmd, delay time.Duration, stdout, stderr io.Writer) (held bool, err error) {
	out, err := newCapture(stdout)
	if err != nil {
		return false, err
	}
	warn, err := newCapture(stderr)
	if err != nil {
		out.close()
		return false, err
	}
	cmd.Stdout, cmd.Stderr = out.w, warn.w
	if err := cmd.Start(); err != nil {
		out.close()
		warn.close()
		return false, err
	}
	out.w.Close() // the command has its own
	warn.w.Close()
	go out.read()
	go warn.read()
	err = cmd.Wait()
	defer out.interrupt(delay).Stop()
	defer warn.interrupt(delay).Stop()
	<-out.done
	<-warn.done
	if errors.Is(err, exec.ErrWaitDelay) && cmd.ProcessState.Success() {
		err = nil // it did not read all of its stdin
	}
	return out.late || warn.late, err
}

// A capture is one stream of a command.
type capture struct {
	r, w *os.File
	to   io.Writer
	done chan struct{} // closed when all is read
	late bool          // whether a read was interrupted; valid when done
}

func newCapture(to io.Writer) (*capture, error) {
	r, w, err := os.Pipe()
	return &capture{r: r, w: w, to: to, done: make(chan struct{})}, err
}

func (c *capture) close() {
	c.w.Close()
	c.r.Close()
}

const (
	mostInPipe = 1 << 20                // more than a pipe holds on any system
	drainDelay = 200 * time.Millisecond // for one read of what is in the pipe already
)

// read copies the stream until it is closed, or a read was interrupted and nothing more is in the pipe.
func (c *capture) read() {
	defer close(c.done)
	defer c.r.Close()
	buf := make([]byte, 8<<10)
	for left := mostInPipe; left > 0; {
		var limit *time.Timer
		if c.late {
			c.r.SetReadDeadline(time.Time{})
			limit = c.interrupt(drainDelay)
		}
		n, err := c.r.Read(buf)
		if c.late {
			limit.Stop()
			left -= n
		}
		c.to.Write(buf[:n]) // progress that nobody can see is no failure of the command
		if err != nil && (c.late || !errors.Is(err, os.ErrDeadlineExceeded)) {
			return
		}
		c.late = c.late || err != nil
	}
}

// interrupt ends the read of the stream after delay.
func (c *capture) interrupt(delay time.Duration) *time.Timer {
	return time.AfterFunc(delay, func() {
		if c.r.SetReadDeadline(time.Unix(1, 0)) != nil { // this system's pipes have none, or all is read
			c.r.Close()
		}
	})
}
