package agents

import (
	"slices"
	"strings"

	"entire/agent"
)

// githubMail ends the address that GitHub gives an account, as in 12345+LOGIN@users.noreply.github.com.
const githubMail = "@users.noreply.github.com"

// Signer returns the agent that signs commits with this e-mail address.
func Signer(email string) (agent.Agent, bool) {
	email = strings.ToLower(strings.TrimSpace(email))
	login := githubLogin(email)
	for _, a := range All() {
		s := a.Profile().Signs
		if slices.Contains(s.Emails, email) || login != "" && slices.Contains(s.Logins, login) {
			return a, true
		}
	}
	return nil, false
}

// IsBot reports whether a commit's author is an account that no person has: one of GitHub's with [bot] in its
// name, or one that GitLab makes for an access token of a project or a group.
func IsBot(name, email string) bool {
	name, email = strings.ToLower(strings.TrimSpace(name)), strings.ToLower(strings.TrimSpace(email))
	if strings.HasSuffix(name, "[bot]") || strings.HasSuffix(githubLogin(email), "[bot]") {
		return true
	}
	local, host, _ := strings.Cut(email, "@")
	kind, rest, _ := strings.Cut(local, "_")
	number, rest, _ := strings.Cut(rest, "_")
	return (kind == "project" || kind == "group") && number != "" && strings.Trim(number, "0123456789") == "" &&
		(rest == "bot" || strings.HasPrefix(rest, "bot_")) && strings.HasPrefix(host, "noreply.")
}

// githubLogin returns the account of an address that GitHub gave, in lower case, or "".
func githubLogin(email string) string {
	login, ok := strings.CutSuffix(strings.ToLower(email), githubMail)
	if !ok {
		return ""
	}
	if number, rest, found := strings.Cut(login, "+"); found && strings.Trim(number, "0123456789") == "" {
		login = rest
	}
	return login
}
