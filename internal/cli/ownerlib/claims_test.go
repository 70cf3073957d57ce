package ownerlib

import (
	"testing"

	"entire/internal/git"
)

// A commit's own words make a claim only where an agent or a bot signs them.
func TestClaimOf(t *testing.T) {
	t.Parallel()
	const claude = "Co-Authored-By: Claude Opus <noreply@anthropic.com>\n"
	for _, c := range []struct {
		name, author, email, message, want string
	}{
		{"a person", "Ann", "ann@example.com", "work\n", ""},
		{"a co-author", "Ann", "ann@example.com", "work\n\n" + claude, "co-author Claude Opus Claude Code"},
		{"above a forge's paragraph", "Ann", "ann@example.com", "work\n\n" + claude + "\nReviewed-by: Bob <bob@example.com>\n", "co-author Claude Opus Claude Code"},
		{"a person of that name", "Ann", "ann@example.com", "work\n\nCo-authored-by: Claude <claude@example.com>\n", ""},
		{"an agent as author", "Cursor Agent", "cursoragent@cursor.com", "work\n", "author Cursor Agent Cursor"},
		{"a bot", "dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com", "bump\n", "author dependabot[bot] "},
		{"a bot with an agent", "ci[bot]", "1+ci[bot]@users.noreply.github.com", "bump\n\n" + claude, "co-author Claude Opus Claude Code"},
		{"assisted", "Ann", "ann@example.com", "work\n\nAssisted-by: claude-code:opus\n", "assisted-by claude-code:opus Claude Code"},
		{"assisted by something else", "Ann", "ann@example.com", "work\n\nAssisted-by: coffee\n", ""},
		{"a quoted trailer is none", "Ann", "ann@example.com", "Revert \"x\"\n\n> " + claude, ""},
	} {
		commit := git.Commit{Message: c.message}
		commit.Author.Name, commit.Author.Email = c.author, c.email
		got := ""
		if claim := claimOf(commit); claim != nil {
			got = claim.By + " " + claim.Name + " " + claim.Agent
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if unrecorded("recorded") || unrecorded(notedReason) || !unrecorded("no-agent-work") {
		t.Error("the wrong evidence gives way")
	}
}
