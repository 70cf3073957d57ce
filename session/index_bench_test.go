package session

import (
	"fmt"
	"os"
	"testing"
	"time"

	"entire/id"
	"entire/session/internal/index"
	"entire/session/internal/layout"
)

// BenchmarkSummaries measures 500 old sessions: with the index, with all but
// eight in the index, and without an index.
func BenchmarkSummaries(b *testing.B) {
	s := NewStateStore(b.TempDir())
	old := time.Now().Add(-time.Hour)
	for i := range 500 {
		st := sampleState()
		st.SessionID = mustSession(fmt.Sprintf("258c7280-ae70-4798-800f-%012d", i))
		if err := s.Save(b.Context(), st); err != nil {
			b.Fatal(err)
		}
		if err := os.Chtimes(s.path(st.SessionID, layout.StateExt), old, old); err != nil {
			b.Fatal(err)
		}
	}
	time.Sleep(2 * index.RacyWindow)
	run := func(b *testing.B, before func()) {
		for b.Loop() {
			before()
			got, err := s.Summaries(b.Context())
			if err != nil || len(got) != 500 {
				b.Fatalf("%d summaries, %v", len(got), err)
			}
		}
	}
	b.Run("warm", func(b *testing.B) {
		if err := s.Refresh(b.Context()); err != nil {
			b.Fatal(err)
		}
		run(b, func() {})
	})
	b.Run("eight-changed", func(b *testing.B) {
		run(b, func() {
			b.StopTimer()
			for i := range 8 {
				path := s.path(mustSession(fmt.Sprintf("258c7280-ae70-4798-800f-%012d", i)), layout.StateExt)
				if err := os.Chtimes(path, old, time.Now()); err != nil {
					b.Fatal(err)
				}
			}
			b.StartTimer()
		})
	})
	b.Run("cold", func(b *testing.B) {
		run(b, func() { os.Remove(s.index) })
	})
}

func mustSession(s string) id.SessionID {
	sid, err := id.ParseSessionID(s)
	if err != nil {
		panic(err)
	}
	return sid
}
