package statuslib

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/review"
	"entire/internal/term"
)

// Text returns the status as text for people.
func (v *Status) Text(env *cliui.Env, detailed bool) string {
	var b strings.Builder
	t := env.Screen()
	on, off := t.Styled(term.Good, "Enabled"), t.Styled(term.Bad, "Disabled")
	switch {
	case v.Folder != "" && v.Enabled:
		b.WriteString(on + " (files and conversations: not a git repository)\n")
	case v.Folder != "":
		b.WriteString(off + " (files and conversations: not a git repository)\n")
	case !v.Repository:
		return "✕ not a git repository\n"
	case v.Bare:
		return "○ a bare repository has no files to keep (run entire in one of its worktrees)\n"
	case v.GitFolder:
		where, worktree := workplace.NoWorktree(env)
		return fmt.Sprintf("○ this folder is %s (run entire in %s)\n", where, worktree)
	case !v.SetUp:
		return "○ not set up (run `entire enable` to get started)\n"
	case v.Enabled:
		fmt.Fprintf(&b, "%s (%s)\n", on, v.Strategy)
	default:
		fmt.Fprintf(&b, "%s (%s)\n", off, v.Strategy)
	}
	if detailed {
		b.WriteString("\n")
		for _, s := range v.Settings {
			fmt.Fprintf(&b, "%s, %s (%s)\n", scopeOf(s.File), enabledWord(s.Enabled), s.Strategy)
		}
	}
	v.writeAgents(&b, t, env.Now())
	v.writeGuard(&b, t)
	v.writeEncryption(&b, t)
	active, ended := v.byEnd()
	writeSessions(&b, t, "Active Sessions", active, env.Now())
	writeSessions(&b, t, "Ended Sessions with work that is not committed", ended, env.Now())
	v.writeUnnamed(&b)
	v.writeProblems(&b, t)
	v.writeUnfollowed(&b)
	v.writeGaps(&b)
	v.writeLeftAlone(&b)
	v.writeStore(&b)
	if next := v.next(); next != "" {
		fmt.Fprintf(&b, "\n%s %s\n", t.Styled(term.Strong, "Next:"), next)
	}
	return b.String()
}

// next returns the most useful next command, "" for none; a problem has its own hint.
func (v *Status) next() string {
	pending := slices.ContainsFunc(v.Sessions, func(s ActiveSession) bool { return len(s.Files) > 0 && s.Here })
	switch {
	case !v.Enabled:
		return "`entire enable` saves turns and links commits again"
	case len(v.Problems) > 0 || v.Folder != "":
		return ""
	case pending:
		return "`git commit` links this work; `entire rewind` goes back to a turn"
	case v.linked:
		return "`entire log` shows what was asked for and done behind the commits"
	case len(v.Sessions) == 0:
		return "start your agent; what its turns change is saved here"
	}
	return ""
}

func scopeOf(file string) string {
	if file == cliui.SettingsName(config.Local) {
		return "Local"
	}
	return "Project"
}

func enabledWord(on bool) string {
	if on {
		return "enabled"
	}
	return "disabled"
}

// byEnd separates the sessions that have ended from the others.
func (v *Status) byEnd() (active, ended []ActiveSession) {
	for _, s := range v.Sessions {
		if s.Ended == nil {
			active = append(active, s)
		} else {
			ended = append(ended, s)
		}
	}
	return active, ended
}

func writeSessions(b *strings.Builder, t term.Terminal, title string, sessions []ActiveSession, now time.Time) {
	if len(sessions) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", t.Styled(term.Strong, title+":"))
	worktree := ""
	for i, s := range sessions {
		if i == 0 || s.Worktree != worktree {
			worktree = s.Worktree
			fmt.Fprintf(b, "  %s", worktree)
			switch {
			case s.Branch == "?" && !s.Here:
				b.WriteString(" (no worktree any more)")
			case s.Branch != "" && s.Branch != "?":
				fmt.Fprintf(b, " (%s)", s.Branch)
			}
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "    [%s] %s  started %s", s.Agent, cliui.ShownSession(s.ID), cliui.Ago(now.Sub(s.Started)))
		if s.LastInteraction != nil && s.LastInteraction.Sub(s.Started) > time.Minute {
			fmt.Fprintf(b, ", active %s", cliui.Ago(now.Sub(*s.LastInteraction)))
		}
		b.WriteString("\n")
		if s.Prompt != "" {
			fmt.Fprintf(b, "      \"%s\"\n", cliui.ShortLine(s.Prompt, cliui.PromptRunes))
		}
		if facts := s.facts(); facts != "" {
			fmt.Fprintf(b, "      %s\n", t.Styled(term.Faint, facts))
		}
		if len(s.Files) > 0 {
			fmt.Fprintf(b, "      %s not committed yet: %s\n", cliui.Count(len(s.Files), "file"), cliui.SomeNames(s.Files))
		}
	}
}

// facts returns the turns since the commit, the last checkpoint, and the tokens, without those
// that are zero.
func (s ActiveSession) facts() string {
	var facts []string
	if s.Turns > 0 {
		facts = append(facts, cliui.Count(s.Turns, "turn")+" since the commit")
	}
	if s.LastCheckpoint != "" {
		facts = append(facts, "last checkpoint "+s.LastCheckpoint)
	}
	if s.Tokens > 0 {
		facts = append(facts, review.Thousands(s.Tokens)+" tokens")
	}
	return strings.Join(facts, ", ")
}

// writeUnnamed names the newest commits that are linked without a trailer.
func (v *Status) writeUnnamed(b *strings.Builder) {
	for i, c := range v.Unnamed {
		if i == 0 {
			b.WriteString("\nLinked without a trailer (the message does not name the checkpoint):\n")
		}
		if i == cliui.NamesShown {
			fmt.Fprintf(b, "  … and %d more\n", len(v.Unnamed)-i)
			break
		}
		fmt.Fprintf(b, "  %s %s (checkpoint %s)\n", c.Commit[:7], cliui.ShownLine(c.Subject), c.Checkpoint)
	}
}

func (v *Status) writeProblems(b *strings.Builder, t term.Terminal) {
	if len(v.Problems) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", t.Styled(term.Bad, "Problems:"))
	for _, p := range v.Problems {
		fmt.Fprintf(b, "  %s: ", p.Kind)
		if p.Subject != "" {
			fmt.Fprintf(b, "%s: ", cliui.ShownName(p.Subject))
		}
		fmt.Fprintln(b, p.Why)
		if p.Hint != "" {
			fmt.Fprintf(b, "    hint: %s\n", p.Hint)
		}
	}
}

// writeLeftAlone names the refs of another version of Entire.
func (v *Status) writeLeftAlone(b *strings.Builder) {
	if len(v.LeftAlone) == 0 {
		return
	}
	b.WriteString("\nLeft alone:\n")
	for _, k := range v.LeftAlone {
		fmt.Fprintf(b, "  %s: %s\n", cliui.ShownName(k.Path), k.Why)
	}
}
