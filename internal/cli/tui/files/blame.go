package files

import (
	"context"

	"entire/internal/cli/tui/pane"

	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/paint"
	"entire/internal/lineage"
	"entire/internal/patch"
)

// blame shows the owners of a file's lines, and why a line is as it is.
type blame struct {
	ask  pane.Asker
	path string
	rev  string // "" for the worktree
	n    int

	lines   []lineage.Line
	rows    [][]patch.Token // the lines' colours
	lanes   map[string]int  // by session: its colour
	binary  bool
	known   bool
	problem string
	at, top int
	newer   []facts.Spot // where `[` came from, the last one last

	asked  bool // the reason of a line is shown
	why    *ownerlib.Why
	reason string // why it cannot be shown
	scroll int
	asks   int
}

type (
	blameRead struct {
		n     int
		lines []lineage.Line
		rows  [][]patch.Token
		line  int
		err   error
	}
	whyRead struct {
		n   int
		why *ownerlib.Why
		err error
	}
	olderFound struct {
		n    int
		spot facts.Spot
		ok   bool
		err  error
	}
)

// open shows a file, with the cursor on a line.
func (b *blame) open(path, rev string, line int) tea.Cmd {
	if path != b.path {
		b.newer = nil
	}
	b.path, b.rev = path, rev
	b.n++
	b.lines, b.rows, b.known, b.problem, b.binary = nil, nil, false, "", false
	return b.read(line)
}

func (b *blame) read(line int) tea.Cmd {
	n, path, rev := b.n, b.path, b.rev
	return b.ask.Beside("blame", func(ctx context.Context) tea.Msg {
		lines, err := b.ask.Source.Blame(ctx, path, rev)
		if err != nil {
			return blameRead{n: n, err: err}
		}
		return blameRead{n: n, lines: lines, rows: linesColoured(path, lines), line: line}
	})
}

func linesColoured(path string, lines []lineage.Line) [][]patch.Token {
	size := 0
	for _, l := range lines {
		size += len(l.Text) + 1
	}
	text := make([]byte, 0, size)
	for i, l := range lines {
		if i > 0 {
			text = append(text, '\n')
		}
		text = append(text, l.Text...)
	}
	return patch.Colour(path, string(text))
}

// Update takes what was read.
func (b *blame) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case blameRead:
		if msg.n == b.n {
			return b.take(msg)
		}
	case whyRead:
		if msg.n == b.asks {
			b.why, b.reason = msg.why, ""
			if msg.err != nil {
				b.reason = pane.Capital(facts.Words(msg.err))
			}
		}
	case olderFound:
		if msg.n == b.n {
			return b.takeOlder(msg)
		}
	case pane.Changed:
		if b.known && b.rev == "" && !b.asked {
			b.n++
			return b.read(b.at + 1)
		}
	}
	return nil
}

func (b *blame) take(msg blameRead) tea.Cmd {
	b.known = true
	if msg.err != nil {
		b.problem = pane.Capital(facts.Words(msg.err))
		return nil
	}
	b.lines, b.rows, b.binary = msg.lines, msg.rows, ownerlib.IsBinary(msg.lines)
	b.lanes = map[string]int{}
	for _, l := range b.lines {
		if sid := l.Owner.SessionID; l.Agent() && b.lanes[sid] == 0 {
			b.lanes[sid] = len(b.lanes) + 1
		}
	}
	b.at = max(0, min(msg.line-1, len(b.lines)-1))
	b.top = max(b.at-8, 0)
	if b.asked {
		return b.askWhy()
	}
	return nil
}

// askWhy reads why the line under the cursor is as it is.
func (b *blame) askWhy() tea.Cmd {
	if len(b.lines) == 0 || b.binary {
		return nil
	}
	b.asked, b.why, b.reason, b.scroll = true, nil, "", 0
	b.asks++
	n, path, rev, line := b.asks, b.path, b.rev, b.lines[b.at].Number
	return b.ask.Beside("why", func(ctx context.Context) tea.Msg {
		why, err := b.ask.Source.Why(ctx, path, rev, line)
		return whyRead{n, why, err}
	})
}

func (b *blame) closeWhy() { b.asked, b.why, b.reason = false, nil, "" }

// older shows the file before the change that brought the line under the cursor.
func (b *blame) older() tea.Cmd {
	if len(b.lines) == 0 {
		return nil
	}
	n, line := b.n, b.lines[b.at]
	at := facts.Spot{Path: b.path, Rev: b.rev, Line: line.Number}
	return b.ask.Beside("older", func(ctx context.Context) tea.Msg {
		spot, ok, err := b.ask.Source.Before(ctx, at, line)
		return olderFound{n, spot, ok, err}
	})
}

func (b *blame) takeOlder(msg olderFound) tea.Cmd {
	switch {
	case msg.err != nil:
		return pane.Send(pane.Failed("look for an older owner", msg.err))
	case !msg.ok:
		return pane.Told("this line has no older owner: the file begins with this change", paint.Plain)
	}
	b.newer = append(b.newer, facts.Spot{Path: b.path, Rev: b.rev, Line: b.at + 1})
	newer := b.newer
	cmd := b.open(msg.spot.Path, msg.spot.Rev, msg.spot.Line)
	b.newer = newer
	return cmd
}

// younger goes back to where older came from.
func (b *blame) younger() tea.Cmd {
	k := len(b.newer) - 1
	if k < 0 {
		return pane.Told("this is the newest version", paint.Plain)
	}
	spot, newer := b.newer[k], b.newer[:k]
	cmd := b.open(spot.Path, spot.Rev, spot.Line)
	b.newer = newer
	return cmd
}

func (b *blame) key(key string, inWhy bool, height int) (tea.Cmd, bool) {
	if inWhy {
		if n, ok := pane.ScrollKeys(key, height); ok {
			b.scrollWhy(n)
			return nil, true
		}
	}
	switch key {
	case "enter":
		return b.askWhy(), true
	case "[":
		return b.older(), true
	case "]":
		return b.younger(), true
	case "o":
		return b.point(), true
	}
	n, ok := pane.ScrollKeys(key, height)
	if !ok {
		return nil, false
	}
	return b.move(n, height), true
}

// move moves the cursor. While a reason is shown, it follows.
func (b *blame) move(n, height int) tea.Cmd {
	before := b.at
	b.at = max(0, min(b.at+n, len(b.lines)-1))
	b.top = max(min(b.top, b.at), b.at-height+1)
	if b.asked && b.at != before {
		return b.askWhy()
	}
	return nil
}

func (b *blame) mouse(y int, does pane.MouseDoes, n int) {
	if does == pane.Clicks {
		if i := b.top + y - 1; y >= 1 && i < len(b.lines) {
			b.at = i
		}
		return
	}
	b.top = max(0, min(b.top+n, len(b.lines)-1))
	b.at = max(b.at, b.top)
}

// point shows the turn or commit of the line in the timeline.
func (b *blame) point() tea.Cmd {
	if b.at >= len(b.lines) {
		return nil
	}
	l := b.lines[b.at]
	switch {
	case b.why != nil && b.why.Step != "":
		return pane.Send(pane.GoTo{Point: b.why.Step})
	case l.Commit.IsZero():
		return pane.Told("this line is in no commit yet: enter shows why it is as it is", paint.Plain)
	}
	return pane.Send(pane.GoTo{Point: l.Commit.String()})
}

// lineOf returns the line under the cursor in a file, 0 if another one is open.
func (b *blame) lineOf(path string) int {
	if path != b.path {
		return 0
	}
	return b.at + 1
}

// command is the command that shows the same.
func (b *blame) command(why bool) string {
	rev := ""
	if b.rev != "" {
		rev = " --rev " + cliui.ShellWord(shortRev(b.rev))
	}
	if why && b.at < len(b.lines) {
		return "entire why" + rev + " " + cliui.ShellWord(b.path+":"+pane.Itoa(b.lines[b.at].Number))
	}
	return "entire blame" + rev + " " + cliui.ShellWord(b.path)
}

// shortRev shortens the ID in the name of a revision.
func shortRev(rev string) string {
	if len(rev) == 41 && rev[40] == '^' {
		return rev[:7] + "^"
	}
	return rev
}

func (b *blame) help() []pane.Binding {
	return []pane.Binding{
		pane.Bind("[ ]", "the owner of the line before this one, and back", "["),
		pane.Bind("o", "show the line's commit or turn in the timeline", "o"),
	}
}
