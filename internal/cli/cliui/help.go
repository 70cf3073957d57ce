package cliui

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"entire/internal/term"
)

const (
	helpWidth = 80 // of help without a terminal; the texts are laid out for it
	narrow    = 20 // the least width for a column of text
	NameWidth = 13 // of a command in a list
)

// A helpGroup is a heading of the help with the names of its commands.
type helpGroup struct {
	Title string
	Names []string
}

// HelpGroups are the commands by purpose, the most important first. Commands that are neither here nor
// in Also are hidden: they are former names, and what programs call.
var HelpGroups = []helpGroup{
	{"See", []string{"log", "show", "search", "status", "web"}},
	{"Go back", []string{"save", "rewind", "undo", "redo", "restore"}},
	{"Who wrote it, and why", []string{"blame", "why", "report"}},
	{"Sessions", []string{"sessions", "resume", "share"}},
	{"Repair", []string{"doctor"}},
	{"Set up", []string{"enable", "disable", "agent", "acp", "mcp", "guard", "watch", "rescue", "notes", "statusline", "demo"}},
}

// Also are commands that a sentence below the groups names, so that the groups can be held in mind.
var Also = []string{"agent-help", "audit", "hub", "review", "recap", "recipients", "redact", "usage", "export", "config"}

// ShowHelp prints the help of a command in the width of the terminal.
func (env *Env) ShowHelp(cmd *cobra.Command, _ []string) {
	io.WriteString(env.Out, HelpText(cmd, env.Screen(), env.Width()))
}

// HelpText returns the help of a command in lines of at most width columns; 0 means helpWidth.
func HelpText(cmd *cobra.Command, t term.Terminal, width int) string {
	if width <= 0 {
		width = helpWidth
	}
	h := helpWriter{t: t, width: max(width, narrow)}
	about := cmd.Long
	if about == "" {
		about = cmd.Short + "."
	}
	h.paragraphs(about)
	if !cmd.HasParent() {
		h.root(cmd)
		return h.String()
	}
	h.title("Usage:")
	h.wrapped(cmd.UseLine(), "  ", "      ")
	if now := Now(cmd); now != "" {
		h.title("Now called:")
		h.wrapped(now, "  ", "  ")
	}
	if len(cmd.Aliases) > 0 {
		h.title("Also called:")
		h.wrapped(strings.Join(cmd.Aliases, ", "), "  ", "  ")
	}
	if cmd.HasExample() {
		h.title("Examples:")
		h.asIs(cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		h.subcommands(cmd)
	}
	if cmd.HasAvailableLocalFlags() {
		h.flagGroups(cmd.LocalFlags())
	}
	return h.String()
}

// subcommands writes the commands below cmd, in its groups if it has any.
func (h *helpWriter) subcommands(cmd *cobra.Command) {
	of := map[string][]*cobra.Command{}
	for _, sub := range cmd.Commands() {
		of[sub.GroupID] = append(of[sub.GroupID], sub)
	}
	for _, group := range cmd.Groups() {
		h.title(group.Title + ":")
		h.commands(of[group.ID])
	}
	if slices.ContainsFunc(of[""], (*cobra.Command).IsAvailableCommand) {
		h.title("Commands:")
		h.commands(of[""])
	}
}

// flagGroups writes the flags, each below the title that GroupFlags gave it.
func (h *helpWriter) flagGroups(set *pflag.FlagSet) {
	groups := ShownFlags(set)
	column := 0
	for _, group := range groups {
		for _, f := range group.Flags {
			column = max(column, utf8.RuneCountInString(flagName(f))+3)
		}
	}
	for _, group := range groups {
		h.title(group.Title + ":")
		h.flags(group.Flags, column)
	}
}

// A TitledFlags is a title of the help with the flags below it.
type TitledFlags struct {
	Title string
	Flags []*pflag.Flag
}

// ShownFlags returns the flags that help shows, in its order.
func ShownFlags(set *pflag.FlagSet) []TitledFlags {
	const rest = "Flags"
	of := map[string][]*pflag.Flag{}
	set.VisitAll(func(f *pflag.Flag) {
		title := rest
		if group := f.Annotations[groupKey]; group != nil {
			title = group[0]
		}
		if !f.Hidden {
			of[title] = append(of[title], f)
		}
	})
	var groups []TitledFlags
	for title, flags := range of {
		slices.SortStableFunc(flags, func(a, b *pflag.Flag) int { return cmp.Compare(placeOf(a), placeOf(b)) })
		groups = append(groups, TitledFlags{title, flags})
	}
	slices.SortFunc(groups, func(a, b TitledFlags) int { return cmp.Compare(placeOf(a.Flags[0]), placeOf(b.Flags[0])) })
	return groups
}

// placeOf returns the place of a flag's group, and of the flag in it. Flags of no group come last.
func placeOf(f *pflag.Flag) string {
	if group := f.Annotations[groupKey]; len(group) > 1 {
		return group[1]
	}
	return "last"
}

// flagName returns a flag as help names it.
func flagName(f *pflag.Flag) string {
	value, _ := pflag.UnquoteUsage(f)
	name := strings.TrimRight("      --"+f.Name+" "+value, " ")
	if f.Shorthand != "" {
		name = "  -" + f.Shorthand + ", " + name[6:]
	}
	return name
}

// FlagText returns what a flag does, and its default.
func FlagText(f *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(f)
	value := f.DefValue
	switch kind := f.Value.Type(); {
	case kind == "string" && value != "":
		text += fmt.Sprintf(" (default %q)", value)
	case kind == "int" && value != "0":
		text += fmt.Sprintf(" (default %s)", value)
	case kind == "duration" && value != "0s": // as 24h0m0s
		value = strings.Replace(strings.Replace(value, "m0s", "m", 1), "h0m", "h", 1)
		text += fmt.Sprintf(" (default %s)", value)
	}
	return text
}

// A helpWriter lays out help.
type helpWriter struct {
	strings.Builder
	t     term.Terminal
	width int
}

func (h *helpWriter) title(text string) {
	h.WriteString("\n" + h.t.Styled(term.Strong, text) + "\n")
}

func (h *helpWriter) root(cmd *cobra.Command) {
	h.title("Usage:")
	h.wrapped("entire COMMAND [flags]", "  ", "      ")
	for _, group := range HelpGroups {
		h.title(group.Title)
		var commands []*cobra.Command
		for _, name := range group.Names {
			if sub, _, err := cmd.Find([]string{name}); err == nil {
				commands = append(commands, sub)
			}
		}
		h.commands(commands)
	}
	h.WriteString("\n")
	h.wrapped("`entire help COMMAND` says more. There are also `entire review`, which says what to read first in a change, `recap`, what was asked and done, `usage`, what tokens cost, `export`, which sends them to OpenTelemetry, `audit`, which proves what is stored, `redact`, which finds secrets in it, `recipients`, which encrypts it, `config`, which changes settings, `hub`, which serves many repositories, `agent-help`, which tells an agent what it can ask, `version`, and `completion`, with which your shell completes commands and IDs.", "", "")
}

func (h *helpWriter) commands(list []*cobra.Command) {
	for _, cmd := range list {
		if cmd.IsAvailableCommand() {
			h.wrapped(cmd.Short, fmt.Sprintf("  %-*s", NameWidth, cmd.Name()), strings.Repeat(" ", NameWidth+2))
		}
	}
}

// flags writes the flags, their names in a column; on a narrow screen, each on a line of its own.
func (h *helpWriter) flags(list []*pflag.Flag, column int) {
	for _, f := range list {
		text := FlagText(f)
		if column+narrow < h.width {
			h.wrapped(text, fmt.Sprintf("%-*s", column, flagName(f)), strings.Repeat(" ", column))
			continue
		}
		h.WriteString(flagName(f) + "\n")
		h.wrapped(text, "          ", "          ")
	}
}

// paragraphs writes texts that empty lines separate. A paragraph whose lines fit stays as it is
// laid out.
func (h *helpWriter) paragraphs(text string) {
	for i, p := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			h.WriteString("\n")
		}
		if fits(p, h.width) || strings.HasPrefix(p, " ") {
			h.asIs(p)
		} else {
			h.wrapped(p, "", "")
		}
	}
}

func fits(text string, width int) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if utf8.RuneCountInString(line) > width {
			return false
		}
	}
	return true
}

// asIs writes lines unchanged if they fit, and wraps the others.
func (h *helpWriter) asIs(text string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		switch column := columnIn(line); {
		case fits(line, h.width):
			h.WriteString(line + "\n")
		case column > 0 && column+narrow < h.width:
			h.wrapped(line[column:], line[:column], strings.Repeat(" ", column))
		default:
			h.wrapped(line, "  ", "      ")
		}
	}
}

// columnIn returns where the second column of a line of a table begins, 0 for a line with a comment or none.
func columnIn(line string) int {
	begun := len(line) - len(strings.TrimLeft(line, " "))
	gap := strings.Index(line[begun:], "  ")
	if gap < 0 || strings.Contains(line, "#") {
		return 0
	}
	rest := line[begun+gap:]
	return begun + gap + len(rest) - len(strings.TrimLeft(rest, " "))
}

// wrapped writes text in lines, the first with one prefix and the others with another. It breaks
// no word.
func (h *helpWriter) wrapped(text, first, others string) {
	line, room := first, h.width
	begun := false
	for _, word := range strings.Fields(text) {
		if begun && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > room {
			h.WriteString(strings.TrimRight(line, " ") + "\n")
			line, begun = others, false
		}
		if begun {
			line += " "
		}
		line += word
		begun = true
	}
	h.WriteString(line + "\n")
}
