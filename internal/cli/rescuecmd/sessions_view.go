package rescuecmd

import (
	"time"

	"entire/agent"
	"entire/internal/cli/cliui"
	"entire/internal/cli/rescuelib"
)

// A machineView is what is on the machine, for --json.
type machineView struct {
	Conversations []conversationView `json:"conversations"`
	Problems      []problemView      `json:"problems"`
	items         []*rescuelib.Item
}

// A conversationView is one conversation.
type conversationView struct {
	Agent     agent.AgentType `json:"agent"`
	SessionID string          `json:"session_id"`
	Path      string          `json:"path"`
	Bytes     int64           `json:"bytes"`
	First     time.Time       `json:"first"`
	Last      time.Time       `json:"last"`
	Folder    string          `json:"cwd,omitempty"`
	DeletesAt *time.Time      `json:"deleted_by_agent_at,omitempty"`
	State     string          `json:"state"`
	Unread    string          `json:"unreadable_because,omitempty"`

	Project string `json:"project,omitempty"` // the key of the project's store
	Top     string `json:"project_folder,omitempty"`
	How     string `json:"project_by,omitempty"` // what shows that it is this project
	Here    bool   `json:"here"`

	// After an import.
	Outcome  string `json:"outcome,omitempty"`
	Added    int    `json:"messages_added,omitempty"`
	Messages int    `json:"message_count,omitempty"`
	Of       string `json:"shares_with,omitempty"` // a session
	Error    string `json:"error,omitempty"`
}

type problemView struct {
	Path  string `json:"path"`
	Error string `json:"error"`
}

func viewOf(s *rescuelib.Survey, items []*rescuelib.Item) *machineView {
	v := &machineView{Conversations: []conversationView{}, Problems: []problemView{}, items: items}
	for _, it := range items {
		c := conversationView{
			Agent: it.Agent, SessionID: it.Session, Path: it.Path, Bytes: it.Size, First: it.First, Last: it.Last, Folder: it.Folder,
			State: it.State, Unread: it.Unread, Project: it.Project.Key, Top: it.Project.Top, How: it.Project.How, Here: s.IsHere(it),
		}
		if at := it.Deletes; !at.IsZero() {
			c.DeletesAt = &at
		}
		v.Conversations = append(v.Conversations, c)
	}
	for _, p := range s.Problems {
		v.Problems = append(v.Problems, problemView{p.Path, cliui.OneLine(p.Err.Error())})
	}
	return v
}

// add sets what became of the conversations.
func (v *machineView) add(results map[*rescuelib.Item]rescuelib.Taken) {
	for i, it := range v.items {
		t, ok := results[it]
		if !ok {
			continue
		}
		c := &v.Conversations[i]
		c.Outcome, c.Added, c.Messages, c.Of = t.What, t.Added, t.Messages, t.Of
		if t.Err != nil {
			c.Error = cliui.OneLine(t.Err.Error())
		}
	}
}
