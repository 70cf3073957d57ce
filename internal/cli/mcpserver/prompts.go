package mcpserver

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"entire/agent"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/timeline"
)

// addPrompts offers the prompts that begin a conversation.
func (t *tools) addPrompts(s *mcp.Server) {
	s.AddPrompt(&mcp.Prompt{Name: "continue", Title: "Continue where we were", Description: "What was asked and done last in this project."},
		func(ctx context.Context, _ *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return t.prompt(ctx, "Continue where we were. Say in two sentences what was being done and what is open, then ask me how to go on.\n\n", t.lastWork)
		})
	s.AddPrompt(&mcp.Prompt{Name: "explain_commit", Title: "Explain this commit", Description: "What a commit did, and which prompts led to it.",
		Arguments: []*mcp.PromptArgument{{Name: "commit", Description: "the commit's ID or name; HEAD if left out"}}},
		func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return t.prompt(ctx, "Explain this commit: what it changes and why, by the prompts that led to it.\n\n", func(ctx context.Context) (string, error) {
				return t.commit(ctx, req.Params.Arguments["commit"])
			})
		})
}

// prompt returns a request with what it is about. If that cannot be found, the request says why.
func (t *tools) prompt(ctx context.Context, request string, about func(context.Context) (string, error)) (*mcp.GetPromptResult, error) {
	text, err := t.alone(ctx, func() (string, error) { return about(ctx) })
	if err != nil {
		text = failure(err)
	}
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: cut(request+text, usualTokens)}}}}, nil
}

// lastWork returns the last prompts and answers of the newest session, and the newest points.
func (t *tools) lastWork(ctx context.Context) (text string, err error) {
	var p page
	err = sessionlib.WithLibrary(ctx, t.env, func(l *sessionlib.Library) error {
		all, err := l.Here(ctx)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			p.say("No session has been recorded in this project yet.\n")
			return nil
		}
		newest := all[0]
		for _, s := range all[1:] {
			if s.Updated.After(newest.Updated) {
				newest = s
			}
		}
		part, total, err := t.part.Part(ctx, l, newest, 0, 60)
		if err != nil {
			return err
		}
		p.say(fmt.Sprintf("session %s, %s, %d messages, titled %s\n", newest.ID, cliui.AgentOr(newest.Agent), total, named(sessionlib.TitleOf(newest), 30)))
		sayLast(&p, cliui.ShownSession(newest.ID), part)
		return nil
	})
	if err == nil {
		err = t.sayNewest(ctx, &p)
	}
	return p.String(), err
}

// sayLast quotes the last prompts of a part of a session, and what the agent said last.
func sayLast(p *page, id string, part []sessionlib.NumberedEntry) {
	const prompts, room = 3, 150
	var asked []sessionlib.NumberedEntry
	answer := -1
	for i, e := range part {
		switch {
		case e.Role == agent.RoleUser && !e.Injected && e.ToolCallID == "" && e.Content != "":
			asked = append(asked, e)
		case e.Role == agent.RoleAssistant && e.Content != "":
			answer = i
		}
	}
	for _, e := range asked[max(len(asked)-prompts, 0):] {
		p.say(fmt.Sprintf("%s#%d asked\n", id, e.Number))
		p.quote(e.Content, room)
	}
	if answer >= 0 {
		p.say(fmt.Sprintf("%s#%d the agent's last words\n", id, part[answer].Number))
		p.quote(part[answer].Content, 3*room)
	}
}

// sayNewest lists the newest points, in a repository.
func (t *tools) sayNewest(ctx context.Context, p *page) error {
	if !t.inRepository() {
		return nil
	}
	return t.inPast(ctx, func(_ *workplace.Workplace, tl *timeline.Timeline) error {
		w, err := tl.Window(ctx, 0, 6)
		if err != nil || len(w.Points) == 0 {
			return err
		}
		p.say("the newest points\n")
		for _, pt := range w.Points {
			sayPoint(p, pt, titleCost)
		}
		return nil
	})
}

// commit returns what is known of a commit.
func (t *tools) commit(ctx context.Context, name string) (text string, err error) {
	if name == "" {
		name = "HEAD"
	}
	err = t.inPast(ctx, func(wp *workplace.Workplace, tl *timeline.Timeline) error {
		m, err := wp.MeaningOf(ctx, name)
		if err != nil {
			return err
		}
		c, err := wp.CommitMeant(ctx, m)
		if err != nil {
			return err
		}
		d, err := tl.Details(ctx, c.OID.String())
		if err == nil {
			text = detailsText(d, usualTokens-100)
		}
		return err
	})
	return text, err
}
