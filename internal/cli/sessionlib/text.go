package sessionlib

import (
	"fmt"
	"slices"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/retention"
	"entire/internal/term"
	"entire/session"
)

// Text returns a session as text for people.
func Text(s ListedSession, t term.Terminal) string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%s: %s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(&b, "Session: %s\nStarted: %s\n", t.Styled(term.Strong, cliui.ShownLine(s.ID)), s.Started.Local().Format("2006-01-02 15:04:05"))
	if !s.Updated.Equal(s.Started) {
		line("Updated", "%s", s.Updated.Local().Format("2006-01-02 15:04:05"))
	}
	titled := s.TitleBy == session.TitledByUser || s.TitleBy == titledBySummary
	if titled {
		line("Title", "%s", cliui.ShownLine(s.Title))
	}
	if s.Description != "" && (!titled || s.Description != s.Title) {
		line("First prompt", "%s", cliui.ShownLine(s.Description))
	}
	state := s.State
	if s.Reason != "" {
		state += " (" + cliui.ShownLine(s.Reason) + ")"
	}
	line("State", "%s", state)
	if s.Agent != "" {
		line("Agent", "%s", strings.TrimSpace(cliui.ShownLine(string(s.Agent))+"  "+t.Styled(term.Faint, cliui.ShownLine(s.Model))))
	}
	if s.Folder != "" {
		line("Folder", "%s", cliui.ShownName(s.Folder))
	}
	if len(s.Branches) > 0 {
		line("Branches", "%s", cliui.ShownLine(strings.Join(s.Branches, ", ")))
	}
	if all := append(slices.Clone(s.Tags), s.AutoTags...); len(all) > 0 {
		line("Tags", "%s", cliui.ShownLine(strings.Join(all, ", ")))
	}
	for _, fact := range AroundLines(s) {
		line(fact[0], "%s", cliui.ShownLine(fact[1]))
	}
	if s.Parent != "" {
		at := ""
		if s.ForkedAt != "" {
			at = " at message " + cliui.ShownLine(cliui.ShortOf(s.ForkedAt, ShortUUID))
		}
		line("Forked from", "%s%s", cliui.ShownLine(s.Parent), at)
	}
	if s.Messages > 0 {
		line("Messages", "%d in %s", s.Messages, cliui.Count(s.Turns, "turn"))
	}
	if s.Rewinds > 0 {
		line("Rewound", "%s; --messages --all shows everything that was said", cliui.Count(s.Rewinds, "time"))
	}
	if s.Tokens > 0 {
		line("Tokens", "%s", tokensText(s))
	}
	line("Kept in", "%s", keptIn(s.Sources))
	if s.Plain > s.Bytes {
		line("On disk", "%s, %s uncompressed", retention.Bytes(s.Bytes), retention.Bytes(s.Plain))
	} else if s.Bytes > 0 {
		line("On disk", "%s", retention.Bytes(s.Bytes))
	}
	writeCheckpoints(&b, s)
	return b.String()
}

func writeCheckpoints(b *strings.Builder, s ListedSession) {
	fmt.Fprintf(b, "Checkpoints: (%d)\n", len(s.Checkpoints))
	for _, c := range s.Checkpoints {
		task := ""
		if c.IsTask {
			task = "[Task] "
		}
		fmt.Fprintf(b, "  %s  %s  %s%s\n", c.ID, c.Date.Local().Format("2006-01-02 15:04"), task, cliui.ShownLine(c.Message))
	}
}

func tokensText(s ListedSession) string {
	text := fmt.Sprint(s.Tokens)
	if u := s.Usage; u != nil {
		text += fmt.Sprintf(" (input %d, cache %d written %d read, output %d)", u.InputTokens, u.CacheCreationTokens, u.CacheReadTokens, u.OutputTokens)
	}
	if s.CostUSD > 0 {
		text += fmt.Sprintf(", $%.2f", s.CostUSD)
	}
	return text
}

// keptIn returns the sources of a session in words.
func keptIn(sources []string) string {
	words := map[string]string{InStore: "the store on this machine", InState: "this repository's sessions", InGit: "the metadata branch"}
	var out []string
	for _, s := range sources {
		out = append(out, words[s])
	}
	return strings.Join(out, ", ")
}
