package ownerlib

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/attribution"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/lineage"
	"entire/internal/review"
)

// claimOf returns what a commit says of an agent or a bot that made it, nil if it says nothing. An agent
// counts more than another bot.
func claimOf(c git.Commit) *review.Claim {
	if a, ok := agents.Signer(c.Author.Email); ok {
		return &review.Claim{By: review.ByAuthor, Name: c.Author.Name, Agent: string(a.Type())}
	}
	var bot *review.Claim
	if agents.IsBot(c.Author.Name, c.Author.Email) {
		bot = &review.Claim{By: review.ByAuthor, Name: c.Author.Name}
	}
	for line := range strings.Lines(c.Message) {
		key, value, found := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !found || value == "" {
			continue
		}
		switch {
		case strings.EqualFold(key, "Co-authored-by"):
			name, email := nameAndMail(value)
			if a, ok := agents.Signer(email); ok {
				return &review.Claim{By: review.ByCoAuthor, Name: name, Agent: string(a.Type())}
			}
			if bot == nil && agents.IsBot(name, email) {
				bot = &review.Claim{By: review.ByCoAuthor, Name: name}
			}
		case strings.EqualFold(key, "Assisted-by"):
			if a, ok := agentCalled(value); ok {
				return &review.Claim{By: review.ByAssisted, Name: value, Agent: string(a.Type())}
			}
		}
	}
	return bot
}

// nameAndMail splits "Name <address>".
func nameAndMail(value string) (name, email string) {
	name, email, _ = strings.Cut(value, "<")
	email, _, _ = strings.Cut(email, ">")
	return strings.TrimSpace(name), email
}

// agentCalled returns the agent that "AGENT:MODEL" or "AGENT" means.
func agentCalled(value string) (agent.Agent, bool) {
	word, _, _ := strings.Cut(value, ":")
	word = strings.TrimSpace(word)
	all := agents.All()
	i := slices.IndexFunc(all, func(a agent.Agent) bool {
		return a.Type() != agent.AgentTypeUnknown && (strings.EqualFold(word, string(a.Type())) || strings.EqualFold(word, string(a.Name())))
	})
	if i < 0 {
		return nil, false
	}
	return all[i], true
}

// claimedReason is the evidence of lines whose author is unknown because nothing was recorded, while their commit names an
// agent or a bot.
const claimedReason = lineage.Evidence(review.Claimed)

// applyClaims makes the lines of an unknown author whose owner follows from no record, and whose commit names an agent
// or a bot. It keeps the name as the owner's agent.
func applyClaims(ctx context.Context, wp *workplace.Workplace, lines []lineage.Line) error {
	claims := map[git.OID]*review.Claim{}
	var specs []string
	for i := range lines {
		l := &lines[i]
		if _, asked := claims[l.Commit]; unrecorded(l.Evidence) && !l.Commit.IsZero() && !asked {
			claims[l.Commit], specs = nil, append(specs, l.Commit.String())
		}
	}
	if len(specs) == 0 {
		return nil
	}
	objs, err := wp.Repo.Reader(ctx).Objects(specs...)
	if err != nil {
		return err
	}
	for _, o := range objs {
		if c, err := git.ParseCommit(o.OID, o.Data); err == nil && o.Type == "commit" {
			claims[o.OID] = claimOf(c)
		}
	}
	for i := range lines {
		l := &lines[i]
		if c := claims[l.Commit]; c != nil && unrecorded(l.Evidence) {
			l.Origin = lineage.Origin{Owner: attribution.RecordOwner{Class: attribution.ClassUnknown, Agent: cmp.Or(c.Agent, c.Name)}, Evidence: claimedReason}
		}
	}
	return nil
}

// unrecorded reports whether the owner of a line follows from no record: what the commit says of itself then
// counts more than that no hook saw an agent.
func unrecorded(e lineage.Evidence) bool {
	return slices.Contains([]lineage.Evidence{lineage.None, lineage.NotEnabled, lineage.NoAgentWork}, e)
}
