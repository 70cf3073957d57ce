package pane

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/work"
	"entire/internal/timeline"
)

// A Pane is a panel of the program.
type Pane interface {
	// Show is called when the panel comes into view.
	Show() tea.Cmd
	// Update takes a message of the panel's own, and Changed.
	Update(tea.Msg) tea.Cmd
	// Key takes a key, and reports whether the panel has a use for it.
	Key(tea.KeyPressMsg) (tea.Cmd, bool)
	// Mouse takes what the mouse does, in the panel's own coordinates.
	Mouse(tea.Mouse, MouseDoes) tea.Cmd
	// Resize says how large the panel is from now on.
	Resize(width, height int) tea.Cmd
	View(Screen) []paint.Line
	// Typing reports whether letters are text now.
	Typing() bool
	Help() []Binding
	// Command is the command that shows or does the same as what is under the cursor, "" for none.
	Command() string
}

// MouseDoes is what the mouse does.
type MouseDoes int

const (
	Clicks MouseDoes = iota
	WheelUp
	WheelDown
)

// A Screen is what a panel draws on.
type Screen struct {
	*paint.Theme
	W, H  int
	Focus bool // keys go to this panel
	Now   time.Time
	Zone  *time.Location
	Top   string // the worktree, whose files are shown without it
}

// Chosen is a row on which the cursor stands.
func (s Screen) Chosen(row paint.Line) paint.Line {
	back := paint.OnRow
	if s.Focus {
		back = paint.OnCursor
	}
	return row.Over(s.Theme, back, s.W)
}

// A Binding is a key, or several, and what it does.
type Binding struct {
	Keys, Does string
	Press      string // the key by which the palette does it, "" if it needs no entry there
}

// Asker is how panels get what they show.
type Asker struct {
	Source *facts.Source
	Queue  *work.Queue // for the timeline and what belongs to it
	Second *work.Queue // for plans, owners, conversations, search
	Third  *work.Queue // for what may take a minute: the search index, the status

	Rest time.Duration // how long a cursor stands still before what is under it is read
}

// On asks the timeline for something.
func (a Asker) On(slot string, do func(context.Context) tea.Msg) tea.Cmd {
	return a.Queue.Do(slot, do)
}

// Beside asks for something that does not need the timeline.
func (a Asker) Beside(slot string, do func(context.Context) tea.Msg) tea.Cmd {
	return a.Second.Do(slot, do)
}

// Apart asks for something that may take a minute.
func (a Asker) Apart(slot string, do func(context.Context) tea.Msg) tea.Cmd {
	return a.Third.Do(slot, do)
}

// ShowPoint goes to the point of a session at a time in the timeline; for the zero time, to its newest.
func (a Asker) ShowPoint(session string, at time.Time) tea.Cmd {
	return a.On("point of", func(ctx context.Context) tea.Msg {
		point, err := a.Source.PointOf(ctx, session, at)
		if err != nil {
			return Tell{Text: Capital(facts.Words(err)), Role: paint.Warn}
		}
		return GoTo{Point: point}
	})
}

// Messages for the whole program.
type (
	// Changed tells all panels that the repository has changed.
	Changed struct{}
	// GoTo shows a point in the timeline, by any of its names.
	GoTo struct{ Point string }
	// Tell shows a text in the status line.
	Tell struct {
		Text string
		Role paint.Role
	}
	// Leave goes back to the panel that was in view before.
	Leave struct{}
	// Copy puts a text on the clipboard.
	Copy struct{ Text string }
	// Ask asks for a line of text, and calls Done with it unless the person leaves it.
	Ask struct {
		Title, Value string
		Done         func(text string) tea.Cmd
	}
)

// OpenFile shows the owners of a file's lines, or its states; "" is the whole tree.
type OpenFile struct {
	Path   string
	States bool
	Line   int    // from 1; 0 for none
	Point  string // the state of this point, if States; "" for the newest
}

// OpenSession shows a session, and a message of it; 0 for its end.
type OpenSession struct {
	ID      string
	Message int
}

// OpenSheet asks for the sheet of a rewind, an undo or a redo.
type OpenSheet struct {
	Request rewindlib.Request
	Point   timeline.Point // of a rewind
	Of      string         // what an undo or a redo is of, in words
	Near    int            // only the change nearest to this line of the one file is chosen; 0 for all
}

// Send returns the command that sends a message.
func Send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// Told returns the command that shows a text in the status line.
func Told(text string, role paint.Role) tea.Cmd { return Send(Tell{Text: text, Role: role}) }

// Bind returns a binding.
func Bind(keys, does, press string) Binding { return Binding{keys, does, press} }

// Failed tells an error.
func Failed(doing string, err error) tea.Msg {
	return Tell{Text: doing + ": " + facts.Words(err), Role: paint.Bad}
}

// File returns a span that names a file of the worktree, and that leads to it in a terminal that knows links.
func (s Screen) File(r paint.Role, path string) paint.Span {
	span := paint.Say(r, cliui.ShownName(path))
	if s.Top != "" {
		span.Link = (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(s.Top, filepath.FromSlash(path)))}).String()
	}
	return span
}

// Inside returns a text without the worktree's path, as far as it names files in it.
func (s Screen) Inside(text string) string {
	if s.Top == "" {
		return text
	}
	return strings.ReplaceAll(text, s.Top+"/", "")
}
