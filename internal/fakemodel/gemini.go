package fakemodel

import (
	"encoding/json"
	"fmt"
	"strings"
)

// gemini speaks Gemini's generateContent; the path names model and method.
type gemini struct{ path string }

type geminiPart struct {
	Text     string           `json:"text"`
	Response *json.RawMessage `json:"functionResponse"`
}

func (g gemini) decode(body []byte) (request, error) {
	var in struct {
		Contents []struct {
			Role  string
			Parts []geminiPart
		}
		Tools []struct {
			Functions []struct {
				Name       string
				Parameters schema
				JSONSchema *schema `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return request{}, fmt.Errorf("read generateContent: %w", err)
	}
	name := g.path[strings.LastIndexByte(g.path, '/')+1:]
	model, method, _ := strings.Cut(name, ":")
	out := request{protocol: "gemini", model: model, stream: strings.HasPrefix(method, "stream"), tools: toolbox{}, side: geminiSide(string(body))}
	for _, tools := range in.Tools {
		for _, f := range tools.Functions {
			if f.JSONSchema != nil {
				f.Parameters = *f.JSONSchema
			}
			out.tools[f.Name] = toolSpec{schema: f.Parameters}
		}
	}
	for _, content := range in.Contents {
		if content.Role == "model" {
			continue
		}
		var t turn
		for _, part := range content.Parts {
			if part.Response != nil {
				t.results++
			}
			t.prompt += part.Text
		}
		out.turns = append(out.turns, t)
	}
	return out, nil
}

// geminiSide answers what Gemini CLI asks beside the conversation: how hard a prompt is, which model is to answer, and who
// speaks next.
func geminiSide(body string) string {
	switch {
	case strings.Contains(body, "next_speaker"):
		return `{"reasoning":"all is said","next_speaker":"user"}`
	case strings.Contains(body, "complexity_score"):
		return `{"complexity_reasoning":"simple","complexity_score":1}`
	case strings.Contains(body, "model_choice"):
		return `{"reasoning":"simple","model_choice":"flash"}`
	}
	return ""
}

func (gemini) whole(r reply) any {
	parts := []any{}
	if r.text != "" {
		parts = append(parts, map[string]any{"text": r.text})
	}
	for _, c := range r.calls {
		parts = append(parts, map[string]any{"functionCall": map[string]any{"name": c.tool, "args": c.args}})
	}
	prompt := r.usage.Input + r.usage.CacheRead
	return map[string]any{
		"candidates": []any{map[string]any{"content": map[string]any{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": map[string]any{"promptTokenCount": prompt, "cachedContentTokenCount": r.usage.CacheRead,
			"candidatesTokenCount": r.usage.Output, "totalTokenCount": prompt + r.usage.Output},
		"modelVersion": r.model, "responseId": r.id("r", 0)}
}

func (g gemini) events(r reply) []event {
	return []event{{"", g.whole(r)}}
}
