//go:build clients && linux

package clients

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// The table stands between these lines of docs/agents.md.
const (
	tableBegins = "<!-- make clients writes from here -->"
	tableEnds   = "<!-- to here -->"
)

var rowOf = regexp.MustCompile(`^(?:\| |- )([^|:]*?) (?:[0-9][^ |]*) ?[|,]`)

// writeTable replaces the rows and notes of the chosen clients, and leaves those of others as they are.
func writeTable(file string, chosen []Client, seen map[string]map[int]*cell) error {
	versions, err := Versions()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	head, rest, ok := strings.Cut(string(text), tableBegins)
	old, tail, ended := strings.Cut(rest, tableEnds)
	if !ok || !ended {
		return fmt.Errorf("write the table: %s has no lines %q and %q", file, tableBegins, tableEnds)
	}
	rows, notes := map[string]string{}, map[string][]string{}
	for line := range strings.Lines(old) {
		line = strings.TrimRight(line, "\n")
		if match := rowOf.FindStringSubmatch(line); match != nil && strings.HasPrefix(line, "| ") {
			rows[match[1]] = line
		} else if match != nil {
			notes[match[1]] = append(notes[match[1]], line)
		}
	}
	for _, client := range chosen {
		name := client.Title + " " + versions[client.Name].Version
		rows[client.Title], notes[client.Title] = row(name, seen[client.Name])
	}
	var out strings.Builder
	out.WriteString(head + tableBegins + "\n\n| program |")
	for _, s := range scenarios() {
		fmt.Fprintf(&out, " %d %s |", s.number, s.name)
	}
	out.WriteString(" 7 commands that look, and tokens |\n|---|" + strings.Repeat("---|", len(scenarios())+1) + "\n")
	var under []string
	for _, client := range Clients() {
		if rows[client.Title] != "" {
			out.WriteString(rows[client.Title] + "\n")
			under = append(under, notes[client.Title]...)
		}
	}
	out.WriteString("\n")
	for _, note := range under {
		out.WriteString(note + "\n")
	}
	out.WriteString("\n" + tableEnds + tail)
	if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}

// row returns a client's line of the table and the notes below it.
func row(name string, cells map[int]*cell) (string, []string) {
	line := "| " + name + " |"
	var notes, looks []string
	for _, s := range scenarios() {
		c := cells[s.number]
		switch {
		case c == nil || !c.ended && len(c.wrong) == 0:
			line += " not run |"
			continue
		case len(c.wrong) > 0:
			line += " **no** |"
			notes = append(notes, fmt.Sprintf("- %s, %d, wrong: %s", name, s.number, oneLine(strings.Join(c.wrong, "; "))))
		case c.why != "":
			line += map[bool]string{false: " partly |", true: " cannot |"}[c.none]
			notes = append(notes, fmt.Sprintf("- %s, %d: %s.", name, s.number, oneLine(c.why)))
		default:
			line += " yes |"
		}
		if n := len(c.looks); n > 0 {
			more := ""
			if n > 1 {
				more = fmt.Sprintf(" (and %d more)", n-1)
			}
			looks = append(looks, fmt.Sprintf("- %s, 7 in %d, wrong: %s%s", name, s.number, oneLine(c.looks[0]), more))
		}
	}
	if len(looks) > 0 {
		return line + " **no** |", append(notes, looks...)
	}
	return line + " yes |", notes
}

// oneLine shortens what was seen to what a list can show.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 200 {
		return string(runes[:200]) + "…"
	}
	return text
}
