package storebench

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"entire/agent"
	"entire/session"
)

// codingSession returns n messages in the proportions of a coding session: a
// prompt, then words, tool calls and their results, of 0.3 to 8 kB.
func codingSession(n int) []session.Message {
	rng := rand.New(rand.NewPCG(1, 2))
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	list := make([]session.Message, n)
	for i := range list {
		m := session.Message{UUID: fmt.Sprintf("7d0c9e1a-5b7e-4c1f-9d55-%012d", i), Timestamp: at.Add(time.Duration(i) * time.Second)}
		if i > 0 {
			m.ParentUUID = list[i-1].UUID
		}
		call := fmt.Sprintf("toolu_01%020d", i/2)
		switch {
		case i%20 == 0:
			m.Role, m.Content = agent.RoleUser, prose(rng, 40+rng.IntN(400))
		case i%2 == 1:
			m.Role, m.Content, m.Model = agent.RoleAssistant, prose(rng, 100+rng.IntN(600)), "claude-sonnet-4-5"
			m.ToolCalls = []agent.ToolUse{{ID: call, Name: "Edit", Input: edit(rng)}}
			m.Usage = &agent.TokenUsage{InputTokens: 4, CacheReadTokens: 40_000 + i, OutputTokens: 300, APICallCount: 1}
		default:
			m.Role, m.ToolCallID, m.ToolName, m.Content = agent.RoleTool, call, "Edit", prose(rng, rng.IntN(rng.IntN(8000)+1))
		}
		list[i] = m
	}
	return list
}

func edit(rng *rand.Rand) json.RawMessage {
	input, err := json.Marshal(map[string]string{
		"file_path": "/home/me/src/project/internal/store/writer.go", "old_string": prose(rng, 200), "new_string": prose(rng, 300),
	})
	if err != nil {
		panic(err)
	}
	return input
}

func prose(rng *rand.Rand, size int) string {
	words := strings.Fields("the writer takes what is queued and func (w *Store) if err != nil { return err } // comment \"quoted\" \tindented é")
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(words[rng.IntN(len(words))])
		b.WriteByte(" \n\t  "[rng.IntN(5)])
	}
	return b.String()
}
