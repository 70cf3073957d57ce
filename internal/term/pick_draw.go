package term

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	xterm "github.com/charmbracelet/x/term"

	"entire/internal/legible"
)

// Control sequences of the picker's screen.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l" // the alternate screen, without a cursor
	leaveScreen = "\x1b[?25h\x1b[?1049l"
	topLeft     = "\x1b[H"
	clearLine   = "\x1b[2K" // before the text: after a full line it would erase the last column
)

// sizeAfter is how often the picker reads the size of the terminal.
const sizeAfter = time.Second / 2

// runPicker runs m on the alternate screen. It draws a frame only when a message changed
// it, because bubbletea's renderer wakes up sixty times a second even if nothing happens.
func runPicker(ctx context.Context, t Terminal, m *picker) (tea.Model, error) {
	in, ok := t.In.(interface{ Fd() uintptr })
	if !ok {
		return nil, ErrNotInteractive
	}
	state, err := xterm.MakeRaw(in.Fd())
	if err != nil {
		return nil, err
	}
	defer xterm.Restore(in.Fd(), state)
	if _, err := io.WriteString(Raw(t.Out), enterScreen); err != nil {
		return nil, err
	}
	defer io.WriteString(Raw(t.Out), leaveScreen)
	m.Update(tea.WindowSizeMsg{Width: Width(t.Out), Height: heightOf(t.Out)})
	_, err = tea.NewProgram(&screenOf{picker: m}, tea.WithContext(ctx), tea.WithInput(t.In), tea.WithOutput(Raw(t.Out)),
		tea.WithoutRenderer(), tea.WithFPS(1)).Run()
	return m, err
}

// screenOf draws a picker.
type screenOf struct {
	*picker
	last []string
}

// Init starts reading the size of the terminal, because there is no renderer that reports
// it.
func (s *screenOf) Init() tea.Cmd { return tea.Batch(s.picker.Init(), s.sizeLater()) }

func (s *screenOf) sizeLater() tea.Cmd {
	return tea.Tick(sizeAfter, func(time.Time) tea.Msg {
		return sizeMsg{Width: Width(s.t.Out), Height: heightOf(s.t.Out)}
	})
}

// sizeMsg is the terminal's size as the picker read it.
type sizeMsg tea.WindowSizeMsg

// Update passes a message to the picker and draws what changed.
func (s *screenOf) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var again tea.Cmd
	if size, ok := msg.(sizeMsg); ok {
		msg, again = tea.WindowSizeMsg(size), s.sizeLater()
	}
	_, cmd := s.picker.Update(msg)
	if frame := s.frame(); !slices.Equal(frame, s.last) {
		s.last = frame
		text := strings.Join(frame, "\n")
		text = strings.ReplaceAll(legible.Marked(text, s.t.Mark), "\n", "\r\n"+clearLine)
		if _, err := io.WriteString(Raw(s.t.Out), topLeft+clearLine+text); err != nil {
			return s, tea.Quit
		}
	}
	return s, tea.Batch(cmd, again)
}
