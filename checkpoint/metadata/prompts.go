package metadata

import (
	"fmt"
	"slices"
	"strings"

	"entire/agent"
)

// PromptSeparator separates the prompts in prompt.txt.
const PromptSeparator = "\n\n---\n\n"

const maxContextPromptBytes = 500

// JoinPrompts returns the content of prompt.txt, without a final newline.
func JoinPrompts(prompts []string) string { return strings.Join(prompts, PromptSeparator) }

// SplitPrompts splits prompt.txt into prompts; an empty file has none. It leaves out notes of
// agents' programs, which older versions have stored.
func SplitPrompts(text string) []string {
	if text == "" {
		return nil
	}
	parts := strings.Split(text, PromptSeparator)
	for i := 0; i < len(parts); i++ {
		end := agent.NoteEnd(parts[i])
		if end == "" {
			continue
		}
		// The note contained the separator and was split there.
		if n := slices.IndexFunc(parts[i:], func(p string) bool { return strings.Contains(p, end) }); n > 0 {
			parts = slices.Replace(parts, i, i+n+1, strings.Join(parts[i:i+n+1], PromptSeparator))
		}
	}
	return agent.TypedPrompts(parts)
}

// ContextMarkdown returns the content of context.md: the prompts under numbered headings, each
// cut to 500 bytes. It is "" if there are none.
func ContextMarkdown(prompts []string) string {
	if len(prompts) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("# Session Context\n\n## User Prompts\n\n")
	for i, p := range prompts {
		fmt.Fprintf(&b, "### Prompt %d\n\n%s\n\n", i+1, cutPrompt(p))
	}
	return b.String()
}

func cutPrompt(p string) string {
	if len(p) <= maxContextPromptBytes {
		return p
	}
	return agent.Clip(p, maxContextPromptBytes) + "..."
}
