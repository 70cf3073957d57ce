package logcmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"entire/agent"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/term"
)

// A checkpointView is a stored checkpoint, and its JSON form.
type checkpointView struct {
	Kind     string                   `json:"kind"` // "checkpoint"
	ID       string                   `json:"checkpoint_id"`
	Created  time.Time                `json:"created_at"`
	Branch   string                   `json:"branch,omitempty"`
	Tokens   *agent.TokenUsage        `json:"token_usage,omitempty"`
	Files    []string                 `json:"files_touched"`
	Commits  []workplace.LinkedCommit `json:"commits"`
	Sessions []recordView             `json:"sessions"`
	Point    *pointView               `json:"commit,omitempty"` // of its newest commit
	Problems []string                 `json:"problems,omitempty"`
}

// A recordView is what a checkpoint stores of one session.
type recordView struct {
	Session string                       `json:"session_id"`
	Agent   agent.AgentType              `json:"agent,omitempty"`
	Prompts []string                     `json:"prompts"`
	Files   []string                     `json:"files_touched"`
	Tokens  *agent.TokenUsage            `json:"token_usage,omitempty"`
	Lines   *metadata.InitialAttribution `json:"initial_attribution,omitempty"`
	Intent  string                       `json:"intent,omitempty"` // of its summary
}

func (s shower) checkpoint(ctx context.Context, cp id.CheckpointID) error {
	reader := records.NewReader(s.wp.Repo)
	stored, err := reader.Read(ctx, cp)
	if err != nil {
		return err
	}
	prompts, err := reader.Prompts(ctx, []id.CheckpointID{cp})
	if err != nil {
		return err
	}
	v := viewCheckpoint(cp, stored, prompts[cp])
	commits, err := s.commitsOf(ctx, cp)
	if err != nil {
		v.Problems = append(v.Problems, fmt.Sprintf("find its commits: %v", err))
	}
	v.Commits = cliui.NotNil(commits)
	if len(commits) > 0 && s.o.diff {
		d, err := s.tl.Details(ctx, commits[0].ID)
		if err != nil {
			return err
		}
		v.Point = &pointView{Details: d, Listed: d.Index >= 0, Said: []saidView{}}
		if err := s.addPatch(ctx, v.Point); err != nil {
			return err
		}
	}
	if s.o.json {
		return s.env.PrintJSON(v)
	}
	return s.env.Show(ctx, s.checkpointText(v), s.o.noPage)
}

// commitsOf finds the commits of a checkpoint, on this branch or else anywhere.
func (s shower) commitsOf(ctx context.Context, cp id.CheckpointID) ([]workplace.LinkedCommit, error) {
	commits, err := workplace.CommitsOf(ctx, s.wp.Repo, cp, false)
	if err == nil && len(commits) == 0 {
		return workplace.CommitsOf(ctx, s.wp.Repo, cp, true)
	}
	return commits, err
}

func viewCheckpoint(cp id.CheckpointID, stored records.StoredCheckpoint, prompts []string) checkpointView {
	info := stored.Info()
	v := checkpointView{Kind: "checkpoint", ID: cp.String(), Created: info.CreatedAt, Branch: stored.Summary.Branch, Tokens: stored.Usage(),
		Files: cliui.NotNil(stored.Summary.FilesTouched), Sessions: []recordView{}}
	if stored.Err != nil {
		v.Problems = append(v.Problems, stored.Err.Error())
	}
	for i, one := range stored.Sessions {
		if one.Err != nil {
			v.Problems = append(v.Problems, fmt.Sprintf("session %d: %v", i, one.Err))
			continue
		}
		m := one.Metadata
		if m.Unlisted && m.Locked() {
			v.Problems = append(v.Problems, fmt.Sprintf("session %d: agent, files and tokens are encrypted, and no private key here opens them (`entire recipients` lists whose do)", i))
		}
		r := recordView{Session: m.SessionID, Agent: m.Agent, Files: cliui.NotNil(m.FilesTouched), Tokens: m.TokenUsage, Lines: m.InitialAttribution, Prompts: []string{}}
		if i < len(prompts) {
			r.Prompts = cliui.NotNil(metadata.SplitPrompts(prompts[i]))
		}
		if m.Summary != nil {
			r.Intent = m.Summary.Intent
		}
		v.Sessions = append(v.Sessions, r)
	}
	return v
}

func (s shower) checkpointText(v checkpointView) string {
	var b strings.Builder
	t := s.env.Screen()
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%s %s\n", t.Styled(term.Strong, name+":"), fmt.Sprintf(format, args...))
	}
	line("Checkpoint", "%s", v.ID)
	line("Made", "%s (%s)", v.Created.Local().Format("Mon 2 Jan 2006 15:04:05 -0700"), cliui.Ago(s.env.Now().Sub(v.Created)))
	if v.Branch != "" {
		line("On", "%s", cliui.ShownLine(v.Branch))
	}
	for _, c := range v.Commits {
		line("Commit", "%s  %s", c.Short(), cliui.ShownLine(c.Message))
	}
	if v.Tokens != nil {
		line("Tokens", "%s", tokenWords(*v.Tokens))
	}
	if len(v.Files) > 0 {
		line("Files", "%s", cliui.SomeNames(v.Files))
	}
	for _, r := range v.Sessions {
		b.WriteString("\n")
		line("Session", "%s (%s)", cliui.ShownLine(r.Session), cliui.ShownLine(string(cliui.AgentOr(r.Agent))))
		if r.Intent != "" {
			line("Intent", "%s", cliui.ShownLine(r.Intent))
		}
		if r.Lines != nil && r.Lines.TotalCommitted > 0 {
			line("Lines", "%.0f%% agent (%d of %d added)", r.Lines.AgentPercentage, r.Lines.AgentLines, r.Lines.TotalCommitted)
		}
		for _, prompt := range r.Prompts {
			b.WriteString("\n")
			indented(&b, "    ", cliui.Printable(prompt), "    ")
		}
	}
	for _, problem := range v.Problems {
		fmt.Fprintf(&b, "\nwarning: %s\n", cliui.ShownLine(problem))
	}
	b.WriteString("\n")
	if v.Point != nil {
		b.WriteString(statText(v.Point.Changes, t) + "\n" + s.patchText(v.Point.Patch))
	} else if len(v.Commits) > 0 {
		fmt.Fprintf(&b, "Its commit:     entire show %s --diff\n", v.Commits[0].Short())
	}
	for _, r := range v.Sessions {
		fmt.Fprintf(&b, "What was said:  entire sessions show %s --messages\n", cliui.ShellWord(cliui.ShownSession(r.Session)))
	}
	return b.String()
}
