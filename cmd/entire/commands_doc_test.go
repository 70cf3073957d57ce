package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"entire/internal/cli/cliui"
)

// docs/commands.md is written from the commands, so that it cannot say anything that the program does not.
// To write it anew:
//
//	make commands
func TestCommandsDocument(t *testing.T) {
	t.Parallel()
	output, err := os.ReadFile(filepath.Join("..", "..", "docs", "output.md"))
	if err != nil {
		t.Fatal(err)
	}
	d := commandsDoc{headings: headingsOf(string(output))}
	d.write(rootCommand(&cliui.Env{}))
	doc := filepath.Join("..", "..", "docs", "commands.md")
	if slices.Contains(flag.Args(), "write-commands") {
		if err := os.WriteFile(doc, []byte(d.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != d.String() {
		t.Errorf("%s is not what the commands say, it says %s; see `make commands`", doc, firstDifference(string(have), d.String()))
	}
}

// headingsOf returns the headings of a Markdown text.
func headingsOf(text string) (found []string) {
	for line := range strings.Lines(text) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			found = append(found, strings.TrimSpace(heading))
		}
	}
	return found
}

// A commandsDoc is the document about all commands.
type commandsDoc struct {
	strings.Builder
	headings []string // of docs/output.md
}

func (d *commandsDoc) write(root *cobra.Command) {
	d.WriteString("# Commands\n\n<!-- Written by make commands from the commands themselves. -->\n\n")
	d.WriteString("[output.md](output.md) says what commands print for scripts, and with what exit status.\n\n")
	var all []string
	list := func(title string, names []string) {
		var links []string
		for _, name := range names {
			links = append(links, fmt.Sprintf("[%s](#%[1]s)", name))
		}
		fmt.Fprintf(d, "**%s:** %s\n\n", title, strings.Join(links, ", "))
		all = append(all, names...)
	}
	for _, group := range cliui.HelpGroups {
		list(group.Title, group.Names)
	}
	list("Also", cliui.Also)
	for _, name := range all {
		if cmd, _, err := root.Find([]string{name}); err == nil {
			d.command(cmd, "##")
		}
	}
	d.former(root)
}

// command writes a command and those below it.
func (d *commandsDoc) command(cmd *cobra.Command, level string) {
	fmt.Fprintf(d, "%s %s\n\n", level, strings.TrimPrefix(cmd.CommandPath(), "entire "))
	about := cmd.Long
	if about == "" {
		about = cmd.Short + "."
	}
	fmt.Fprintf(d, "    %s\n\n%s", cmd.UseLine(), flowing(about))
	if i := slices.IndexFunc(d.headings, func(heading string) bool {
		return slices.Contains(namesIn(heading), strings.TrimPrefix(cmd.CommandPath(), "entire "))
	}); i >= 0 {
		fmt.Fprintf(d, "\nWhat it prints: [output.md](output.md#%s).\n", anchor(d.headings[i]))
	}
	d.flags(cmd)
	if cmd.HasExample() {
		fmt.Fprintf(d, "\n```sh\n%s\n```\n", unindented(cmd.Example))
	}
	d.WriteString("\n")
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			d.command(sub, level+"#")
		}
	}
}

// flags writes a table of the flags in the order of the help.
func (d *commandsDoc) flags(cmd *cobra.Command) {
	table := ""
	for _, group := range cliui.ShownFlags(cmd.LocalFlags()) {
		for _, f := range group.Flags {
			if f.Name == "help" {
				continue
			}
			value, _ := pflag.UnquoteUsage(f)
			shown := strings.TrimSpace("--" + f.Name + " " + value)
			if f.Shorthand != "" {
				shown = "-" + f.Shorthand + ", " + shown
			}
			table += fmt.Sprintf("| `%s` | %s |\n", shown, strings.ReplaceAll(cliui.FlagText(f), "|", "\\|"))
		}
	}
	if table != "" {
		fmt.Fprintf(d, "\n| flag | |\n|---|---|\n%s", table)
	}
}

// former writes the table of former names.
func (d *commandsDoc) former(root *cobra.Command) {
	d.WriteString("## Former names\n\nThese work as they always did, and do not show in help.\n\n| former name | now |\n|---|---|\n")
	for _, cmd := range root.Commands() {
		if now := cliui.Now(cmd); now != "" {
			fmt.Fprintf(d, "| `%s` | `%s` |\n", cmd.CommandPath(), strings.ReplaceAll(now, ", ", "`, `"))
		}
	}
}

// flowing returns paragraphs as Markdown: lines of text flow, indented ones stay as they are.
func flowing(text string) string {
	var out []string
	for p := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(p, " ") {
			out = append(out, "```\n"+unindented(p)+"\n```")
			continue
		}
		line, lines := "", ""
		for _, word := range strings.Fields(escaped(p)) {
			if line != "" && len(line)+1+len(word) > 140 {
				lines, line = lines+line+"\n", ""
			}
			line = strings.TrimPrefix(line+" "+word, " ")
		}
		out = append(out, lines+line)
	}
	return strings.Join(out, "\n\n") + "\n"
}

// escaped keeps words in angle brackets and stars as they are.
func escaped(text string) string {
	return strings.NewReplacer("<", "\\<", "*", "\\*").Replace(text)
}

func unindented(example string) string {
	var out []string
	for line := range strings.SplitSeq(strings.TrimRight(example, "\n"), "\n") {
		out = append(out, strings.TrimPrefix(line, "  "))
	}
	return strings.Join(out, "\n")
}

// namesIn returns the commands that a heading of docs/output.md is about.
func namesIn(heading string) []string { return strings.Split(heading, ", ") }

// anchor returns the link to a heading, as GitHub makes it.
func anchor(heading string) string {
	return strings.NewReplacer(" ", "-", ",", "").Replace(strings.ToLower(heading))
}
