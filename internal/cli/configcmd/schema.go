package configcmd

import (
	"encoding/json"
	"strings"

	"entire/internal/config"
)

// Schema returns the JSON schema of the two settings files of a repository.
func Schema() map[string]any {
	root := object("Settings of Entire: .entire/settings.json and .entire/settings.local.json. Other tools may have keys of their own.")
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "Entire settings"
	root["properties"].(map[string]any)["$schema"] = map[string]any{"type": "string"}
	for _, s := range config.Table {
		if s.In&config.Both == 0 {
			continue
		}
		at := root
		parts := strings.Split(s.Key, ".")
		for _, part := range parts[:len(parts)-1] {
			at = child(at, part)
		}
		last := parts[len(parts)-1]
		if last == "*" {
			at["additionalProperties"] = schemaOf(s)
			continue
		}
		at["properties"].(map[string]any)[last] = schemaOf(s)
	}
	return root
}

func object(about string) map[string]any {
	o := map[string]any{"type": "object", "properties": map[string]any{}}
	if about != "" {
		o["description"] = about
	}
	return o
}

// child returns the object that a member of an object's schema describes. A member that may also be something
// else, such as redaction.pii, describes it in the last of its alternatives.
func child(of map[string]any, name string) map[string]any {
	properties := of["properties"].(map[string]any)
	have, ok := properties[name].(map[string]any)
	if !ok {
		have = object("")
		properties[name] = have
	}
	if alternatives, ok := have["anyOf"].([]any); ok {
		return alternatives[len(alternatives)-1].(map[string]any)
	}
	return have
}

// schemaOf returns the schema of a value.
func schemaOf(s config.Setting) map[string]any {
	about := s.About
	if s.In&config.Both != config.Both {
		about += ". Counts only in " + map[bool]string{true: "settings.local.json", false: "settings.json"}[s.In&config.InLocal != 0] + ": " + s.Why
	}
	v := map[string]any{"description": about}
	if s.Default != "" {
		v["default"] = json.RawMessage(s.Default)
	}
	if s.Example != "" {
		v["examples"] = []any{json.RawMessage(s.Example)}
	}
	text := map[string]any{"type": "string", "minLength": 1}
	switch s.Kind {
	case config.Bool:
		v["type"] = "boolean"
	case config.String:
		v["type"] = "string"
		if len(s.Values) > 0 {
			v["enum"] = s.Values
		}
	case config.Number, config.Whole:
		limits(v, s)
	case config.Texts:
		v["type"], v["items"] = "array", text
	case config.Switch:
		v["anyOf"] = []any{map[string]any{"type": "boolean"}, object("")}
	case config.Rules:
		v["type"] = "array"
		v["items"] = map[string]any{"type": "object", "required": []string{"agents"}, "additionalProperties": false, "properties": map[string]any{
			"agents": map[string]any{"enum": []string{"assisted-by", "co-authored-by", "none"}}, "paths": map[string]any{"type": "array", "items": text}}}
	case config.Remotes:
		one := map[string]any{"type": "object", "required": []string{"provider", "repo"}, "properties": map[string]any{
			"provider": map[string]any{"enum": []string{"github", "gitlab", "bitbucket"}}, "repo": text}}
		v["anyOf"] = []any{text, one, map[string]any{"type": "array", "maxItems": s.Most, "items": map[string]any{"anyOf": []any{text, one}}}}
	}
	if s.Most > 0 && v["type"] == "array" {
		v["maxItems"] = s.Most
	}
	return v
}

func limits(v map[string]any, s config.Setting) {
	v["type"] = "number"
	if s.Kind == config.Whole {
		v["type"] = "integer"
	}
	if s.Max != 0 {
		v["maximum"] = s.Max
	}
	if s.Above {
		v["exclusiveMinimum"] = s.Min
	} else {
		v["minimum"] = s.Min
	}
}
