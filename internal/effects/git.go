package effects

import (
	"slices"
	"strings"
)

// GitArguments returns git's arguments from the subcommand on.
func GitArguments(args []string) []string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		n := 1
		if args[0] == "-C" || args[0] == "-c" || args[0] == "--git-dir" || args[0] == "--work-tree" {
			n = 2
		}
		args = args[min(n, len(args)):]
	}
	return args
}

// gitEffects returns the effects of a git command. A command that only moves HEAD has none,
// because the content that it writes is committed already.
func (c command) gitEffects() Effects {
	args := GitArguments(c.args)
	if len(args) == 0 {
		return Effects{}
	}
	verb := args[0]
	c.args = args[1:]
	plain := c.plain()
	imported := certain(anything)
	imported.ImportsContent, imported.Commits = true, true
	switch verb {
	case "add", "blame", "branch", "cat-file", "check-attr", "check-ignore", "commit", "commit-tree", "config", "count-objects", "describe", "diff", "fetch", "for-each-ref", "fsck",
		"gc", "grep", "hash-object", "help", "log", "ls-files", "ls-remote", "ls-tree", "merge-base", "name-rev", "notes", "push", "reflog", "remote", "rev-list", "rev-parse",
		"shortlog", "show", "show-ref", "status", "symbolic-ref", "tag", "update-index", "update-ref", "var", "verify-commit", "version", "whatchanged", "write-tree", "--version":
		out := certain(c.valuesOf("--output")...)
		out.Commits = verb == "commit" || verb == "commit-tree"
		return out
	case "stash":
		return Effects{ImportsContent: slices.ContainsFunc(args, func(a string) bool { return a == "pop" || a == "apply" || a == "branch" || strings.Contains(a, "*") })}
	case "switch":
		return Effects{}
	case "worktree":
		return Effects{}
	case "checkout": // of a branch, or of the index's version
		if len(plain) < 2 || slices.Contains(args, "-b") && len(plain) == 2 || len(args) > 1 && args[1] == "--" {
			return Effects{}
		}
	case "restore":
		if !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-s") || strings.HasPrefix(a, "--so") }) {
			return Effects{}
		}
	case "reset": // the content of the undone commit is no longer committed
		if slices.Contains(args, "--hard") || len(plain) == 0 || plain[0] == "HEAD" {
			return Effects{}
		}
	case "merge", "pull":
		if slices.Contains(args, "--ff-only") {
			return Effects{Commits: true}
		}
	case "apply": // the agent has just written the patch
		if c.heredoc != "" {
			return certain(patchedFiles(c.heredoc)...)
		}
	case "clean":
		return Effects{Files: []Files{{Glob: anything, Removes: true}}}
	case "mv", "rm":
		return certain(trees(plain)...)
	}
	return imported
}

// forgeEffects returns the effects of the command line of a forge (GitHub, GitLab).
func (c command) forgeEffects() Effects {
	words := strings.Join(c.plain(), " ")
	switch {
	case strings.Contains(words, "checkout"), strings.Contains(words, "merge"):
		e := certain(anything)
		e.ImportsContent, e.Commits = true, true
		return e
	case strings.Contains(words, "download"), strings.Contains(words, "clone"), strings.Contains(words, "extension"):
		return c.unknown()
	}
	return Effects{}
}
