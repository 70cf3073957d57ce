package claude_test

import (
	"os"
	"testing"

	"entire/agent/claude"
	"entire/agent/internal/agenttest"
)

func FuzzRecords(f *testing.F) {
	transcript, err := os.ReadFile("../../testdata/transcripts/claude-code.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, row := range agenttest.NormalizeRows {
		transcript = append(append(transcript, '\n'), row.Transcript...)
	}
	agenttest.FuzzReader(f, claude.Adapter{}, transcript)
}
