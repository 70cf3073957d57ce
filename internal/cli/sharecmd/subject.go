package sharecmd

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"entire/agent"
	"entire/agent/conversation"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/web/view"
	"entire/internal/cli/workplace"
	"entire/internal/timeline"
)

// The kinds of a subject.
const (
	kindTurn       = "turn"
	kindCheckpoint = "checkpoint"
	kindSession    = "session"
)

// A subject is what is shared: conversations, and the change that came of them.
type subject struct {
	Kind, ID string
	Title    string
	When     time.Time
	Branch   string
	Commit   string // of a checkpoint
	Tokens   int
	Parts    []part
	Patch    []byte
	Left     []string // files that Patch leaves out
}

// A part is what was said in one session.
type part struct {
	Session string
	Agent   agent.AgentType
	Model   string
	Said    []view.Said
	Cut     int // passages of the beginning that are not known
}

// Word says what the subject is.
func (s *subject) Word() string { return "the " + s.Kind + " " + s.short() }

// short returns a short name, for a file and for people.
func (s *subject) short() string {
	if s.Kind == kindCheckpoint {
		return s.ID
	}
	if s.Kind == kindSession {
		return cliui.ShownSession(s.ID)
	}
	return cliui.ShortID(s.ID)
}

func (s *subject) sessionNames() (out []string) {
	for _, p := range s.Parts {
		out = append(out, cliui.ShownSession(p.Session))
	}
	return out
}

// turns counts what was asked.
func (s *subject) turns() (n int) {
	for _, p := range s.Parts {
		for _, m := range p.Said {
			if m.IsPrompt() && m.AgentID == "" && !m.Sidechain {
				n++
			}
		}
	}
	return n
}

// subjectOf finds what a name means.
func subjectOf(ctx context.Context, l *sessionlib.Library, name string) (*subject, error) {
	if l.Wp == nil {
		return sessionNamed(ctx, l, name)
	}
	f := finder{l: l, tl: timeline.New(l.Wp.Engine)}
	defer f.tl.Close()
	if cp, err := id.NewCheckpointID(strings.ToUpper(name)); err == nil {
		l.Wp.FetchMissing(ctx, l.Env, []id.CheckpointID{cp})
	}
	m, err := l.Wp.MeaningOf(ctx, name)
	switch {
	case errors.Is(err, workplace.ErrNoMeaning):
		return f.point(ctx, name)
	case err != nil:
		return nil, err
	case m.Kind == workplace.MeansSession:
		return sessionNamed(ctx, l, m.Session)
	case m.Kind == workplace.MeansCheckpoint:
		return f.checkpoint(ctx, m.Checkpoint)
	}
	return f.point(ctx, m.Commit.OID.String())
}

// A finder reads turns and checkpoints.
type finder struct {
	l  *sessionlib.Library
	tl *timeline.Timeline
}

// point returns the turn or the commit with a name, or else the session that only the store knows.
func (f finder) point(ctx context.Context, name string) (*subject, error) {
	d, err := f.tl.Details(ctx, name)
	if errors.Is(err, timeline.ErrNoPoint) {
		s, other := sessionNamed(ctx, f.l, name)
		if other != nil && ctx.Err() == nil {
			return nil, cliui.Failf("`entire log` and `entire sessions` list them, `entire share --help` the commands", "share: nothing here has the ID %s", cliui.ShownLine(name))
		}
		return s, other
	}
	if err != nil {
		return nil, err
	}
	if d.Kind == timeline.Commit {
		for _, text := range d.Checkpoints {
			if cp, err := id.NewCheckpointID(text); err == nil {
				return f.checkpoint(ctx, cp)
			}
		}
	}
	if d.Session == "" || len(d.Prompts)+len(d.Said) == 0 {
		return nil, cliui.Failf("`entire log` shows which points have one", "share: no conversation is stored of %s", cliui.ShortID(d.ID))
	}
	s := &subject{Kind: kindTurn, ID: d.ID, Title: view.Title(d.Point), When: d.When, Branch: d.Branch}
	if d.Tokens != nil {
		s.Tokens = d.Tokens.Total()
	}
	p := part{Session: d.Session, Agent: d.Agent, Model: d.Model, Cut: d.LeftOut}
	for _, text := range d.Prompts {
		p.add(agent.Message{Role: agent.RoleUser, Content: text})
	}
	p.addPassages(d.Said)
	s.Parts = []part{p}
	return s, f.change(ctx, s, d)
}

// change adds the lines that a point changed.
func (f finder) change(ctx context.Context, s *subject, d timeline.Details) error {
	if d.Unknown {
		return nil
	}
	got, err := f.tl.Patch(ctx, d.Before, d.Tree)
	s.Patch, s.Left = got.Text, got.Left
	return err
}

// checkpoint returns what a checkpoint has of its sessions, with the change of its commit.
func (f finder) checkpoint(ctx context.Context, cp id.CheckpointID) (*subject, error) {
	reader := records.NewReader(f.l.Wp.Repo)
	stored, err := reader.Read(ctx, cp)
	if err != nil {
		return nil, cliui.Failf("`entire log` shows what is stored", "share: %w", err)
	}
	s := &subject{Kind: kindCheckpoint, ID: cp.String(), Title: "Checkpoint " + cp.String(), When: stored.Info().CreatedAt, Branch: stored.Summary.Branch}
	if used := stored.Usage(); used != nil {
		s.Tokens = used.Total()
	}
	for i := range stored.Sessions {
		content, err := reader.Session(ctx, cp, i)
		if err != nil {
			return nil, cliui.Failf("", "share: session %d of checkpoint %s: %w", i+1, cp, err)
		}
		s.Parts = append(s.Parts, partOf(content))
	}
	commits, err := workplace.CommitsOf(ctx, f.l.Wp.Repo, cp, false)
	if err == nil && len(commits) == 0 {
		commits, err = workplace.CommitsOf(ctx, f.l.Wp.Repo, cp, true)
	}
	if err != nil || len(commits) == 0 {
		return s, err
	}
	d, err := f.tl.Details(ctx, commits[0].ID)
	if err != nil {
		return nil, err
	}
	s.Title, s.Commit, s.When = view.Title(d.Point), d.ID, d.When
	return s, f.change(ctx, s, d)
}

// partOf returns what a checkpoint has of a session: what was said since the checkpoint before it.
func partOf(c *records.SessionContent) part {
	m := c.Metadata
	p := part{Session: m.SessionID, Agent: m.Agent}
	start := m.GetTranscriptStart()
	var said []conversation.Passage
	for _, one := range conversation.Passages(m.Agent, c.Transcript) {
		if one.Item >= start {
			said, p.Model = append(said, one), cmp.Or(one.Model, p.Model)
		}
	}
	if len(said) == 0 { // an agent without a transcript that we read
		for _, text := range metadata.SplitPrompts(c.Prompts) {
			p.add(agent.Message{Role: agent.RoleUser, Content: text})
		}
	}
	p.addPassages(said)
	return p
}

// addPassages adds what was said, without thoughts.
func (p *part) addPassages(passages []conversation.Passage) {
	for _, one := range passages {
		m := agent.Message{Timestamp: one.Time, AgentID: one.Chain, Role: agent.RoleAssistant, Content: one.Text}
		switch one.Kind {
		case conversation.PromptPassage:
			m.Role = agent.RoleUser
		case conversation.TextPassage:
		case conversation.CallPassage:
			m.Content = ""
			call := one.Call
			call.ID = cmp.Or(call.ID, one.CallID)
			m.ToolCalls = []agent.ToolUse{call}
		case conversation.ResultPassage:
			m.Role, m.ToolCallID, m.IsError = agent.RoleTool, one.CallID, one.Failed
		default:
			continue
		}
		p.add(m)
	}
}

func (p *part) add(m agent.Message) {
	p.Said = append(p.Said, view.Said{SaidEntry: sessionlib.SaidEntry{Message: m}})
}

// sessionNamed returns a whole session.
func sessionNamed(ctx context.Context, l *sessionlib.Library, name string) (*subject, error) {
	found, err := l.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	s := &subject{Kind: kindSession, ID: found.ID, Title: sessionlib.TitleOf(found), When: found.Updated, Tokens: found.Tokens, Branch: strings.Join(found.Branches, ", ")}
	p := part{Session: found.ID, Agent: found.Agent, Model: found.Model}
	for m, err := range l.Entries(ctx, found, false) {
		one := view.Said{SaidEntry: m}
		if bad := sessionlib.BadLine(err); bad != nil {
			one.Bad = "this message is damaged"
		} else if err != nil {
			return nil, err
		}
		p.Said = append(p.Said, one)
	}
	if len(p.Said) == 0 {
		return nil, cliui.Failf("`entire sessions show "+cliui.ShellWord(found.ID)+"` says what is known of it", "share: no conversation of session %s is stored here", cliui.ShownSession(found.ID))
	}
	s.Parts = []part{p}
	return s, nil
}
