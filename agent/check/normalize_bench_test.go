package check_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"entire/agent"
	"entire/agent/check"
	"entire/agent/conversation"
	"entire/agent/internal/agenttest"
)

// BenchmarkNormalize reads transcripts of the folder ENTIRE_TRANSCRIPTS, or else
// one that is made up.
func BenchmarkNormalize(b *testing.B) {
	for name, transcript := range benchTranscripts(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(transcript)))
			b.ReportAllocs()
			var out []agent.Message
			for b.Loop() {
				n := conversation.NewNormalizer(agent.AgentTypeClaudeCode)
				agent.EachFinalLine(transcript, func(line []byte) { out = n.AddLine(out[:0], line) })
			}
		})
	}
}

func benchTranscripts(b *testing.B) map[string][]byte {
	b.Helper()
	out := map[string][]byte{"made-up": bytes.Repeat(agenttest.NormalizeRows[0].Transcript, 1000)}
	files, err := filepath.Glob(filepath.Join(os.Getenv("ENTIRE_TRANSCRIPTS"), "*.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		out[filepath.Base(f)[:8]] = text
	}
	return out
}

// BenchmarkNormalizerStored is what a hook pays for the state of a long session.
func BenchmarkNormalizerStored(b *testing.B) {
	for name, transcript := range benchTranscripts(b) {
		b.Run(name, func(b *testing.B) {
			n := conversation.NewNormalizer(agent.AgentTypeClaudeCode)
			agent.EachFinalLine(transcript, func(line []byte) { n.AddLine(nil, line) })
			for b.Loop() {
				raw, err := json.Marshal(n)
				if err != nil {
					b.Fatal(err)
				}
				n = new(conversation.Normalizer)
				if err := json.Unmarshal(raw, n); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(raw)), "bytes")
			}
		})
	}
}

func BenchmarkCheckTranscript(b *testing.B) {
	for name, transcript := range benchTranscripts(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(transcript)))
			for b.Loop() {
				if _, err := check.Transcript(agent.AgentTypeClaudeCode, bytes.NewReader(transcript)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
