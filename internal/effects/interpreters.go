package effects

import (
	"slices"
	"strings"
	"sync"
)

// interpreter returns the effects of an interpreter: those of its module, of its script,
// or of the code in its arguments.
func (c command) interpreter(program string) Effects {
	words, code := c.plain(), c.heredoc
	for i := 0; i < len(c.args); i++ {
		switch a := c.args[i]; {
		case strings.HasPrefix(program, "python") && a == "-m" && i+1 < len(c.args):
			return c.module(c.args[i+1], c.args[i+2:])
		case (a == "-c" || a == "-e" || a == "--eval" || a == "-p" && program == "node" || a == "-E" || a == "-r" && program == "php" || a == "eval" && program == "deno") && i+1 < len(c.args):
			code += "\n" + c.args[i+1]
			words = slices.DeleteFunc(words, func(w string) bool { return w == c.args[i+1] })
		case (program == "perl" || program == "ruby") && len(a) > 2 && a[0] == '-' && a[1] != '-' && strings.HasSuffix(a, "e") && i+1 < len(c.args):
			code += "\n" + c.args[i+1]
			words = slices.DeleteFunc(words, func(w string) bool { return w == c.args[i+1] })
		case slices.Contains([]string{"--check", "-check", "--version", "-V"}, a):
			return Effects{}
		}
	}
	if (program == "perl" || program == "ruby") && slices.ContainsFunc(c.args, inPlace) {
		return certain(globs(words)...)
	}
	if code != "" {
		return ofCode(code)
	}
	if program == "deno" && len(words) > 0 {
		switch words[0] {
		case "fmt":
			return command{name: "prettier", args: append([]string{"-w"}, words[1:]...)}.effects()
		case "lint", "check", "info", "test":
			return Effects{}
		}
	}
	return c.script(words)
}

// inPlace reports whether an argument is perl's or ruby's -i, also combined with other
// options and with a suffix.
func inPlace(arg string) bool {
	if len(arg) < 2 || arg[0] != '-' || arg[1] == '-' {
		return false
	}
	at := strings.IndexByte(arg, 'i')
	return at > 0 && !strings.ContainsAny(arg[1:at], "eEIMm0123456789.")
}

func (c command) module(name string, args []string) Effects {
	switch name {
	case "json.tool":
		if plain := (command{args: args}).plain(); len(plain) > 1 {
			return certain(glob(plain[1]))
		}
		return Effects{}
	case "py_compile", "compileall", "venv", "http.server", "timeit", "site", "platform", "this", "ensurepip", "sysconfig", "pydoc", "tabnanny", "dis", "ast", "tokenize":
		return Effects{}
	}
	if c.depth >= maxDepth {
		return Unknown()
	}
	return command{name: name, args: args, heredoc: c.heredoc, depth: c.depth + 1}.effects()
}

// actingWords holds words of code that may change files, or may call something that does.
var actingWords = sync.OnceValue(func() map[string]bool {
	return setOf(`open write writes writelines write_text write_bytes writeFile writeFileSync appendFile appendFileSync createWriteStream Path pathlib os shutil subprocess
	system exec execSync execFileSync spawn spawnSync popen eval compile __import__ importlib fs save savefig dump to_csv to_json unlink rename remove rmtree mkdir copy move
	tempfile glob fileinput File IO FileUtils FileTest Pathname Dir puts_to qx backtick require print_to Deno Bun process child_process unlinkSync renameSync fopen fwrite
	file_put_contents touch truncate chmod symlink run call check_call check_output urlretrieve download`)
})

// harmlessImports holds the modules that code may import without changing files.
var harmlessImports = sync.OnceValue(func() map[string]bool {
	return setOf(`sys json re math datetime time platform collections itertools functools typing string textwrap random statistics decimal fractions hashlib base64
	urllib.parse uuid enum dataclasses inspect ast tomllib csv unicodedata struct operator bisect heapq calendar locale`)
})

// ofCode returns the effects of a piece of code. Code that writes at all certainly writes
// the files that it names, and possibly others.
func ofCode(code string) Effects {
	if len(code) > MaxParsed {
		return Unknown()
	}
	acts, imports := false, false
	for word := range strings.FieldsFuncSeq(code, func(r rune) bool { return !isWordRune(r) && r != '.' }) {
		acts = acts || slices.ContainsFunc(strings.Split(word, "."), func(w string) bool { return actingWords()[w] })
		if word == "import" || word == "from" {
			imports = true
		} else if imports && !harmlessImports()[word] && word != "as" {
			acts = true
		} else {
			imports = false
		}
	}
	if !acts && !strings.Contains(code, "`") {
		return Effects{}
	}
	e := Unknown()
	if writesPlainly(code) {
		e = certain(fileNamesIn(code)...).with(e)
	}
	e.Commits, e.ImportsContent = strings.Contains(code, "git"), strings.Contains(code, "git")
	return e
}

// writesPlainly reports whether code opens a file for writing, or calls a function that
// writes one.
func writesPlainly(code string) bool {
	for _, sign := range []string{"write", "Write", "'w", `"w`, "'a'", `"a"`, "'r+", `"r+`, "dump(", "save", "to_csv", "to_json", "appendFile", "'>", `">`, "put_contents", "inplace", "copy", "rename", "replace("} {
		if strings.Contains(code, sign) {
			return true
		}
	}
	return false
}

func isWordRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// fileNamesIn returns the words of code that may name files: those with a dot or a slash.
func fileNamesIn(code string) (out []string) {
	inName := func(r rune) bool { return isWordRune(r) || strings.ContainsRune("./-*@+", r) || r > 127 }
	for w := range strings.FieldsFuncSeq(code, func(r rune) bool { return !inName(r) }) {
		w = strings.Trim(w, ".+-@")
		if strings.ContainsAny(w, "./") && len(w) > 2 && !strings.HasPrefix(w, "//") && strings.Trim(w, "*/.") != "" && len(out) < maxPatterns {
			if g := glob(w); g != "" && g != anything && !slices.Contains(out, g) {
				out = append(out, g)
			}
		}
	}
	return out
}

// patchedFiles returns the files that a patch changes.
func patchedFiles(patch string) (out []string) {
	for line := range strings.Lines(patch) {
		if name, ok := strings.CutPrefix(line, "+++ "); ok {
			name, _, _ = strings.Cut(strings.TrimSpace(name), "\t")
			out = append(out, glob(strings.TrimPrefix(name, "b/")))
		} else if name, ok := strings.CutPrefix(line, "--- a/"); ok {
			out = append(out, glob(strings.TrimSpace(name)))
		}
	}
	return out
}
