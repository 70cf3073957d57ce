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
		return certain(c.valuesOf("-o")...)
	case "test":
		c.args = slices.DeleteFunc(slices.Clone(c.args), func(a string) bool { return a == "test" })
		return c.testEffects().with(certain(c.valuesOf("-o", "-coverprofile", "-cpuprofile", "-memprofile")...))
	case "fmt", "fix":
		if len(rest) == 0 {
			rest = []string{"."}
		}
		var out Effects
		for _, w := range rest {
			out.add(rewrites(w, "go"))
		}
		return out
	case "mod", "get", "work":
		return certain("go.mod", "go.sum", "go.work", "go.work.sum", "vendor/"+anything)
	case "generate":
		return certain(":" + classCode).with(Unknown())
	}
	return c.unknown()
}

// cargo returns the effects of Rust's cargo.
func (c command) cargo() Effects {
	lock := certain("Cargo.lock")
	switch c.verb() {
	case "build", "check", "clippy", "doc", "bench", "b", "c", "tree", "metadata", "search", "audit", "fetch", "machete", "deny":
		if c.has("--fix") {
			return lock.with(possible(":rs"))
		}
		return lock
	case "test", "nextest", "t":
		return lock.with(c.testEffects())
	case "fmt", "fix":
		if slices.Contains(c.args, "--check") {
			return Effects{}
		}
		return lock.with(possible(":rs"))
	case "add", "remove", "rm", "update", "generate-lockfile":
		return lock.with(certain("Cargo.toml"))
	}
	return c.unknown()
}

// remoteEffects returns the effects of programs that mostly change other machines or containers.
func (c command) remoteEffects() Effects {
	switch c.verb() {
	case "run", "exec", "compose", "cp", "create", "template", "s3", "package", "export", "save", "init":
		return c.unknown()
	}
	return certain(c.valuesOf("-o", "--output")...)
}
