package gemini_test

import (
	"os"
	"testing"

	"entire/agent/gemini"
	"entire/agent/internal/agenttest"
)

func FuzzRecords(f *testing.F) {
	transcript, err := os.ReadFile("../../testdata/agents/gemini/session-new.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	agenttest.FuzzReader(f, gemini.New(), transcript)
}
