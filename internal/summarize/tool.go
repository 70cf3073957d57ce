package summarize

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"entire/agent"
	"entire/agent/agents"
)

// A tool is an agent's program, which reads a question from standard input. No file of the repository
// decides which program runs or how; only the model, one argument, can come from one.
type tool agent.Asker

// toolFor returns the program of the session's agent, or that of the first agent that has one.
func toolFor(kind agent.AgentType) tool {
	if by := agents.For(kind).Profile().Asker; by != nil {
		return tool(*by)
	}
	for _, a := range agents.All() {
		if by := a.Profile().Asker; by != nil {
			return tool(*by)
		}
	}
	return tool{}
}

// modelName is compiled on first use, because hooks do not need it.
var modelName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@\[\]-]{0,199}$`)
})

// arguments returns the program's arguments for a model. It replaces a model of another family by the
// default, because one setting may serve two agents.
func (t tool) arguments(model string) ([]string, error) {
	if model != "" && !modelName().MatchString(model) {
		return nil, fmt.Errorf("%.60q is not the name of a model", model)
	}
	if model == "" || !t.fits(model) {
		model = t.Model
	}
	if model == "" {
		return t.Args, nil
	}
	return append([]string{"--model", model}, t.Args...), nil
}

// fits reports whether the program has such a model: one of its families or, for a program that accepts
// others, none of another program's family.
func (t tool) fits(model string) bool {
	of := func(prefix string) bool { return strings.HasPrefix(model, prefix) }
	if t.Families != nil {
		return slices.ContainsFunc(t.Families, of)
	}
	return !slices.ContainsFunc(agents.All(), func(a agent.Agent) bool {
		by := a.Profile().Asker
		return by != nil && slices.ContainsFunc(by.Families, of)
	})
}

// find searches for the program in the absolute folders of environ's PATH, and then where its
// installer puts it.
func (t tool) find(environ []string, home string) (string, error) {
	dirs := filepath.SplitList(value(environ, "PATH"))
	if home != "" {
		for _, dir := range t.Homes {
			dirs = append(dirs, filepath.Join(home, filepath.FromSlash(dir)))
		}
	}
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, suffix := range suffixes(environ) {
			path := filepath.Join(dir, t.Program+suffix)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && (suffix != "" || info.Mode()&0o111 != 0) {
				return path, nil
			}
		}
	}
	return "", fmt.Errorf("%s %w: it is not on the PATH", t.Program, errNotFound)
}

// suffixes returns the possible endings of an executable's name.
func suffixes(environ []string) []string {
	if runtime.GOOS != "windows" {
		return []string{""}
	}
	if list := value(environ, "PATHEXT"); list != "" {
		return strings.Split(strings.ToLower(list), ";")
	}
	return []string{".com", ".exe", ".bat", ".cmd"}
}

func value(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		key, v, _ := strings.Cut(environ[i], "=")
		if key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name) {
			return v
		}
	}
	return ""
}
