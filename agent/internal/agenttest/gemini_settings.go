package agenttest

import (
	"entire/agent/gemini"
)

// Gemini returns the adapter for Gemini CLI.
func Gemini() gemini.Adapter { return gemini.New() }
