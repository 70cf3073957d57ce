package filelog

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
)

// readers are the tools that show a file, in small letters and without what separates words.
var readers = []string{"read", "readfile", "view", "viewfile", "openfile", "mcpacpread"}

// resultFacts returns what a call's result shows of a file.
func resultFacts(c agent.Call, result string) []agent.FileFact {
	if result == "" {
		return nil
	}
	if c.Command != "" {
		return commandFacts(c.Command, result)
	}
	name := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(c.Name))
	if !slices.Contains(readers, name) {
		return nil
	}
	input := gjson.ParseBytes(c.Input)
	path := agent.FirstString(input, pathMembers...)
	first := int(max(input.Get("offset").Int(), input.Get("start_line").Int(), input.Get("view_range.0").Int()))
	part := first > 1
	for _, name := range []string{"limit", "end_line", "view_range", "pages"} {
		part = part || input.Get(name).Exists()
	}
	lines, from, numbered := numberedLines(result)
	switch {
	case path == "" || cutShort(result):
		return nil
	case numbered && (part || from > 1 || len(lines) >= 2000):
		return []agent.FileFact{{Kind: agent.FileShown, Path: path, Text: strings.Join(lines, "\n"), First: from}}
	case numbered:
		return []agent.FileFact{{Kind: agent.FileWhole, Path: path, Text: ended(strings.Join(lines, "\n")), Loose: true}}
	case part || strings.HasPrefix(result, "<") || len(c.Edits) > 0:
		return nil // without numbers, it is not certain which lines are shown
	}
	return []agent.FileFact{{Kind: agent.FileWhole, Path: path, Text: ended(result), Loose: true}}
}

// ended returns a text with a line end: what shows a file often leaves out the last.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// cutShort reports whether a result says that it does not show all.
func cutShort(result string) bool {
	ends := result
	if len(ends) > 4000 {
		ends = ends[:2000] + ends[len(ends)-2000:]
	}
	ends = strings.ToLower(ends)
	return strings.Contains(ends, "truncated") || strings.Contains(ends, "more lines") || strings.Contains(ends, "chars omitted")
}

// commandFacts returns what the output of a command shows of a file.
func commandFacts(command, output string) []agent.FileFact {
	path, first, whole, ok := shownBy(command)
	if !ok || cutShort(output) {
		return nil
	}
	if _, out, found := strings.Cut(output, "\nOutput:\n"); found { // what ran the command says more
		output = out
	}
	if whole {
		return []agent.FileFact{{Kind: agent.FileWhole, Path: path, Text: ended(output), Loose: true}}
	}
	return []agent.FileFact{{Kind: agent.FileShown, Path: path, Text: strings.TrimSuffix(output, "\n"), First: first}}
}

// numberedLines returns the lines of a text whose lines have numbers, without them; false if it has none. What
// stands around them is left out.
func numberedLines(text string) (lines []string, first int, ok bool) {
	next := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		n, rest, numbered := numberedLine(line)
		switch {
		case next == 0 && numbered:
			first, next, lines = n, n+1, append(lines, rest)
		case next > 0 && numbered && n == next:
			next, lines = next+1, append(lines, rest)
		case next > 0:
			return lines, first, true
		case len(line) > 0 && line[0] != '<' && !strings.HasSuffix(line, ":"):
			return nil, 0, false
		}
	}
	return lines, first, next > 0
}

// numberedLine splits a line into its number and its text.
func numberedLine(line string) (n int, rest string, ok bool) {
	line = strings.TrimPrefix(strings.TrimLeft(line, " "), "L")
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits == 0 || digits > 7 {
		return 0, "", false
	}
	n, _ = strconv.Atoi(line[:digits])
	for _, mark := range []string{"→", "\t", "| ", "|", ": ", ":", ". "} {
		if rest, ok = strings.CutPrefix(line[digits:], mark); ok {
			return n, rest, n > 0
		}
	}
	return 0, "", false
}
