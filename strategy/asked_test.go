package strategy

import (
	"testing"

	"entire/agent"
	"entire/internal/attribution"
)

// TestTurnsRememberTheirPrompt: each agent's line of a commit says by which prompt its turn
// began, also where the turn is an earlier one than the commit's, or over several commits.
func TestTurnsRememberTheirPrompt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s1", "Write the first", func() { w.writes("s1", "c1", "one.txt", "the agent's first\n") })
	w.turn("s1", "Run  something\nfor the second", func() { w.Write("two.txt", "the command's second\n") })
	w.turn("s1", "Only talk", func() {})
	w.Git("add", "one.txt")
	first := w.gitCommit("-m", "one")
	w.turn("s1", "Talk on", func() {})
	w.Git("add", "-A")
	second := w.gitCommit("-m", "two")
	for _, tc := range []struct{ cp, path, prompt string }{
		{first, "one.txt", "Write the first"}, {second, "two.txt", "Run something for the second"},
	} {
		r := w.record(tc.cp)
		f := r.File(tc.path)
		if f == nil || f.At(1) == nil {
			t.Fatalf("nothing is recorded of %s", tc.path)
		}
		if o := r.Owners[f.At(1).Owner]; o.Class != attribution.ClassAgent || o.Prompt != agent.PromptKey(tc.prompt) {
			t.Errorf("%s: owner %+v, want the prompt %q", tc.path, o, tc.prompt)
		}
	}
}

// TestAskedOfATurn: the hook's word counts, unless it said nothing.
func TestAskedOfATurn(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, hook, next string
		said             []string
		want             string
	}{
		{"both", "do it", "", []string{"do it"}, "do it"},
		{"the transcript has another text of it", "/do it", "", []string{"do it"}, "do it"},
		{"more was said in the turn", "do it", "", []string{"do it", "and that"}, "do it"},
		{"what was said before was not read", "do it", "", []string{"long ago", "do it"}, "do it"},
		{"not in the transcript yet", "do it", "", nil, "do it"},
		{"the hook says nothing", "", "", []string{"do it", "and that"}, "do it"},
		{"the next turn's is there", "do it", "then this", []string{"then this"}, "do it"},
		{"nothing", "", "", nil, ""},
	} {
		talk := agent.NewConversation(agent.AgentTypeClaudeCode)
		talk.Prompts = tc.said
		o := &open{next: tc.next, side: side{Turns: 3, Prompt: tc.hook, Capture: capture{Talk: talk}}}
		o.noteAsked()
		if got := o.side.promptOf(3); got != agent.PromptKey(tc.want) {
			t.Errorf("%s: %q is not the key of %q", tc.name, got, tc.want)
		}
	}
}
