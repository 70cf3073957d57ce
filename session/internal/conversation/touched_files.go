package conversation

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"entire/agent"
	"entire/agent/agents"
)

// Touched counts the changes that the agent's tools made to files in a session, by top-level
// folder of the project and by language.
type Touched struct {
	Folders   map[string]int `json:"folders,omitempty"`
	Languages map[string]int `json:"languages,omitempty"`
}

// touchedMax bounds how many folders, or languages, are counted.
const touchedMax = 32

// addTouched counts the files that a message's tool calls change.
func (t *Tally) addTouched(m *Message) {
	for _, call := range m.ToolCalls {
		for _, name := range agent.EditedFiles(call) {
			if t.files == nil {
				t.files = map[string]int{}
			}
			if t.files[name] > 0 || len(t.files) < 1000 {
				t.files[name]++
			}
		}
	}
}

// addTouchedTo adds the counted files to metadata.
func (t *Tally) addTouchedTo(meta *SessionMetadata) {
	if len(t.files) == 0 {
		return
	}
	sum := &Touched{Folders: map[string]int{}, Languages: map[string]int{}}
	if old := meta.Touched; old != nil {
		maps.Copy(sum.Folders, old.Folders)
		maps.Copy(sum.Languages, old.Languages)
	}
	folder := strings.TrimSuffix(strings.ReplaceAll(meta.CWD, `\`, "/"), "/") + "/"
	for _, name := range slices.Sorted(maps.Keys(t.files)) {
		rel, inside := strings.CutPrefix(name, folder)
		if path.IsAbs(name) && !inside || strings.Contains(name, ":/") {
			rel = ""
		}
		if top, _, below := strings.Cut(path.Clean(rel), "/"); below && top != ".." {
			addCount(sum.Folders, top, t.files[name])
		}
		if language := languages[strings.ToLower(path.Ext(name))]; language != "" {
			addCount(sum.Languages, language, t.files[name])
		}
	}
	meta.Touched = sum
}

func addCount(in map[string]int, name string, n int) {
	if in[name] > 0 || len(in) < touchedMax {
		in[name] += n
	}
}

// languages maps file name extensions to languages.
var languages = map[string]string{
	".go": "go", ".py": "python", ".js": "javascript", ".jsx": "javascript", ".mjs": "javascript", ".ts": "typescript", ".tsx": "typescript",
	".rs": "rust", ".rb": "ruby", ".java": "java", ".kt": "kotlin", ".swift": "swift", ".c": "c", ".h": "c", ".cc": "c++", ".cpp": "c++", ".hpp": "c++",
	".cs": "c#", ".php": "php", ".ex": "elixir", ".exs": "elixir", ".heex": "elixir", ".erl": "erlang", ".hs": "haskell", ".ml": "ocaml", ".scala": "scala",
	".clj": "clojure", ".lua": "lua", ".pl": "perl", ".r": "r", ".jl": "julia", ".dart": "dart", ".zig": "zig", ".sh": "shell", ".bash": "shell", ".sql": "sql",
	".html": "html", ".css": "css", ".scss": "css", ".vue": "vue", ".svelte": "svelte", ".tf": "terraform", ".yml": "yaml", ".yaml": "yaml", ".md": "markdown",
}

// automaticOf is how many folders, and how many languages, become tags.
const automaticOf = 3

// AutomaticTags returns tags made from the metadata: the agent, the branches, and the folders
// and languages with most changes. Each begins with its kind, as in "lang:go", so that none
// equals a user's tag.
func (m SessionMetadata) AutomaticTags() []string {
	var out []string
	if m.AgentType != "" {
		out = append(out, "agent:"+string(agents.For(m.AgentType).Name()))
	}
	for _, b := range m.Branches {
		out = append(out, "branch:"+b)
	}
	if m.Touched != nil {
		for _, f := range mostCounted(m.Touched.Folders) {
			out = append(out, "dir:"+f)
		}
		for _, l := range mostCounted(m.Touched.Languages) {
			out = append(out, "lang:"+l)
		}
	}
	return out
}

// mostCounted returns the names with the highest counts.
func mostCounted(counts map[string]int) []string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return names[:min(len(names), automaticOf)]
}
