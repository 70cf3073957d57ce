package back

import (
	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/tui/pane"

	"entire/strategy/condense"
	"entire/strategy/rewind"
)

// Key takes a key. done is true if the sheet is left.
func (s *Sheet) Key(k tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	if s.doing {
		return nil, false
	}
	switch key := k.String(); key {
	case "esc", "q":
		return nil, true
	case "enter":
		return s.do(), false
	case "x":
		s.req.Scope.Conflicts = next(s.req.Scope.Conflicts, rewind.ConflictsStop, rewind.ConflictsKeep, rewind.ConflictsMarkers)
		return s.look(), false
	case "space":
		return s.toggle(), false
	case "*":
		return s.toggleAll(), false
	case ".":
		return s.only(), false
	case "pgdown", "ctrl+f":
		s.scroll += max(s.h/2, 1)
	case "pgup", "ctrl+b":
		s.scroll = max(s.scroll-max(s.h/2, 1), 0)
	case "up", "k":
		s.moveTo(s.at - 1)
	case "down", "j":
		s.moveTo(s.at + 1)
	case "home", "g":
		s.moveTo(0)
	case "end", "G":
		s.moveTo(len(s.rows()))
	default:
		if s.isRewind() && s.setScope(key) {
			return s.look(), false
		}
	}
	return nil, false
}

func (s *Sheet) isRewind() bool { return s.req.Kind == "" || s.req.Kind == condense.RewindDone }

// setScope changes the scope, and reports whether the key does.
func (s *Sheet) setScope(key string) bool {
	sc := &s.req.Scope
	switch key {
	case "a":
		sc.Kind, sc.Session = condense.ScopeAuto, ""
	case "w":
		sc.Kind, sc.Session = condense.ScopeTree, ""
	case "s":
		if s.point.Session == "" {
			return false
		}
		sc.Kind, sc.Session = condense.ScopeSession, s.point.Session
	case "t":
		if s.point.Session == "" || s.point.Turn == 0 {
			return false
		}
		sc.Kind, sc.Session, sc.Turn, sc.KeepMine = condense.ScopeTurn, s.point.Session, s.point.Turn, false
	case "m":
		if sc.Kind == condense.ScopeTurn {
			return false
		}
		sc.KeepMine = !sc.KeepMine
	case "c":
		if sc.Kind == condense.ScopeTurn || !s.point.Restorable() {
			return false
		}
		switch { // files and conversation, files, conversation
		case sc.SkipConversation:
			sc.SkipConversation, sc.SkipCode = false, true
		case sc.SkipCode:
			sc.SkipCode = false
		default:
			sc.SkipConversation = true
		}
	default:
		return false
	}
	if sc.Kind != condense.ScopeTurn {
		sc.Turn = 0
	}
	return true
}

// next returns the value after v, the first after the last.
func next[T comparable](v T, all ...T) T {
	for i, one := range all {
		if one == v {
			return all[(i+1)%len(all)]
		}
	}
	return all[0]
}

func (s *Sheet) moveTo(i int) {
	s.at, s.scroll = max(0, min(i, len(s.rows())-1)), 0
}

// toggle chooses the file or hunk under the cursor, or leaves it out.
func (s *Sheet) toggle() tea.Cmd {
	rows := s.rows()
	if s.at >= len(rows) || !s.isRewind() {
		return nil
	}
	r := rows[s.at]
	if r.path == "" || r.fixed {
		return nil
	}
	left := s.left[r.path]
	if left == nil {
		left = make([]bool, s.hunksOf(r.path))
		s.left[r.path] = left
	}
	if r.hunk > 0 {
		left[r.hunk-1] = !left[r.hunk-1]
	} else {
		out := !left[0]
		for i := range left {
			left[i] = out
		}
	}
	return s.chose()
}

// only chooses what is under the cursor and nothing beside it.
func (s *Sheet) only() tea.Cmd {
	rows := s.rows()
	if s.at >= len(rows) || !s.isRewind() || rows[s.at].path == "" || rows[s.at].fixed {
		return nil
	}
	s.left = map[string][]bool{}
	for _, c := range s.whole.Changes {
		left := make([]bool, s.hunksOf(c.Path))
		for i := range left {
			left[i] = c.Path != rows[s.at].path || rows[s.at].hunk > 0 && i+1 != rows[s.at].hunk
		}
		s.left[c.Path] = left
	}
	return s.chose()
}

// toggleAll leaves everything out or, if something is left out, chooses everything.
func (s *Sheet) toggleAll() tea.Cmd {
	if s.whole == nil || !s.isRewind() {
		return nil
	}
	if len(s.left) > 0 {
		s.left = map[string][]bool{}
		return s.chose()
	}
	for _, c := range s.whole.Changes {
		left := make([]bool, s.hunksOf(c.Path))
		for i := range left {
			left[i] = true
		}
		s.left[c.Path] = left
	}
	return s.chose()
}

// chose reads the preview of what is chosen now.
func (s *Sheet) chose() tea.Cmd {
	some := false
	for _, left := range s.left {
		for _, out := range left {
			some = some || out
		}
	}
	if !some {
		s.left = map[string][]bool{}
	}
	s.preview = nil
	req, ok := s.chosen()
	if !ok {
		s.n++ // a preview under way is of another choice
		return nil
	}
	return s.read(req, false)
}

func (s *Sheet) hunksOf(path string) int {
	for _, f := range s.files {
		if f.Path() == path {
			return max(len(f.Hunks), 1)
		}
	}
	return 1
}

// Help returns the keys of the sheet.
func (s *Sheet) Help() []pane.Binding {
	return []pane.Binding{
		pane.Bind("enter", "do what the sheet shows", ""), pane.Bind("esc", "leave, and change nothing", ""),
		pane.Bind("a w s t", "undo what everybody did since, the whole tree, only the session, only the turn", ""),
		pane.Bind("m", "keep what people changed since, or replace it", ""), pane.Bind("c", "files and conversation, only files, only the conversation", ""),
		pane.Bind("space . *", "choose the file or hunk under the cursor, only it, or all", ""), pane.Bind("x", "what happens where later changes do not merge", ""),
		pane.Bind("PgUp PgDn", "scroll the diff", ""),
	}
}
