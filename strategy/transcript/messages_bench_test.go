package transcript_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"entire/agent"
	"entire/checkpoint/chunk"
	"entire/internal/git"
	"entire/internal/testrepo"
	"entire/session"
	"entire/strategy/internal/enginetest"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
)

// BenchmarkPackMessages is what a linked commit does for them: after 10 kB more of
// a transcript, and the first time, of one of 20 MB.
func BenchmarkPackMessages(b *testing.B) {
	r := testrepo.New(b)
	repo, err := git.Discover(b.Context(), r.Dir, r.Env)
	if err != nil {
		b.Fatal(err)
	}
	defer repo.Close()
	s := sessionstate.New(sessionstate.Options{Repo: repo, Store: session.NewStateStore(repo.CommonDir)})
	sid, rnd := enginetest.SessionID(b, "s1"), rand.New(rand.NewPCG(1, 2))
	o := &sessionstate.LockedSession{ID: sid, State: &session.State{SessionID: sid, AgentType: agent.AgentTypeClaudeCode}}
	grow := func(size int) {
		log := &o.Engine.Capture.Log
		if err := log.Append(repo.Writer(), repo.Reader(b.Context()).Blob, benchLines(rnd, size)); err != nil {
			b.Fatal(err)
		}
		if err := repo.Writer().Sync(); err != nil {
			b.Fatal(err)
		}
		*log = chunk.Log{Closed: log.Closed, Tail: log.Tail, Bytes: log.Bytes, Lines: log.Lines, Hash: log.Hash}
		o.PackedMessages = nil
	}
	pack := func() {
		if transcript.CheckpointMessages(b.Context(), s, o) == nil {
			b.Fatal("no messages")
		}
		if err := repo.Writer().Sync(); err != nil {
			b.Fatal(err)
		}
		transcript.SavePacked(s, o)
	}
	b.Run("10kB more", func(b *testing.B) {
		grow(1 << 20)
		pack()
		b.ResetTimer()
		for range b.N {
			b.StopTimer()
			grow(10 << 10)
			b.StartTimer()
			pack()
		}
	})
	b.Run("20MB", func(b *testing.B) {
		grow(20 << 20)
		b.SetBytes(o.Engine.Capture.Log.Bytes)
		for b.Loop() {
			if err := os.RemoveAll(s.Store.Dir(sid)); err != nil {
				b.Fatal(err)
			}
			o.PackedMessages = nil
			pack()
		}
	})
}

// benchLines are lines of a transcript of about that size, no two the same.
func benchLines(rnd *rand.Rand, size int) []byte {
	words := func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "%x ", rnd.Uint32()>>12)
		}
		return b.String()
	}
	var out bytes.Buffer
	for out.Len() < size {
		id := rnd.Uint64()
		fmt.Fprintf(&out, `{"parentUuid":"p","type":"assistant","uuid":"%x","timestamp":"2026-11-21T12:00:00.000Z","sessionId":"s1","message":{"role":"assistant","id":"msg_%x","model":"m",`+
			`"content":[{"type":"text","text":"%s"},{"type":"tool_use","id":"toolu_%x","name":"Bash","input":{"command":"go test"}}],"usage":{"input_tokens":3,"output_tokens":5}}}`+"\n", id, id, words(50), id)
		fmt.Fprintf(&out, `{"parentUuid":"p","type":"user","uuid":"%x-r","sessionId":"s1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%x","content":"%s"}]}}`+"\n", id, id, words(200))
	}
	return out.Bytes()
}
