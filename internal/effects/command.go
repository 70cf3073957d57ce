package effects

import (
	"path"
	"slices"
	"strings"

	"entire/internal/risk"
)

// effects returns the effects of one command. An unknown program may write any file.
func (c command) effects() Effects {
	c.unwrap()
	p := path.Base(strings.TrimSuffix(c.name, ".exe"))
	switch {
	case c.name == "":
		return Effects{}
	case c.onlyAsks() && p != "git":
		return Effects{}
	case readOnlyPrograms()[p]:
		return Effects{}
	case testers()[p]:
		return c.testEffects()
	}
	if f, ok := formatters()[p]; ok {
		return c.formatEffects(f)
	}
	if m, ok := managers()[p]; ok {
		if e, known := c.installEffects(m); known {
			return e
		}
	}
	if taskRunners()[p] {
		return c.taskEffects(c.plain())
	}
	if e, ok := c.special(p); ok {
		return e
	}
	return c.script([]string{c.name})
}

// onlyAsks reports whether the command only prints its version or its help.
func (c command) onlyAsks() bool {
	return len(c.args) == 1 && slices.Contains([]string{"--version", "--help", "-V", "-h", "-v", "-version", "version", "help"}, c.args[0])
}

// unwrap replaces a wrapper (env, xargs, npx …) with the command that it runs.
func (c *command) unwrap() {
	words := append([]string{c.name}, c.args...)
	for range maxDepth {
		if c.name, c.args = "", nil; len(words) > 0 {
			c.name, c.args = words[0], words[1:]
		}
		if m := managers()[path.Base(c.name)]; m.files == nodeFiles && !slices.Contains([]string{"exec", "dlx", "x"}, c.verb()) {
			return // it runs a task, not a program
		}
		inner, wrapped := risk.Inner(words)
		if !wrapped {
			return
		}
		if path.Base(words[0]) == "xargs" && len(inner) > 0 {
			inner = append(slices.Clone(inner), "*")
		}
		words = inner
	}
	c.name, c.args = "", nil
	if len(words) > 0 {
		c.name, c.args = words[0], words[1:]
	}
}

// unknown returns the effects of an unknown program: it writes the values of its output
// options, and possibly any file.
func (c command) unknown() Effects {
	e := certain(c.valuesOf("-o", "--output", "--out", "--out-file", "--outfile", "--output-file", "--dest", "--destination", "-destination", "--report")...).with(Unknown())
	e.Commits = true
	e.ImportsContent = slices.ContainsFunc(append(c.args, c.name), func(w string) bool { return strings.Contains(w, "git") })
	return e
}

// plain returns the arguments that are not options.
func (c command) plain() []string {
	return slices.DeleteFunc(slices.Clone(c.args), func(a string) bool { return strings.HasPrefix(a, "-") && a != "-" })
}

// verb returns the first plain argument, "" for none.
func (c command) verb() string {
	if plain := c.plain(); len(plain) > 0 {
		return plain[0]
	}
	return ""
}

// has reports whether the command has one of the options: a long one with or without a
// value, or a short one, also combined with others.
func (c command) has(options ...string) bool {
	return slices.ContainsFunc(c.args, func(a string) bool {
		return slices.ContainsFunc(options, func(o string) bool { return isOption(a, o) })
	})
}

// isOption reports whether an argument is an option, or several short ones with it among
// them. What follows "=" is a value.
func isOption(arg, option string) bool {
	name, _, _ := strings.Cut(arg, "=")
	if name == option {
		return true
	}
	short := len(option) == 2 && option[0] == '-' && len(name) > 1 && name[0] == '-' && name[1] != '-'
	return short && strings.IndexByte(name[1:], option[1]) >= 0
}

// valuesOf returns the patterns of the files that are the values of the given options.
func (c command) valuesOf(options ...string) (out []string) {
	for i, a := range c.args {
		for _, o := range options {
			name, value, with := strings.Cut(a, "=")
			switch {
			case name == o && with:
				out = append(out, glob(value))
			case a == o || len(o) == 2 && isOption(a, o) && strings.HasSuffix(a, o[1:]):
				if i+1 < len(c.args) {
					out = append(out, glob(c.args[i+1]))
				}
			case len(o) == 2 && len(a) > 2 && strings.HasPrefix(a, o) && a[1] != '-':
				out = append(out, glob(a[2:]))
			}
		}
	}
	return out
}

func globs(words []string) (out []string) {
	for _, w := range words {
		out = append(out, glob(w))
	}
	return out
}

// trees returns patterns for the named files, or for folders with everything below them.
func trees(words []string) (out []string) {
	for _, w := range words {
		if g := glob(w); g == anything {
			out = append(out, g)
		} else if g != "" {
			out = append(out, g, g+"/"+anything)
		}
	}
	return out
}
