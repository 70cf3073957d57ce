package step

import (
	"strings"

	"entire/checkpoint/shadow"
	"entire/strategy/sessionstate"
)

// withoutWords returns the step without what people and models said, where the repository seals: the message
// of a commit cannot be sealed. A label stays, because a person gave it to find the step by.
func withoutWords(s *sessionstate.Env, st shadow.Step) shadow.Step {
	if !s.Sealing() {
		return st
	}
	switch st.Kind {
	case shadow.StepAgent:
		st.Subject = "agent's turn (sealed)"
	case shadow.StepTask:
		st.Subject = "subagent's work (sealed)"
	}
	if command, of := strings.CutPrefix(st.Why, shadow.WhyBeforeCommand); of {
		first, _, _ := strings.Cut(command, " ")
		st.Why = shadow.WhyBeforeCommand + first
	}
	return st
}
