package process

import (
	"path/filepath"
	"slices"
	"strings"
)

// climbMax bounds how many ancestors of a hook's process are searched for git: a hook
// manager may be between them.
const climbMax = 12

// Invocation is the command line of the git that called a hook. Git gives its hooks this
// information in no other way.
type Invocation struct {
	Command string   // "commit", "push", or an alias's name
	Args    []string // the arguments after the command
}

// InvocationAbove returns the nearest git among the process pid and its ancestors. ok is
// false if there is none, or if the system does not show command lines.
func InvocationAbove(pid int) (in Invocation, ok bool) {
	for n := 0; n < climbMax && pid > 1; n++ {
		at := look(pid)
		if in, ok := parseInvocation(at.args); ok {
			return in, true
		}
		pid = at.parent
	}
	return Invocation{}, false
}

// NoGitAbove reports whether another program than git runs a hook, such as git gui: the ancestors of the process pid are
// seen, and none of them looks like a git that makes commits.
func NoGitAbove(pid int) bool {
	seen := false
	for n := 0; n < climbMax && pid > 1; n++ {
		at := look(pid)
		if at.started == "" {
			break
		}
		if seen = true; looksLikeGit(at.args) {
			return false
		}
		pid = at.parent
	}
	return seen
}

// MessageBoxAbove reports whether the nearest git above is one that shows what prepare-commit-msg wrote before a person
// writes the message: git gui and git citool. pid is the process that called the hook.
func MessageBoxAbove(pid int) bool {
	for n := 0; n < climbMax && pid > 1; n++ {
		at := look(pid)
		if at.started == "" || looksLikeGit(at.args) {
			return false
		}
		if showsMessage(at.args) {
			return true
		}
		pid = at.parent
	}
	return false
}

func showsMessage(args []string) bool {
	if in, ok := parseInvocation(args); ok {
		return in.Command == "gui" || in.Command == "citool"
	}
	return slices.ContainsFunc(args[:min(2, len(args))], func(arg string) bool {
		return slices.Contains([]string{"git-gui", "git-citool"}, strings.ToLower(filepath.Base(filepath.ToSlash(arg))))
	})
}

// looksLikeGit reports whether a command line is that of git, or of a program or script with a name like git's, but not
// of the graphical client, which makes commits by itself, and not of a git that runs the hook for another program.
func looksLikeGit(args []string) bool {
	if in, ok := parseInvocation(args); ok {
		return in.Command != "gui" && in.Command != "citool"
	}
	return slices.ContainsFunc(args[:min(2, len(args))], func(arg string) bool {
		name := strings.TrimPrefix(strings.ToLower(filepath.Base(filepath.ToSlash(arg))), ".")
		return strings.HasPrefix(name, "git") && !slices.Contains([]string{"git", "git.exe", "git-hook", "git-gui", "git-citool"}, name)
	})
}

// parseInvocation removes git's own options from a command line. It does not accept a git
// that runs the hook for another one (`git hook run`).
func parseInvocation(args []string) (in Invocation, ok bool) {
	if len(args) < 2 {
		return Invocation{}, false
	}
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(filepath.ToSlash(args[0]))), ".exe")
	if command, dashed := strings.CutPrefix(name, "git-"); dashed {
		return Invocation{Command: command, Args: args[1:]}, command != "hook"
	}
	if name != "git" {
		return Invocation{}, false
	}
	for i := 1; i < len(args); i++ {
		switch arg := args[i]; {
		case takesValue(globalValues, arg):
			i++
		case strings.HasPrefix(arg, "-"):
		case arg == "hook":
			return Invocation{}, false
		default:
			return Invocation{Command: arg, Args: args[i+1:]}, true
		}
	}
	return Invocation{}, false
}

// Options whose value is the next word. Options with "=" need no entry.
var (
	globalValues = []string{"-c", "-C", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env", "--attr-source"}
	optionValues = map[string][]string{
		"commit": {"-m", "-F", "-C", "-c", "-t", "--message", "--file", "--reuse-message", "--reedit-message", "--template",
			"--author", "--date", "--fixup", "--squash", "--cleanup", "--pathspec-from-file", "--trailer"},
		"push": {"-o", "--push-option", "--repo", "--receive-pack", "--exec"},
	}
)

// shortMin is the length from which an abbreviated long option is unique.
const shortMin = len("--am")

// Has reports whether an option was given: a long one such as "--amend", also abbreviated
// as git allows, or a short one such as 'n', also in a group; 0 stands for no short form.
// It ignores values of other options and words after "--"; the last of an option and its
// negation counts.
func (in Invocation) Has(long string, short byte) bool {
	values, found := optionValues[in.Command], false
	for i := 0; i < len(in.Args); i++ {
		arg := in.Args[i]
		switch {
		case arg == "--":
			return found
		case takesValue(values, arg):
			i++
		case strings.HasPrefix(arg, "--"):
			name, _, _ := strings.Cut(arg, "=")
			if len(name) >= shortMin && strings.HasPrefix(long, name) {
				found = true
			} else if name == "--no-"+long[len("--"):] {
				found = false
			}
		case len(arg) > 1 && arg[0] == '-':
			has, next := cluster(values, arg, short)
			found = found || has
			if next {
				i++
			}
		}
	}
	return found
}

// Value returns the last value of a long option with a value, such as "--cleanup"; "" if it was not given.
func (in Invocation) Value(long string) (value string) {
	values := optionValues[in.Command]
	for i := 0; i < len(in.Args) && in.Args[i] != "--"; i++ {
		name, inline, joined := strings.Cut(in.Args[i], "=")
		named := len(name) >= shortMin && strings.HasPrefix(long, name)
		switch {
		case named && joined:
			value = inline
		case named && i+1 < len(in.Args):
			i++
			value = in.Args[i]
		case takesValue(values, in.Args[i]):
			i++
		}
	}
	return value
}

// takesValue reports whether the next word is the value of arg.
func takesValue(options []string, arg string) bool {
	return slices.Contains(options, arg)
}

// cluster searches a group of short options, such as -am, for one. An option with a value
// ends the group; next says that the value is the next word.
func cluster(values []string, arg string, short byte) (has, next bool) {
	for i := 1; i < len(arg); i++ {
		if arg[i] == short && short != 0 {
			has = true
		}
		if takesValue(values, "-"+arg[i:i+1]) {
			return has, i+1 == len(arg)
		}
	}
	return has, false
}

// committing are the commands of git that run the hooks of a commit or a push. No alias
// can have their names.
var committing = []string{"commit", "push", "merge", "rebase", "cherry-pick", "revert", "am", "pull"}

// Expand replaces an alias with its definition. It keeps an alias that runs a shell,
// because the hook's nearest git is then one that the shell started.
func (in Invocation) Expand(alias func(name string) string) Invocation {
	for n := 0; n < climbMax && !slices.Contains(committing, in.Command); n++ {
		words := aliasWords(alias(in.Command))
		if len(words) == 0 || strings.HasPrefix(words[0], "!") {
			return in
		}
		in = Invocation{Command: words[0], Args: append(words[1:], in.Args...)}
	}
	return in
}

// aliasWords splits an alias as git does: at white space, with quotes and backslashes.
func aliasWords(value string) []string {
	var words []string
	var word strings.Builder
	inWord, quote := false, byte(0)
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		case quote == 0 && (c == '\'' || c == '"'):
			quote, inWord = c, true
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(value):
			i++
			word.WriteByte(value[i])
			inWord = true
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}
