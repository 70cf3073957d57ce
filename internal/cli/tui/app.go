package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"entire/internal/cli/tui/back"
	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/files"
	"entire/internal/cli/tui/live"
	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/pane"
	"entire/internal/cli/tui/past"
	"entire/internal/cli/tui/search"
	"entire/internal/cli/tui/sessions"
	"entire/internal/cli/tui/work"
)

// Options are what the surroundings decide.
type Options struct {
	Look  paint.Look
	Zone  *time.Location
	Every time.Duration // how often what runs is looked at while it is in view; 0 for once
	Rest  time.Duration // how long a cursor stands still before what is under it is read
}

// A tab is a panel with its name in the first line.
type tab struct {
	name string
	pane pane.Pane
}

// App is the whole program.
type App struct {
	ctx   context.Context
	src   *facts.Source
	ask   pane.Asker
	theme *paint.Theme
	zone  *time.Location
	w, h  int

	tabs     []tab
	at       int // the tab in view
	timeline *past.Timeline
	files    *files.Files
	sessions *sessions.Sessions
	live     *live.Live
	before   []int // the tabs that were in view before, the last one last
	alarm    string
	over     []layer // what lies over the panel, the topmost last
	told     pane.Tell
	back     facts.Back
	watched  <-chan struct{}
}

// newApp returns the program for a worktree.
func newApp(ctx context.Context, src *facts.Source, o Options) *App {
	a := &App{ctx: ctx, src: src, theme: paint.New(o.Look), zone: o.Zone}
	a.ask = pane.Asker{Source: src, Queue: work.NewQueue(ctx), Second: work.NewQueue(ctx), Third: work.NewQueue(ctx), Rest: o.Rest}
	a.timeline = past.New(a.ask, a.theme, o.Zone)
	a.files = files.New(a.ask, o.Zone)
	a.sessions = sessions.New(a.ask, a.theme, o.Zone)
	a.live = live.New(a.ask, o.Every)
	a.tabs = []tab{{"Timeline", a.timeline}, {"Files", a.files}, {"Sessions", a.sessions}, {"Search", search.New(a.ask, a.theme, o.Zone)}, {"Live", a.live}}
	return a
}

// close ends what is still being read.
func (a *App) close() {
	a.ask.Queue.Close()
	a.ask.Second.Close()
	a.ask.Third.Close()
}

type (
	watching  struct{ told <-chan struct{} }
	changed   struct{}
	backRead  struct{ back facts.Back }
	lookFirst struct{}
)

// Init begins to read and to watch the repository.
func (a *App) Init() tea.Cmd { return tea.Batch(a.start(), a.watch()) }

// start asks the terminal for its background, and reads what the frame shows. What runs is looked at once the first
// points are there: it reads much more than they do.
func (a *App) start() tea.Cmd {
	first := tea.Tick(firstRests*a.ask.Rest, func(time.Time) tea.Msg { return lookFirst{} })
	return tea.Batch(tea.RequestBackgroundColor, a.readBack(), first)
}

// firstRests is how many times a cursor's rest passes before what runs is looked at.
const firstRests = 4

// watch begins to watch the repository.
func (a *App) watch() tea.Cmd {
	return func() tea.Msg {
		told, err := a.src.Watch(a.ctx)
		if err != nil {
			return pane.Tell{Text: "changes are not noticed: " + facts.Words(err), Role: paint.Warn}
		}
		return watching{told}
	}
}

// listen waits for the next change of the repository.
func (a *App) listen() tea.Cmd {
	told := a.watched
	if told == nil {
		return nil
	}
	return func() tea.Msg {
		if _, ok := <-told; !ok {
			return nil
		}
		return changed{}
	}
}

// readBack finds out where undo and redo lead.
func (a *App) readBack() tea.Cmd {
	return a.ask.On("back", func(context.Context) tea.Msg {
		back, err := a.src.Back()
		if err != nil {
			return nil
		}
		return backRead{back}
	})
}

// Update takes a message.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return a, a.takeSize(msg)
	case tea.BackgroundColorMsg:
		return a, a.look(func(l *paint.Look) { l.Light = !msg.IsDark() })
	case tea.ColorProfileMsg:
		return a, a.look(func(l *paint.Look) { l.Colors = colorsOf(msg.Profile) })
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore && (msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet) {
			return a, a.look(func(l *paint.Look) { l.Method = ansi.GraphemeWidth })
		}
	case tea.KeyPressMsg:
		return a, a.key(msg)
	case tea.PasteMsg:
		return a, a.paste(msg)
	case tea.MouseClickMsg:
		return a, a.mouse(msg.Mouse(), pane.Clicks)
	case tea.MouseWheelMsg:
		return a, a.mouse(msg.Mouse(), map[tea.MouseButton]pane.MouseDoes{tea.MouseWheelUp: pane.WheelUp, tea.MouseWheelDown: pane.WheelDown}[msg.Button])
	default:
		return a, a.take(msg)
	}
	return a, nil
}

// takeSize takes the size of the terminal. A terminal may move what is on it while it changes its size, so the
// screen is drawn anew once the size stays.
func (a *App) takeSize(msg tea.WindowSizeMsg) tea.Cmd {
	first := a.w == 0
	a.w, a.h = msg.Width, msg.Height
	if first {
		return a.resize()
	}
	return tea.Batch(a.resize(), tea.Tick(sizeStays, func(time.Time) tea.Msg { return sizeStayed(msg) }))
}

// sizeStays is after how long a size is taken to stay.
const sizeStays = 300 * time.Millisecond

// sizeStayed says that a size was the terminal's a while ago.
type sizeStayed tea.WindowSizeMsg

// take takes what is neither a key nor about the terminal.
func (a *App) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case sizeStayed:
		if msg.Width == a.w && msg.Height == a.h {
			return tea.ClearScreen
		}
		return nil
	case lookFirst:
		return a.live.Look()
	case watching:
		a.watched = msg.told
		return a.listen()
	case changed:
		return tea.Batch(a.listen(), a.readBack(), a.toAll(pane.Changed{}))
	case backRead:
		a.back = msg.back
		return nil
	case pane.Tell:
		a.told = msg
		return nil
	case pane.Copy:
		a.told = pane.Tell{Text: "copied: " + msg.Text, Role: paint.Good}
		return tea.SetClipboard(msg.Text)
	case pane.Ask:
		a.over = append(a.over, newQuestion(msg))
		return nil
	case pane.OpenSheet:
		sheet, cmd := back.New(a.ask, msg)
		a.over = append(a.over, &sheetLayer{sheet, a})
		return cmd
	case back.Done:
		a.over = nil
		a.told = msg.Tell
		return tea.Batch(a.readBack(), a.toAll(pane.Changed{}))
	case pane.GoTo:
		return a.jump(timelineTab, msg)
	case pane.OpenFile:
		return a.jump(filesTab, msg)
	case pane.OpenSession:
		return a.jump(sessionsTab, msg)
	case pane.Leave:
		return a.leave()
	case live.Read:
		a.alarm = ""
		if msg.Live.Status != nil {
			a.alarm = msg.Live.Alarm(a.src.Now())
		}
	}
	return a.toAll(msg)
}

// toAll gives a message to all panels.
func (a *App) toAll(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, t := range a.tabs {
		cmds = append(cmds, t.pane.Update(msg))
	}
	for _, l := range a.over {
		if sheet, ok := l.(*sheetLayer); ok {
			cmds = append(cmds, sheet.Update(msg))
		}
	}
	return tea.Batch(cmds...)
}

// look changes how everything is shown.
func (a *App) look(change func(*paint.Look)) tea.Cmd {
	l := a.theme.Look
	change(&l)
	if l == a.theme.Look {
		return nil
	}
	a.theme = paint.New(l)
	var cmds []tea.Cmd
	for _, t := range a.tabs {
		if p, ok := t.pane.(interface{ SetTheme(*paint.Theme) tea.Cmd }); ok {
			cmds = append(cmds, p.SetTheme(a.theme))
		}
	}
	return tea.Batch(cmds...)
}

func colorsOf(p colorprofile.Profile) paint.Colors {
	switch p {
	case colorprofile.TrueColor:
		return paint.Many
	case colorprofile.ANSI256:
		return paint.Few
	case colorprofile.ANSI:
		return paint.Base
	}
	return paint.None
}

// The panels by their place in the first line.
const (
	timelineTab = iota
	filesTab
	sessionsTab
	searchTab
	liveTab
)

// show brings a panel into view.
func (a *App) show(i int) tea.Cmd {
	if i != a.at {
		a.before = append(a.before, a.at)
		a.before = a.before[max(len(a.before)-beforeMax, 0):]
	}
	a.at = i
	if i != liveTab {
		a.live.Hide()
	}
	return a.pane().Show()
}

// beforeMax bounds the panels that leave goes back through.
const beforeMax = 32

// jump shows something in another panel.
func (a *App) jump(tab int, msg tea.Msg) tea.Cmd {
	a.over = nil
	return tea.Batch(a.show(tab), a.pane().Update(msg))
}

// leave goes back to the panel that was in view before.
func (a *App) leave() tea.Cmd {
	k := len(a.before) - 1
	if k < 0 {
		return a.show(timelineTab)
	}
	to, before := a.before[k], a.before[:k]
	cmd := a.show(to)
	a.before = before
	return cmd
}

func (a *App) pane() pane.Pane { return a.tabs[a.at].pane }

// resize tells all panels their size.
func (a *App) resize() tea.Cmd {
	var cmds []tea.Cmd
	w, h := a.w-2*margin, a.bodyHeight()
	for i, t := range a.tabs {
		if cmd := t.pane.Resize(w, h); i == a.at {
			cmds = append(cmds, cmd)
		}
	}
	return tea.Batch(cmds...)
}
