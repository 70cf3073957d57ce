package filelog

import (
	"strings"

	"entire/agent"
	"entire/agent/internal/base"
)

// comparesWorktree reports whether a command is `git diff` of the worktree or the index as they are, in any of its
// forms, alone or after others.
func comparesWorktree(command string) bool {
	list := simpleCommands(command)
	if len(list) == 0 {
		return false
	}
	found := false
	for _, c := range list {
		if c.piped {
			return false
		}
		found = found || isWorktreeDiff(c.words)
	}
	return found
}

func isWorktreeDiff(words []string) bool {
	if len(words) < 2 || words[0] != "git" || words[1] != "diff" {
		return false
	}
	for _, w := range words[2:] {
		switch {
		case w == "--":
			return true
		case w == "HEAD", strings.HasPrefix(w, "-"), strings.ContainsAny(w, "./") && !strings.Contains(w, ".."):
		default:
			return false // another commit
		}
	}
	return true
}

// diffFacts returns what a patch that git printed tells: git names the contents before and after by their hashes.
func diffFacts(output string) []agent.FileFact {
	var out []agent.FileFact
	for _, file := range strings.Split("\n"+output, "\ndiff --git ")[1:] {
		head, hunks, ok := strings.Cut(file, "\n@@ ")
		if !ok {
			continue
		}
		f := agent.FileFact{Kind: agent.FileChanged, Changes: []agent.FileChange{{Hunks: base.Hunks("@@ " + hunks)}}}
		for line := range strings.Lines(head) {
			line = strings.TrimSuffix(line, "\n")
			if name, ok := strings.CutPrefix(line, "+++ b/"); ok {
				f.Path = strings.TrimSuffix(name, "\t")
			}
			if hashes, ok := strings.CutPrefix(line, "index "); ok {
				hashes, _, _ = strings.Cut(hashes, " ")
				f.Base, f.Result, _ = strings.Cut(hashes, "..")
			}
		}
		if f.Path != "" && f.Base != "" && len(f.Result) >= 7 {
			f.FromTop = true
			out = append(out, f)
		}
	}
	return out
}
