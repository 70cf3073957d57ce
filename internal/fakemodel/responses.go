package fakemodel

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// responses speaks OpenAI's Responses.
type responses struct{}

type responsesTool struct {
	Type       string
	Name       string
	Parameters schema
	Tools      []responsesTool // of a namespace
}

func (responses) decode(body []byte) (request, error) {
	var in struct {
		Model  string
		Stream bool
		Input  json.RawMessage
		Tools  []responsesTool
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return request{}, fmt.Errorf("read Responses: %w", err)
	}
	out := request{protocol: "responses", model: in.Model, stream: in.Stream, tools: toolbox{}}
	for _, tool := range in.Tools {
		out.tools.addResponses(tool, "")
	}
	var items []struct {
		Type    string
		Role    string
		Content blocks
		Tools   []responsesTool // that a search for tools has found
	}
	var prompt string
	if json.Unmarshal(in.Input, &prompt) == nil {
		out.turns = append(out.turns, turn{prompt: prompt})
		return out, nil
	}
	if err := json.Unmarshal(in.Input, &items); err != nil {
		return request{}, fmt.Errorf("read the input of Responses: %w", err)
	}
	for _, item := range items {
		for _, tool := range item.Tools {
			out.tools.addResponses(tool, "")
		}
		switch {
		case strings.HasSuffix(item.Type, "_output"):
			out.turns = append(out.turns, turn{results: 1})
		case item.Role == "user", item.Type == "agent_message": // the latter is what a parent tells its subagent
			out.turns = append(out.turns, turn{prompt: item.Content.text()})
		}
	}
	return out, nil
}

// toolSearch is the type, and here the name, of the tool with which a model looks for tools that the client has not named.
const toolSearch = "tool_search"

func (box toolbox) addResponses(tool responsesTool, namespace string) {
	switch tool.Type {
	case "function":
		box[tool.Name] = toolSpec{schema: tool.Parameters, namespace: namespace}
	case toolSearch:
		box[toolSearch] = toolSpec{schema: tool.Parameters}
	case "custom":
		box[tool.Name] = toolSpec{freeform: true}
	case "namespace":
		for _, inner := range tool.Tools {
			box.addResponses(inner, tool.Name)
		}
	}
}

// items returns the reply's output items, complete.
func (responses) items(r reply) []map[string]any {
	var list []map[string]any
	if r.text != "" {
		list = append(list, map[string]any{"type": "message", "id": r.id("msg_", 0), "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": r.text, "annotations": []any{}}}})
	}
	for i, c := range r.calls {
		item := map[string]any{"call_id": r.id("call_", i), "name": c.tool, "status": "completed"}
		switch {
		case c.tool == toolSearch:
			item = map[string]any{"type": "tool_search_call", "id": r.id("tsc_", i), "call_id": r.id("call_", i), "execution": "client",
				"status": "completed", "arguments": c.args}
		case c.spec.freeform:
			item["type"], item["id"], item["input"] = "custom_tool_call", r.id("ctc_", i), c.input
		default:
			item["type"], item["id"], item["arguments"] = "function_call", r.id("fc_", i), c.arguments()
		}
		if c.spec.namespace != "" {
			item["namespace"] = c.spec.namespace
		}
		list = append(list, item)
	}
	return list
}

func (p responses) whole(r reply) any {
	input := r.usage.Input + r.usage.CacheRead
	return map[string]any{"id": r.id("resp_", 0), "object": "response", "created_at": 1, "status": "completed", "model": r.model,
		"output": p.items(r), "parallel_tool_calls": true, "tools": []any{}, "error": nil, "incomplete_details": nil,
		"instructions": nil, "metadata": map[string]any{}, "tool_choice": "auto", "temperature": 1, "top_p": 1,
		"usage": map[string]any{"input_tokens": input, "input_tokens_details": map[string]any{"cached_tokens": r.usage.CacheRead},
			"output_tokens": r.usage.Output, "output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": input + r.usage.Output}}
}

func (p responses) events(r reply) []event {
	var list []event
	add := func(kind string, fields map[string]any) {
		fields["type"], fields["sequence_number"] = kind, len(list)
		list = append(list, event{kind, fields})
	}
	begun := map[string]any{"id": r.id("resp_", 0), "object": "response", "created_at": 1, "status": "in_progress", "model": r.model,
		"output": []any{}, "usage": nil}
	add("response.created", map[string]any{"response": begun})
	add("response.in_progress", map[string]any{"response": begun})
	for i, item := range p.items(r) {
		empty := map[string]any{}
		maps.Copy(empty, item)
		empty["status"] = "in_progress"
		at := func(more map[string]any) map[string]any {
			more["output_index"], more["item_id"] = i, item["id"]
			return more
		}
		kind, field, prefix := "", "", ""
		switch item["type"] {
		case "message":
			empty["content"] = []any{}
			add("response.output_item.added", map[string]any{"output_index": i, "item": empty})
			add("response.content_part.added", at(map[string]any{"content_index": 0, "part": map[string]any{"type": "output_text", "text": "", "annotations": []any{}}}))
			for _, part := range halves(r.text) {
				add("response.output_text.delta", at(map[string]any{"content_index": 0, "delta": part}))
			}
			add("response.output_text.done", at(map[string]any{"content_index": 0, "text": r.text}))
			add("response.content_part.done", at(map[string]any{"content_index": 0, "part": map[string]any{"type": "output_text", "text": r.text, "annotations": []any{}}}))
			add("response.output_item.done", map[string]any{"output_index": i, "item": item})
			continue
		case "tool_search_call":
			add("response.output_item.added", map[string]any{"output_index": i, "item": empty})
			add("response.output_item.done", map[string]any{"output_index": i, "item": item})
			continue
		case "function_call":
			kind, field, prefix = "arguments", "arguments", "response.function_call_arguments"
		default:
			kind, field, prefix = "input", "input", "response.custom_tool_call_input"
		}
		text, _ := item[field].(string)
		empty[field] = ""
		add("response.output_item.added", map[string]any{"output_index": i, "item": empty})
		for _, part := range halves(text) {
			add(prefix+".delta", at(map[string]any{"delta": part}))
		}
		add(prefix+".done", at(map[string]any{kind: text}))
		add("response.output_item.done", map[string]any{"output_index": i, "item": item})
	}
	add("response.completed", map[string]any{"response": p.whole(r)})
	return list
}
