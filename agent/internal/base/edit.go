package base

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/jsontext"
)

// EditIn returns what the raw input of an editing tool writes into the file that it names under one of
// the members in paths: its content, a string in the place of another, several of those, or a cell of a
// notebook.
func EditIn(input []byte, paths ...string) agent.Edit {
	var e agent.Edit
	var edits []byte
	cell, empty, at := false, false, len(paths)
	jsontext.EachMember(input, func(key, value []byte) {
		if i := slices.Index(paths, string(key)); i >= 0 && i < at {
			if name := jsontext.Unquote(value); name != "" {
				e.Path, at = name, i
			}
		}
		switch string(key) {
		case "content", "new_string", "new_source":
			cell = cell || string(key) == "new_source" && jsontext.At(value, 0) == '"'
			empty = empty || string(value) == `""`
			e.Texts = appendText(e.Texts, value)
		case "old_string":
			e.Replaced = appendText(e.Replaced, value)
		case "edits":
			edits = value
		}
	})
	if cell && strings.HasSuffix(e.Path, ".ipynb") {
		e.Texts, e.Replaced = []string{cellText(gjson.ParseBytes(input))}, nil
		return e
	}
	if jsontext.At(edits, 0) == '[' {
		for _, p := range jsontext.Elements(edits, 1, len(edits)-1) {
			jsontext.EachMember(edits[p.From:p.To], func(key, value []byte) {
				switch string(key) {
				case "new_string":
					e.Texts = appendText(e.Texts, value)
				case "old_string":
					e.Replaced = appendText(e.Replaced, value)
				}
			})
		}
	}
	e.Untold = !empty && len(e.Texts)+len(e.Replaced) == 0
	return e
}

// appendText appends the text of a raw string, unless it is empty.
func appendText(to []string, raw []byte) []string {
	if text := jsontext.Unquote(raw); text != "" {
		return append(to, text)
	}
	return to
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
