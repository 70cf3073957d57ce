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
	"entire/internal/cli/tui/tuitest"
)

// writeGolden makes the tests write the frames instead of comparing them: go test ./internal/cli/tui -args -golden
var writeGolden = flag.Bool("golden", false, "write the frames of testdata")

// A look is a kind of terminal that frames are compared for.
type look struct {
	name   string
	width  int
	height int
	paint.Look
	colours bool // whether the frame keeps its colours
}

// looks are the sizes in which every panel is compared, each without colours, in ASCII, and dark and light.
func looks() []look {
	var out []look
	for _, size := range [][2]int{{40, 24}, {80, 24}, {120, 32}, {200, 40}} {
		name := fmt.Sprint(size[0])
		out = append(out, look{name, size[0], size[1], paint.Look{Method: ansi.GraphemeWidth}, false},
			look{name + "-ascii", size[0], size[1], paint.Look{ASCII: true, Colors: paint.None, Method: ansi.GraphemeWidth}, false},
			look{name + "-dark", size[0], size[1], paint.Look{Method: ansi.GraphemeWidth}, true},
			look{name + "-light", size[0], size[1], paint.Look{Light: true, Method: ansi.GraphemeWidth}, true})
	}
	return out
}

// frame runs the program in a terminal of that look, types keys, and returns the last frame.
func frame(t *testing.T, s *tuitest.Story, l look, keys ...string) string {
	t.Helper()
	src, err := facts.Open(t.Context(), s.World())
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	app := New(t.Context(), src, Options{Look: l.Look, Zone: time.UTC})
	defer app.Close()
	p := &probe{App: app}
	p.asked.Add(1) // Init
	tm := teatest.NewTestModel(t, p, teatest.WithInitialTermSize(l.width, l.height))
	size := make(chan struct{})
	tm.Send(sized{tea.WindowSizeMsg{Width: l.width, Height: l.height}, size})
	<-size
	p.settle(t)
	for _, key := range keys {
		k := typed{keyPress(key), make(chan struct{})}
		tm.Send(k)
		<-k.taken
		p.settle(t)
	}
	tm.Send(freeze{})
	final := tm.FinalModel(t, teatest.WithFinalTimeout(20*time.Second)).(*probe)
	return final.frame
}

// freeze ends the program with the frame that it shows.
type freeze struct{}

// A probe is the program, which also knows what it has asked for that has not come.
type probe struct {
	*App
	asked atomic.Int64
	frame string
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
	case freeze:
		p.frame = p.App.Frame()
		return p, tea.Quit
	case tea.BackgroundColorMsg, tea.ColorProfileMsg, tea.ModeReportMsg:
		return p, nil // the look is the test's
	case sized:
		_, cmd := p.App.Update(m.size)
		cmd = p.count(cmd)
		p.asked.Add(-1)
		close(m.taken)
		return p, cmd
	case typed:
		_, cmd := p.App.Update(m.key)
		cmd = p.count(cmd)
		close(m.taken)
		return p, cmd
	case arrived:
		defer p.asked.Add(-1)
		msg = m.msg
	}
	_, cmd := p.App.Update(msg)
	return p, p.count(cmd)
}

// typed is a key; taken is closed when the program has taken it.
type typed struct {
	key   tea.KeyPressMsg
	taken chan struct{}
}

// sized is the size of the terminal; taken is closed when the program has taken it.
type sized struct {
	size  tea.WindowSizeMsg
	taken chan struct{}
}

// settle waits until everything that was asked for has come.
func (p *probe) settle(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); p.asked.Load() > 0; time.Sleep(time.Millisecond) {
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
	hexWord = regexp.MustCompile(`\b[0-9a-f]{7,12}\b`)
	hexCut  = regexp.MustCompile(`\b[0-9a-f]{1,6}[…~]`)
)

// withoutIDs replaces IDs, which depend on the test's folder, by numbers in the order in which they appear.
func withoutIDs(text string) string {
	seen := map[string]string{}
	text = hexCut.ReplaceAllStringFunc(text, func(id string) string {
		at := strings.IndexAny(id, "…~")
		return strings.Repeat("x", at) + id[at:]
	})
	return hexWord.ReplaceAllStringFunc(text, func(id string) string {
		if strings.HasPrefix(tuitest.First, id) || strings.HasPrefix(tuitest.Second, id) {
			return id
		}
		if seen[id[:7]] == "" {
			seen[id[:7]] = fmt.Sprintf("%07d", len(seen)+1)
		}
		return seen[id[:7]] + id[7:]
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

// checkPanel compares the frames of a panel, which keys lead to, in every look.
func checkPanel(t *testing.T, s *tuitest.Story, name string, keys ...string) {
	t.Helper()
	for _, colours := range []bool{false, true} {
		frames, order := map[string]string{}, []string(nil)
		for _, l := range looks() {
			if l.colours != colours {
				continue
			}
			text := frame(t, s, l, keys...)
			checkShape(t, l, text)
			if !colours {
				text = trimLines(ansi.Strip(text))
			}
			frames[l.name], order = text, append(order, l.name)
		}
		checkGolden(t, name+map[bool]string{true: ".ansi", false: ".txt"}[colours], frames, order)
	}
}

// checkShape checks that a frame has exactly the size of its screen, and no colour where there is none.
func checkShape(t *testing.T, l look, text string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	if len(lines) != l.height {
		t.Errorf("%s: %d lines, want %d", l.name, len(lines), l.height)
	}
	for i, line := range lines {
		if w := l.Method.StringWidth(line); w != l.width {
			t.Errorf("%s: line %d has %d columns, want %d: %q", l.name, i, w, l.width, line)
		}
	}
	if l.ASCII {
		for i, r := range ansi.Strip(text) {
			if r > '~' {
				t.Errorf("%s: %q at %d is not ASCII", l.name, r, i)
				break
			}
		}
	}
}

func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
