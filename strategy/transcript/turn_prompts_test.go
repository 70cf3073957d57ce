package transcript_test

import (
	"testing"

	"entire/agent"
	"entire/agent/conversation"
	"entire/internal/attribution"
	"entire/strategy/internal/enginetest"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
)

// TestTurnsRememberTheirPrompt: each agent's line of a commit says by which prompt its turn
// began, also where the turn is an earlier one than the commit's, or over several commits.
func TestTurnsRememberTheirPrompt(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "Write the first", func() { w.Writes("s1", "c1", "one.txt", "the agent's first\n") })
	w.Turn("s1", "Run  something\nfor the second", func() { w.Shell("s1", "echo \"the command's second\" > two.txt") })
	w.Turn("s1", "Only talk", func() {})
	w.Git("add", "one.txt")
	first := w.GitCommit("-m", "one")
	w.Turn("s1", "Talk on", func() {})
	w.Git("add", "-A")
	second := w.GitCommit("-m", "two")
	for _, tc := range []struct{ cp, path, prompt string }{
		{first, "one.txt", "Write the first"}, {second, "two.txt", "Run something for the second"},
	} {
		r := w.Record(tc.cp)
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
		talk := conversation.NewConversation(agent.AgentTypeClaudeCode)
		talk.Prompts = tc.said
		o := &sessionstate.LockedSession{NextPrompt: tc.next, Engine: sessionstate.EngineState{TurnNumber: 3, Prompt: tc.hook, Capture: sessionstate.TranscriptState{Conversation: talk}}}
		transcript.NoteTurnPrompt(o)
		if got := transcript.TurnPromptKey(&o.Engine, 3); got != agent.PromptKey(tc.want) {
			t.Errorf("%s: %q is not the key of %q", tc.name, got, tc.want)
		}
	}
}
