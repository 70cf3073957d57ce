package cline_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"entire/agent"
	"entire/agent/cline"
)

// The results are as Cline 3.0.65 wrote them.
func TestEditsThatResultsShow(t *testing.T) {
	t.Parallel()
	for result, want := range map[string][]agent.Edit{
		"File created successfully at: /w/new.txt":                                 {{Path: "/w/new.txt", AllNew: true}},
		"Inserted content at line 3 in /w/a in b/f.txt.":                           {{Path: "/w/a in b/f.txt", AllNew: true}},
		"Edited /w/f.txt\n```diff\n-3: 3\n-4: 4: x\n+3: X\n+4: 4: x\n+5: ```\n```": {{Path: "/w/f.txt", Texts: []string{"X\n4: x\n```\n"}, Replaced: []string{"3\n4: x\n"}}},
		"Edited /w/f.txt\n```diff\n-2: b\n```":                                     {{Path: "/w/f.txt", Replaced: []string{"b\n"}}},
		"Edited /w/f.txt\n```diff\n... 40 more\n```":                               nil,
		"Edited /w/f.txt": nil,
		"":                nil,
	} {
		said, err := json.Marshal(map[string]any{"query": "edit:f.txt", "result": result, "success": true})
		if err != nil {
			t.Fatal(err)
		}
		line, err := json.Marshal(map[string]any{"session": "s1", "message": map[string]any{"role": "user", "content": []any{
			map[string]any{"type": "tool_result", "tool_use_id": "c1", "name": "editor", "content": string(said)}}}})
		if err != nil {
			t.Fatal(err)
		}
		records, ok := cline.New().Records(line)
		if !ok || len(records) != 1 || len(records[0].Parts) != 1 {
			t.Fatalf("%q: %+v", result, records)
		}
		if diff := cmp.Diff(want, records[0].Parts[0].Edits); diff != "" {
			t.Errorf("%q:\n%s", result, diff)
		}
	}
}
