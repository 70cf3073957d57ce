package risk

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// A Sign is what the text of a risky command always has: a word of Programs and, of each other list that is
// not empty, an element too. It is the one source of the filters that run before this program: Command
// finds no risk without a sign.
type Sign struct {
	Programs []string // words
	Verbs    []string // words
	Flags    string   // letters; one of them is in a group of short options or begins a long one
	Texts    []string // texts with sets of characters, such as [abc] and [!a-z]; Flags or Texts are enough
}

// Signs returns the signs. Those with the same programs are together.
var Signs = sync.OnceValue(func() []Sign {
	git := []string{"git"}
	return []Sign{
		{Programs: []string{"rm"}, Flags: "rR"},
		{Programs: git, Texts: []string{"--hard", "--merge", "--keep", "--discard-changes"}},
		{Programs: git, Verbs: []string{"checkout", "restore", "read-tree"}},
		{Programs: git, Verbs: []string{"clean", "switch", "rm"}, Flags: "f"},
		{Programs: git, Verbs: []string{"stash"}, Texts: []string{"drop", "clear"}},
		{Programs: git, Verbs: []string{"worktree"}, Texts: []string{"remove"}},
		{Programs: git, Verbs: []string{"branch"}, Flags: "Dd"},
		{Programs: []string{"find"}, Texts: []string{"-delete"}},
		{Programs: []string{"shred", "dropdb"}},
		{Programs: []string{"truncate"}, Flags: "s"},
		{Programs: []string{"dd"}, Texts: []string{"of="}},
		{Programs: []string{"rsync"}, Texts: []string{"--del"}},
		{Programs: []string{"docker", "podman", "nerdctl", "docker-compose"}, Flags: "v", Texts: []string{"volume", "--mount"}},
		{Programs: []string{"cargo", "go"}, Verbs: []string{"fix", "vendor"}},
		{Programs: packageManagers(), Verbs: firstWords(packageManagers())},
		{Programs: append(slices.Sorted(maps.Keys(migrations)), "dotnet"), Verbs: beginnings(true)},
		{Programs: append(slices.Sorted(maps.Keys(migrations)), "dotnet"), Texts: beginnings(false)},
	}
})

// packageManagers returns the programs of rewriting that have a sign of their own.
func packageManagers() []string {
	all := slices.Sorted(maps.Keys(rewriting))
	return slices.DeleteFunc(all, func(name string) bool { return name == "go" || name == "cargo" })
}

// firstWords returns the first words of the subcommands of these programs, each once.
func firstWords(programs []string) (out []string) {
	for _, p := range programs {
		for _, v := range rewriting[p] {
			first, _, _ := strings.Cut(v, " ")
			out = append(out, first)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// beginnings returns the arguments that make migrations: whole words, or the beginnings of words.
func beginnings(words bool) (out []string) {
	all := []string{"database"} // of dotnet ef
	for _, list := range migrations {
		all = append(all, list...)
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(one string) bool { return strings.ContainsAny(one, ":.") == words })
}

// overwriting returns how a redirection that replaces a file looks in the payload of a hook: not to a number, a
// variable, a device or the folder of temporary files.
var overwriting = sync.OnceValue(func() (out []string) {
	const first = "[!&> /0-9$|=(<-]"
	for _, to := range []string{first, " " + first, "/[!dt]", " /[!dt]", "/d[!e]", " /d[!e]", "/t[!m]", " /t[!m]", "[|]"} {
		out = append(out, "[ 12&]>"+to)
	}
	return append(out, ":?>"+first, ":?> "+first, ":??>"+first, ":??> "+first)
})

// What may stand before and after a word. After a line's escaped end, n, r or t stands before it, too.
const (
	beforeWord = "[!A-Za-z0-9_-]"
	afterWord  = "[!A-Za-z0-9_/-]"
	escaped    = "[nrt]"
)

// signed reports whether a command has a sign.
func signed(words []string) bool {
	text := ` "` + strings.Join(words, " ") + `" `
	return slices.ContainsFunc(Signs(), func(s Sign) bool { return s.in(text) })
}

func (s Sign) in(text string) bool {
	word := func(w string) bool {
		return hasAny(text, []string{beforeWord + w + afterWord, beforeWord + escaped + w + afterWord})
	}
	if !slices.ContainsFunc(s.Programs, word) || len(s.Verbs) > 0 && !slices.ContainsFunc(s.Verbs, word) {
		return false
	}
	return s.Flags == "" && len(s.Texts) == 0 || s.Flags != "" && hasAny(text, flagged("["+s.Flags+"]")) || hasAny(text, s.Texts)
}

// flagged returns how an option may be written: long, or short, alone or behind at most three others. What
// precedes it is no part of a path or a word, but may be the n of an escaped end of a line.
func flagged(letters string) (out []string) {
	const begin, other = "[!A-Za-z0-9_/.-]", "[A-Za-z]"
	out = append(out, begin+"--"+letters)
	for _, before := range []string{begin, begin + "n"} {
		for n := range 4 {
			out = append(out, before+"-"+strings.Repeat(other, n)+letters)
		}
	}
	return out
}

// hasAny reports whether a text has a part that matches one of the patterns.
func hasAny(text string, patterns []string) bool {
	for _, p := range patterns {
		for at := range len(text) {
			if matches(text[at:], p) {
				return true
			}
		}
	}
	return false
}

// matches reports whether text begins as pattern says: characters, ? and sets in brackets.
func matches(text, pattern string) bool {
	for pattern != "" {
		if text == "" {
			return false
		}
		switch pattern[0] {
		case '?':
			pattern = pattern[1:]
		case '[':
			end := strings.IndexByte(pattern, ']')
			if !inSet(text[0], pattern[1:end]) {
				return false
			}
			pattern = pattern[end+1:]
		default:
			if text[0] != pattern[0] {
				return false
			}
			pattern = pattern[1:]
		}
		text = text[1:]
	}
	return true
}

// inSet reports whether c is in a set, without its brackets.
func inSet(c byte, set string) bool {
	set, not := strings.CutPrefix(set, "!")
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' {
			if c >= set[i] && c <= set[i+2] {
				return !not
			}
			i += 2
			continue
		}
		if c == set[i] {
			return !not
		}
	}
	return not
}
