package effects

import (
	"path"
	"slices"
	"strings"
)

// special returns the effects of programs whose arguments must be understood; ok is false
// for any other program.
func (c command) special(program string) (e Effects, ok bool) {
	switch program {
	case "git":
		return c.gitEffects(), true
	case "gh", "glab":
		return c.forgeEffects(), true
	case "sed", "gsed":
		return c.sed(), true
	case "awk", "gawk", "mawk", "nawk":
		return c.awk(), true
	case "perl", "ruby", "python", "python2", "python3", "node", "nodejs", "deno", "php", "Rscript", "lua", "osascript", "tsx", "ts-node", "julia", "swift", "elixir":
		return c.interpreter(program), true
	case "sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "eval":
		return c.shell(), true
	case "curl":
		return c.curl(), true
	case "wget":
		return c.wget(), true
	case "find":
		return c.find(), true
	case "go":
		return c.goTool(), true
	case "cargo":
		return c.cargo(), true
	case "docker", "podman", "kubectl", "helm", "aws", "gcloud", "az":
		return c.remoteEffects(), true
	case "tsc":
		if c.has("--noEmit") {
			return Effects{}, true
		}
	case "protoc", "buf", "sqlc", "prisma", "mockgen", "stringer", "swag", "wire", "openapi-generator", "openapi-generator-cli", "graphql-codegen", "quicktype", "datamodel-codegen",
		"rails", "ng", "django-admin", "manage.py", "alembic", "cookiecutter", "yo", "hygen", "plop", "ent", "oapi-codegen", "thrift", "flatc", "capnp", "easyjson", "templ":
		return c.unknown().with(certain(":" + classCode)), true
	}
	return c.fileTool(program)
}

// fileTool returns the effects of programs that write the files that their arguments name;
// ok is false for any other program.
func (c command) fileTool(program string) (e Effects, ok bool) {
	words := c.plain()
	switch program {
	case "rm", "unlink", "shred", "touch", "truncate", "tee", "chmod", "chown", "sponge", "ed", "ex", "gzip", "gunzip", "dos2unix", "unix2dos":
		if program == "chmod" || program == "chown" {
			words = words[min(1, len(words)):]
		}
		return certain(trees(words)...), true
	case "mv", "cp", "ln", "install", "rsync", "scp", "ditto":
		return c.copyEffects(words, program == "mv"), true
	case "sort", "shuf", "tree":
		return certain(c.valuesOf("-o", "--output")...), true
	case "uniq", "xxd", "iconv":
		return certain(globs(words[min(1, len(words)):])...).with(certain(c.valuesOf("-o", "--output")...)), true
	case "dd":
		return certain(c.valuesOf("of")...), true
	case "patch":
		if c.heredoc != "" {
			return certain(patchedFiles(c.heredoc)...), true
		}
	case "tar", "unzip", "7z", "bsdtar":
		return c.unknown().with(certain(trees(append(c.rawValues("-C"), c.rawValues("-d")...))...)), true
	case "source", ".":
		return Unknown(), true
	case "split", "csplit":
		return Unknown(), true
	case "gcc", "cc", "g++", "clang", "clang++", "rustc", "javac", "ld", "as", "ar":
		return certain(c.valuesOf("-o", "-d")...), true
	case "sqlite3", "psql", "mysql", "redis-cli", "mongosh", "ssh", "open", "xdg-open", "code", "telnet", "ffprobe", "identify":
		return certain(c.valuesOf("-o", "--output")...), true
	}
	return Effects{}, false
}

// rawValues returns the words that follow an option.
func (c command) rawValues(option string) (out []string) {
	for i, a := range c.args {
		if a == option && i+1 < len(c.args) {
			out = append(out, c.args[i+1])
		}
	}
	return out
}

// copyEffects returns the effects of a program that writes its last argument, or into that
// folder. takesAway says that it also removes the sources.
func (c command) copyEffects(words []string, takesAway bool) Effects {
	if target := append(c.rawValues("-t"), c.rawValues("--target-directory")...); len(target) > 0 {
		words = append(slices.DeleteFunc(words, func(w string) bool { return slices.Contains(target, w) }), target[0])
	}
	if len(words) < 2 {
		return c.unknown()
	}
	from, to := words[:len(words)-1], words[len(words)-1]
	out := trees(words[len(words)-1:])
	if to != "." && to != ".." && !strings.HasSuffix(to, "/") && !c.has("-r", "-R", "-a", "--recursive", "--archive") {
		out = []string{glob(to)} // either a file or a folder
	}
	for _, w := range from {
		if base := path.Base(w); base != "." && base != ".." {
			out = append(out, glob(path.Join(to, base)), glob(path.Join(to, base))+"/"+anything)
		}
	}
	if to == "." || to == ".." {
		out = slices.DeleteFunc(out, func(g string) bool { return g == anything })
	}
	if takesAway {
		out = append(out, trees(from)...)
	}
	return certain(out...)
}

// sed writes files only in place, or by the commands w and e of a script.
func (c command) sed() Effects {
	scripts := append(c.rawValues("-e"), c.rawValues("--expression")...)
	files := c.plain()
	if len(scripts) == 0 && !c.has("-f", "--file") && len(files) > 0 {
		scripts, files = files[:1], files[1:]
	} else {
		files = slices.DeleteFunc(files, func(w string) bool { return slices.Contains(scripts, w) })
	}
	var out Effects
	if c.has("--in-place") || slices.ContainsFunc(c.args, sedInPlace) {
		out = certain(globs(slices.DeleteFunc(files, func(w string) bool { return w == "" }))...)
	}
	if c.has("-f", "--file") || slices.ContainsFunc(scripts, writingScript) {
		out.add(Unknown())
	}
	return out
}

// sedInPlace reports whether an argument of sed has the option -i. What follows -e, -f or -l
// in the same argument is the value of that option.
func sedInPlace(arg string) bool {
	if len(arg) < 2 || arg[0] != '-' || arg[1] == '-' {
		return false
	}
	at := strings.IndexAny(arg, "iefl")
	return at > 0 && arg[at] == 'i'
}

// writingScript reports whether a sed script possibly writes a file or runs a command.
func writingScript(script string) bool {
	trimmed := strings.TrimRight(script, "gIipm0123456789")
	if strings.HasSuffix(trimmed, "/e") || strings.HasSuffix(trimmed, "|e") || strings.HasSuffix(trimmed, "#e") {
		return true
	}
	for i := range len(script) {
		if (script[i] == 'w' || script[i] == 'W' || script[i] == 'e') && (i+1 == len(script) || script[i+1] == ' ' || script[i+1] == '/') &&
			(i == 0 || strings.IndexByte(" \t\n;{}$/0123456789|#", script[i-1]) >= 0) {
			return true
		}
	}
	return false
}

// awk writes files by redirections in its script, and in place with the inplace extension.
func (c command) awk() Effects {
	words := c.plain()
	var out Effects
	if at := slices.Index(words, "inplace"); at >= 0 {
		words = slices.Delete(words, at, at+1)
		out = certain(globs(words[min(1, len(words)):])...)
	}
	for _, script := range append(words, c.heredoc) {
		if at := strings.Index(script, "print"); at >= 0 && strings.Contains(script[at:], ">") || strings.Contains(script, "system(") || strings.Contains(script, `| "`) {
			return out.with(certain(fileNamesIn(script)...)).with(Unknown())
		}
	}
	if c.has("-f", "--file") {
		out.add(Unknown())
	}
	return out
}

// curl writes the file that an option names; otherwise it prints.
func (c command) curl() Effects {
	out := certain(c.valuesOf("-o", "--output", "-c", "--cookie-jar", "-D", "--dump-header", "--trace", "--trace-ascii", "--stderr")...)
	if c.has("-O", "--remote-name", "--remote-name-all", "-J", "--remote-header-name") {
		for _, w := range c.plain() {
			out.add(certain(glob(urlName(w))))
		}
		if c.has("-J", "--remote-header-name") {
			out.add(Unknown())
		}
	}
	if c.has("-K", "--config") {
		out.add(Unknown())
	}
	return out
}

func urlName(url string) string {
	url, _, _ = strings.Cut(url, "?")
	return path.Base(strings.TrimSuffix(url, "/"))
}

func (c command) wget() Effects {
	switch {
	case c.has("-r", "--recursive", "-m", "--mirror", "-p", "--page-requisites", "-i"):
		return c.unknown()
	case c.has("--spider"):
		return Effects{}
	case c.has("-O", "--output-document"):
		return certain(c.valuesOf("-O", "--output-document")...)
	}
	var out Effects
	for _, w := range c.plain() {
		out.add(certain(glob(urlName(w))))
	}
	return out
}

// find runs commands on the files that it finds; their possible names come from -name and
// -iname.
func (c command) find() Effects {
	found := append(c.rawValues("-name"), c.rawValues("-iname")...)
	if len(found) == 0 {
		found = []string{"*"}
	}
	out := certain(append(globs(c.rawValues("-fprint")), globs(c.rawValues("-fls"))...)...)
	if slices.Contains(c.args, "-delete") {
		out.add(certain(trees(found)...))
	}
	for i := 0; i < len(c.args); i++ {
		switch c.args[i] {
		case "-exec", "-execdir", "-ok", "-okdir":
			var words []string
			for i++; i < len(c.args) && c.args[i] != ";" && c.args[i] != `\;` && c.args[i] != "+"; i++ {
				if c.args[i] == "{}" {
					words = append(words, found...)
				} else {
					words = append(words, strings.ReplaceAll(c.args[i], "{}", found[0]))
				}
			}
			if len(words) > 0 && c.depth < maxDepth {
				out.add(command{name: words[0], args: words[1:], depth: c.depth + 1}.effects())
			}
		}
	}
	return out
}

// shell returns the effects of a script in the arguments or in a here-document.
func (c command) shell() Effects {
	if c.name == "eval" {
		return ofShell(strings.Join(c.args, " "), c.depth+1)
	}
	for i, a := range c.args {
		if len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.HasSuffix(a, "c") && i+1 < len(c.args) {
			return ofShell(c.args[i+1], c.depth+1)
		}
	}
	if c.has("-n") {
		return Effects{}
	}
	if len(c.plain()) == 0 && c.heredoc != "" {
		return ofShell(c.heredoc, c.depth+1)
	}
	return c.script(c.plain())
}

// script returns the effects of a script of the project, which are unknown. A script whose
// name says that it generates writes code.
func (c command) script(words []string) Effects {
	e := c.unknown()
	if len(words) > 0 {
		if makes, _ := taskWords(path.Base(words[0])); makes {
			e = certain(":" + classCode).with(e)
		}
	}
	return e
}
