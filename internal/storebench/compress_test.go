package storebench

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"entire/agent"
	"entire/agent/conversation"
	"entire/session"
)

// BenchmarkCompress compresses a session, and reads it before and after: one of the
// transcripts in the folder ENTIRE_TRANSCRIPTS, or else one that is made up. Times are
// of the processor, in ms.
func BenchmarkCompress(b *testing.B) {
	ctx := context.Background()
	for name, fill := range talks(b) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				store := openStore(b)
				fill(b, store)
				was := readings(b, store)
				start := cpuTime()
				done, err := store.Compress(ctx, session.CompressOptions{Before: time.Now().AddDate(1, 0, 0)})
				took := cpuTime() - start
				check(b, err)
				if len(done.Sessions) != 1 {
					b.Fatalf("%+v", done)
				}
				is := readings(b, store)
				b.ReportMetric(float64(done.Was)/float64(done.Is), "ratio")
				b.ReportMetric(float64(done.Was)/1e6/took.Seconds(), "MB/s")
				for i, what := range []string{"messages", "stream", "last-20", "middle"} {
					b.ReportMetric(was[i], what+"-plain-ms")
					b.ReportMetric(is[i], what+"-ms")
				}
			}
		})
	}
}

// talks fill a store's session.
func talks(b *testing.B) map[string]func(*testing.B, *session.Store) {
	b.Helper()
	ctx := context.Background()
	out := map[string]func(*testing.B, *session.Store){"made-up": func(b *testing.B, s *session.Store) {
		check(b, s.AppendBatch(ctx, "s", session.Batch{Messages: codingSession(4000)}))
		check(b, s.Flush(ctx))
	}}
	files, err := filepath.Glob(filepath.Join(os.Getenv("ENTIRE_TRANSCRIPTS"), "*.jsonl"))
	check(b, err)
	for _, f := range files {
		text, err := os.ReadFile(f)
		check(b, err)
		out[filepath.Base(f)[:8]] = func(b *testing.B, s *session.Store) {
			n := conversation.NewNormalizer(agent.AgentTypeClaudeCode)
			var said []session.Message
			for line := range bytes.Lines(text) {
				said = n.AddLine(said, bytes.TrimSuffix(line, []byte{'\n'}))
			}
			check(b, s.AppendBatch(ctx, "s", session.Batch{Messages: said, Raw: text}))
			check(b, s.Flush(ctx))
		}
	}
	return out
}

// readings is what it costs to read all messages, the agent's stream, the last 20
// messages, and a line in the middle.
func readings(b *testing.B, s *session.Store) (ms [4]float64) {
	const times = 10
	ctx := context.Background()
	size, err := s.LogSize(ctx, "s")
	check(b, err)
	for i, read := range []func(){
		func() {
			_, err := s.LoadMessages("s")
			check(b, err)
		},
		func() {
			for _, err := range s.SDKMessages(ctx, "s") {
				check(b, err)
			}
		},
		func() {
			_, err := s.LastMessages(ctx, "s", 20)
			check(b, err)
		},
		func() {
			for _, err := range s.LogFrom(ctx, "s", size/2) {
				check(b, err)
				break
			}
		},
	} {
		start := cpuTime()
		for range times {
			read()
		}
		ms[i] = float64((cpuTime() - start).Microseconds()) / 1000 / times
	}
	return ms
}
