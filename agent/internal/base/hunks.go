package base

import (
	"strconv"
	"strings"

	"entire/agent"
)

// Hunks returns the hunks of a unified diff of one file, nil for a text that is none. The lines before the
// first hunk are passed over.
func Hunks(diff string) []agent.FileHunk {
	var out []agent.FileHunk
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		if index, ok := hunkHead(line); ok {
			out = append(out, agent.FileHunk{Index: index})
			continue
		}
		if n := len(out); n > 0 && (line == "" || strings.IndexByte(` +-\`, line[0]) >= 0) {
			out[n-1].Lines = append(out[n-1].Lines, line)
		}
	}
	return out
}

// hunkHead returns how many lines are before the hunk that a line like `@@ -3,2 +3,4 @@` begins.
func hunkHead(line string) (int, bool) {
	rest, ok := strings.CutPrefix(line, "@@ -")
	if !ok {
		return 0, false
	}
	old, _, _ := strings.Cut(rest, " ")
	first, count, counted := strings.Cut(old, ",")
	n, err := strconv.Atoi(first)
	if err != nil || n < 0 {
		return 0, false
	}
	return HunkIndex(n, !counted || count != "0"), true
}

// HunkIndex returns how many lines are before a hunk, given the number of its first line as a diff has it: that of
// the line before, if the hunk has no old lines.
func HunkIndex(first int, hasOld bool) int {
	if hasOld {
		return max(first-1, 0)
	}
	return first
}

// PatchFacts returns what a patch in the form of apply_patch does to files, whose names are relative to dir; nil for a text that is no
// such patch.
func PatchFacts(patch, dir string) []agent.FileFact {
	var out []agent.FileFact
	add := func(kind agent.FileFactKind, name string) {
		out = append(out, agent.FileFact{Kind: kind, Path: Within(dir, name)})
	}
	_, patch, begun := strings.Cut(patch, "*** Begin Patch")
	if !begun {
		return nil
	}
	var fact *agent.FileFact
	for line := range strings.Lines(patch) {
		line = strings.TrimSuffix(line, "\n")
		word, name, named := strings.Cut(line, ": ")
		switch {
		case strings.HasPrefix(line, "*** End Patch"):
			return out
		case named && word == "*** Add File":
			add(agent.FileWhole, name)
		case named && word == "*** Update File":
			add(agent.FileChanged, name)
		case named && word == "*** Delete File":
			add(agent.FileGone, name)
		case named && word == "*** Move to" && len(out) > 0 && out[len(out)-1].Kind == agent.FileChanged:
			out[len(out)-1].Kind, out[len(out)-1].To = agent.FileMoved, Within(dir, name)
		}
		if len(out) == 0 || strings.HasPrefix(line, "*** ") {
			continue
		}
		switch fact = &out[len(out)-1]; fact.Kind {
		case agent.FileWhole:
			if text, ok := strings.CutPrefix(line, "+"); ok {
				fact.Text += text + "\n"
			}
		case agent.FileChanged, agent.FileMoved:
			patchLine(fact, line)
		}
	}
	return out
}

// patchLine adds a line of a patch to the change of a file.
func patchLine(fact *agent.FileFact, line string) {
	if len(fact.Changes) == 0 {
		fact.Changes = []agent.FileChange{{}}
	}
	c := &fact.Changes[0]
	if head, ok := strings.CutPrefix(line, "@@"); ok {
		c.Hunks = append(c.Hunks, agent.FileHunk{Index: -1, After: strings.TrimSpace(head)})
		return
	}
	if line != "" && strings.IndexByte(" +-", line[0]) < 0 {
		return
	}
	if line == "" {
		line = " "
	}
	if len(c.Hunks) == 0 {
		c.Hunks = append(c.Hunks, agent.FileHunk{Index: -1})
	}
	h := &c.Hunks[len(c.Hunks)-1]
	h.Lines = append(h.Lines, line)
}
