package effects

import "slices"

// goTool returns the effects of the go command.
func (c command) goTool() Effects {
	words := c.plain()
	rest := words[min(1, len(words)):]
	switch c.verb() {
	case "vet", "list", "env", "version", "doc", "help", "clean", "telemetry":
		return Effects{}
	case "build", "install":
		return writes(c.valuesOf("-o")...)
	case "test":
		c.args = slices.DeleteFunc(slices.Clone(c.args), func(a string) bool { return a == "test" })
		return c.tests().and(writes(c.valuesOf("-o", "-coverprofile", "-cpuprofile", "-memprofile")...))
	case "fmt", "fix":
		if len(rest) == 0 {
			rest = []string{"."}
		}
		var out Effects
		for _, w := range rest {
			out.add(writes(below(w, "go")...))
		}
		return out
	case "mod", "get", "work":
		return writes("go.mod", "go.sum", "go.work", "go.work.sum", "vendor/"+anything)
	case "generate":
		return writes(":" + code).and(Unknown())
	}
	return c.unknown()
}

// cargo returns the effects of Rust's cargo.
func (c command) cargo() Effects {
	lock := writes("Cargo.lock")
	switch c.verb() {
	case "build", "check", "clippy", "doc", "bench", "b", "c", "tree", "metadata", "search", "audit", "fetch", "machete", "deny":
		if c.has("--fix") {
			return lock.and(writes(":rs"))
		}
		return lock
	case "test", "nextest", "t":
		return lock.and(c.tests())
	case "fmt", "fix":
		if slices.Contains(c.args, "--check") {
			return Effects{}
		}
		return lock.and(writes(":rs"))
	case "add", "remove", "rm", "update", "generate-lockfile":
		return lock.and(writes("Cargo.toml"))
	}
	return c.unknown()
}

// remote returns the effects of programs that mostly change other machines or containers.
func (c command) remote() Effects {
	switch c.verb() {
	case "run", "exec", "compose", "cp", "create", "template", "s3", "package", "export", "save", "init":
		return c.unknown()
	}
	return writes(c.valuesOf("-o", "--output")...)
}
