package files

import (
	"slices"

	"entire/internal/cli/tui/pane"

	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/tui/paint"
	"entire/strategy/condense"
)

func (st *states) key(key string, height int) (tea.Cmd, bool) {
	switch key {
	case "left", "h":
		return st.step(1), true
	case "right", "l":
		return st.step(-1), true
	case "shift+left", "H":
		return st.step(10), true
	case "shift+right", "L":
		return st.step(-10), true
	case "home":
		return st.step(st.count()), true
	case "end":
		return st.step(-st.count()), true
	case "space":
		st.mark()
		return nil, true
	case "d":
		return st.toggleDiff(), true
	case "enter", "p":
		return st.goBack(key == "p"), true
	case "o":
		if p, ok := st.point(st.at); ok {
			return pane.Send(pane.GoTo{Point: p.ID}), true
		}
	case "up", "k":
		st.move(-1, height)
	case "down", "j":
		st.move(1, height)
	case "pgup", "ctrl+b":
		st.move(-height, height)
	case "pgdown", "ctrl+f":
		st.move(height, height)
	case "n", "N":
		st.nextChange(key == "n", height)
	default:
		return nil, false
	}
	return nil, true
}

// step moves the cursor by n states into the past.
func (st *states) step(n int) tea.Cmd {
	if !st.known || st.diffing {
		return nil
	}
	st.at = max(0, min(st.at+n, st.count()-1))
	cmds := []tea.Cmd{st.readText()}
	switch last := st.at == st.count()-1; {
	case st.path == wholeTree:
		cmds = append(cmds, st.readTree())
	case last && st.more && n > 0:
		cmds = append(cmds, st.readList(4*st.points))
	}
	return tea.Batch(cmds...)
}

// mark makes the state under the cursor A, then B; a third one begins anew.
func (st *states) mark() {
	switch i := slices.Index(st.marks, st.at); {
	case i >= 0:
		st.marks = slices.Delete(st.marks, i, i+1)
	case len(st.marks) == 2:
		st.marks = []int{st.at}
	default:
		st.marks = append(st.marks, st.at)
	}
	st.diffing = false
}

// toggleDiff shows the difference of A and B. With one mark, B is the state under the cursor.
func (st *states) toggleDiff() tea.Cmd {
	switch {
	case st.diffing:
		st.diffing = false
		st.settle()
		return nil
	case len(st.marks) == 1 && st.marks[0] != st.at:
		st.marks = append(st.marks, st.at)
	case len(st.marks) < 2:
		return pane.Told("space marks the states A and B, d shows what differs between them", paint.Plain)
	}
	st.diffing = true
	return st.readMarks()
}

// goBack opens the sheet of a rewind of the file, or of all files, to the state under the cursor; with
// part, of the change of the file that is in view.
func (st *states) goBack(part bool) tea.Cmd {
	p, ok := st.point(st.at)
	if !ok {
		return nil
	}
	sc := condense.Scope{SkipConversation: !p.Restorable()}
	if st.path != wholeTree {
		sc = condense.Scope{Kind: condense.ScopeTree, SkipConversation: true, Paths: []string{st.path}}
	}
	open := pane.OpenSheet{Request: rewindlib.Request{Point: p.ID, Scope: sc}, Point: p}
	if part && st.path != wholeTree {
		open.Near = st.lineInView()
	}
	return pane.Send(open)
}

// lineInView returns the line of the file that the view begins with, leaving out those above a change.
func (st *states) lineInView() int {
	t := st.text()
	if t == nil || t.err != nil {
		return 0
	}
	at := 0
	for _, f := range t.diff.Files {
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if at >= st.scroll+contextAbove && l.New > 0 {
					return l.New
				}
				at++
			}
		}
	}
	return 0
}

// contextAbove is how many lines above a change stay in view when the view moves to it.
const contextAbove = 3

// text returns what is shown, nil while it is not known.
func (st *states) text() *stateText {
	if st.diffing {
		return st.diff
	}
	return st.texts[st.at]
}

func (st *states) move(n, height int) {
	if t := st.text(); t != nil && t.err == nil {
		st.scroll = max(0, min(st.scroll+n, st.lines(t)-height))
	}
}

// lines returns how many lines a text has on the screen.
func (st *states) lines(t *stateText) int {
	doc := &pane.Doc{}
	st.add(doc, pane.Screen{Theme: paint.New(paint.Look{}), W: 80, Zone: st.zone}, t)
	return doc.Len()
}

// settle scrolls to the first change of the state under the cursor, unless it is in view.
func (st *states) settle() {
	t := st.texts[st.at]
	if t == nil || t.err != nil || st.path == wholeTree {
		st.scroll = 0
		return
	}
	if at := st.changeAfter(t, -1); at >= 0 && (at < st.scroll || at > st.scroll+15) {
		st.scroll = max(at-contextAbove, 0)
	}
}

// changeAfter returns the first line of the next change after a line, -1 for none.
func (st *states) changeAfter(t *stateText, line int) int {
	at := 0
	for _, f := range t.diff.Files {
		for _, h := range f.Hunks {
			before := byte(' ')
			for _, l := range h.Lines {
				if l.Op != ' ' && before == ' ' && at > line {
					return at
				}
				before = l.Op
				at++
			}
		}
	}
	return -1
}

func (st *states) nextChange(down bool, height int) {
	t := st.text()
	if t == nil || t.err != nil {
		return
	}
	at := -1
	if down {
		at = st.changeAfter(t, st.scroll+contextAbove)
	} else {
		for next := st.changeAfter(t, -1); next >= 0 && next < st.scroll+contextAbove; next = st.changeAfter(t, next) {
			at = next
		}
	}
	if at >= 0 {
		st.scroll = max(0, min(at-contextAbove, st.lines(t)-height))
	}
}

// command is the command that shows the same.
func (st *states) command() string {
	if st.diffing && len(st.marks) == 2 {
		a, _ := st.point(max(st.marks[0], st.marks[1]))
		b, _ := st.point(min(st.marks[0], st.marks[1]))
		return "entire show " + cliui.ShortID(a.ID) + ".." + cliui.ShortID(b.ID) + " --diff" + st.pathWord()
	}
	p, ok := st.point(st.at)
	if !ok {
		return ""
	}
	if st.path == wholeTree {
		return "entire show " + cliui.ShortID(p.ID)
	}
	return "git show " + cliui.ShortID(p.ID) + ":" + cliui.ShellWord(st.path)
}

func (st *states) pathWord() string {
	if st.path == wholeTree {
		return ""
	}
	return " -- " + cliui.ShellWord(st.path)
}

func (st *states) help() []pane.Binding {
	return []pane.Binding{
		pane.Bind("← →  h l", "the state before, the state after; with shift by ten", ""), pane.Bind("Home End", "the oldest and the newest state", ""),
		pane.Bind("space", "mark the state as A, another one as B", "space"), pane.Bind("d", "show what differs between A and B", "d"),
		pane.Bind("enter", "look at what going back to this state would do", "enter"), pane.Bind("p", "the same, only for the part of the file in view", "p"), pane.Bind("o", "show the point in the timeline", "o"),
		pane.Bind("n N", "the next and the last change", "n"),
	}
}
