package back

import (
	"context"
	"errors"
	"slices"

	"entire/internal/cli/tui/pane"

	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/paint"
	"entire/internal/patch"
	"entire/internal/timeline"
	"entire/strategy/condense"
	"entire/strategy/rewind"
)

// A Sheet shows what a rewind would do, and does it when it is told a second time. Nothing is
// changed before that.
type Sheet struct {
	ask   pane.Asker
	req   rewindlib.Request // without the choice of files and hunks
	point timeline.Point
	of    string // what an undo or a redo is of, in words
	near  int    // the line whose change alone is chosen at first; 0 for all changes
	h     int

	n       int                // counts the previews that were asked for
	whole   *rewindlib.Preview // of everything within the scope
	files   []patch.File       // what it would change in the worktree
	colours map[int][][][]patch.Token
	left    map[string][]bool  // by path: which hunks are not chosen
	preview *rewindlib.Preview // of what is chosen; nil while it is not known
	sides   map[string]facts.Sides
	problem string
	doing   bool

	at, top, scroll int
}

// New returns the sheet for a request, and the command that reads its preview.
func New(ask pane.Asker, open pane.OpenSheet) (*Sheet, tea.Cmd) {
	s := &Sheet{ask: ask, req: open.Request, point: open.Point, of: open.Of, near: open.Near}
	return s, s.look()
}

type (
	lookRead struct {
		n     int
		whole bool
		look  *rewindlib.Preview
		files []patch.File
		err   error
	}
	sidesRead struct {
		n    int
		path string
		facts.Sides
	}
	sheetColoured struct {
		n, file int
		rows    [][][]patch.Token
	}
	// Done says that the sheet's rewind was carried out.
	Done   struct{ Tell pane.Tell }
	undone struct{ err error }
)

// look reads the preview of the whole scope again, and forgets what was chosen.
func (s *Sheet) look() tea.Cmd {
	s.whole, s.preview, s.problem, s.left, s.at, s.top, s.scroll = nil, nil, "", map[string][]bool{}, 0, 0, 0
	s.files, s.colours, s.sides = nil, map[int][][][]patch.Token{}, map[string]facts.Sides{}
	return s.read(s.req, true)
}

func (s *Sheet) read(req rewindlib.Request, whole bool) tea.Cmd {
	s.n++
	n := s.n
	return s.ask.Beside("look", func(ctx context.Context) tea.Msg {
		look, err := s.ask.Source.Look(ctx, req)
		if err != nil {
			return lookRead{n: n, whole: whole, err: err}
		}
		files, err := patch.Parse(look.Patch)
		return lookRead{n, whole, look, files, err}
	})
}

// Update takes what was read.
func (s *Sheet) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case lookRead:
		return s.takeLook(msg)
	case sidesRead:
		if msg.n == s.n {
			s.sides[msg.path] = msg.Sides
		}
	case sheetColoured:
		if s.colours[msg.file] = msg.rows; msg.n == s.n {
			return s.colour(msg.file + 1)
		}
	case undone:
		s.doing = false
		if errors.Is(msg.err, rewindlib.ErrPlanChanged) {
			cmd := s.look()
			return tea.Batch(cmd, pane.Told("the files have changed since: look at the new preview", paint.Warn))
		}
		s.problem = pane.Capital(facts.Words(msg.err))
	}
	return nil
}

func (s *Sheet) takeLook(msg lookRead) tea.Cmd {
	if msg.n != s.n {
		return nil
	}
	if msg.err != nil {
		s.problem = pane.Capital(facts.Words(msg.err))
		return nil
	}
	s.preview = msg.look
	if !msg.whole {
		return nil
	}
	s.whole, s.files = msg.look, msg.files
	return tea.Batch(s.colour(0), s.readSides(), s.chooseNear())
}

// chooseNear chooses only the change nearest to the line that was asked for.
func (s *Sheet) chooseNear() tea.Cmd {
	line := s.near
	s.near = 0
	if line == 0 || len(s.files) != 1 || len(s.files[0].Hunks) < 2 {
		return nil
	}
	best, distance := 0, 1<<30
	for i, h := range s.files[0].Hunks {
		d := max(h.NewFrom-line, line-h.NewFrom-h.NewLines+1, 0)
		if d < distance {
			best, distance = i, d
		}
	}
	for i, r := range s.rows() {
		if r.hunk == best+1 {
			s.at = i
		}
	}
	return s.only()
}

// colour gets the colours of the file with that index, and then of the next one.
func (s *Sheet) colour(file int) tea.Cmd {
	if file >= min(len(s.files), pane.ColouredFiles) {
		return nil
	}
	n, f := s.n, s.files[file]
	return s.ask.Beside("sheet colour", func(context.Context) tea.Msg { return sheetColoured{n, file, facts.Colours(f)} })
}

// readSides reads both sides of the conflicts.
func (s *Sheet) readSides() tea.Cmd {
	var cmds []tea.Cmd
	n := s.n
	for _, c := range s.whole.Conflicts[:min(len(s.whole.Conflicts), 20)] {
		cmds = append(cmds, s.ask.Beside("side "+c.Path, func(ctx context.Context) tea.Msg {
			return sidesRead{n, c.Path, s.ask.Source.Sides(ctx, c)}
		}))
	}
	return tea.Batch(cmds...)
}

// chosen returns the request with the choice of files and hunks. ok is false if nothing is chosen.
func (s *Sheet) chosen() (req rewindlib.Request, ok bool) {
	req = s.req
	if len(s.left) == 0 {
		return req, true
	}
	hunks, whole := rewindlib.Hunks{}, true
	for _, c := range s.whole.Changes {
		left := s.left[c.Path]
		switch {
		case !slices.Contains(left, true):
			hunks[c.Path] = nil
		case slices.Contains(left, false):
			whole = false
			for i, out := range left {
				if !out {
					hunks[c.Path] = append(hunks[c.Path], i+1)
				}
			}
		}
	}
	req.Scope.SkipConversation = true
	if !whole {
		req.Hunks = hunks
		return req, true
	}
	req.Scope.Paths = nil
	for _, c := range s.whole.Changes {
		if _, in := hunks[c.Path]; in {
			req.Scope.Paths = append(req.Scope.Paths, c.Path)
		}
	}
	return req, len(hunks) > 0
}

// do carries out what the preview shows.
func (s *Sheet) do() tea.Cmd {
	req, ok := s.chosen()
	switch {
	case s.doing:
		return nil
	case !ok:
		return pane.Told("nothing is chosen: space chooses the file or hunk under the cursor", paint.Warn)
	case s.preview == nil:
		return pane.Told("the preview is not complete yet", paint.Warn)
	case len(s.preview.Conflicts) > 0 && req.Scope.Conflicts == rewind.ConflictsStop:
		return pane.Told("later changes do not merge in "+cliui.Count(len(s.preview.Conflicts), "file")+": x says what to do with them", paint.Warn)
	}
	s.doing = true
	mark := s.preview.Mark
	return s.ask.Beside("do", func(ctx context.Context) tea.Msg {
		done, err := s.ask.Source.Do(context.WithoutCancel(ctx), req, mark)
		if err != nil {
			return undone{err}
		}
		return Done{doneWords(done)}
	})
}

// doneWords says what was done, and how it can be taken back.
func doneWords(done *rewindlib.Done) pane.Tell {
	words := done.Words
	if !done.Nothing {
		words += map[bool]string{true: " U redoes it.", false: " u undoes it."}[done.Kind == condense.RewindUndo]
	}
	if done.Resume != "" && !done.Scope.SkipConversation {
		words += " Continue with: " + done.Resume
	}
	if len(done.Kept) > 0 {
		words += " Kept: " + cliui.Count(len(done.Kept), "file") + "."
	}
	return pane.Tell{Text: words, Role: paint.Good}
}
