package risk

import (
	"path"
	"slices"
	"strings"
)

// reserved are the words of a shell that may precede a command.
var reserved = map[string]bool{
	"!": true, "if": true, "then": true, "else": true, "elif": true, "do": true, "while": true, "until": true,
	"time": true, "coproc": true, "builtin": true, "command": true, "exec": true, "nohup": true, "setsid": true,
}

// A wrapper runs the command in its arguments.
type wrapper struct {
	valued   string // its short options that take a value
	long     string // its long options that take a value, with spaces around each
	operands int    // number of words before the command
	assigns  bool   // assignments may precede the command
}

var wrappers = map[string]wrapper{
	"sudo":     {valued: "ugpCThrtUDR", long: " --user --group --prompt --chdir --host --role --type --other-user ", assigns: true},
	"doas":     {valued: "uC"},
	"env":      {valued: "uCS", long: " --unset --chdir --split-string ", assigns: true},
	"nice":     {valued: "n", long: " --adjustment "},
	"ionice":   {valued: "cnpPu", long: " --class --classdata "},
	"timeout":  {valued: "ks", long: " --kill-after --signal ", operands: 1},
	"stdbuf":   {valued: "ioe", long: " --input --output --error "},
	"chrt":     {operands: 1},
	"taskset":  {operands: 1},
	"watch":    {valued: "nq", long: " --interval "},
	"xargs":    {valued: "IiLlnPsEead", long: " --replace --max-lines --max-args --max-procs --max-chars --delimiter --arg-file --eof "},
	"parallel": {valued: "jN"},
	"flock":    {valued: "wE", operands: 1},
	"npx":      {valued: "p", long: " --package "},
	"bunx":     {},
	"strace":   {valued: "eopsu"},
}

// runners run a program of a project; the values are the subcommands that do so.
var runners = map[string][]string{
	"pnpm": {"exec", "dlx"}, "yarn": {"exec", "dlx", "run"}, "npm": {"exec"}, "bundle": {"exec"}, "poetry": {"run"},
	"uv": {"run"}, "pipenv": {"run"}, "rye": {"run"}, "hatch": {"run"}, "pdm": {"run"}, "bun": {"x", "run"}, "mise": {"exec"},
}

var shells = map[string]bool{"sh": true, "bash": true, "zsh": true, "dash": true, "ksh": true, "ash": true, "fish": true}

// name returns the name of the program that a word runs.
func name(word string) string {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(word, `\`, "/")), ".exe")
}

// isAssignment reports whether word has the form NAME=value.
func isAssignment(word string) bool {
	key, _, found := strings.Cut(word, "=")
	if !found || key == "" || key[0] >= '0' && key[0] <= '9' {
		return false
	}
	for i := range len(key) {
		if c := key[i]; c != '_' && c != '+' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// Inner returns the command that a wrapper or a project's runner runs, or the command after reserved
// words and assignments. If there is nothing to remove, wrapped is false and inner equals words.
func Inner(words []string) (inner []string, wrapped bool) {
	inner = bare(words)
	if len(inner) == 0 || len(inner) < len(words) {
		return inner, len(words) > 0
	}
	what := name(words[0])
	if w, ok := wrappers[what]; ok {
		return w.skip(words[1:]), true
	}
	if verbs, ok := runners[what]; ok {
		if i := verbAt(words); i > 0 && slices.Contains(verbs, words[i]) {
			return wrapper{}.skip(words[i+1:]), true
		} else if i > 0 && what == "yarn" && rewritesTree(what, words[1:]) == "" {
			return words[i:], true // a program of the project, by its name
		}
	}
	return words, false
}

// bare returns a command without leading reserved words and assignments.
func bare(words []string) []string {
	first := ""
	if len(words) > 0 {
		first = words[0]
	}
	for len(words) > 0 && (reserved[words[0]] || isAssignment(words[0])) {
		words = words[1:]
		for len(words) > 1 && len(words[0]) > 1 && words[0][0] == '-' && first != "!" { // command -p, exec -a
			words = words[1:]
		}
	}
	return words
}

// unwrap returns the commands that c finally runs.
func unwrap(c command, depth int) []command {
	for depth <= maxDepth {
		if c.words = bare(c.words); len(c.words) == 0 {
			return nil
		}
		words, what := c.words, name(c.words[0])
		if split := splitString(words); what == "env" && split != "" {
			return each(commands(split, depth+1), depth+1)
		}
		next, wrapped := Inner(words)
		if len(next) == 1 && strings.ContainsRune(next[0], ' ') && (what == "watch" || what == "parallel") {
			return each(commands(next[0], depth+1), depth+1)
		}
		if wrapped {
			c.words = next
			depth++
			continue
		}
		switch {
		case shells[what]:
			return shell(c, depth)
		case what == "eval":
			return each(commands(strings.Join(words[1:], " "), depth+1), depth+1)
		case what == "find":
			return append(found(words, depth), c)
		}
		return []command{c}
	}
	return nil
}

// verbAt returns the index of the first word that is not an option, or 0.
func verbAt(words []string) int {
	for i := 1; i < len(words); i++ {
		if !strings.HasPrefix(words[i], "-") {
			return i
		}
	}
	return 0
}

// each unwraps commands. What their redirections replace stands in commands without words.
func each(list []command, depth int) (out []command) {
	for _, c := range list {
		if len(c.over) > 0 {
			out = append(out, command{over: c.over})
		}
		out = append(out, unwrap(c, depth)...)
	}
	return out
}

// skip returns the words after a wrapper's own options, assignments and operands.
func (w wrapper) skip(words []string) []string {
	for len(words) > 0 {
		o := words[0]
		switch {
		case o == "--":
			return drop(words[1:], w.operands)
		case strings.HasPrefix(o, "--"):
			words = words[1:]
			if strings.Contains(w.long, " "+o+" ") {
				words = drop(words, 1)
			}
		case len(o) > 1 && o[0] == '-':
			words = words[1:]
			if last := o[len(o)-1]; strings.IndexByte(w.valued, last) >= 0 && (len(o) == 2 || strings.IndexByte(w.valued, o[1]) < 0) {
				words = drop(words, 1)
			}
		case w.assigns && isAssignment(o):
			words = words[1:]
		default:
			return drop(words, w.operands)
		}
	}
	return nil
}

func drop(words []string, n int) []string { return words[min(n, len(words)):] }

// splitString returns the value of env -S.
func splitString(words []string) string {
	for i, o := range words {
		switch {
		case i > 0 && (o == "-S" || o == "--split-string") && i+1 < len(words):
			return strings.Join(words[i+1:], " ")
		case i > 0 && strings.HasPrefix(o, "-S"):
			return strings.Join(append([]string{o[2:]}, words[i+1:]...), " ")
		}
	}
	return ""
}

// shell returns the commands that a shell runs, from -c or its input.
func shell(c command, depth int) []command {
	script := ""
	for i := 1; i < len(c.words); i++ {
		o := c.words[i]
		if len(o) < 2 || o[0] != '-' && o[0] != '+' {
			return nil // the name of a script
		}
		if o[0] == '-' && o[1] != '-' && strings.IndexByte(o, 'c') > 0 {
			options := wrapper{valued: "oO"}
			if rest := options.skip(c.words[i+1:]); len(rest) > 0 {
				script = rest[0]
			}
			return each(commands(script, depth+1), depth+1)
		}
		if o == "-o" || o == "-O" || o == "--rcfile" || o == "--init-file" {
			i++
		}
	}
	return each(commands(strings.Join(c.here, "\n"), depth+1), depth+1)
}

// found returns the commands that find runs.
func found(words []string, depth int) (out []command) {
	for i := 1; i < len(words); i++ {
		switch words[i] {
		case "-exec", "-execdir", "-ok", "-okdir":
			from := i + 1
			for i++; i < len(words) && words[i] != ";" && words[i] != "+"; i++ {
			}
			out = append(out, unwrap(command{words: words[from:min(i, len(words))]}, depth+1)...)
		}
	}
	return out
}
