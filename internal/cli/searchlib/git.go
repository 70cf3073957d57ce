package searchlib

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"entire/agent"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/git"
	"entire/internal/search"
	"entire/session"
)

// A gitFeed feeds the index with the contents of the metadata branches and of refs of checkpoints.
type gitFeed struct {
	l             *sessionlib.Library
	records       *records.Reader
	conversations map[string]keptConversation // the latest of each session
}

func newGitFeed(l *sessionlib.Library) *gitFeed {
	return &gitFeed{l: l, records: records.NewReader(l.Wp.Repo), conversations: map[string]keptConversation{}}
}

// A keptConversation is a conversation as the index stores it with its checkpoint.
type keptConversation struct {
	Checkpoint string          `json:"checkpoint,omitempty"`
	Tree       string          `json:"tree,omitempty"`
	Session    string          `json:"session"`
	Agent      agent.AgentType `json:"agent,omitempty"`
	Written    time.Time       `json:"written"`
	Stored     bool            `json:"stored,omitempty"`
	Messages   int             `json:"messages,omitempty"`
	Branch     string          `json:"branch,omitempty"`
	Title      string          `json:"title,omitempty"`
}

// entries returns the checkpoints, and each session as its latest checkpoint has it. It reads a
// checkpoint again only if its tree has changed since the index read it.
func (g *gitFeed) entries(ctx context.Context, x *search.Index) ([]search.Entry, string, error) {
	state, err := g.records.State(ctx)
	if err != nil {
		return nil, "", err
	}
	fact := state.String()
	before, err := x.Fact(ctx, rootsFact)
	if err != nil {
		return nil, "", err
	}
	known, err := x.Entries(ctx, search.Checkpoint)
	if err != nil {
		return nil, "", err
	}
	entries := known
	if before != fact {
		if entries, err = g.checkpoints(ctx, state, known); err != nil {
			return nil, "", err
		}
	}
	for _, e := range entries {
		var conversations []keptConversation
		if err := json.Unmarshal([]byte(e.Card.Source), &conversations); err != nil {
			continue
		}
		for _, t := range conversations {
			t.Checkpoint, t.Tree = e.Name, e.Log
			g.take(t)
		}
	}
	return append(entries, g.sessions()...), fact, nil
}

// checkpoints returns the entries of the checkpoints of a state, and reads those that are not in
// known.
func (g *gitFeed) checkpoints(ctx context.Context, state records.State, known []search.Entry) ([]search.Entry, error) {
	versions, err := g.records.Versions(ctx, state)
	if err != nil {
		return nil, err
	}
	subjects, err := g.subjects(ctx)
	if err != nil {
		return nil, err
	}
	byName := map[string]search.Entry{}
	for _, e := range known {
		byName[e.Name] = e
	}
	var entries []search.Entry
	var fresh []records.Version
	for _, v := range versions {
		e, ok := byName[v.ID.String()]
		if subject := subjects[v.ID]; ok && e.Log == v.Tree.String() && (subject == "" || e.Card.Title == subject) {
			entries = append(entries, e)
			continue
		}
		fresh = append(fresh, v)
	}
	contents, err := g.records.Contents(ctx, fresh)
	if err != nil {
		return nil, err
	}
	for _, c := range contents {
		entries = append(entries, checkpointEntry(c, subjects[c.Version.ID]))
	}
	return entries, nil
}

// checkpointEntry returns the searchable content of a checkpoint.
func checkpointEntry(c records.Contents, subject string) search.Entry {
	e := search.Entry{Kind: search.Checkpoint, Name: c.Version.ID.String(), Log: c.Tree.String()}
	e.Card = search.Card{Title: subject, Files: c.Summary.FilesTouched}
	if c.Summary.Branch != "" {
		e.Card.Branches = []string{c.Summary.Branch}
	}
	conversations := map[string]*keptConversation{}
	var kept []*keptConversation
	for _, t := range c.Conversations {
		k := &keptConversation{Session: t.SessionID, Agent: t.Agent, Written: t.Written, Stored: t.Stored, Messages: t.Messages}
		conversations[t.SessionID], kept = k, append(kept, k)
		e.Card.Sessions = append(e.Card.Sessions, t.SessionID)
	}
	var asked, said []string
	for i, s := range c.Sessions {
		m := s.Metadata
		e.Card.Agent = cmp.Or(e.Card.Agent, string(m.Agent))
		if m.CreatedAt.After(e.Card.Updated) {
			e.Card.Updated, e.Card.Started = m.CreatedAt, m.CreatedAt
		}
		if i < len(c.Prompts) {
			asked = append(asked, c.Prompts[i]...)
		}
		if t := conversations[m.SessionID]; t != nil {
			t.Branch = m.Branch
			if i < len(c.Prompts) && len(c.Prompts[i]) > 0 {
				t.Title = agent.ShortPrompt(c.Prompts[i][0], cliui.PromptRunes)
			}
		}
		if m.Summary != nil {
			said = append(said, summaryWords(*m.Summary))
		}
	}
	e.Asked, e.Said = strings.Join(asked, "\n"), strings.Join(said, "\n")
	source, _ := json.Marshal(kept)
	e.Card.Source = string(source)
	e.Mark = "read " + subject
	return e
}

// summaryWords returns all text of a summary.
func summaryWords(s metadata.Summary) string {
	lines := []string{s.Intent, s.Outcome}
	lines = append(lines, s.Learnings.Repo...)
	for _, c := range s.Learnings.Code {
		lines = append(lines, c.Path+": "+c.Finding)
	}
	lines = append(append(append(lines, s.Learnings.Workflow...), s.Friction...), s.OpenItems...)
	return strings.Join(lines, "\n")
}

// subjectsMax bounds how many commits that name checkpoints are read.
const subjectsMax = 20000

// subjects returns the subjects of the commits that name checkpoints, on any branch.
func (g *gitFeed) subjects(ctx context.Context) (map[id.CheckpointID]string, error) {
	subjects := map[id.CheckpointID]string{}
	for c, err := range namingCommits(ctx, g.l.Wp.Repo, append([]string{"-n", fmt.Sprint(subjectsMax)}, titleArgs(search.Filter{})...)...) {
		var exit *git.ExitError
		if errors.As(err, &exit) {
			break // a repository that git cannot read whole is searched without the subjects that are missing
		}
		if err != nil {
			return nil, err
		}
		for _, cp := range c.checkpoints {
			if _, ok := subjects[cp]; !ok {
				subjects[cp] = c.subject
			}
		}
	}
	return subjects, g.addUnnamed(ctx, subjects)
}

// addUnnamed adds the subjects of commits that are linked without a trailer.
func (g *gitFeed) addUnnamed(ctx context.Context, subjects map[id.CheckpointID]string) error {
	links, err := records.NewReader(g.l.Wp.Repo).Links(ctx)
	if err != nil {
		return err
	}
	for oid, cps := range links {
		c, here, err := g.l.Wp.Repo.Reader(ctx).CommitOf(oid.String())
		if err != nil || !here {
			continue
		}
		for _, cp := range cps {
			if _, ok := subjects[cp]; !ok {
				subjects[cp] = c.Subject()
			}
		}
	}
	return nil
}

// take keeps t if it is the latest conversation of its session.
func (g *gitFeed) take(t keptConversation) {
	if _, err := id.ParseSessionID(t.Session); err != nil {
		return
	}
	old, ok := g.conversations[t.Session]
	if !ok || g.conversation(t).Later(g.conversation(old)) {
		if t.Title == "" {
			t.Title = old.Title
		}
		g.conversations[t.Session] = t
	}
}

func (g *gitFeed) conversation(t keptConversation) records.Conversation {
	cp, _ := id.NewCheckpointID(t.Checkpoint)
	tree, _ := git.ParseOID(t.Tree)
	return records.Version{ID: cp, Tree: tree}.ConversationOf(t.Session, t.Agent, t.Written, t.Stored)
}

// sessions returns the conversations in checkpoints.
func (g *gitFeed) sessions() []search.Entry {
	var out []search.Entry
	for _, t := range g.conversations {
		e := search.Entry{Kind: search.Conversation, Name: t.Session, Log: "git " + t.Checkpoint + " " + t.Tree, Mark: "read"}
		e.Card = search.Card{Title: t.Title, Agent: string(t.Agent), Started: t.Written, Updated: t.Written, Source: sessionlib.InGit}
		if t.Branch != "" {
			e.Card.Branches = []string{t.Branch}
		}
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b search.Entry) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// lines streams a conversation, always from its beginning.
func (g *gitFeed) lines(ctx context.Context, e search.Entry) iter.Seq2[search.Line, error] {
	return func(yield func(search.Line, error) bool) {
		conversation, err := g.records.Open(ctx, g.conversation(g.conversations[e.Name]))
		if err != nil {
			yield(search.Line{}, err)
			return
		}
		end := int64(0)
		for m, err := range conversation.Messages(ctx) {
			var bad *records.BadMessageError
			if err != nil && !errors.As(err, &bad) {
				yield(search.Line{}, err)
				return
			}
			data := []byte("{}")
			if err == nil {
				if data, err = json.Marshal(session.Message(m)); err != nil {
					yield(search.Line{}, err)
					return
				}
			}
			end += int64(len(data))
			if !yield(search.Line{Data: data, End: end}, nil) {
				return
			}
		}
	}
}
