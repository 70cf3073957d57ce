package agentlib

import (
	"fmt"
	"time"

	"entire/internal/cli/cliui"
)

// A View is the JSON form of a Standing.
type View struct {
	Name        string     `json:"name"`
	Agent       string     `json:"agent"`
	Description string     `json:"description"`
	Installed   bool       `json:"installed"`
	HookFile    string     `json:"hook_file,omitempty"`
	Programs    []string   `json:"programs"`
	Folders     []string   `json:"folders"`
	HomeFolders []string   `json:"home_folders"`
	LastEvent   *time.Time `json:"last_event,omitempty"`
	NeverHeard  bool       `json:"never_heard"` // hooks are installed, and the agent never called them
	Preview     string     `json:"preview,omitempty"`
	Trust       string     `json:"trust,omitempty"`
	Alarm       *AlarmView `json:"alarm,omitempty"`
}

// An AlarmView is the JSON form of an Alarm.
type AlarmView struct {
	Worked     time.Time `json:"worked_at"`
	Transcript string    `json:"transcript"`
	Why        string    `json:"why"`
	Hint       string    `json:"hint,omitempty"`
}

// View returns the JSON form.
func (s *Standing) View() View {
	about := s.Agent.Profile()
	v := View{
		Name: string(s.Agent.Name()), Agent: string(s.Agent.Type()), Description: about.Description,
		Installed: s.Installed, HookFile: s.HookFile, NeverHeard: s.NeverHeard(), Preview: about.Preview, Trust: s.Trust(),
		Programs: cliui.NotNil(s.Programs), Folders: cliui.NotNil(s.Folders), HomeFolders: cliui.NotNil(s.HomeFolders),
	}
	if !s.Heard.IsZero() {
		heard := s.Heard.UTC()
		v.LastEvent = &heard
	}
	if a := s.Alarm; a != nil {
		v.Alarm = &AlarmView{a.Worked.UTC(), a.Transcript, a.Why, a.Hint}
	}
	return v
}

// Text says what the alarm is about.
func (a *Alarm) Text(now time.Time) string {
	return fmt.Sprintf("it worked here %s, and nothing of that was captured: %s", cliui.Ago(now.Sub(a.Worked)), a.Why)
}
