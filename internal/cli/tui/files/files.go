package files

import (
	"context"
	"strings"
	"time"

	"entire/internal/cli/tui/pane"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/cliui"
)

// The parts of the files' panel.
const (
	pathsPart = iota
	textPart
	whyPart
)

// Files is the panel with the files, the owners of their lines, and their states.
type Files struct {
	ask  pane.Asker
	w, h int
	part int

	all     []string
	more    bool
	shown   []string // those that have what is typed
	at, top int
	input   textinput.Model
	typing  bool
	read    bool

	states states
	blame  blame
	scrub  bool // whether the states are shown, else the owners
	open   bool // a file or the tree is open
}

// New returns the panel.
func New(ask pane.Asker, zone *time.Location) *Files {
	return &Files{ask: ask, input: pane.NewInput(), states: states{ask: ask, zone: zone}, blame: blame{ask: ask}}
}

type filesRead struct {
	files []string
	more  bool
	err   error
}

// wholeTree is the first entry of the list.
const wholeTree = ""

// Show reads the list of files.
func (f *Files) Show() tea.Cmd {
	if f.read {
		return nil
	}
	return f.readFiles()
}

func (f *Files) readFiles() tea.Cmd {
	return f.ask.Beside("files", func(ctx context.Context) tea.Msg {
		files, more, err := f.ask.Source.Files(ctx)
		return filesRead{files, more, err}
	})
}

// Resize says how large the panel is.
func (f *Files) Resize(width, height int) tea.Cmd {
	f.w, f.h = width, height
	return nil
}

// Typing reports whether letters are text.
func (f *Files) Typing() bool { return f.typing }

// Update takes what was read.
func (f *Files) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case filesRead:
		if msg.err != nil {
			return pane.Send(pane.Failed("list the files", msg.err))
		}
		f.all, f.more, f.read = msg.files, msg.more, true
		f.narrow()
	case tea.PasteMsg:
		if f.typing {
			f.input, _ = f.input.Update(msg)
			f.narrow()
		}
	case pane.OpenFile:
		return f.openFile(msg)
	case pane.Changed:
		return tea.Batch(f.refresh(), f.states.Update(msg), f.blame.Update(msg))
	}
	return tea.Batch(f.states.Update(msg), f.blame.Update(msg))
}

func (f *Files) refresh() tea.Cmd {
	if !f.read {
		return nil
	}
	return f.readFiles()
}

// openFile opens a file, and moves the list to it.
func (f *Files) openFile(msg pane.OpenFile) tea.Cmd {
	f.part, f.open, f.scrub, f.typing = textPart, true, msg.States || msg.Path == wholeTree, false
	f.blame.closeWhy()
	f.selectPath(msg.Path)
	if f.scrub {
		return tea.Batch(f.Show(), f.states.open(msg.Path, msg.Point))
	}
	return tea.Batch(f.Show(), f.blame.open(msg.Path, "", msg.Line))
}

// narrow shows the files that have what is typed in their path.
func (f *Files) narrow() {
	path := f.cursor()
	f.shown = []string{wholeTree}
	words := strings.Fields(strings.ToLower(f.input.Value()))
	if len(words) > 0 {
		f.shown = nil
	}
	for _, file := range f.all {
		lower, has := strings.ToLower(file), true
		for _, w := range words {
			has = has && strings.Contains(lower, w)
		}
		if has {
			f.shown = append(f.shown, file)
		}
	}
	f.at = 0
	f.selectPath(path)
}

// selectPath moves the cursor to a path, if it is shown.
func (f *Files) selectPath(path string) {
	for i, file := range f.shown {
		if file == path {
			f.at = i
		}
	}
}

func (f *Files) cursor() string {
	if f.at < len(f.shown) {
		return f.shown[f.at]
	}
	return wholeTree
}

// enter opens what is under the cursor.
func (f *Files) enter() tea.Cmd {
	if len(f.shown) == 0 {
		return nil
	}
	path := f.cursor()
	return f.openFile(pane.OpenFile{Path: path, States: f.scrub && path != wholeTree})
}

// Command is the command that shows the same.
func (f *Files) Command() string {
	switch {
	case !f.open || f.part == pathsPart && f.cursor() == wholeTree:
		return "entire log"
	case f.part == pathsPart:
		return "entire blame " + cliui.ShellWord(f.cursor())
	case f.scrub:
		return f.states.command()
	}
	return f.blame.command(f.part == whyPart)
}
