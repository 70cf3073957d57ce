package summarize

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"entire/agent"
)

// A tool is an agent's program, which reads a question from standard input. No file of the repository
// decides which program runs or how; only the model, one argument, can come from one.
type tool struct {
	name   string
	model  string   // the default model; "" is the program's own default
	family []string // prefixes of its models' names, if it accepts no others
	args   []string
	homes  []string // folders below home to search after PATH
}

var (
	claude = tool{
		name: "claude", model: "sonnet",
		args:  []string{"--print", "--output-format", "json", "--setting-sources", ""},
		homes: []string{".local/bin", ".claude/local"},
	}
	geminiTool = tool{
		name: "gemini", family: []string{"gemini", "gemma"},
		args: []string{"--prompt", "Answer with the JSON object only.", "--output-format", "json"},
	}
)

// toolFor returns the program of the session's agent.
func toolFor(kind agent.AgentType) tool {
	if kind == agent.AgentTypeGemini {
		return geminiTool
	}
	return claude
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
		model = t.model
	}
	if model == "" {
		return t.args, nil
	}
	return append([]string{"--model", model}, t.args...), nil
}

func (t tool) fits(model string) bool {
	of := func(family []string) bool {
		for _, prefix := range family {
			if strings.HasPrefix(model, prefix) {
				return true
			}
		}
		return false
	}
	if t.family == nil {
		return !of(geminiTool.family)
	}
	return of(t.family)
}

// find searches for the program in the absolute folders of environ's PATH, and then where its
// installer puts it.
func (t tool) find(environ []string, home string) (string, error) {
	dirs := filepath.SplitList(value(environ, "PATH"))
	if home != "" {
		for _, dir := range t.homes {
			dirs = append(dirs, filepath.Join(home, filepath.FromSlash(dir)))
		}
	}
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, suffix := range suffixes(environ) {
			path := filepath.Join(dir, t.name+suffix)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && (suffix != "" || info.Mode()&0o111 != 0) {
				return path, nil
			}
		}
	}
	return "", fmt.Errorf("%s %w: it is not on the PATH", t.name, ErrNotFound)
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
