package searchlib

import (
	"cmp"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/search"
	"fmt"
	"slices"
	"time"
)

// An Answer is what a search found; its JSON form is what `entire search --json` prints.
type Answer struct {
	Query   string `json:"query"`
	Matches int    `json:"matches"` // number of compared matches
	More    bool   `json:"more"`    // more exist
	Partial bool   `json:"partial"` // some hits have only some of the words
	Hits    []Hit  `json:"hits"`

	Short map[string]string `json:"-"` // the shown beginnings of the sessions' IDs
}

// A Hit is one found message, session or checkpoint.
type Hit struct {
	Kind       string    `json:"kind"` // message, session, checkpoint
	SessionID  string    `json:"session_id,omitempty"`
	Checkpoint string    `json:"checkpoint_id,omitempty"`
	Message    int       `json:"message,omitempty"` // its number in the whole conversation, from 1
	UUID       string    `json:"uuid,omitempty"`
	Role       string    `json:"role,omitempty"`
	Time       time.Time `json:"time,omitzero"`
	Title      string    `json:"title,omitempty"`
	Tags       []string  `json:"tags,omitempty"`
	Agent      string    `json:"agent,omitempty"`
	Model      string    `json:"model,omitempty"`
	Branches   []string  `json:"branches,omitempty"`
	Folder     string    `json:"cwd,omitempty"`
	Project    string    `json:"project,omitempty"`
	Failed     bool      `json:"failed,omitempty"`    // a tool's result that is an error
	Rewound    bool      `json:"rewound,omitempty"`   // a rewind removed it from the conversation
	Sidechain  bool      `json:"sidechain,omitempty"` // of a subagent
	Partial    bool      `json:"partial,omitempty"`   // it has only some of the words
	Score      float64   `json:"score"`
	Snippet    string    `json:"snippet"`
	Marks      [][2]int  `json:"marks"` // byte ranges of the snippet that match
	Near       []int     `json:"near,omitempty"`
	Same       []Place   `json:"same,omitempty"`
	Show       string    `json:"show"` // the command that shows it

	Here bool `json:"-"` // of this project
}

// A Place is another message with the same text.
type Place struct {
	SessionID string `json:"session_id"`
	Message   int    `json:"message"`
}

// take adds the answer of one project's index.
func (v *Answer) take(l *sessionlib.Library, key string, a search.Answer) {
	v.Short = cliui.ShortIDs(a.Sessions)
	v.Matches += a.Matches
	v.More = v.More || a.More
	for i, h := range a.Hits {
		hit := Hit{Message: h.Number, UUID: h.UUID, Role: h.Role, Time: h.At, Title: h.Card.Title, Tags: h.Card.Tags, Agent: h.Card.Agent,
			Model: h.Card.Model, Branches: h.Card.Branches, Folder: h.Card.Folder, Project: key, Failed: h.Failed, Rewound: h.Rewound,
			Sidechain: h.Subagent, Partial: i >= a.Whole, Score: h.Score, Snippet: h.Snippet, Marks: [][2]int{}, Near: h.Near,
			Here: key == l.Ident.Key}
		for _, m := range h.Marks {
			hit.Marks = append(hit.Marks, [2]int{m.Start, m.End})
		}
		for _, p := range h.Same {
			hit.Same = append(hit.Same, Place{p.Name, p.Number})
		}
		switch {
		case h.Kind == search.Checkpoint:
			hit.Kind, hit.Checkpoint = "checkpoint", h.Name
			hit.Show = "entire show " + h.Name
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
func (v *Answer) finish(limit int) {
	slices.SortStableFunc(v.Hits, func(a, b Hit) int {
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
