package attribsuite

import (
	"hash/crc32"
	"os"
	"slices"
	"strings"
	"testing"

	"entire/internal/histories"
)

// oneIn is how many rows there are for one that every agent plays in each run of the tests. With ATTRIBUTION_AGENT,
// TestSuite plays all rows with the sessions of one agent.
const oneIn = 48

// every are the rows that each agent plays in any case: some agent has failed each.
var every = []string{
	"a person commits in mid-turn",
	"a person commits in mid-turn, and the turn's end tells what the agent's calls wrote",
	"a person commits their own file while the agent reads",
	"a person rewrites an agent's lines while one turn is open and another one only looks",
	"a person types in a file that the agent writes anew as a whole",
	"an agent's line thrown away by a person, and written again in the next turn: it is of that turn",
	"beside a command that goes on behind the turn: nobody can tell",
	"two commits in the middle of a turn of commands",
}

// Why an agent's transcript cannot tell what a row needs.
const (
	noOldText  = "its write call does not show what was there"
	mayShowOne = "a transcript without any call may be one that shows none"
	noneBehind = "it runs no command behind a turn"
	notAll     = "its transcript need not show all calls"
)

// untold are the rows that an agent's transcript cannot tell, with the reason.
var untold = map[string]map[string]string{
	"cursor": {
		"a person types in a file that the agent writes anew as a whole":       noOldText,
		"a prompt without an answer, and commits of a person's from an editor": mayShowOne,
		"a prompt without an answer, Esc, and another":                         mayShowOne,
	},
	"opencode": {
		"a person types in a file that the agent writes anew as a whole": noOldText,
		"beside a command that goes on behind the turn: nobody can tell": noneBehind,
	},
	"kilo":  {"beside a command that goes on behind the turn: nobody can tell": noneBehind},
	"cline": {"beside a command that goes on behind the turn: nobody can tell": noneBehind},
	"pi": {
		"a person types in a file that the agent writes anew as a whole": noOldText,
		"beside a command that goes on behind the turn: nobody can tell": noneBehind,
	},
	"generic": {
		"a person types in a file that the agent writes anew as a whole":                                         noOldText,
		"a prompt without an answer, and commits of a person's from an editor":                                   notAll,
		"a prompt without an answer, Esc, and another":                                                           notAll,
		"beside a turn that only reads":                                                                          notAll,
		"two sessions at a time write a file each with a command: the commit of one file names only its session": notAll,
	},
}

// leftOut says why an agent does not play a sequence; "" if it does.
func (s sequence) leftOut(agent string) string {
	if why := untold[agent][s.name]; agent == "" || why != "" {
		return why
	}
	held := false
	for _, statement := range s.statements {
		words := strings.Fields(statement)
		held = held || len(words) == 2 && words[1] == "holds"
		switch {
		case len(words) < 2:
		case held && words[0] == "unlinked" && agent == "generic": // it is linked: the transcript may show no call at all
			return notAll
		case words[1] == "task" || words[1] == "notebook":
			return "its subagents and notebooks have other forms"
		case words[1] == "refused":
			return "its calls are refused in another form"
		case words[1] == "holds" && !histories.DialectOf(agent).MayHold():
			return "its transcript does not wait for the turn's end"
		}
	}
	return ""
}

// TestAgents plays some of the sequences with the sessions of each agent, in the form of its own transcripts.
func TestAgents(t *testing.T) {
	t.Parallel()
	if os.Getenv("ATTRIBUTION_AGENT") != "" {
		t.Skip("TestSuite plays all rows with one agent")
	}
	all := rows(t)
	for i, d := range histories.Dialects {
		if d == histories.Claude {
			continue
		}
		var some []sequence
		for _, s := range all {
			if sum := crc32.ChecksumIEEE([]byte(s.name)); int(sum%oneIn) == i || slices.Contains(every, s.name) {
				some = append(some, s)
			}
		}
		t.Run(d.Agent, func(t *testing.T) {
			t.Parallel()
			playRows(t, some, d.Agent)
		})
	}
}
