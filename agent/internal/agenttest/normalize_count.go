package agenttest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"entire/agent"
)

// This file counts what a transcript of Claude Code holds from its raw lines, with
// encoding/json and nothing of this package, to have something to compare with.

// tally is what two ways of counting must agree on.
type tally struct {
	user, assistant, tool, calls, answered, errors, injected int
	input, output, created, read, api                        int
}

type rawLine struct {
	Type             string `json:"type"`
	IsMeta           bool   `json:"isMeta"`
	IsCompactSummary bool   `json:"isCompactSummary"`
	Message          struct {
		ID      string          `json:"id"`
		Content json.RawMessage `json:"content"`
		Usage   struct {
			Input   int `json:"input_tokens"`
			Output  int `json:"output_tokens"`
			Created int `json:"cache_creation_input_tokens"`
			Read    int `json:"cache_read_input_tokens"`
		} `json:"usage"`
	} `json:"message"`
}

type rawBlock struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	ID        string `json:"id"`
	ToolUseID string `json:"tool_use_id"`
	IsError   bool   `json:"is_error"`
}

func CountRaw(t *testing.T, transcript []byte) tally {
	t.Helper()
	var sum tally
	called := map[string]bool{}
	most := map[string]rawLine{}
	for _, text := range bytes.Split(bytes.TrimSuffix(transcript, []byte("\n")), []byte("\n")) {
		var l rawLine
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatal(err)
		}
		if l.Type != "user" && l.Type != "assistant" {
			continue
		}
		var said string
		var blocks []rawBlock
		if json.Unmarshal(l.Message.Content, &said) != nil {
			if err := json.Unmarshal(l.Message.Content, &blocks); err != nil {
				t.Fatal(err)
			}
		}
		texts, stopped := 0, false
		for _, b := range blocks {
			switch b.Type {
			case "tool_use":
				sum.calls++
				called[b.ID] = true
			case "tool_result":
				sum.tool++
				if called[b.ToolUseID] {
					sum.answered++
				}
				if b.IsError {
					sum.errors++
				}
			case "text":
				texts++
				stopped = strings.HasPrefix(b.Text, "[Request interrupted by user")
			}
		}
		switch {
		case l.Type == "assistant":
			sum.assistant++
			if old, there := most[l.Message.ID]; !there || l.Message.Usage.Output > old.Message.Usage.Output {
				most[l.Message.ID] = l
			}
		case said != "" || texts > 0:
			sum.user++
			if l.IsMeta || l.IsCompactSummary || stopped {
				sum.injected++
			}
		}
	}
	for _, l := range most {
		sum.api++
		sum.input += l.Message.Usage.Input
		sum.output += l.Message.Usage.Output
		sum.created += l.Message.Usage.Created
		sum.read += l.Message.Usage.Read
	}
	return sum
}

func CountMessages(messages []agent.Message) tally {
	var sum tally
	called := map[string]bool{}
	for _, m := range messages {
		switch m.Role {
		case agent.RoleUser:
			sum.user++
		case agent.RoleAssistant:
			sum.assistant++
		case agent.RoleTool:
			sum.tool++
			if called[m.ToolCallID] && m.ToolName != "" {
				sum.answered++
			}
		}
		if m.IsError {
			sum.errors++
		}
		if m.Injected {
			sum.injected++
		}
		for _, c := range m.ToolCalls {
			sum.calls++
			called[c.ID] = true
		}
		if u := m.Usage; u != nil {
			sum.input += u.InputTokens
			sum.output += u.OutputTokens
			sum.created += u.CacheCreationTokens
			sum.read += u.CacheReadTokens
			sum.api += u.APICallCount
		}
	}
	return sum
}
