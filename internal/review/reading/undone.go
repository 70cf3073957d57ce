package reading

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"entire/agent/conversation"
	"entire/internal/pathtext"
	"entire/internal/review"
)

// A Conversation is a session's conversation, as far as it belongs to the change.
type Conversation struct {
	Session   string
	Start     int // the number of its first item that does
	Passages  []conversation.Passage
	Subagents [][]conversation.Passage
}

// Bounds of what was undone.
const (
	leastLines  = 3  // of a file that is still there
	leastInTurn = 5  // likewise, if the same prompt replaced them
	leastLetter = 6  // letters and digits of a line that says something
	textsKept   = 3  // lines of an entry that are kept to be shown
	undoneMost  = 50 // entries
)

// A Rewind is an entry of the log of rewinds that took work of a session back.
type Rewind struct {
	ID, Session string
	Files       []RewoundFile
}

// A RewoundFile is a file, by its path as the document has it, before and after a rewind; nil where there
// was none.
type RewoundFile struct {
	Path          string
	Before, After []byte
}

// rewound returns what rewinds took back of the work of the document's sessions and the change does not have.
func (h *history) rewound(rewinds []Rewind) (out []review.Undone) {
	for _, r := range rewinds {
		if !slices.ContainsFunc(h.d.Sessions, func(s review.Session) bool { return s.ID == r.Session }) {
			continue
		}
		for _, f := range r.Files {
			u := review.Undone{Session: r.Session, Path: f.Path, Rewind: r.ID, Gone: h.linesOf(pathtext.Decode(f.Path)) == nil}
			after := map[string]bool{}
			for line := range strings.Lines(string(f.After)) {
				after[review.Squeezed(line)] = true
			}
			for line := range strings.Lines(string(f.Before)) {
				short := review.Squeezed(line)
				if letters(short) < leastLetter || after[short] || h.known[short] {
					continue
				}
				after[short] = true // counted
				if u.Lines++; len(u.Texts) < textsKept {
					u.Texts = append(u.Texts, strings.TrimSpace(line))
				}
			}
			if u.Lines > 0 {
				out = append(out, u)
			}
		}
	}
	return out
}

// Undone sets the document's Undone: what rewinds took back, and lines that calls of agents wrote into files
// of the repository, and that neither the change nor the file at its end has. text returns a file of the
// range's end, false if there is none.
func Undone(d *review.Document, conversations []Conversation, rewinds []Rewind, text func(path string) ([]byte, bool)) {
	h := &history{d: d, text: text, lines: map[string]map[string]bool{}, known: map[string]bool{}}
	for i := range d.Files {
		h.linesOf(pathtext.Decode(d.Files[i].Path))
	}
	var out []review.Undone
	for _, t := range conversations {
		out = append(out, h.undone(t)...)
	}
	out = append(out, h.rewound(rewinds)...)
	slices.SortStableFunc(out, func(a, b review.Undone) int {
		return cmp.Or(cmp.Compare(rank(b), rank(a)), b.Lines-a.Lines, cmp.Compare(a.Path, b.Path))
	})
	d.Undone = out[:min(len(out), undoneMost)]
}

// rank sorts what a rewind took back, then files that are gone before others, and what a later prompt undid
// before the rest.
func rank(u review.Undone) int {
	n := 0
	if u.Rewind != "" {
		n += 4
	}
	if u.Gone {
		n += 2
	}
	if u.By > u.Prompt {
		n++
	}
	return n
}

// history knows the lines of files at the end of the range.
type history struct {
	d     *review.Document
	text  func(path string) ([]byte, bool)
	lines map[string]map[string]bool // nil for a file that is not there
	known map[string]bool            // every line of the change's files
}

// linesOf returns the lines of a file without white space, nil if there is no such file.
func (h *history) linesOf(p string) map[string]bool {
	set, read := h.lines[p]
	if read {
		return set
	}
	if data, ok := h.text(p); ok {
		set = map[string]bool{}
		for line := range strings.Lines(string(data)) {
			line = review.Squeezed(line)
			set[line], h.known[line] = true, true
		}
	}
	h.lines[p] = set
	return set
}

// A write is an edit of a call in one file of the repository.
type write struct {
	prompt, path string
	added        []string
	removed      map[string]bool
	whole        bool // it wrote the file as a whole
}

// undone returns what one conversation tried and undid.
func (h *history) undone(t Conversation) []review.Undone {
	writes := h.writes(t)
	last := map[[2]string]int{} // by path and line
	for i, w := range writes {
		for _, line := range w.added {
			last[[2]string{w.path, review.Squeezed(line)}] = i
		}
	}
	type group struct {
		prompt, path string
		by           int
	}
	found := map[group]*review.Undone{}
	var order []group
	for i, w := range writes {
		set := h.linesOf(w.path)
		for _, line := range w.added {
			short := review.Squeezed(line)
			if last[[2]string{w.path, short}] != i || letters(short) < leastLetter || set[short] || h.known[short] {
				continue
			}
			g := group{w.prompt, w.path, promptNumber(h.d, t.Session, undoneBy(writes[i+1:], w.path, short))}
			if found[g] == nil {
				found[g] = &review.Undone{Session: t.Session, Prompt: promptNumber(h.d, t.Session, w.prompt), Path: w.path, By: g.by, Gone: set == nil}
				order = append(order, g)
			}
			u := found[g]
			if u.Lines++; len(u.Texts) < textsKept {
				u.Texts = append(u.Texts, strings.TrimSpace(line))
			}
			delete(last, [2]string{w.path, short}) // counted
		}
	}
	var out []review.Undone
	for _, g := range order {
		u := *found[g]
		if least := leastLines; !u.Gone && (u.Lines < least || u.By == u.Prompt && u.Lines < leastInTurn) {
			continue
		}
		out = append(out, u)
	}
	return out
}

// undoneBy returns the prompt of the first later write that replaced a line, or "".
func undoneBy(later []write, p, line string) string {
	for _, w := range later {
		if w.path == p && (w.removed[line] || w.whole) {
			return w.prompt
		}
	}
	return ""
}

func promptNumber(d *review.Document, session, text string) int {
	if text == "" {
		return 0
	}
	for _, s := range d.Sessions {
		if s.ID == session {
			return slices.Index(s.Prompts, text) + 1
		}
	}
	return 0
}

// writes returns the edits of a conversation in files of the repository, in their order.
func (h *history) writes(t Conversation) (out []write) {
	failed := map[string]bool{}
	started := map[string]bool{} // subagents of this part
	for _, p := range t.Passages {
		if p.Kind == conversation.ResultPassage && p.Failed {
			failed[p.CallID] = true
		}
		for _, id := range p.AgentIDs {
			started[id] = started[id] || p.Item >= t.Start
		}
	}
	prompts := review.PromptsOfCalls(t.Passages, t.Subagents...)
	var calls []conversation.Passage
	for _, p := range t.Passages {
		if p.Kind == conversation.CallPassage && p.Item >= t.Start && !failed[p.Call.ID] {
			calls = append(calls, p)
		}
	}
	for _, sub := range t.Subagents {
		for _, p := range sub {
			if p.Kind == conversation.CallPassage && started[p.Chain] {
				calls = append(calls, p)
			}
		}
	}
	top := h.top(calls)
	for _, c := range calls {
		for _, w := range writesOf(c, top) {
			w.prompt = prompts[c.Call.ID]
			out = append(out, w)
		}
	}
	return out
}

// writesOf returns what a call wrote into each file below top.
func writesOf(call conversation.Passage, top string) (out []write) {
	for _, e := range call.Edits {
		p, inside := below(e.Path, top)
		if !inside || e.Untold {
			continue
		}
		w := write{path: p, removed: map[string]bool{}, whole: len(e.Replaced) == 0}
		kept := map[string]bool{}
		for _, text := range e.Replaced {
			for line := range strings.Lines(text) {
				w.removed[review.Squeezed(line)] = true
			}
		}
		for _, text := range e.Texts {
			for line := range strings.Lines(text) {
				short := review.Squeezed(line)
				if kept[short] = true; !w.removed[short] {
					w.added = append(w.added, strings.TrimRight(line, "\r\n"))
				}
			}
		}
		for line := range kept {
			delete(w.removed, line)
		}
		out = append(out, w)
	}
	return out
}

// top returns the folder below which most calls write files that the repository has; "" if none is known.
func (h *history) top(calls []conversation.Passage) string {
	count := map[string]int{}
	best := ""
	for _, c := range calls {
		for _, e := range c.Edits {
			folder, found := h.folderOf(slashed(e.Path))
			if !found {
				continue
			}
			if count[folder]++; count[folder] > count[best] {
				best = folder
			}
		}
	}
	return best
}

// folderOf returns the shortest beginning of a path after which it names a file that the repository has.
func (h *history) folderOf(p string) (folder string, found bool) {
	for i, c := range p[:max(len(p)-1, 0)] {
		if c == '/' && h.linesOf(p[i+1:]) != nil {
			return p[:i], true
		}
	}
	return "", false
}

// below returns a path relative to top; false for one that is elsewhere.
func below(p, top string) (string, bool) {
	p = slashed(p)
	if !strings.HasPrefix(p, "/") && !strings.Contains(p, ":") {
		p = path.Clean(p)
		return p, p != ".." && !strings.HasPrefix(p, "../") && p != "."
	}
	rest, ok := strings.CutPrefix(p, top+"/")
	return rest, ok && top != ""
}

func slashed(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// letters counts the letters and digits of a line.
func letters(line string) (n int) {
	for _, r := range line {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
