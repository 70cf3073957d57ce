package agent

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkNormalize reads transcripts of the folder ENTIRE_TRANSCRIPTS, or else
// one that is made up.
func BenchmarkNormalize(b *testing.B) {
	for name, transcript := range benchTranscripts(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(transcript)))
			b.ReportAllocs()
			var out []Message
			for b.Loop() {
				n := NewNormalizer(AgentTypeClaudeCode)
				wholeFile(transcript, func(line []byte) { out = n.AddLine(out[:0], line) })
			}
		})
	}
}

func benchTranscripts(b *testing.B) map[string][]byte {
	b.Helper()
	out := map[string][]byte{"made-up": bytes.Repeat(normalizeRows[0].transcript, 1000)}
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
