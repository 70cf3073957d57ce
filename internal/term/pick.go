package term

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"entire/internal/legible"
)

// A Row is one line of a list to pick from: a choice, or a heading above choices.
type Row struct {
	Text    string
	Note    string // shown at the right edge, as far as there is space
	Heading int    // 0 for a choice; 1 and 2 are headings, the outer and the inner
	Here    bool   // the current choice: marked, and the cursor's first position
}

// A Preview returns the preview of the choice at a row: one cell for each line. It is
// never called twice at once, and its result is cached.
type Preview func(ctx context.Context, row int) []Cell

// Pick lets the person choose one of the rows, showing a preview of the row at the cursor,
// and returns its index. With plain prompts the choices are numbered, and there is no
// preview.
func (t Terminal) Pick(ctx context.Context, title string, rows []Row, preview Preview) (int, error) {
	var choices []int
	for i, r := range rows {
		if r.Heading == 0 {
			choices = append(choices, i)
		}
	}
	switch {
	case len(choices) == 0:
		return 0, errors.New("nothing to choose from")
	case !t.Interactive:
		return 0, ErrNotInteractive
	case t.Accessible:
		return t.plainPick(ctx, title, rows, choices)
	}
	ctx, cancel := context.WithCancel(ctx)
	m := newPicker(ctx, t, title, rows, preview)
	final, err := runPicker(ctx, t, m)
	cancel()
	m.busy.Lock() // wait for a running preview before returning
	defer m.busy.Unlock()
	done, _ := final.(*picker)
	switch {
	case err != nil && (ctx.Err() == nil || !errors.Is(err, tea.ErrProgramKilled)) && !errors.Is(err, tea.ErrInterrupted):
		return 0, fmt.Errorf("ask on the terminal: %w", err)
	case err != nil, done == nil, done.chosen < 0:
		return 0, ErrCancelled
	}
	return done.chosen, nil
}

// previewAfter is how long the cursor stays on a row before its preview is computed.
const previewAfter = 80 * time.Millisecond

// picker is the state of a list on the screen.
type picker struct {
	ctx     context.Context
	t       Terminal
	title   string
	rows    []Row
	preview Preview
	busy    *sync.Mutex

	width, height int
	shown         []int // indexes of the rows that match the filter
	at            int   // index in shown: the cursor, on a choice
	top           int   // index in shown: the first row on the screen
	filter        string
	filtering     bool
	previews      map[int][]Cell
	scrolled      int // lines of the preview above the visible part
	chosen        int // a row, -1 for none
	helping       bool
}

type (
	restedMsg    int // the cursor has been on a row for a while
	previewedMsg struct {
		row   int
		lines []Cell
	}
)

func newPicker(ctx context.Context, t Terminal, title string, rows []Row, preview Preview) *picker {
	m := &picker{
		ctx: ctx, t: t, title: legible.Line(title), rows: legibleList(rows), preview: preview, busy: new(sync.Mutex),
		width: 80, height: 24, previews: map[int][]Cell{}, chosen: -1,
	}
	m.narrow("")
	for i, row := range m.shown {
		if rows[row].Here {
			m.at = i
		}
	}
	m.follow()
	return m
}

func (m *picker) Init() tea.Cmd { return m.rested() }

// legibleList holds the rows as they are shown, on which widths depend.
func legibleList(rows []Row) []Row {
	out := slices.Clone(rows)
	for i, r := range rows {
		out[i].Text, out[i].Note = legible.Line(r.Text), legible.Line(r.Note)
	}
	return out
}

// row returns the row at the cursor, -1 if no row matches the filter.
func (m *picker) row() int {
	if m.at >= len(m.shown) {
		return -1
	}
	return m.shown[m.at]
}

// rested requests a preview of the row at the cursor, after a delay.
func (m *picker) rested() tea.Cmd {
	row := m.row()
	if m.preview == nil || row < 0 || m.previews[row] != nil {
		return nil
	}
	return tea.Tick(previewAfter, func(time.Time) tea.Msg { return restedMsg(row) })
}

func (m *picker) look(row int) tea.Cmd {
	return func() tea.Msg {
		m.busy.Lock()
		defer m.busy.Unlock()
		if m.ctx.Err() != nil {
			return nil
		}
		lines := m.preview(m.ctx, row)
		if lines == nil {
			lines = []Cell{}
		}
		return previewedMsg{row, lines}
	}
}

func (m *picker) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		if msg.Width > 0 && msg.Height > 0 {
			m.width, m.height = msg.Width, msg.Height
		}
		m.follow()
	case restedMsg:
		if int(msg) == m.row() && m.previews[m.row()] == nil {
			return m, m.look(m.row())
		}
	case previewedMsg:
		m.previews[msg.row] = legibleRows([][]Cell{msg.lines})[0]
	case tea.KeyPressMsg:
		return m, m.key(msg)
	}
	return m, nil
}

func (m *picker) key(msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	if m.helping && key != "ctrl+c" { // any key closes the help
		m.helping = false
		return nil
	}
	switch key {
	case "ctrl+c":
		return tea.Quit
	case "enter":
		if row := m.row(); row >= 0 {
			m.chosen = row
			return tea.Quit
		}
		return nil
	case "up", "ctrl+p":
		return m.move(-1)
	case "down", "ctrl+n":
		return m.move(1)
	case "pgdown", "ctrl+f":
		return m.move(max(m.listHeight()-1, 1))
	case "pgup", "ctrl+b":
		return m.move(-max(m.listHeight()-1, 1))
	}
	if m.filtering {
		return m.edit(key, msg.Text)
	}
	switch key {
	case "esc", "q":
		if key == "esc" && m.filter != "" {
			return m.narrow("")
		}
		return tea.Quit
	case "/":
		m.filtering = true
	case "?":
		m.helping = true
	case "k":
		return m.move(-1)
	case "j":
		return m.move(1)
	case "home", "g":
		return m.move(-len(m.shown))
	case "end", "G":
		return m.move(len(m.shown))
	case "space":
		m.scroll(m.previewHeight() - 1)
	case "b":
		m.scroll(1 - m.previewHeight())
	}
	return nil
}

// edit changes the filter.
func (m *picker) edit(key, text string) tea.Cmd {
	switch key {
	case "esc":
		m.filtering = false
		return m.narrow("")
	case "backspace":
		runes := []rune(m.filter)
		return m.narrow(string(runes[:max(len(runes)-1, 0)]))
	}
	if text == "" {
		return nil
	}
	return m.narrow(m.filter + text)
}

// narrow shows the choices that contain the filter, in their own text or in that of a
// heading above them, with these headings.
func (m *picker) narrow(filter string) tea.Cmd {
	m.filter, m.shown, m.at, m.top = filter, nil, 0, 0
	has := func(r Row) bool {
		return strings.Contains(strings.ToLower(r.Text+" "+r.Note), strings.ToLower(filter))
	}
	var over [3]int // the headings above the row, -1 for none or if already shown
	var passes [3]bool
	over[1], over[2] = -1, -1
	for i, r := range m.rows {
		if h := r.Heading; h > 0 {
			over[h], passes[h] = i, has(r)
			if h == 1 {
				over[2], passes[2] = -1, false
			}
			continue
		}
		if !has(r) && !passes[1] && !passes[2] {
			continue
		}
		for h := 1; h <= 2; h++ {
			if over[h] >= 0 {
				m.shown, over[h] = append(m.shown, over[h]), -1
			}
		}
		m.shown = append(m.shown, i)
	}
	for m.at < len(m.shown) && m.rows[m.shown[m.at]].Heading > 0 {
		m.at++
	}
	m.follow()
	m.scrolled = 0
	return m.rested()
}

// move moves the cursor by n choices, or to the last one in that direction.
func (m *picker) move(n int) tea.Cmd {
	step := 1
	if n < 0 {
		step, n = -1, -n
	}
	for i := m.at + step; n > 0 && i >= 0 && i < len(m.shown); i += step {
		if m.rows[m.shown[i]].Heading == 0 {
			m.at, n = i, n-1
		}
	}
	m.scrolled = 0
	m.follow()
	return m.rested()
}

func (m *picker) scroll(n int) {
	m.scrolled = max(0, min(m.scrolled+n, len(m.previews[m.row()])-m.previewHeight()))
}
