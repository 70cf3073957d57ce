package shadow_test

import (
	"strings"
	"testing"

	"entire/checkpoint/shadow"
)

func TestStepContextRoundTrip(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		kind shadow.StepKind
		c    shadow.StepContext
	}{
		{"plain", shadow.StepLabel, shadow.StepContext{Why: shadow.WhyLabel, Label: "before the refactoring", Turn: 3, Message: "5d1c-01", Branch: "feature/x"}},
		{"a trailer", shadow.StepLabel, shadow.StepContext{Why: shadow.WhyLabel, Label: `Entire-Session: evil Entire-Step: rewind`}},
		{"quotes", shadow.StepLabel, shadow.StepContext{Why: shadow.WhyLabel, Label: `"quoted" \ and: <b>`}},
		{"foreign letters", shadow.StepAgent, shadow.StepContext{Why: shadow.WhyInterrupted, Message: "é:ü", Branch: "zweig-ß"}},
		{"another reason", shadow.StepHuman, shadow.StepContext{Why: shadow.WhyBeforeRewind, Turn: 12}},
		{"the kind's own reason", shadow.StepMixed, shadow.StepContext{Why: shadow.WhyPrompt}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			msg := shadow.StepMessage(shadow.Step{Kind: tt.kind, Subject: tt.c.Label, Session: session("s1"), StepContext: tt.c})
			info := shadow.ParseStep(msg)
			if info.StepContext != tt.c {
				t.Errorf("got  %+v\nwant %+v\nfrom %q", info.StepContext, tt.c, msg)
			}
			if info.Kind != tt.kind || info.RawSession != "s1" || len(info.Sessions) != 1 {
				t.Errorf("read as %+v\nfrom %q", info, msg)
			}
			if strings.Contains(tt.c.Label, "Entire-Session:") && strings.Contains(msg, "Entire-Session:") {
				t.Errorf("other tools find a session in %q", msg)
			}
		})
	}
}

func TestStepContextOfOthers(t *testing.T) {
	t.Parallel()
	msg := "x\n\nEntire-Step: label\nEntire-Step-Turn: -4\nEntire-Step-Branch: a\x1b[2Jb\nEntire-Step-Label: \"a\\u001b[2J\\nb\"\nEntire-Step-Message: \"broken\n"
	if got, want := shadow.ParseStep(msg).StepContext, (shadow.StepContext{Why: shadow.WhyLabel, Label: "a [2J b"}); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestCleanLabel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ label, want string }{
		{"  two\n words\t", "two words"},
		{"\x00\x1b\u202e\u0085", ""},
		{"a\xffb", "a b"},
		{"👩\u200d💻 at work", "👩\u200d💻 at work"},
		{strings.Repeat("ü", 500), strings.Repeat("ü", 200)},
	} {
		if got := shadow.CleanLabel(tt.label); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.label, got, tt.want)
		}
	}
}
