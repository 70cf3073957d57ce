package fakemodel

import (
	"testing"
)

// TestToolSearch: a model may search for tools, and calls one that the search has found by its namespace.
func TestToolSearch(t *testing.T) {
	t.Parallel()
	exchange := Exchange{Match: "recall", Steps: []Step{
		{Do: []Action{{Verb: Tool, Name: "tool_search", Args: map[string]any{"query": "q"}}}},
		{Do: []Action{{Verb: Tool, Name: "recall", Args: map[string]any{"query": "prices"}}}}, {Say: "Done."}}}
	for body, want := range map[string]map[string]any{
		`{"input": "recall it", "tools": [{"type": "tool_search"}]}`: {"type": "tool_search_call", "execution": "client"},
		`{"input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "recall it"}]}, {"type": "tool_search_output",
			"tools": [{"type": "namespace", "name": "mcp__x", "tools": [{"type": "function", "name": "recall"}]}]}], "tools": [{"type": "tool_search"}]}`: {"type": "function_call", "name": "recall", "namespace": "mcp__x", "arguments": `{"query":"prices"}`},
	} {
		in, err := responses{}.decode([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		_, results := Script{exchange}.next(in.turns)
		_, calls, _ := exchange.step(results, in.tools, "")
		items := responses{}.items(reply{calls: calls})
		if len(items) != 1 {
			t.Fatalf("%s: %v", body, items)
		}
		for name, value := range want {
			if items[0][name] != value {
				t.Errorf("%s: %s is %v", body, name, items[0][name])
			}
		}
	}
}
