package fakemodel

import (
	"encoding/json"
	"fmt"
)

// anthropic speaks Anthropic's Messages.
type anthropic struct{}

// A block is a part of a message, of Anthropic's and of OpenAI's kinds.
type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
	// Sealed is text that only the model may read. The model's own server seals it; this one does not.
	Sealed string `json:"encrypted_content"`
}

// blocks decodes what is either one text or a list of blocks.
type blocks []block

// UnmarshalJSON takes a text for a list of one block, and anything else that is no list for none.
func (list *blocks) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*list = blocks{{Type: "text", Text: text}}
		return nil
	}
	var many []block
	if json.Unmarshal(data, &many) == nil {
		*list = many
	}
	return nil
}

func (list blocks) text() string {
	var text string
	for _, b := range list {
		if all := b.Text + b.Sealed; all != "" {
			text += all + "\n"
		}
	}
	return text
}

func (anthropic) decode(body []byte) (request, error) {
	var in struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role    string
			Content blocks
		}
		Tools []struct {
			Name   string
			Schema schema `json:"input_schema"`
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return request{}, fmt.Errorf("read Messages: %w", err)
	}
	out := request{protocol: "anthropic", model: in.Model, stream: in.Stream, tools: toolbox{}}
	for _, tool := range in.Tools {
		out.tools[tool.Name] = toolSpec{schema: tool.Schema}
	}
	for _, message := range in.Messages {
		if message.Role != "user" {
			continue
		}
		var t turn
		var texts blocks
		for _, b := range message.Content {
			if b.Type == "tool_result" {
				t.results++
			} else {
				texts = append(texts, b)
			}
		}
		t.prompt = texts.text()
		out.turns = append(out.turns, t)
	}
	return out, nil
}

func (anthropic) whole(r reply) any {
	content := []any{}
	if r.text != "" {
		content = append(content, map[string]any{"type": "text", "text": r.text})
	}
	for i, c := range r.calls {
		content = append(content, map[string]any{"type": "tool_use", "id": r.id("toolu_", i), "name": c.tool, "input": c.args})
	}
	return map[string]any{"id": r.id("msg_", 0), "type": "message", "role": "assistant", "model": r.model, "content": content,
		"stop_reason": anthropicStop(r), "stop_sequence": nil, "usage": anthropicUsage(r.usage)}
}

func anthropicStop(r reply) string {
	if len(r.calls) > 0 {
		return "tool_use"
	}
	return "end_turn"
}

func anthropicUsage(u Usage) map[string]any {
	return map[string]any{"input_tokens": u.Input, "cache_read_input_tokens": u.CacheRead,
		"cache_creation_input_tokens": u.CacheWrite, "output_tokens": u.Output}
}

func (anthropic) events(r reply) []event {
	started := anthropicUsage(r.usage)
	started["output_tokens"] = 1
	list := []event{{"message_start", map[string]any{"type": "message_start", "message": map[string]any{
		"id": r.id("msg_", 0), "type": "message", "role": "assistant", "model": r.model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": started}}}}
	index := 0
	add := func(start map[string]any, deltas []string, kind, field string) {
		list = append(list, event{"content_block_start", map[string]any{"type": "content_block_start", "index": index, "content_block": start}})
		for _, part := range deltas {
			list = append(list, event{"content_block_delta", map[string]any{"type": "content_block_delta", "index": index,
				"delta": map[string]any{"type": kind, field: part}}})
		}
		list = append(list, event{"content_block_stop", map[string]any{"type": "content_block_stop", "index": index}})
		index++
	}
	if r.text != "" {
		add(map[string]any{"type": "text", "text": ""}, halves(r.text), "text_delta", "text")
	}
	for i, c := range r.calls {
		add(map[string]any{"type": "tool_use", "id": r.id("toolu_", i), "name": c.tool, "input": map[string]any{}},
			halves(c.arguments()), "input_json_delta", "partial_json")
	}
	return append(list,
		event{"message_delta", map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": anthropicStop(r), "stop_sequence": nil},
			"usage": anthropicUsage(r.usage)}},
		event{"message_stop", map[string]any{"type": "message_stop"}})
}
