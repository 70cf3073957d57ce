package effects

import (
	"path"
	"slices"
	"strings"

	"entire/internal/risk"
)

// effects are those of one command. A program that is not known may have written
// anything.
func (c command) effects() Effects {
	c.unwrap()
	p := path.Base(strings.TrimSuffix(c.name, ".exe"))
	switch {
	case c.name == "":
		return Effects{}
	case c.asks() && p != "git":
		return Effects{}
	case readers[p]:
		return Effects{}
	case testers[p]:
		return c.tests()
	}
	if f, ok := formatters[p]; ok {
		return c.formats(f)
	}
	if m, ok := managers[p]; ok {
		if e, known := c.manages(m); known {
			return e
		}
	}
	if taskRunners[p] {
		return c.tasks(c.plain())
	}
	if e, ok := c.special(p); ok {
		return e
	}
	return c.script([]string{c.name})
}

// asks: it is only asked for its version, or for help.
func (c command) asks() bool {
	return len(c.args) == 1 && slices.Contains([]string{"--version", "--help", "-V", "-h", "-v", "-version", "version", "help"}, c.args[0])
}

// unwrap goes on to the command that a wrapper runs.
func (c *command) unwrap() {
	words := append([]string{c.name}, c.args...)
	for range maxDepth {
		if c.name, c.args = "", nil; len(words) > 0 {
			c.name, c.args = words[0], words[1:]
		}
		if m := managers[path.Base(c.name)]; m.files == nodeFiles && !slices.Contains([]string{"exec", "dlx", "x"}, c.verb()) {
			return // what it runs is a task, and no program
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

// unknown: what follows an option for output is written, and perhaps anything.
func (c command) unknown() Effects {
	e := writes(c.valuesOf("-o", "--output", "--out", "--out-file", "--outfile", "--output-file", "--dest", "--destination", "-destination", "--report")...).and(Unknown())
	e.Commits = true
	e.Takes = slices.ContainsFunc(append(c.args, c.name), func(w string) bool { return strings.Contains(w, "git") })
	return e
}

// plain are the arguments that are no options.
func (c command) plain() []string {
	return slices.DeleteFunc(slices.Clone(c.args), func(a string) bool { return strings.HasPrefix(a, "-") && a != "-" })
}

// verb is the first of them.
func (c command) verb() string {
	if plain := c.plain(); len(plain) > 0 {
		return plain[0]
	}
	return ""
}

// has reports an option: a long one, also with a value, or a short one, also among
// others.
func (c command) has(options ...string) bool {
	return slices.ContainsFunc(c.args, func(a string) bool {
		return slices.ContainsFunc(options, func(o string) bool { return is(a, o) })
	})
}

func is(arg, option string) bool {
	name, _, _ := strings.Cut(arg, "=")
	if name == option {
		return true
	}
	short := len(option) == 2 && option[0] == '-' && len(arg) > 1 && arg[0] == '-' && arg[1] != '-'
	return short && strings.IndexByte(arg[1:], option[1]) >= 0
}

// valuesOf are the patterns of the files that options are given.
func (c command) valuesOf(options ...string) (out []string) {
	for i, a := range c.args {
		for _, o := range options {
			name, value, with := strings.Cut(a, "=")
			switch {
			case name == o && with:
				out = append(out, glob(value))
			case a == o || len(o) == 2 && is(a, o) && strings.HasSuffix(a, o[1:]):
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

// trees are the patterns for files or folders with all that is in them.
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
