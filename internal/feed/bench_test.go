package feed

import (
	"strings"
	"testing"

	"entire/agent"
)

// BenchmarkEvent is the end of a turn with 20 kB of new transcript, in a session
// of 2,000 messages, and an event that finds nothing.
func BenchmarkEvent(b *testing.B) {
	for _, tc := range []struct {
		name string
		fed  int // bytes of transcript before each event
	}{{"turn", 20 << 10}, {"nothing", 0}} {
		b.Run(tc.name, func(b *testing.B) {
			l := newLab(b)
			for range 700 {
				l.say("go on")
			}
			l.event(agent.TurnEnd)
			text := strings.Repeat("what is in the file ", 200)
			for b.Loop() {
				b.StopTimer()
				for n := 0; n < tc.fed; {
					line := l.record("user", map[string]any{"role": "user", "content": text}, nil)
					n += len(line)
					l.append(l.path, line)
				}
				b.StartTimer()
				l.event(agent.TurnEnd)
			}
		})
	}
}
