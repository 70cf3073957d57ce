package agent

// Bounds of what is kept of a transcript or a payload, in bytes.
const (
	MaxPrompt = 256 << 10
	MaxAnswer = 4 << 10
	MaxName   = 200 // of a name or an ID
)

// SetIf sets *to to s, unless s is empty.
func SetIf(to *string, s string) {
	if s != "" {
		*to = s
	}
}

// SyntheticModel is the model's name in messages that the agent's program wrote.
const SyntheticModel = "<synthetic>"

// MainChain is the name of the conversation that is not a subagent's; StrayChain that of a
// subagent without an ID.
const (
	MainChain  = ""
	StrayChain = "sidechain"
)
