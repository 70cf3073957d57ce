//go:build linux || darwin

package recording

import (
	"fmt"
	"image/color"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// Waiting is how long a session waits for a text. A screen counts as drawn when nothing has been written
// for settled, and after a key not before something was written, or unmoved has passed.
const (
	Waiting = 2 * time.Minute
	settled = 150 * time.Millisecond
	unmoved = 2 * time.Second
)

// Options are the size and the colours of a terminal.
type Options struct {
	Columns, Rows int
	Dark          bool // what the terminal answers when it is asked for its background
}

// A Session is a program that runs on a terminal.
type Session struct {
	cmd    *exec.Cmd
	master *os.File
	ended  chan struct{} // closed when the program has closed the terminal

	mu      sync.Mutex
	screen  *vt.Emulator
	written time.Time // when the program wrote last
	typed   time.Time // when somebody typed last
}

// Start starts a program on a terminal. The caller closes the session.
func Start(cmd *exec.Cmd, o Options) (*Session, error) {
	s := &Session{cmd: cmd, ended: make(chan struct{}), screen: vt.NewEmulator(o.Columns, o.Rows)}
	s.screen.SetDefaultBackgroundColor(background(o.Dark))
	s.screen.SetDefaultForegroundColor(foreground(o.Dark))
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "COLORTERM=truecolor")
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(o.Rows), Cols: uint16(o.Columns)})
	if err != nil {
		return nil, fmt.Errorf("start %s on a terminal: %w", cmd.Path, err)
	}
	s.master = master
	go s.read()
	go io.Copy(master, s.screen) // the terminal's answers to the program's questions
	return s, nil
}

// background and Foreground are the colours of a terminal that is dark, or light.
func background(dark bool) color.Color {
	if dark {
		return color.RGBA{0x16, 0x18, 0x1d, 0xff}
	}
	return color.RGBA{0xfc, 0xfc, 0xfa, 0xff}
}

// foreground is the colour of plain text.
func foreground(dark bool) color.Color {
	if dark {
		return color.RGBA{0xd6, 0xd9, 0xe0, 0xff}
	}
	return color.RGBA{0x24, 0x27, 0x2e, 0xff}
}

// read feeds the terminal with what the program writes.
func (s *Session) read() {
	defer close(s.ended)
	buf := make([]byte, 32<<10)
	for {
		n, err := s.master.Read(buf)
		s.mu.Lock()
		s.screen.Write(buf[:n])
		s.written = time.Now()
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Close ends the program and frees the terminal.
func (s *Session) Close() error {
	s.cmd.Process.Kill()
	s.cmd.Wait()
	if answers, ok := s.screen.InputPipe().(io.Closer); ok {
		answers.Close() // ends their copying; the screen's own Close must not meet a reader or a writer
	}
	return s.master.Close()
}

// Type types a text.
func (s *Session) Type(text string) error {
	s.mu.Lock()
	s.typed = time.Now()
	s.mu.Unlock()
	_, err := io.WriteString(s.master, text)
	return err
}

// Press presses a key by its name.
func (s *Session) Press(name string) error {
	code, ok := keyCode(name)
	if !ok {
		return fmt.Errorf("no key is called %q", name)
	}
	return s.Type(code)
}

// Wait waits until the screen shows a text; spaces do not count. The error has the screen.
func (s *Session) Wait(text string) error {
	want := squeeze(text)
	for end := time.Now().Add(Waiting); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if strings.Contains(squeeze(s.Screen().Text()), want) {
			return nil
		}
		select {
		case <-s.ended:
			if strings.Contains(squeeze(s.Screen().Text()), want) {
				return nil
			}
			return fmt.Errorf("the program ended and %q was not shown:\n%s", text, s.Screen().Text())
		default:
		}
	}
	return fmt.Errorf("%q was not shown:\n%s", text, s.Screen().Text())
}

func squeeze(text string) string { return strings.Join(strings.Fields(text), "") }

// Settle waits until the screen is drawn.
func (s *Session) Settle() {
	for end := time.Now().Add(Waiting); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		s.mu.Lock()
		answered := s.written.After(s.typed) || time.Since(s.typed) > unmoved
		quiet := time.Since(s.written)
		s.mu.Unlock()
		if answered && quiet > settled {
			return
		}
	}
}

// Ended waits until the program has ended, and returns its error.
func (s *Session) Ended() error {
	select {
	case <-s.ended:
		return s.cmd.Wait()
	case <-time.After(Waiting):
		return fmt.Errorf("the program did not end:\n%s", s.Screen().Text())
	}
}

// Screen returns what the terminal shows.
func (s *Session) Screen() Screen {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Screen{Columns: s.screen.Width(), Rows: make([][]Cell, s.screen.Height())}
	for y := range out.Rows {
		for x := 0; x < out.Columns; {
			cell, width := cellOf(s.screen.CellAt(x, y))
			out.Rows[y] = append(out.Rows[y], cell)
			x += width
		}
	}
	return out
}

// cellOf returns a cell and the number of columns that it takes.
func cellOf(c *uv.Cell) (Cell, int) {
	if c == nil || c.Content == "" {
		return Cell{Text: " ", Width: 1}, 1
	}
	st := c.Style
	out := Cell{Text: c.Content, Width: max(1, c.Width), Fore: st.Fg, Back: st.Bg, Bold: st.Attrs&uv.AttrBold != 0,
		Faint: st.Attrs&uv.AttrFaint != 0, Italic: st.Attrs&uv.AttrItalic != 0, Underlined: st.Underline != uv.UnderlineNone}
	if st.Attrs&uv.AttrReverse != 0 {
		out.Reverse = true
	}
	return out, out.Width
}
