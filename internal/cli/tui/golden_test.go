package tui

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/teatest/v2"
	"github.com/google/go-cmp/cmp"

	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/pane"
	"entire/internal/cli/tui/tuitest"
)

// writeGolden makes the tests write the frames instead of comparing them: go test ./internal/cli/tui -args -golden
var writeGolden = flag.Bool("golden", false, "write the frames of testdata")

// sizes are those at which every panel is compared.
var sizes = [][2]int{{40, 24}, {80, 24}, {120, 32}, {200, 40}}

// looks are the kinds of terminals for which every panel is compared at each size, the plain one first.
var looks = []struct {
	name string
	look paint.Look
}{
	{"", paint.Look{Method: ansi.GraphemeWidth}},
	{"-ascii", paint.Look{ASCII: true, Colors: paint.None, Method: ansi.GraphemeWidth}},
	{"-dark", paint.Look{Method: ansi.GraphemeWidth}},
	{"-light", paint.Look{Light: true, Method: ansi.GraphemeWidth}},
}

// patience is how long a test waits for what must come, on a machine that does much else.
const patience = 3 * time.Minute

// A terminal runs the program in a test.
type terminal struct {
	t   *testing.T
	app *probe
	tm  *teatest.TestModel
}

// open runs the program of a story in a terminal of that size.
func open(t *testing.T, s *tuitest.Story, width, height int) *terminal {
	t.Helper()
	src, err := facts.Open(t.Context(), s.World(), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	app := newApp(t.Context(), src, Options{Look: looks[0].look, Zone: time.UTC})
	term := &terminal{t: t, app: &probe{App: app}}
	term.app.asked.Add(1) // Init
	term.tm = teatest.NewTestModel(t, term.app, teatest.WithInitialTermSize(width, height))
	t.Cleanup(func() {
		_ = term.tm.Quit()
		term.tm.WaitFinished(t, teatest.WithFinalTimeout(patience))
		app.close()
		src.Close()
	})
	term.do(func(a *App) tea.Cmd {
		_, cmd := a.Update(tea.WindowSizeMsg{Width: width, Height: height})
		term.app.asked.Add(-1)
		return cmd
	})
	return term
}

// do runs what a message does, and waits until everything that it asked for has come.
func (term *terminal) do(what func(*App) tea.Cmd) {
	term.t.Helper()
	done := make(chan struct{})
	term.tm.Send(doing{what, done})
	<-done
	term.app.settle(term.t)
}

// press presses keys, one after another.
func (term *terminal) press(keys ...string) {
	term.t.Helper()
	for _, key := range keys {
		term.do(func(a *App) tea.Cmd {
			_, cmd := a.Update(keyPress(key))
			return cmd
		})
	}
}

// frame returns the screen in a look.
func (term *terminal) frame(l paint.Look) (text string) {
	term.t.Helper()
	term.do(func(a *App) tea.Cmd { return a.look(func(now *paint.Look) { *now = l }) })
	term.do(func(a *App) tea.Cmd {
		text = a.Frame()
		return nil
	})
	return text
}

// doing is what a test does between two messages; done is closed when it is done.
type doing struct {
	what func(*App) tea.Cmd
	done chan struct{}
}

// A probe is the program, which also knows what it has asked for that has not come.
type probe struct {
	*App
	asked atomic.Int64
}

func (p *probe) Init() tea.Cmd { return p.count(p.App.start()) }

// arrived is a message that was asked for.
type arrived struct{ msg tea.Msg }

// count returns a command that is known until its message has been taken.
func (p *probe) count(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	p.asked.Add(1)
	return func() tea.Msg {
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = p.count(batch[i])
			}
		}
		if msg == nil || strings.HasPrefix(reflect.TypeOf(msg).PkgPath(), "charm.land/") {
			p.asked.Add(-1)
			return msg
		}
		return arrived{msg}
	}
}

func (p *probe) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch m := msg.(type) {
	case tea.BackgroundColorMsg, tea.ColorProfileMsg, tea.ModeReportMsg, tea.WindowSizeMsg:
		return p, nil // the look and the size are the test's
	case doing:
		cmd := p.count(m.what(p.App))
		close(m.done)
		return p, cmd
	case arrived:
		defer p.asked.Add(-1)
		msg = m.msg
	}
	_, cmd := p.App.Update(msg)
	return p, p.count(cmd)
}

// settle waits until everything that was asked for has come.
func (p *probe) settle(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(patience); p.asked.Load() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the program does not come to rest")
		}
	}
}

func keyPress(name string) tea.KeyPressMsg {
	codes := map[string]rune{"esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "shift+tab": tea.KeyTab, "backspace": tea.KeyBackspace}
	if code := codes[name]; code != 0 {
		return tea.KeyPressMsg{Code: code}
	}
	return pressed(name)
}

var (
	hexWord = regexp.MustCompile(`(?:\b|m)[0-9a-f]{7,12}\b`) // after a word, or a colour
	topLink = regexp.MustCompile(`file://[^\x1b\x07]*/shop/`)
	hexCut  = regexp.MustCompile(`\b[0-9a-f]{1,6}[…~]`)
)

// withoutIDs replaces IDs, which depend on the test's folder, by numbers in the order in which they appear.
func withoutIDs(text string) string {
	seen := map[string]string{}
	text = topLink.ReplaceAllString(text, "file:///shop/")
	text = hexCut.ReplaceAllStringFunc(text, func(id string) string {
		at := strings.IndexAny(id, "…~")
		return strings.Repeat("x", at) + id[at:]
	})
	return hexWord.ReplaceAllStringFunc(text, func(id string) string {
		before := ""
		if id[0] == 'm' {
			before, id = "m", id[1:]
		}
		if strings.Contains(tuitest.First, id) || strings.Contains(tuitest.Second, id) {
			return before + id
		}
		if seen[id[:7]] == "" {
			seen[id[:7]] = fmt.Sprintf("%07d", len(seen)+1)
		}
		return before + seen[id[:7]] + id[7:]
	})
}

// checkGolden compares frames with those in a file of testdata.
func checkGolden(t *testing.T, name string, frames map[string]string, order []string) {
	t.Helper()
	var b bytes.Buffer
	for _, k := range order {
		fmt.Fprintf(&b, "-- %s --\n%s\n", k, frames[k])
	}
	got := withoutIDs(b.String())
	file := filepath.Join("testdata", name)
	if *writeGolden {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got); -args -golden writes it:\n%s", name, diff)
	}
}

// colouredWidth is the width at which colours are compared, too. At the others a frame with colours must
// have the text of the one without.
const colouredWidth = 120

// checkPanel compares the frames of a panel, which keys lead to, in every look.
func checkPanel(t *testing.T, s *tuitest.Story, name string, keys ...string) {
	t.Helper()
	frames := map[string]string{}
	var plain, coloured []string
	for _, size := range sizes {
		term := open(t, s, size[0], size[1])
		term.press(keys...)
		for _, l := range looks {
			text, id := term.frame(l.look), fmt.Sprint(size[0])+l.name
			checkShape(t, id, text, l.look, size)
			switch without := trimLines(ansi.Strip(text)); {
			case l.name == "" || l.look.ASCII:
				frames[id], plain = without, append(plain, id)
			case without != frames[fmt.Sprint(size[0])]:
				t.Errorf("%s has another text than without colours: %s", id, cmp.Diff(frames[fmt.Sprint(size[0])], without))
			case size[0] == colouredWidth:
				frames[id], coloured = text, append(coloured, id)
			}
		}
	}
	checkGolden(t, name+".txt", frames, plain)
	checkGolden(t, name+".ansi", frames, coloured)
}

// checkShape checks that a frame has exactly the size of its screen, and is ASCII if it should be.
func checkShape(t *testing.T, id, text string, l paint.Look, size [2]int) {
	t.Helper()
	lines := strings.Split(text, "\n")
	if len(lines) != size[1] {
		t.Errorf("%s: %d lines, want %d", id, len(lines), size[1])
	}
	for i, line := range lines {
		if w := l.Method.StringWidth(line); w != size[0] {
			t.Errorf("%s: line %d has %d columns, want %d: %q", id, i, w, size[0], line)
		}
	}
	if i := strings.IndexFunc(ansi.Strip(text), func(r rune) bool { return r > '~' }); l.ASCII && i >= 0 {
		t.Errorf("%s is not ASCII: %q", id, ansi.Strip(text)[i:min(i+20, len(text))])
	}
}

func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

type teaCmd = tea.Cmd

func openFile(path string) pane.OpenFile { return pane.OpenFile{Path: path} }
