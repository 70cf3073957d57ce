package agents_test

import (
	"strings"
	"testing"

	"entire/agent"
	"entire/agent/agents"
)

// An agent is known by the address that it signs with, and nobody else is.
func TestSigner(t *testing.T) {
	t.Parallel()
	for email, want := range map[string]agent.AgentType{
		"noreply@anthropic.com":                                     agent.AgentTypeClaudeCode,
		"NoReply@Anthropic.com ":                                    agent.AgentTypeClaudeCode,
		"209825114+claude[bot]@users.noreply.github.com":            agent.AgentTypeClaudeCode,
		"223556219+Copilot@users.noreply.github.com":                agent.AgentTypeCopilot,
		"198982749+copilot-swe-agent[bot]@users.noreply.github.com": agent.AgentTypeCopilot,
		"cursoragent@cursor.com":                                    agent.AgentTypeCursor,
		"noreply@openai.com":                                        agent.AgentTypeCodex,
		"qwen-coder@alibabacloud.com":                               agent.AgentTypeQwen,
		"138933559+factory-droid[bot]@users.noreply.github.com":     agent.AgentTypeDroid,
		"ann@anthropic.com":                                         "",
		"claude@example.com":                                        "",
		"1+copilot-fan@users.noreply.github.com":                    "",
		"copilot@example.com":                                       "",
		"x+copilot@users.noreply.github.com":                        "",
		"":                                                          "",
	} {
		a, ok := agents.Signer(email)
		if ok != (want != "") || ok && a.Type() != want {
			t.Errorf("%s: %v %v", email, a, ok)
		}
	}
	for _, a := range agents.All() {
		for _, word := range append(a.Profile().Signs.Emails, a.Profile().Signs.Logins...) {
			if word != strings.ToLower(word) || word == "" {
				t.Errorf("%s: %q is not in lower case", a.Name(), word)
			}
		}
	}
}

func TestIsBot(t *testing.T) {
	t.Parallel()
	for author, want := range map[[2]string]bool{
		{"dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com"}: true,
		{"Renovate", "29139614+renovate[bot]@users.noreply.github.com"}:          true,
		{"ci", "project_278964_bot_0a1b2c@noreply.gitlab.com"}:                   true,
		{"ci", "group_7_bot@noreply.git.example"}:                                true,
		{"Ann", "ann@example.com"}:                                               false,
		{"Robot Ann", "robot@example.com"}:                                       false,
		{"Ann", "project_x_bot@noreply.gitlab.com"}:                              false,
		{"Ann", "12+ann@users.noreply.github.com"}:                               false,
	} {
		if got := agents.IsBot(author[0], author[1]); got != want {
			t.Errorf("%v: %v", author, got)
		}
	}
}
