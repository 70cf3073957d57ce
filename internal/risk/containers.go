package risk

import (
	"slices"
	"strings"
)

// riskyContainer names the action of docker and its like that removes volumes, or lets a container write into
// a folder of this machine.
func riskyContainer(what string, args []string) string {
	mounts := flag(args, 'v', "--volume") || slices.Contains(args, "--volumes") || slices.Contains(args, "--mount") || hasPrefix(args, "--mount=")
	at := func(words ...string) bool {
		rest := operands(args)
		for _, w := range words {
			for len(rest) > 0 && rest[0] != w {
				rest = rest[1:]
			}
			if len(rest) == 0 {
				return false
			}
			rest = rest[1:]
		}
		return true
	}
	switch {
	case at("volume", "rm"), at("volume", "remove"), at("volume", "prune"):
		return what + " volume rm"
	case mounts && at("down"), mounts && at("rm"), mounts && at("prune"):
		return what + " -v"
	case mounts && at("run"):
		return what + " run -v"
	}
	return ""
}

// rewriting are the subcommands of package managers that rewrite or remove files of a project.
var rewriting = map[string][]string{
	"npm":      {"ci", "clean-install", "install", "i", "uninstall", "update", "prune", "dedupe", "audit fix"},
	"pnpm":     {"install", "i", "add", "remove", "update", "up", "prune", "dedupe"},
	"yarn":     {"install", "add", "remove", "upgrade", "up", "dedupe"},
	"bun":      {"install", "add", "remove", "update"},
	"composer": {"install", "update", "require", "remove"},
	"cargo":    {"fix", "vendor"}, "go": {"mod vendor"}, "pod": {"install", "update", "deintegrate"}, "bundle": {"install", "update"},
}

// rewritesTree names the action of a package manager that rewrites files. What follows an option before the
// subcommand may be that option's value, as in npm --prefix DIR ci.
func rewritesTree(what string, args []string) string {
	line := strings.Join(operands(args), " ") + " "
	after := ""
	if len(args) > 0 && strings.HasPrefix(args[0], "-") {
		_, after, _ = strings.Cut(line, " ")
	}
	for _, verb := range rewriting[what] {
		if strings.HasPrefix(line, verb+" ") || strings.HasPrefix(after, verb+" ") {
			return what + " " + verb
		}
	}
	return ""
}

// operands returns the arguments that are no options.
func operands(args []string) (out []string) {
	for i, a := range args {
		switch {
		case a == "--":
			return append(out, args[i+1:]...)
		case !strings.HasPrefix(a, "-"):
			out = append(out, a)
		}
	}
	return out
}

func hasPrefix(args []string, prefix string) bool {
	for _, a := range args {
		if strings.HasPrefix(a, prefix) {
			return true
		}
	}
	return false
}
