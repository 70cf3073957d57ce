package base

import (
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/jsontext"
)

// EditIn returns what the input of an editing tool writes into the file at path: its content, a string in
// the place of another, several of those, or a cell of a notebook.
func EditIn(path string, input gjson.Result) agent.Edit {
	e := agent.Edit{Path: jsontext.ValidUTF8(path)}
	if strings.HasSuffix(path, ".ipynb") && input.Get("new_source").Type == gjson.String {
		e.Texts = []string{cellText(input)}
		return e
	}
	empty := false
	add := func(to *[]string, v gjson.Result) {
		if v.Type == gjson.String && v.Str != "" {
			*to = append(*to, jsontext.ValidUTF8(v.Str))
		}
	}
	var edits gjson.Result
	input.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "content", "new_string", "new_source":
			add(&e.Texts, v)
			empty = empty || v.Type == gjson.String && v.Str == ""
		case "old_string":
			add(&e.Replaced, v)
		case "edits":
			edits = v
		}
		return true
	})
	edits.ForEach(func(_, edit gjson.Result) bool {
		add(&e.Texts, edit.Get("new_string"))
		add(&e.Replaced, edit.Get("old_string"))
		return true
	})
	e.Untold = !empty && len(e.Texts)+len(e.Replaced) == 0
	return e
}

// cellText returns the lines in which a cell's new source may appear in a notebook's file: one string, or
// a list with one string for each line. A new cell has further lines around them.
func cellText(input gjson.Result) string {
	source := jsontext.ValidUTF8(input.Get("new_source").Str)
	var b strings.Builder
	for line := range strings.Lines(source) {
		for _, text := range []string{line, strings.TrimSuffix(line, "\n")} {
			b.WriteString(jsontext.Quote(text) + ",\n" + jsontext.Quote(text) + "\n")
		}
	}
	for _, text := range []string{source, source + "\n"} {
		b.WriteString(`"source": ` + jsontext.Quote(text) + ",\n" + `"source": ` + jsontext.Quote(text) + "\n")
	}
	if input.Get("edit_mode").String() == "insert" {
		kind := jsontext.ValidUTF8(input.Get("cell_type").String())
		b.WriteString(`"cell_type": ` + jsontext.Quote(kind) + ",\n" + "\"execution_count\": null,\n\"metadata\": {},\n\"outputs\": [],\n\"outputs\": []\n\"source\": [\n{\n}\n},\n]\n],\n")
	}
	return b.String()
}
