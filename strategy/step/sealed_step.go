package step

import (
	"strings"

	"entire/checkpoint/shadow"
	"entire/strategy/sessionstate"
)

// sealedTurn is the subject of an agent's step whose own is left out.
const sealedTurn = "agent's turn (sealed)"

// withoutWords returns the step without what people and models said, where the repository seals: the message
// of a commit cannot be sealed. A label stays, because a person gave it to find the step by.
func withoutWords(s *sessionstate.Env, st shadow.Step) shadow.Step {
	if !s.Sealing() {
		return st
	}
	switch st.Kind {
	case shadow.StepAgent:
		st.Subject = sealedTurn
	case shadow.StepTask:
		st.Subject = "subagent's work (sealed)"
	}
	st.Subject, st.Why = shortCommand(st.Subject), shortCommand(st.Why)
	return st
}

// shortCommand leaves of a command that a step was made before its first word.
func shortCommand(text string) string {
	command, of := strings.CutPrefix(text, shadow.WhyBeforeCommand)
	if !of {
		return text
	}
	first, _, _ := strings.Cut(command, " ")
	return shadow.WhyBeforeCommand + first
}
