package fakemodel

import (
	"encoding/json"
	"fmt"
	"maps"
)

// chat speaks OpenAI's chat completions.
type chat struct{}

func (chat) decode(body []byte) (request, error) {
	var in struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role    string
			Content blocks
		}
		Tools []struct {
			Function struct {
				Name       string
				Parameters schema
			}
			Custom struct{ Name string }
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return request{}, fmt.Errorf("read chat completions: %w", err)
	}
	out := request{protocol: "chat", model: in.Model, stream: in.Stream, tools: toolbox{}}
	for _, tool := range in.Tools {
		if tool.Custom.Name != "" {
			out.tools[tool.Custom.Name] = toolSpec{freeform: true}
		} else {
			out.tools[tool.Function.Name] = toolSpec{schema: tool.Function.Parameters}
		}
	}
	for _, message := range in.Messages {
		switch message.Role {
		case "tool":
			out.turns = append(out.turns, turn{results: 1})
		case "user":
			out.turns = append(out.turns, turn{prompt: message.Content.text()})
		}
	}
	return out, nil
}

func chatUsage(u Usage) map[string]any {
	prompt := u.Input + u.CacheRead
	return map[string]any{"prompt_tokens": prompt, "completion_tokens": u.Output, "total_tokens": prompt + u.Output,
		"prompt_tokens_details": map[string]any{"cached_tokens": u.CacheRead}}
}

func chatCall(r reply, i int, arguments string) map[string]any {
	c := r.calls[i]
	return map[string]any{"id": r.id("call_", i), "type": "function", "function": map[string]any{"name": c.tool, "arguments": arguments}}
}

func chatFinish(r reply) string {
	if len(r.calls) > 0 {
		return "tool_calls"
	}
	return "stop"
}

func (c call) text() string {
	if c.input != "" {
		return c.input
	}
	return c.arguments()
}

func (chat) whole(r reply) any {
	message := map[string]any{"role": "assistant", "content": r.text}
	if len(r.calls) > 0 {
		var calls []any
		for i, c := range r.calls {
			calls = append(calls, chatCall(r, i, c.text()))
		}
		message["tool_calls"] = calls
	}
	return map[string]any{"id": r.id("chatcmpl-", 0), "object": "chat.completion", "created": 1, "model": r.model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": chatFinish(r)}}, "usage": chatUsage(r.usage)}
}

func (chat) events(r reply) []event {
	chunk := func(choices []any, more map[string]any) event {
		data := map[string]any{"id": r.id("chatcmpl-", 0), "object": "chat.completion.chunk", "created": 1, "model": r.model, "choices": choices}
		maps.Copy(data, more)
		return event{"", data}
	}
	delta := func(d map[string]any, finish any) event {
		return chunk([]any{map[string]any{"index": 0, "delta": d, "finish_reason": finish}}, nil)
	}
	list := []event{delta(map[string]any{"role": "assistant", "content": ""}, nil)}
	if r.text != "" {
		for _, part := range halves(r.text) {
			list = append(list, delta(map[string]any{"content": part}, nil))
		}
	}
	for i, c := range r.calls {
		start := chatCall(r, i, "")
		start["index"] = i
		list = append(list, delta(map[string]any{"tool_calls": []any{start}}, nil))
		for _, part := range halves(c.text()) {
			list = append(list, delta(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": part}}}}, nil))
		}
	}
	return append(list, delta(map[string]any{}, chatFinish(r)),
		chunk([]any{}, map[string]any{"usage": chatUsage(r.usage)}), event{"", "[DONE]"})
}
