package usagelib

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"entire/agent"
	"entire/internal/cli/sessionlib"
	"entire/session"
)

// askedRunes is the length to which a prompt is shortened.
const askedRunes = 160

// A Recap says what was asked, done and left open in a time.
type Recap struct {
	Since    time.Time      `json:"since"`
	Until    time.Time      `json:"until"`
	Projects []ProjectRecap `json:"projects"`
	Problems []string       `json:"problems"` // sessions that could not be read
}

// A ProjectRecap is that of one project.
type ProjectRecap struct {
	Project  string         `json:"project"` // its key
	Name     string         `json:"name"`
	Folder   string         `json:"folder"`
	Sessions []SessionRecap `json:"sessions"` // the first begun first
}

// A SessionRecap is that of one session.
type SessionRecap struct {
	Session  string          `json:"session_id"`
	Title    string          `json:"title"`
	Agent    agent.AgentType `json:"agent,omitempty"`
	State    string          `json:"state"`
	Branches []string        `json:"branches"`
	Asked    []Asked         `json:"asked"`
	Done     []Done          `json:"done"`
	Open     []string        `json:"open"`       // files that it changed since its last commit
	Items    []string        `json:"open_items"` // what is left to do, by the latest summary
}

// Asked is a prompt.
type Asked struct {
	When    time.Time `json:"date"`
	Prompt  string    `json:"prompt"`
	Rewound bool      `json:"rewound,omitempty"` // a rewind took it out of the conversation
}

// Done is a commit of the session's work.
type Done struct {
	Commit     string    `json:"commit,omitempty"` // "" if no branch has it any more
	Checkpoint string    `json:"checkpoint"`
	Subject    string    `json:"subject,omitempty"`
	When       time.Time `json:"date"`
	Files      []string  `json:"files"`
	Outcome    string    `json:"outcome,omitempty"` // by the checkpoint's summary, if one was made
}

// Recall tells what the sessions of a time did, from the store and the metadata branch.
func Recall(ctx context.Context, l *sessionlib.Library, o Options) (*Recap, error) {
	all, p, err := sessionsOf(ctx, l, o.All)
	if err != nil {
		return nil, err
	}
	states, err := statesOf(ctx, l)
	if err != nil {
		return nil, err
	}
	if o.Until.IsZero() {
		o.Until = l.Env.Now()
	}
	r := &Recap{Since: o.Since, Until: o.Until, Projects: []ProjectRecap{}, Problems: []string{}}
	err = l.Hold(func() error {
		for _, s := range all {
			if s.Updated.Before(o.Since) || s.Started.After(o.Until) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			one, err := recall(ctx, l, s, p, states[s.ID], o)
			if err != nil {
				r.Problems = append(r.Problems, fmt.Sprintf("session %s: %v", s.ID, err))
			}
			if len(one.Asked)+len(one.Done) > 0 {
				r.add(l, s, one)
			}
		}
		return nil
	})
	return r, err
}

// add adds a session to its project; the project of the current directory is the first.
func (r *Recap) add(l *sessionlib.Library, s sessionlib.ListedSession, one SessionRecap) {
	key := cmp.Or(s.Project, l.Ident.Key)
	i := slices.IndexFunc(r.Projects, func(p ProjectRecap) bool { return p.Project == key })
	if i < 0 {
		p := ProjectRecap{Project: key, Folder: s.Folder}
		if key == l.Ident.Key {
			p.Folder = l.Dir
			if l.Wp != nil && l.Wp.Repo.Top != "" {
				p.Folder = l.Wp.Repo.Top
			}
		}
		if p.Name = filepath.Base(p.Folder); p.Folder == "" {
			p.Name = key
		}
		if key == l.Ident.Key && l.Wp != nil {
			p.Name = l.Wp.ProjectName()
		}
		i = len(r.Projects)
		if key == l.Ident.Key {
			i = 0
		}
		r.Projects = slices.Insert(r.Projects, i, p)
	}
	r.Projects[i].Sessions = append(r.Projects[i].Sessions, one)
}

// statesOf returns the states of this repository's sessions, by session.
func statesOf(ctx context.Context, l *sessionlib.Library) (map[string]*session.State, error) {
	states := map[string]*session.State{}
	if l.Wp == nil {
		return states, nil
	}
	list, _, err := l.Wp.Store.List(ctx)
	for _, st := range list {
		states[st.SessionID.String()] = st
	}
	return states, err
}

func recall(ctx context.Context, l *sessionlib.Library, s sessionlib.ListedSession, p *past, st *session.State, o Options) (SessionRecap, error) {
	one := SessionRecap{Session: s.ID, Title: s.Title, Agent: s.Agent, State: s.State, Branches: append([]string{}, s.Branches...),
		Asked: []Asked{}, Done: []Done{}, Open: []string{}, Items: []string{}}
	if st != nil {
		one.Open = append(one.Open, st.FilesTouched...)
	}
	for _, part := range p.parts[s.ID] {
		at := time.Unix(0, part.at)
		if at.Before(o.Since) || at.After(o.Until) {
			continue
		}
		c := p.commits[part.checkpoint]
		done := Done{Commit: c.ID, Checkpoint: part.checkpoint.String(), Subject: c.Subject, When: at, Files: append([]string{}, part.files...)}
		if sum := part.summary; sum != nil {
			done.Outcome, one.Items = sum.Outcome, append([]string{}, sum.OpenItems...)
		}
		one.Done = append(one.Done, done)
	}
	for m, err := range l.Entries(ctx, s, true) {
		switch {
		case sessionlib.BadLine(err) != nil:
			continue
		case errors.Is(err, session.ErrNotFound):
			return one, nil // nothing is kept of what was said
		case err != nil:
			return one, err
		}
		if m.Timestamp.IsZero() || m.Timestamp.Before(o.Since) || m.Timestamp.After(o.Until) || !m.IsPrompt() {
			continue
		}
		if text := agent.ShortPrompt(agent.CleanPrompt(m.Content), askedRunes); text != "" {
			one.Asked = append(one.Asked, Asked{m.Timestamp, text, m.Rewound})
		}
	}
	return one, nil
}
