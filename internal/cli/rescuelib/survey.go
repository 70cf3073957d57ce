package rescuelib

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"entire/agent"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/project"
	"entire/internal/redact"
	"entire/internal/rescue"
	"entire/internal/rescue/intake"
	"entire/internal/rescue/origin"
)

// The states of a conversation.
const (
	New     = "new"       // no store has it
	More    = "continued" // the store has a beginning of it, or may have
	Stored  = "stored"
	Shared  = "shared"  // another session has all of its messages
	Deleted = "deleted" // it was deleted from the store
	Unread  = "unreadable"
)

// Options choose what is looked at.
type Options struct {
	Home   string            // another home directory than the user's; "" for theirs
	Agents []agent.AgentName // none: all
	Was    []string          // former folders of the present project
	Again  bool              // also what was imported or deleted before
}

// An Item is a conversation with what is known of it.
type Item struct {
	*rescue.Conversation
	Project origin.Project
	State   string
}

// Wanted reports whether importing it may add something.
func (it *Item) Wanted() bool { return it.State == New || it.State == More }

// A Survey is what is on the machine.
type Survey struct {
	Items    []Item // the latest first; without the conversations of subagents, which belong to others
	Problems []rescue.Problem
	Here     origin.Project // the project of the current directory
	Stores   *intake.Stores
	found    rescue.Found
	memory   *rescue.Memory
	env      *cliui.Env
	foreign  bool // of another home directory
}

// Look finds the conversations on this machine. tell is called with what it does.
func Look(ctx context.Context, env *cliui.Env, dir string, o Options, tell func(string)) (*Survey, error) {
	data := workplace.DataDir(env)
	if data == "" {
		return nil, cliui.Failf("set HOME or XDG_DATA_HOME", "the home directory is unknown")
	}
	memory, err := rescue.OpenMemory(intake.MemoryIn(data))
	if err != nil {
		return nil, err
	}
	s := &Survey{env: env, memory: memory, foreign: o.Home != ""}
	tell("the stores of sessions")
	if s.Stores, err = intake.OpenStores(ctx, data, env.Now); err != nil {
		return nil, err
	}
	tell("agents' histories")
	m := rescue.Machine{Home: env.Home(), Getenv: env.Getenv, Only: o.Agents, Memory: memory}
	if s.foreign {
		m.Home, m.Getenv = o.Home, func(string) string { return "" }
	}
	if s.found, err = rescue.Find(ctx, m, nil); err != nil {
		return nil, errors.Join(err, s.Stores.Close())
	}
	s.Problems = s.found.Problems
	tell("repositories")
	if err := s.assign(ctx, m.Home, dir, o, tell); err != nil {
		return nil, errors.Join(err, s.Stores.Close())
	}
	return s, nil
}

// assign finds the project and the state of each conversation.
func (s *Survey) assign(ctx context.Context, home, dir string, o Options, tell func(string)) error {
	r := origin.Open(ctx, s.env.Environ, home, dir)
	if here, err := project.Find(ctx, dir, s.env.Environ); err == nil {
		s.Here = origin.Project{Key: here.Key, Top: here.Top, Git: here.Git, How: origin.ByFolder}
	}
	r.Stored, r.Was = s.Stores.Folders, o.Was
	r.Learn(ctx, s.found.Conversations)
	var without []*rescue.Conversation
	for i := range s.found.Conversations {
		c := &s.found.Conversations[i]
		if c.Subagent {
			continue
		}
		it := Item{Conversation: c, Project: r.Of(ctx, c)}
		if !it.Project.Git {
			without = append(without, c)
		}
		it.State = s.state(c, o.Again)
		s.Items = append(s.Items, it)
		s.memory.Note(c, rescue.Outcome{})
	}
	if len(without) > 0 {
		tell("commits in the conversations of folders that are gone")
		s.byCommits(ctx, r, without)
	}
	return ctx.Err()
}

func (s *Survey) byCommits(ctx context.Context, r *origin.Resolver, without []*rescue.Conversation) {
	found := r.ByCommits(ctx, without, func(int64) {})
	for i := range s.Items {
		if p, ok := found[s.Items[i].Folder]; ok && !s.Items[i].Project.Git {
			s.Items[i].Project = p
		}
	}
}

// state says what the stores have of a conversation, without reading it.
func (s *Survey) state(c *rescue.Conversation, again bool) string {
	if c.Unread != "" {
		return Unread
	}
	done, same := s.memory.Outcome(c)
	stored, known := s.Stores.Sessions[c.Session]
	switch {
	case again:
	case same && done.Within != "":
		return Shared
	case same && !known || s.Stores.Deleted[c.Session]:
		return Deleted
	case same:
		return Stored
	case known && !stored.Updated.Before(c.Last.Truncate(time.Second)):
		return Stored
	}
	if known {
		return More
	}
	return New
}

// IsHere reports whether a conversation belongs to the present project.
func (s *Survey) IsHere(it *Item) bool {
	if it.Project.Key != "" && it.Project.Key == s.Here.Key {
		return true
	}
	return !s.Here.Git && !it.Project.Git && s.Here.Top != "" && it.Folder != "" && cliui.IsWithin(s.Here.Top, it.Folder)
}

// WantedHere returns the conversations of the present project from which an import may add something.
func (s *Survey) WantedHere() []*Item {
	var out []*Item
	for i := range s.Items {
		if it := &s.Items[i]; it.Wanted() && s.IsHere(it) {
			out = append(out, it)
		}
	}
	return out
}

// Name returns a project's name for people.
func (s *Survey) Name(it *Item) string {
	if it.Project.Top != "" {
		return filepath.Base(filepath.ToSlash(it.Project.Top))
	}
	if it.Folder != "" {
		return filepath.Base(strings.ReplaceAll(it.Folder, `\`, "/"))
	}
	return "(no folder)"
}

// Close remembers what was looked at.
func (s *Survey) Close() error {
	return errors.Join(s.memory.Save(), s.Stores.Close())
}

// importer returns what imports into the stores.
func (s *Survey) importer() *intake.Importer {
	transcripts := map[string]string{}
	for i := range s.found.Conversations {
		c := &s.found.Conversations[i]
		transcripts[c.Session] = c.Path
	}
	return &intake.Importer{Stores: s.Stores, Memory: s.memory, Redact: redact.Line, Plain: sessionlib.Unpacked, Transcripts: transcripts}
}
