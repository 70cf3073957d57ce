package rescue

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"entire/agent"
	"entire/agent/agents"
)

// A Machine is where histories are looked for.
type Machine struct {
	Home   string
	Getenv func(string) string
	// Only are the agents to look for; none means all.
	Only []agent.AgentName
	// Memory is what earlier runs found out; nil for nothing.
	Memory *Memory
}

// A File is a file of a conversation.
type File struct {
	Path    string
	Kind    agent.KindOfHistory
	Size    int64
	Changed time.Time
}

// A Conversation is one that an agent keeps.
type Conversation struct {
	Agent agent.AgentType
	Name  agent.AgentName
	agent.HistoryFacts
	Path  string // the transcript, or the database
	Files []File // the transcript, and what belongs to it; none for a database
	Size  int64  // of all of them
	First time.Time
	Last  time.Time
	// Deletes is when the agent's program will delete it; zero for never.
	Deletes time.Time
	// Unread says why it cannot be read here; "" if it can.
	Unread string

	version  string
	database *agent.HistoryDatabase
	place    *agent.HistoryPlace
	rel      string
}

// InDatabase reports whether the conversation is in a database, not in a file of its own.
func (c *Conversation) InDatabase() bool { return c.database != nil }

// Found is what is on a machine.
type Found struct {
	Conversations []Conversation // the latest first
	Problems      []Problem
}

// A Problem is a file or folder that could not be read.
type Problem struct {
	Path string
	Err  error
}

// Find returns the conversations on a machine. progress is called from time to time with how many were found and
// how many of them were looked at; it may be nil. After a cancelled context it returns the context's error.
func Find(ctx context.Context, m Machine, progress func(looked, found int)) (Found, error) {
	if progress == nil {
		progress = func(int, int) {}
	}
	s := &search{Machine: m, ctx: ctx, read: map[string][]byte{}}
	for _, a := range agents.All() {
		h, ok := a.(agent.Historian)
		if !ok || len(m.Only) > 0 && !slices.Contains(m.Only, a.Name()) {
			continue
		}
		for _, place := range h.Histories(m.Home, m.Getenv) {
			s.look(a, &place)
			if err := ctx.Err(); err != nil {
				return Found{}, err
			}
			progress(0, len(s.Conversations))
		}
	}
	s.readFacts(progress)
	if err := ctx.Err(); err != nil {
		return Found{}, err
	}
	s.guessFolders()
	slices.SortStableFunc(s.Conversations, func(a, b Conversation) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Session, b.Session))
	})
	return s.Found, nil
}

// A search is one call of Find.
type search struct {
	Machine
	Found
	ctx  context.Context
	mu   sync.Mutex // of Problems and read
	read map[string][]byte
}

func (s *search) problem(path string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.Problems) < maxProblems {
		s.Problems = append(s.Problems, Problem{path, err})
	}
}

// maxProblems bounds what is told of a machine.
const maxProblems = 200

// workers is how many conversations are looked at at the same time.
const workers = 4

func (s *search) readFacts(progress func(looked, found int)) {
	next := make(chan int)
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for i := range next {
				s.facts(&s.Conversations[i])
			}
		})
	}
	for i := range s.Conversations {
		if s.ctx.Err() != nil {
			break
		}
		if c := &s.Conversations[i]; c.database == nil && c.First.IsZero() && !s.Memory.recall(c) {
			next <- i
		}
		if i%100 == 0 {
			progress(i, len(s.Conversations))
		}
	}
	close(next)
	wait.Wait()
	progress(len(s.Conversations), len(s.Conversations))
}
