package cliui

import (
	"fmt"
	"io"
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
	title string
	Names []string
}

// HelpGroups are the commands by purpose, the most important first.
var HelpGroups = []helpGroup{
	{"The five to know", []string{"enable", "status", "explain", "rewind", "undo"}},
	{"Begin", []string{"demo", "agent", "acp", "disable"}},
	{"Look", []string{"log", "show", "blame", "why", "attribution", "search", "web", "statusline"}},
	{"Go back", []string{"redo", "restore", "checkpoint", "checkpoints"}},
	{"Sessions", []string{"sessions", "resume"}},
	{"Share", []string{"push", "teleport"}},
	{"Repair", []string{"doctor", "clean", "reset"}},
}

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
	if len(cmd.Aliases) > 0 {
		h.title("Also called:")
		h.wrapped(strings.Join(cmd.Aliases, ", "), "  ", "  ")
	}
	if cmd.HasExample() {
		h.title("Examples:")
		h.asIs(cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		h.title("Commands:")
		h.commands(cmd.Commands())
	}
	if cmd.HasAvailableLocalFlags() {
		h.title("Flags:")
		h.flags(cmd.LocalFlags())
	}
	return h.String()
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
		h.title(group.title)
		var commands []*cobra.Command
		for _, name := range group.Names {
			if sub, _, err := cmd.Find([]string{name}); err == nil {
				commands = append(commands, sub)
			}
		}
		h.commands(commands)
	}
	h.WriteString("\n")
	h.wrapped("`entire help COMMAND` says more. There are also `entire version`, and `entire completion`, with which your shell completes commands and IDs.", "", "")
}

func (h *helpWriter) commands(list []*cobra.Command) {
	for _, cmd := range list {
		if cmd.IsAvailableCommand() {
			h.wrapped(cmd.Short, fmt.Sprintf("  %-*s", NameWidth, cmd.Name()), strings.Repeat(" ", NameWidth+2))
		}
	}
}

// flags writes the flags' names in a column as wide as the longest; on a narrow screen, each on a
// line of its own.
func (h *helpWriter) flags(set *pflag.FlagSet) {
	var names, texts []string
	column := 0
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, text := pflag.UnquoteUsage(f)
		name := strings.TrimRight("      --"+f.Name+" "+value, " ")
		if f.Shorthand != "" {
			name = "  -" + f.Shorthand + ", " + name[6:]
		}
		if f.Value.Type() == "string" && f.DefValue != "" {
			text += fmt.Sprintf(" (default %q)", f.DefValue)
		}
		names, texts, column = append(names, name), append(texts, text), max(column, len(name)+3)
	})
	for i, name := range names {
		if column+narrow < h.width {
			h.wrapped(texts[i], fmt.Sprintf("%-*s", column, name), strings.Repeat(" ", column))
			continue
		}
		h.WriteString(name + "\n")
		h.wrapped(texts[i], "          ", "          ")
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
		if fits(line, h.width) {
			h.WriteString(line + "\n")
		} else {
			h.wrapped(line, "  ", "      ")
		}
	}
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
