package acp

import (
	"strings"

	"github.com/tidwall/gjson"
)

// textOf returns the text of one content block, or of a list of them. What is no text has a
// placeholder.
func textOf(v gjson.Result) string {
	if v.IsArray() {
		var texts []string
		v.ForEach(func(_, block gjson.Result) bool {
			if t := textOf(block); t != "" {
				texts = append(texts, t)
			}
			return true
		})
		return strings.Join(texts, "\n\n")
	}
	switch kind := v.Get("type").String(); kind {
	case "text":
		return v.Get("text").String()
	case "resource_link":
		return "[" + v.Get("name").String() + "](" + v.Get("uri").String() + ")"
	case "resource":
		return "[" + v.Get("resource.uri").String() + "]"
	case "":
		return ""
	default:
		return "[" + kind + "]"
	}
}

// modelOf returns the model of a session that an agent has opened: its name, or else its ID; "" if the agent does
// not say.
func modelOf(opened gjson.Result) string {
	model := opened.Get("models.currentModelId").String()
	opened.Get("models.availableModels").ForEach(func(_, one gjson.Result) bool {
		if one.Get("modelId").String() == model && one.Get("name").String() != "" {
			model = one.Get("name").String()
			return false
		}
		return true
	})
	if model == "" {
		model = opened.Get(`configOptions.#(category=="model").currentValue`).String()
	}
	return model
}
