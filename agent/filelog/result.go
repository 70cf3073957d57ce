package filelog

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
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
	runs, numbered := base.NumberedRuns(result)
	switch {
	case path == "" || cutShort(result):
		return nil
	case numbered && (part || len(runs) > 1 || runs[0].First > 1 || len(runs[0].Lines) >= 2000):
		var out []agent.FileFact
		for _, r := range runs {
			out = append(out, agent.FileFact{Kind: agent.FileShown, Path: path, Text: strings.Join(r.Lines, "\n"), First: r.First})
		}
		return out
	case numbered:
		return []agent.FileFact{{Kind: agent.FileWhole, Path: path, Text: ended(strings.Join(runs[0].Lines, "\n")), Loose: true}}
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
	if _, out, found := strings.Cut(output, "\nOutput:\n"); found { // what ran the command says more
		output = out
	}
	if comparesWorktree(command) {
		return diffFacts(output)
	}
	path, first, whole, ok := shownBy(command)
	if !ok || cutShort(output) {
		return nil
	}
	if whole {
		return []agent.FileFact{{Kind: agent.FileWhole, Path: path, Text: ended(output), Loose: true}}
	}
	return []agent.FileFact{{Kind: agent.FileShown, Path: path, Text: strings.TrimSuffix(output, "\n"), First: first}}
}
