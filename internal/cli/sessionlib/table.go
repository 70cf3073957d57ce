package sessionlib

import (
	"path/filepath"
	"strings"
	"time"

	"entire/agent/agents"
	"entire/internal/cli/cliui"
	"entire/internal/term"
)

// ForkMark precedes the title of a fork.
const ForkMark = "↳ "

// A terminal of less than modelColumns has no room for a column with the model beside the titles.
const (
	modelColumns = 120
	modelWidth   = 20
)

// agentWidth bounds the name that an agent without an adapter gave itself.
const agentWidth = 12

// SessionTable returns a table of sessions for people. On a narrow terminal it leaves out the model.
func SessionTable(all []ListedSession, t term.Terminal, width int, now time.Time, projects bool) string {
	short := ShortNames(all)
	header := []string{"ID", "AGENT", "STATE", "WHEN", "MSGS", "TURNS", "TOKENS"}
	models := width == 0 || width >= modelColumns
	if models {
		header = append(header, "MODEL")
	}
	if projects {
		header = append(header, "FOLDER")
	}
	rows := [][]term.Cell{cliui.FaintRow(t, append(header, "TITLE"))}
	for _, s := range all {
		row := term.Plain(short[s.ID], AgentWord(s), s.State, cliui.ShortAge(now.Sub(s.Updated), s.Updated),
			cliui.ShortNumber(s.Messages), cliui.ShortNumber(s.Turns), cliui.ShortNumber(s.Tokens))
		row[0].Style = func(text string) string { return t.Styled(term.Strong, text) }
		row[2].Style = stateStyle(t, s.State)
		if models {
			row = append(row, term.Cell{Text: modelWord(s)})
		}
		if projects {
			row = append(row, term.Cell{Text: term.Cut(cliui.ShownLine(filepath.Base(filepath.ToSlash(s.Folder))), 16)})
		}
		rows = append(rows, append(row, term.Cell{Text: TaggedTitle(s)}))
	}
	return term.Columns(rows, width, 4, 5, 6)
}

func stateStyle(t term.Terminal, state string) func(string) string {
	switch state {
	case StateActive:
		return func(text string) string { return t.Styled(term.Good, text) }
	case stateEnded:
		return func(text string) string { return t.Styled(term.Faint, text) }
	}
	return nil
}

func TitleOf(s ListedSession) string {
	title := cliui.ShortLine(s.Title, cliui.PromptRunes)
	if title == "" {
		title = "(no prompt)"
	}
	if s.Parent != "" {
		return ForkMark + title
	}
	return title
}

// TaggedTitle returns a title with the user's tags.
func TaggedTitle(s ListedSession) string {
	title := TitleOf(s)
	for _, tag := range s.Tags {
		title += " #" + cliui.ShownLine(tag)
	}
	return title
}

// AgentWord returns the agent as it fits a table: the first word of an agent that has an adapter, the
// beginning of a name that another gave itself.
func AgentWord(s ListedSession) string {
	if s.Agent == "" {
		return "-"
	}
	if _, known := agents.ByType(s.Agent); known {
		word, _, _ := strings.Cut(string(s.Agent), " ")
		return word
	}
	return term.Cut(cliui.ShownLine(string(s.Agent)), agentWidth)
}

// modelWord returns the model as it fits a table.
func modelWord(s ListedSession) string {
	if s.Model == "" {
		return "-"
	}
	return term.Cut(cliui.ShownLine(s.Model), modelWidth)
}

// ShortNames returns the beginnings of IDs that each identify one of the sessions.
func ShortNames(all []ListedSession) map[string]string {
	ids := make([]string, len(all))
	for i, s := range all {
		ids[i] = s.ID
	}
	return cliui.ShortIDs(ids)
}
