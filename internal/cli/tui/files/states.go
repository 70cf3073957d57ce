package files

import (
	"context"
	"time"

	"entire/internal/cli/tui/pane"

	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/tui/facts"
	"entire/internal/patch"
	"entire/internal/timeline"
)

// states steps through the states of a file or, with the path wholeTree, of all files.
type states struct {
	ask  pane.Asker
	zone *time.Location
	path string
	n    int // counts what was opened, so that what comes late is known

	list    []timeline.FileState // of a file, newest first
	points  int                  // how many points were searched for them
	more    bool
	known   bool
	tree    pane.Pages // of the whole tree
	at      int        // 0 is the newest
	find    string
	marks   []int // A and B
	diffing bool  // the difference of A and B is shown
	diff    *stateText
	texts   map[int]*stateText
	order   []int // of texts, the latest last
	scroll  int
	problem string
}

// A stateText is what is shown of a state: the file, or what the point changed.
type stateText struct {
	diff    pane.DiffText
	details *timeline.Details // of the whole tree
	err     error
}

const (
	firstSearch = 2000 // points that are searched for the states of a file at first
	textsMax    = 60
)

type (
	statesRead struct {
		n      int
		list   []timeline.FileState
		more   bool
		points int
		err    error
	}
	treeRead struct {
		n, at int
		w     timeline.Window
		err   error
	}
	stateRead struct {
		n, at int
		text  *stateText
	}
	marksRead struct {
		n    int
		text *stateText
	}
)

// open shows the states of a file, that of a point first.
func (st *states) open(path, point string) tea.Cmd {
	st.path, st.find = path, point
	st.n++
	st.list, st.known, st.more, st.tree, st.at, st.marks, st.diffing, st.diff = nil, false, false, pane.Pages{}, 0, nil, false, nil
	st.texts, st.order, st.scroll, st.problem = map[int]*stateText{}, nil, 0, ""
	if path == wholeTree {
		return st.readTree()
	}
	return st.readList(firstSearch)
}

func (st *states) readList(points int) tea.Cmd {
	n, path := st.n, st.path
	return st.ask.On("states", func(ctx context.Context) tea.Msg {
		list, more, err := st.ask.Source.FileStates(ctx, path, points)
		return statesRead{n, list, more, points, err}
	})
}

// readTree reads the points around the cursor or, at first, around the one that is to be shown.
func (st *states) readTree() tea.Cmd {
	n, at, find := st.n, st.at, st.find
	if find == "" {
		from, limit := st.tree.Missing(at-pane.PageSize/2, at+pane.PageSize/2)
		if limit == 0 {
			return nil
		}
		return st.ask.On("states", func(ctx context.Context) tea.Msg {
			w, err := st.ask.Source.Outline(ctx, from, limit)
			return treeRead{n, at, w, err}
		})
	}
	return st.ask.On("states", func(ctx context.Context) tea.Msg {
		p, err := st.ask.Source.Find(ctx, find)
		if err != nil {
			return treeRead{n: n, err: err}
		}
		w, err := st.ask.Source.Outline(ctx, p.Index/pane.PageSize*pane.PageSize, pane.PageSize)
		return treeRead{n, p.Index, w, err}
	})
}

// Update takes what was read.
func (st *states) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case statesRead:
		return st.takeList(msg)
	case treeRead:
		if msg.n != st.n {
			return nil
		}
		if msg.err != nil {
			st.problem = pane.Capital(facts.Words(msg.err))
			return nil
		}
		st.tree.Take(msg.w, false)
		st.known, st.find, st.at = true, "", min(msg.at, max(st.tree.Known-1, 0))
		return st.readText()
	case stateRead:
		if msg.n == st.n {
			st.keep(msg.at, msg.text)
			if msg.at == st.at {
				st.settle()
			}
			return st.readAhead()
		}
	case marksRead:
		if msg.n == st.n {
			st.diff, st.scroll = msg.text, 0
		}
	case pane.Changed:
		if st.known && st.at == 0 && len(st.marks) == 0 && !st.diffing {
			return st.reopen()
		}
	}
	return nil
}

// reopen reads the states again, because there may be a newer one.
func (st *states) reopen() tea.Cmd {
	scroll := st.scroll
	cmd := st.open(st.path, "")
	st.scroll = scroll
	return cmd
}

func (st *states) takeList(msg statesRead) tea.Cmd {
	if msg.n != st.n {
		return nil
	}
	if msg.err != nil {
		st.problem = pane.Capital(facts.Words(msg.err))
		return nil
	}
	st.list, st.more, st.points, st.known = msg.list, msg.more, msg.points, true
	if st.find != "" {
		st.at = stateAt(st.list, st.find)
		st.find = ""
	}
	st.at = min(st.at, max(len(st.list)-1, 0))
	return st.readText()
}

// stateAt returns the state that the file had at a point, the newest if that is not known.
func stateAt(list []timeline.FileState, point string) int {
	for i, s := range list {
		if s.Point.ID == point {
			return i
		}
	}
	return 0
}

// count returns the number of states, as far as it is known.
func (st *states) count() int {
	if st.path == wholeTree {
		return st.tree.Known
	}
	return len(st.list)
}

// point returns the point of a state.
func (st *states) point(i int) (timeline.Point, bool) {
	if st.path == wholeTree {
		if p := st.tree.At(i); p != nil {
			return *p, true
		}
		return timeline.Point{}, false
	}
	if i < 0 || i >= len(st.list) {
		return timeline.Point{}, false
	}
	return st.list[i].Point, true
}

// keep remembers a text, and forgets the one that was read longest ago.
func (st *states) keep(at int, text *stateText) {
	if st.texts[at] == nil {
		st.order = append(st.order, at)
	}
	st.texts[at] = text
	if len(st.order) > textsMax {
		delete(st.texts, st.order[0])
		st.order = st.order[1:]
	}
}

// readText reads the state under the cursor.
func (st *states) readText() tea.Cmd {
	if st.texts[st.at] != nil {
		st.settle()
		return st.readAhead()
	}
	return st.readState("state", st.at)
}

// readAhead reads the states beside the cursor, which are probably shown next.
func (st *states) readAhead() tea.Cmd {
	for _, i := range []int{st.at + 1, st.at - 1, st.at + 2} {
		if _, ok := st.point(i); ok && st.texts[i] == nil {
			return st.readState("next state", i)
		}
	}
	return nil
}

func (st *states) readState(slot string, i int) tea.Cmd {
	p, ok := st.point(i)
	if !ok {
		return nil
	}
	n, path := st.n, st.path
	if path == wholeTree {
		return st.ask.On(slot, func(ctx context.Context) tea.Msg { return stateRead{n, i, treeText(ctx, st.ask.Source, p.ID)} })
	}
	now := st.list[i].Blob
	before := now
	if i+1 < len(st.list) {
		before = st.list[i+1].Blob
	}
	return st.ask.On(slot, func(ctx context.Context) tea.Msg {
		f, err := st.ask.Source.FileText(ctx, path, before, now)
		return stateRead{n, i, fileText(f, err)}
	})
}

func fileText(f *patch.File, err error) *stateText {
	if err != nil {
		return &stateText{err: err}
	}
	return &stateText{diff: pane.DiffText{Diff: facts.Diff{Files: []patch.File{*f}}, Colours: map[int][][][]patch.Token{0: f.Colour()}}}
}

func treeText(ctx context.Context, src *facts.Source, id string) *stateText {
	d, err := src.Details(ctx, id)
	if err != nil {
		return &stateText{err: err}
	}
	diff, err := src.Diff(ctx, d.Before, d.Tree)
	return &stateText{diff: coloursOf(diff), details: &d, err: err}
}

// colouredNow bounds the lines that get colours before they are shown.
const colouredNow = 800

// coloursOf returns a patch with the colours of its first files.
func coloursOf(diff facts.Diff) pane.DiffText {
	d := pane.DiffText{Diff: diff, Colours: map[int][][][]patch.Token{}}
	lines := 0
	for i, f := range diff.Files {
		if lines += f.Insertions + f.Deletions; lines > colouredNow {
			break
		}
		d.Colours[i] = f.Colour()
	}
	return d
}

// readMarks reads the difference of A and B, the older first.
func (st *states) readMarks() tea.Cmd {
	from, to := max(st.marks[0], st.marks[1]), min(st.marks[0], st.marks[1])
	n, path := st.n, st.path
	a, _ := st.point(from)
	b, _ := st.point(to)
	st.diff = nil
	if path == wholeTree {
		return st.ask.On("marks", func(ctx context.Context) tea.Msg {
			diff, err := st.ask.Source.TreeDiff(ctx, a.ID, b.ID)
			return marksRead{n, &stateText{diff: coloursOf(diff), err: err}}
		})
	}
	old, now := st.list[from].Blob, st.list[to].Blob
	return st.ask.On("marks", func(ctx context.Context) tea.Msg {
		f, err := st.ask.Source.FileDiff(ctx, path, old, now)
		return marksRead{n, fileText(f, err)}
	})
}
