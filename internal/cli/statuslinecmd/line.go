package statuslinecmd

import (
	"fmt"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/term"
)

// A Line is what the status line says, and its JSON form.
type Line struct {
	Steps    int        `json:"steps"`                  // since the commit
	More     bool       `json:"more,omitempty"`         // there are more than were counted
	Captured *time.Time `json:"last_capture,omitempty"` // the newest of them
	Staged   *Share     `json:"staged,omitempty"`       // nil if nothing is staged, or not known yet
	Alarm    string     `json:"not_captured,omitempty"` // why an agent's work is not captured
	stale    bool       // Staged and Alarm are not those of the present
}

// A Share is how many of the staged lines are whose.
type Share struct {
	Agent   int  `json:"agent_lines"`
	Person  int  `json:"person_lines"`
	Unknown int  `json:"unknown_lines"`
	Partial bool `json:"partial,omitempty"` // some files were not looked at
}

// text returns the line as text, without a line feed.
func (l Line) text(t term.Terminal, now time.Time, short bool) string {
	var parts []string
	mark := t.Styled(term.Good, "●")
	if l.Steps == 0 {
		mark = t.Styled(term.Faint, "○")
	}
	if l.Alarm != "" {
		mark = t.Styled(term.Bad, "✗")
		parts = append(parts, t.Styled(term.Bad, "not captured"))
	}
	count := fmt.Sprint(l.Steps)
	if l.More {
		count += "+"
	}
	switch {
	case short:
		parts = append(parts, count)
	case l.Steps == 1 && !l.More:
		parts = append(parts, "1 step since the commit")
	default:
		parts = append(parts, count+" steps since the commit")
	}
	if l.Captured != nil {
		age := now.Sub(*l.Captured)
		if short {
			parts = append(parts, cliui.ShortAge(age, *l.Captured))
		} else {
			parts = append(parts, "captured "+cliui.Ago(age))
		}
	}
	if share := l.Staged.text(short); share != "" {
		parts = append(parts, share)
	}
	if short {
		return mark + strings.Join(parts, " ")
	}
	return mark + " " + strings.Join(parts, t.Styled(term.Faint, " · "))
}

// text returns the agents' part of the staged lines, "" for none.
func (s *Share) text(short bool) string {
	if s == nil || s.Agent+s.Person+s.Unknown == 0 {
		return ""
	}
	about := ""
	if s.Partial {
		about = "about "
	}
	percent := (100*s.Agent + (s.Agent+s.Person+s.Unknown)/2) / (s.Agent + s.Person + s.Unknown)
	if short {
		return fmt.Sprintf("%d%%", percent)
	}
	return fmt.Sprintf("staged: %s%d %% by agents", about, percent)
}
