package searchcmd

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/search"
	"entire/internal/term"
)

// A searchView is an answer as --json prints it.
type searchView struct {
	Query   string    `json:"query"`
	Matches int       `json:"matches"` // number of compared matches
	More    bool      `json:"more"`    // more exist
	Partial bool      `json:"partial"` // some hits have only some of the words
	Hits    []hitView `json:"hits"`

	short map[string]string // the shown beginnings of the sessions' IDs
}

// A hitView is a hit as --json prints it.
type hitView struct {
	Kind       string      `json:"kind"` // message, session, checkpoint
	SessionID  string      `json:"session_id,omitempty"`
	Checkpoint string      `json:"checkpoint_id,omitempty"`
	Message    int         `json:"message,omitempty"` // its number in the whole conversation, from 1
	UUID       string      `json:"uuid,omitempty"`
	Role       string      `json:"role,omitempty"`
	Time       time.Time   `json:"time,omitzero"`
	Title      string      `json:"title,omitempty"`
	Tags       []string    `json:"tags,omitempty"`
	Agent      string      `json:"agent,omitempty"`
	Model      string      `json:"model,omitempty"`
	Branches   []string    `json:"branches,omitempty"`
	Folder     string      `json:"cwd,omitempty"`
	Project    string      `json:"project,omitempty"`
	Failed     bool        `json:"failed,omitempty"`    // a tool's result that is an error
	Rewound    bool        `json:"rewound,omitempty"`   // a rewind removed it from the conversation
	Sidechain  bool        `json:"sidechain,omitempty"` // of a subagent
	Partial    bool        `json:"partial,omitempty"`   // it has only some of the words
	Score      float64     `json:"score"`
	Snippet    string      `json:"snippet"`
	Marks      [][2]int    `json:"marks"` // byte ranges of the snippet that match
	Near       []int       `json:"near,omitempty"`
	Same       []placeView `json:"same,omitempty"`
	Show       string      `json:"show"` // the command that shows it

	here bool
}

type placeView struct {
	SessionID string `json:"session_id"`
	Message   int    `json:"message"`
}

// take adds the answer of one project's index.
func (v *searchView) take(l *sessionlib.Library, key string, a search.Answer) {
	v.short = cliui.ShortIDs(a.Sessions)
	v.Matches += a.Matches
	v.More = v.More || a.More
	for i, h := range a.Hits {
		hit := hitView{Message: h.Number, UUID: h.UUID, Role: h.Role, Time: h.At, Title: h.Card.Title, Tags: h.Card.Tags, Agent: h.Card.Agent,
			Model: h.Card.Model, Branches: h.Card.Branches, Folder: h.Card.Folder, Project: key, Failed: h.Failed, Rewound: h.Rewound,
			Sidechain: h.Subagent, Partial: i >= a.Whole, Score: h.Score, Snippet: h.Snippet, Marks: [][2]int{}, Near: h.Near,
			here: key == l.Ident.Key}
		for _, m := range h.Marks {
			hit.Marks = append(hit.Marks, [2]int{m.Start, m.End})
		}
		for _, p := range h.Same {
			hit.Same = append(hit.Same, placeView{p.Name, p.Number})
		}
		switch {
		case h.Kind == search.Checkpoint:
			hit.Kind, hit.Checkpoint = "checkpoint", h.Name
			hit.Show = "entire explain -c " + h.Name
			if len(h.Card.Sessions) > 0 {
				hit.SessionID = h.Card.Sessions[len(h.Card.Sessions)-1]
			}
		case h.Number == 0:
			hit.Kind, hit.SessionID = "session", h.Name
			hit.Show = "entire sessions show " + h.Name
		default:
			hit.Kind, hit.SessionID = "message", h.Name
			hit.Show = fmt.Sprintf("entire sessions show %s --around %d", h.Name, h.Number)
		}
		v.Partial = v.Partial || hit.Partial
		v.Hits = append(v.Hits, hit)
	}
}

// finish sorts the answers of all projects and keeps the best limit.
func (v *searchView) finish(limit int) {
	slices.SortStableFunc(v.Hits, func(a, b hitView) int {
		if a.Partial != b.Partial {
			if b.Partial {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Time.Compare(a.Time))
	})
	if len(v.Hits) > limit {
		v.Hits = v.Hits[:limit]
	}
}

// text returns the answer as text for people.
func (v *searchView) text(env *cliui.Env) string {
	if len(v.Hits) == 0 {
		return "Nothing found.\n"
	}
	t, width, now := env.Screen(), env.Width(), env.Now()
	var b strings.Builder
	partial := false
	for i, h := range v.Hits {
		if h.Partial && !partial {
			partial = true
			note := "These have some of the words:"
			if i == 0 {
				note = "Nothing has all of the words. " + note
			}
			b.WriteString(t.Styled(term.Faint, note) + "\n\n")
		}
		h.write(&b, cmp.Or(v.short[h.SessionID], cliui.ShownLine(h.SessionID)), t, width, now)
	}
	b.WriteString(t.Styled(term.Faint, v.footer()) + "\n")
	return b.String()
}

func (v *searchView) footer() string {
	h := v.Hits[0]
	show := h.Show
	if short := v.short[h.SessionID]; short != "" && h.Kind != "checkpoint" {
		show = strings.Replace(show, h.SessionID, short, 1)
	}
	found := fmt.Sprintf("%d of %d", len(v.Hits), max(v.Matches, len(v.Hits)))
	if v.More {
		found += " and more"
	}
	return fmt.Sprintf("%s. To read on: %s", found, show)
}

// write writes a hit: what and where it is, and its snippet.
func (h hitView) write(b *strings.Builder, short string, t term.Terminal, width int, now time.Time) {
	head := t.Styled(term.Strong, short)
	var words []string
	switch h.Kind {
	case "checkpoint":
		head = t.Styled(term.Strong, h.Checkpoint)
		words = append(words, "checkpoint")
	case "session":
		words = append(words, "session")
	default:
		head += t.Styled(term.Strong, fmt.Sprintf(" #%d", h.Message))
		words = append(words, h.Role)
	}
	if !h.Time.IsZero() {
		words = append(words, cliui.ShortAge(now.Sub(h.Time), h.Time))
	}
	for _, flag := range []struct {
		is   bool
		word string
	}{{h.Failed, "failed"}, {h.Rewound, "rewound"}, {h.Sidechain, "subagent"}} {
		if flag.is {
			words = append(words, flag.word)
		}
	}
	if !h.here && h.Folder != "" {
		words = append(words, cliui.ShownLine(filepath.Base(filepath.ToSlash(h.Folder))))
	}
	if len(h.Branches) > 0 {
		words = append(words, cliui.ShownLine(h.Branches[len(h.Branches)-1]))
	}
	for _, tag := range h.Tags {
		if !strings.Contains(tag, ":") { // not an automatic tag
			words = append(words, "#"+cliui.ShownLine(tag))
		}
	}
	title := cliui.ShortLine(h.Title, cliui.PromptRunes)
	if title == "" {
		title = "(no title)"
	}
	fmt.Fprintf(b, "%s  %s\n", head, t.Styled(term.Faint, strings.Join(words, "  ")+"  "+title))
	b.WriteString(h.shownSnippet(t, width))
	var more []string
	if len(h.Near) > 0 {
		var numbers []string
		for _, n := range h.Near {
			numbers = append(numbers, fmt.Sprintf("#%d", n))
		}
		more = append(more, "also "+strings.Join(numbers, ", "))
	}
	if len(h.Same) > 0 {
		more = append(more, "the same text "+cliui.Count(len(h.Same), "time")+" more")
	}
	if len(more) > 0 {
		b.WriteString("    " + t.Styled(term.Faint, strings.Join(more, "; ")) + "\n")
	}
	b.WriteByte('\n')
}

// snippetLines bounds the lines of a snippet on the screen.
const snippetLines = 3

// shownSnippet returns the snippet in lines that fit, with the matches marked.
func (h hitView) shownSnippet(t term.Terminal, width int) string {
	room := 96
	if width > 20 {
		room = min(width-4, 110)
	}
	var b strings.Builder
	line, lines, at, space := 0, 0, 0, ""
	b.WriteString("    ")
	put := func(text string, marked bool) {
		for i, word := range strings.SplitAfter(text, " ") {
			word, spaced := strings.CutSuffix(cliui.Printable(word), " ")
			n := len([]rune(word))
			if line > 0 && line+len(space)+n > room && (i > 0 || space != "") {
				b.WriteString("\n    ")
				line, space = 0, ""
				lines++
			}
			if lines >= snippetLines {
				return
			}
			b.WriteString(space)
			line += len(space) + n
			if space = ""; spaced {
				space = " "
			}
			if marked {
				word = t.Styled(term.Match, word)
			}
			b.WriteString(word)
		}
	}
	for _, m := range h.Marks {
		put(h.Snippet[at:m[0]], false)
		put(h.Snippet[m[0]:m[1]], true)
		at = m[1]
	}
	put(h.Snippet[at:], false)
	return strings.TrimRight(b.String(), " \n") + "\n"
}
