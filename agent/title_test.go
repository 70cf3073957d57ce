package agent_test

import (
	"testing"
	"unicode/utf8"

	"entire/agent"
)

func TestTitle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, prompt, want string }{
		{"a short one as it is", "Fix the retry timeout", "Fix the retry timeout"},
		{"a question keeps its mark", "did you push?", "did you push?"},
		{"a greeting alone", "hi!", ""},
		{"two words of greeting", "Good morning, Claude", ""},
		{"a greeting before a request", "Hi Claude, fix the retry timeout", "fix the retry timeout"},
		{"a word that begins like a greeting", "hidden files are listed", "hidden files are listed"},
		{"go on", "Continue.", ""},
		{"a slash command", "/clear", ""},
		{"one with arguments", "/review the branch", ""},
		{"a path is no command", "/srv/app/main.go does not compile", "/srv/app/main.go does not compile"},
		{"an editor's tag", "<ide_opened_file>main.go</ide_opened_file>Rename it", "Rename it"},
		{"a system reminder alone", "<system-reminder>be brief</system-reminder>", ""},
		{"a note of a program", "<task-notification> <task-id>1</task-id></task-notification>", ""},
		{"an interruption", "[Request interrupted by user for tool use]", ""},
		{"a summary", "This session is being continued from a previous conversation that ran out", ""},
		{"a plan's heading", "Implement the following plan:\n\n# Plan: use mise for linting\n\n## Problem", "Implement the following plan: Plan: use mise for linting"},
		{"the first line only", "Make it faster\nIt takes four hours now", "Make it faster"},
		{"a line that is too short alone", "do\nit now", "do it now"},
		{"the first sentence of a long one", "Make the nightly count faster. It takes four hours now and nobody knows why that is.", "Make the nightly count faster"},
		{"at a word where there is no sentence", "Make the nightly stock count of the large warehouse in the north considerably faster please",
			"Make the nightly stock count of the large warehouse in the…"},
		{"other letters", "数据库的查询太慢", "数据库的查询太慢"},
		{"nothing but signs", "???", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := agent.Title(tt.prompt, 60); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzTitle(f *testing.F) {
	f.Add("Hi there. # x:\n- y\xff", 5)
	f.Fuzz(func(t *testing.T, prompt string, n int) {
		n = 10 + n&63
		got := agent.Title(prompt, n)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > n {
			t.Errorf("%q of %q", got, prompt)
		}
		for _, r := range got {
			if r < ' ' {
				t.Errorf("%q of %q has a control character", got, prompt)
			}
		}
	})
}
