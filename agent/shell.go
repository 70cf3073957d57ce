package agent

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// effects are what a call of a tool may have done to files. The zero value is a call
// that has changed none, or only those that its own record tells of.
type effects struct {
	Writes bool // to files that it does not name
	Takes  bool // what others wrote before: from git's objects
}

// maxParsed bounds the commands that are looked into.
const maxParsed = 1 << 16

// effectsOf are those of a shell command. Of a command that is not known it says the most.
func effectsOf(command string) effects {
	most := effects{Writes: true, Takes: strings.Contains(command, "git")}
	if len(command) > maxParsed {
		return most
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil {
		return most
	}
	var out effects
	add := func(e effects) { out.Writes, out.Takes = out.Writes || e.Writes, out.Takes || e.Takes }
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			var words []string
			if call, ok := n.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 {
				words = wordsOf(call.Args)
				add(effectsOfCall(words, n.Redirs))
			}
			for _, r := range n.Redirs {
				if isOutput(r.Op) && wordText(r.Word) != "/dev/null" {
					add(effects{Writes: true, Takes: len(words) > 0 && words[0] == "git"})
				}
			}
		}
		return true
	})
	return out
}

// isOutput reports a redirection into a file.
func isOutput(op syntax.RedirOperator) bool {
	switch op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.ClbOut, syntax.RdrAll, syntax.AppAll:
		return true
	}
	return false
}

func wordsOf(args []*syntax.Word) []string {
	words := make([]string, len(args))
	for i, w := range args {
		words[i] = wordText(w)
	}
	return words
}

// wordText is what a word says whatever the variables are: "" where they matter.
func wordText(w *syntax.Word) string {
	var b strings.Builder
	parts := func(list []syntax.WordPart) bool {
		for _, p := range list {
			switch p := p.(type) {
			case *syntax.Lit:
				b.WriteString(p.Value)
			case *syntax.SglQuoted:
				b.WriteString(p.Value)
			default:
				return false
			}
		}
		return true
	}
	for _, p := range w.Parts {
		list := []syntax.WordPart{p}
		if q, ok := p.(*syntax.DblQuoted); ok {
			list = q.Parts
		}
		if !parts(list) {
			return ""
		}
	}
	return b.String()
}

// effectsOfCall are those of one command with its arguments.
func effectsOfCall(words []string, redirs []*syntax.Redirect) effects {
	name, args := words[0], words[1:]
	has := func(options ...string) bool {
		return slices.ContainsFunc(args, func(a string) bool {
			return slices.ContainsFunc(options, func(o string) bool { return strings.HasPrefix(a, o) })
		})
	}
	switch name {
	case "[", "basename", "cat", "cd", "cut", "date", "df", "diff", "dirname", "du", "echo", "egrep", "exit", "export", "false",
		"fgrep", "file", "grep", "head", "jq", "ls", "mkdir", "nl", "printf", "ps", "pwd", "realpath", "rg", "set", "sha256sum", "sleep",
		"stat", "tail", "test", "tr", "tree", "true", "type", "uname", "wc", "which", "whoami":
		return effects{}
	case "find":
		if !has("-delete", "-exec", "-ok", "-fprint", "-fls") {
			return effects{}
		}
	case "sed":
		if len(args) > 1 && args[0] == "-n" && !has("-i", "--in-place", "-f", "w") && printsOnly(args[1]) {
			return effects{}
		}
	case "sort", "uniq":
		if !has("-o", "--output") {
			return effects{}
		}
	case "git":
		return effectsOfGit(args, redirs)
	case "gh":
		return effects{Writes: true, Takes: has("checkout", "merge")}
	}
	return effects{Writes: true, Takes: slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, "git") })}
}

// printsOnly reports a sed script that prints lines by their numbers.
func printsOnly(script string) bool {
	return strings.Trim(script, "0123456789,$;p ") == ""
}

// gitCommand are the arguments of git from its command on.
func gitCommand(args []string) []string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		n := 1
		if args[0] == "-C" || args[0] == "-c" || args[0] == "--git-dir" || args[0] == "--work-tree" {
			n = 2
		}
		args = args[min(n, len(args)):]
	}
	return args
}

// effectsOfGit are those of a git command.
func effectsOfGit(args []string, redirs []*syntax.Redirect) effects {
	if args = gitCommand(args); len(args) == 0 {
		return effects{}
	}
	switch args[0] {
	case "add", "blame", "branch", "cat-file", "check-ignore", "commit", "config", "describe", "diff", "fetch", "for-each-ref", "grep", "help",
		"log", "ls-files", "ls-remote", "ls-tree", "merge-base", "push", "reflog", "remote", "rev-list", "rev-parse", "shortlog", "show",
		"status", "symbolic-ref", "tag", "version", "--version":
		return effects{Writes: slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--output") })}
	case "stash":
		return effects{Takes: slices.ContainsFunc(args, func(a string) bool { return a == "pop" || a == "apply" || a == "branch" || a == "" })}
	case "switch": // what a move of HEAD brings is committed
		return effects{}
	case "checkout": // of a branch, or of what the index has
		if plain := plainOf(args[1:]); len(plain) < 2 || slices.Contains(args, "-b") && len(plain) == 2 || args[1] == "--" {
			return effects{}
		}
	case "restore":
		if !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-s") || strings.HasPrefix(a, "--so") }) {
			return effects{}
		}
	case "reset": // what an undone commit had is not committed any longer
		if plain := plainOf(args[1:]); slices.Contains(args, "--hard") || len(plain) == 0 || plain[0] == "HEAD" {
			return effects{}
		}
	case "merge", "pull":
		if slices.Contains(args, "--ff-only") {
			return effects{}
		}
	case "apply": // what the agent has just written
		if slices.ContainsFunc(redirs, func(r *syntax.Redirect) bool { return r.Hdoc != nil }) {
			return effects{Writes: true}
		}
	case "clean", "mv", "rm":
		return effects{Writes: true}
	}
	return effects{Writes: true, Takes: true}
}

// plainOf are the arguments that are no options.
func plainOf(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, "-") })
}

// effectsOfTool are those of a tool that is neither a shell nor one of those whose
// record tells what they wrote: of one that is not known, as of a server's, the most.
func effectsOfTool(name string) effects {
	switch name {
	case "Read", "Glob", "Grep", "LS", "NotebookRead", "TodoWrite", "WebFetch", "WebSearch", "ExitPlanMode", "EnterPlanMode", "AskUserQuestion",
		"BashOutput", "KillShell", "KillBash", "Skill", "ToolSearch", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "TaskOutput", "mcp__acp__Read",
		"read_file", "read_many_files", "list_directory", "glob", "search_file_content", "web_fetch", "google_web_search", "save_memory", "write_todos":
		return effects{}
	}
	return effects{Writes: !isEditTool(name)}
}
