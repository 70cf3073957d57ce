package filelog

import (
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
)

const beginPatch = "*** Begin Patch"

// patchIn returns the patch in the form of apply_patch that an input has: it is one, or a member of it is, or the
// words of a command.
func patchIn(input gjson.Result) string {
	switch {
	case input.Type == gjson.String:
		if strings.Contains(input.Str, beginPatch) {
			return input.Str
		}
	case input.IsObject() && strings.Contains(input.Raw, beginPatch):
		for _, name := range []string{"input", "patch", "patchText", "command", "cmd"} {
			m := input.Get(name)
			if m.IsArray() {
				m.ForEach(func(_, word gjson.Result) bool {
					if strings.Contains(word.String(), beginPatch) {
						m = word
					}
					return true
				})
			}
			// A file's content may show a patch; a command that makes one begins with its name.
			if m.Type == gjson.String && strings.Contains(m.Str, beginPatch) && (strings.HasPrefix(strings.TrimSpace(m.Str), beginPatch) || strings.Contains(m.Str, "apply_patch")) {
				return m.Str
			}
		}
	}
	return ""
}

func patchFacts(patch string, input gjson.Result) []agent.FileFact {
	dir := input.Get("workdir").String()
	head, _, _ := strings.Cut(patch, beginPatch)
	if _, to, ok := strings.Cut(head, "cd "); ok {
		if word, _, ok := strings.Cut(to, "&&"); ok {
			dir = base.Within(dir, strings.Trim(strings.TrimSpace(word), `"'`))
		}
	}
	return base.PatchFacts(patch, dir)
}
