package strategy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"entire/agent"
	"entire/checkpoint"
	"entire/internal/git"
	"entire/internal/testrepo"
	"entire/session"
)

// BenchmarkPackMessages is what a linked commit does for them: the first one of a
// session with a transcript of that size, and one after 10 kB more.
func BenchmarkPackMessages(b *testing.B) {
	r := testrepo.New(b)
	repo, err := git.Discover(b.Context(), r.Dir, r.Env)
	if err != nil {
		b.Fatal(err)
	}
	defer repo.Close()
	s := New(Options{Repo: repo, Store: session.NewStateStore(repo.CommonDir)})
	sid, line := sessionID(b, "s1"), benchLine()
	for _, size := range []int{10 << 10, 1 << 20, 20 << 20} {
		if size > 1<<20 && testing.Short() {
			continue
		}
		var log checkpoint.Log
		if err := log.Append(repo.Writer(), nil, bytes.Repeat(line, size/len(line))); err != nil {
			b.Fatal(err)
		}
		before := log
		if err := log.Append(repo.Writer(), s.repo.Reader(b.Context()).Blob, bytes.Repeat(line, 10<<10/len(line))); err != nil {
			b.Fatal(err)
		}
		if err := repo.Writer().Sync(); err != nil {
			b.Fatal(err)
		}
		o := &open{id: sid, state: &session.State{SessionID: sid, AgentType: agent.AgentTypeClaudeCode}}
		b.Run(fmt.Sprintf("first/%dkB", size>>10), func(b *testing.B) {
			b.SetBytes(before.Bytes)
			for b.Loop() {
				os.RemoveAll(s.store.Dir(sid))
				o.packed, o.side.Capture.Log = nil, before
				if s.messages(b.Context(), o) == nil {
					b.Fatal("no messages")
				}
				s.keepPacked(o)
			}
		})
		if err := repo.Writer().Sync(); err != nil {
			b.Fatal(err)
		}
		first, err := os.ReadFile(r.GitPath("entire-sessions/s1.d/" + messagesName))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("next/%dkB", size>>10), func(b *testing.B) {
			for b.Loop() {
				o.packed, o.side.Capture.Log = new(packedTalk), log
				if err := json.Unmarshal(first, o.packed); err != nil {
					b.Fatal(err)
				}
				if s.messages(b.Context(), o) == nil {
					b.Fatal("no messages")
				}
				s.keepPacked(o)
			}
		})
	}
}

func benchLine() []byte {
	return []byte(`{"parentUuid":"00000000-0000-4000-8000-000000000001","type":"assistant","uuid":"00000000-0000-4000-8000-000000000002",` +
		`"timestamp":"2026-11-21T12:00:00.000Z","sessionId":"s1","message":{"role":"assistant","id":"msg_1","model":"m","content":[{"type":"text","text":"` +
		strings.Repeat("some words of an answer ", 40) + `"},{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"go test ./..."}}],"usage":{"input_tokens":3,"output_tokens":5}}}` + "\n")
}
