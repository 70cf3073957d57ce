package effects

import (
	"path"
	"slices"
	"strings"
)

// maxGlob bounds the length of a pattern; a longer word names no file.
const maxGlob = 256

// glob returns a word of a command as a pattern. The pattern is relative to an unknown
// folder, so it matches the end of a path; parts that depend on a variable are stars. It
// returns "" for a word that cannot name a file of a worktree.
func glob(word string) string {
	if len(word) > maxGlob || strings.ContainsAny(word, "\x00\n") || strings.HasPrefix(word, "~") {
		return ""
	}
	word = braces(strings.NewReplacer(":", "?", `\`, "").Replace(word))
	rooted := strings.HasPrefix(word, "/")
	word = path.Clean(word)
	if rooted {
		if strings.HasPrefix(word, "/dev/") && !strings.HasPrefix(word, "/dev/shm/") {
			return ""
		}
		return word
	}
	for strings.HasPrefix(word, "../") {
		word = word[len("../"):]
	}
	if word == "." || word == ".." {
		return anything
	}
	return word
}

// braces replaces what a shell expands in braces and brackets with a star.
func braces(word string) string {
	for _, pair := range []string{"{}", "[]"} {
		for from := strings.IndexByte(word, pair[0]); from >= 0; from = strings.IndexByte(word, pair[0]) {
			n := strings.IndexByte(word[from:], pair[1])
			if n < 0 {
				break
			}
			word = word[:from] + "*" + word[from+n+1:]
		}
	}
	return word
}

// globsIn returns patterns for files of some extensions (separated by commas) in the folder
// that a word names, or for the file that it names.
func globsIn(word, extensions string) []string {
	dir := glob(strings.TrimSuffix(strings.TrimSuffix(word, "..."), "/"))
	switch {
	case word == "..." || word == "./...", dir == anything:
		return []string{":" + extensions}
	case dir == "":
		return nil
	}
	return []string{dir, dir + "/:" + extensions}
}

// Match reports whether the pattern matches a file of the worktree at top. The path is
// relative to top and has slashes.
func (f Files) Match(top, file string) bool {
	g, class, of := strings.Cut(f.Glob, ":")
	if of {
		if !inClass(class, file) {
			return false
		}
		g += anything
	}
	if g == anything {
		return true
	}
	if strings.HasPrefix(g, "/") {
		if rest, under := strings.CutPrefix(g, strings.TrimSuffix(top, "/")+"/"); under {
			return matchWildcard(rest, file)
		}
		return matchWildcard(g, strings.TrimSuffix(top, "/")+"/"+file)
	}
	for rest := file; ; {
		if matchWildcard(g, rest) {
			return true
		}
		_, after, more := strings.Cut(rest, "/")
		if !more {
			return false
		}
		rest = after
	}
}

// Classes of files in a pattern, besides lists of extensions.
const (
	classCode      = "code"      // files that programs generate and format
	classArtifacts = "artifacts" // files that tests write next to themselves
)

const codeExtensions = "go,py,pyi,js,jsx,ts,tsx,mjs,cjs,rs,c,h,cc,cpp,hpp,java,kt,kts,scala,cs,fs,rb,php,swift,m,dart,ex,exs,erl,hs,ml,lua,zig,sql," +
	"proto,graphql,css,scss,less,html,vue,svelte,json,yaml,yml,toml,xml,tf,sh,gradle,cmake,lock,mod,sum,snap,svg"

func inClass(class, file string) bool {
	extension := strings.TrimPrefix(path.Ext(file), ".")
	switch class {
	case classCode:
		class = codeExtensions
	case classArtifacts:
		switch extension {
		case "snap", "golden", "ambr", "approved", "received", "out", "coverage", "lcov":
			return true
		}
		return slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(dir string) bool {
			switch dir {
			case "testdata", "__snapshots__", "snapshots", "fixtures", "cassettes", "golden", "goldens", "coverage", "__image_snapshots__", "test-results", "reports":
				return true
			}
			return false
		})
	}
	return extension != "" && slices.Contains(strings.Split(class, ","), extension)
}

// matchWildcard reports whether a pattern matches all of s: a star stands for any characters but a
// slash, two stars for any characters, a question mark for one character but a slash. Its
// time is bounded by the product of the lengths.
func matchWildcard(g, s string) bool {
	at := make([]bool, len(s)+1) // at[k]: the pattern so far matches s[:k]
	at[0] = true
	for i := 0; i < len(g); i++ {
		switch {
		case g[i] == '*':
			deep := i+1 < len(g) && g[i+1] == '*'
			for k := 1; k <= len(s); k++ {
				at[k] = at[k] || at[k-1] && (deep || s[k-1] != '/')
			}
			if deep {
				i++
			}
		default:
			for k := len(s); k > 0; k-- {
				at[k] = at[k-1] && (g[i] == s[k-1] || g[i] == '?' && s[k-1] != '/')
			}
			at[0] = false
		}
	}
	return at[len(s)]
}
