package conversation

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/claude"
	"entire/agent/document"
	"entire/agent/gemini"
	"entire/agent/internal/jsontext"
)

// Written is what one edit call wrote into a file: the new text, or parts of it, in full
// lines only.
type Written struct {
	ToolUseID string
	Path      string   // as the agent named it
	Texts     []string // empty if the call only removed text
	Replaced  []string // the replaced text, as far as the call names it
	Model     string   // the model that made the call, if the transcript names it there
}

// WritesIn returns the edit calls in one line of a transcript. A line without one costs
// only a search for a word.
func WritesIn(t agent.AgentType, line []byte) []Written {
	if t == agent.AgentTypeGemini {
		return geminiWrites(line)
	}
	if records, _, reads := recordsIn(t, line); reads {
		return recordWrites(records)
	}
	if !bytes.Contains(line, []byte(`"tool_use"`)) {
		return nil
	}
	var l claude.Line
	if !l.Scan(line) || l.Kind != "assistant" {
		return nil
	}
	var out []Written
	l.Message.EachBlock(func(kind string, block gjson.Result) {
		if kind != "tool_use" {
			return
		}
		name, input, call := block.Get("name").String(), block.Get("input"), jsontext.ValidUTF8(block.Get("id").String())
		if isEditTool(name) {
			out = appendEdit(out, call, jsontext.ValidUTF8(agent.FirstString(input, "file_path", "notebook_path")), input)
		}
		if patch := input.Get("input"); name == "apply_patch" && patch.Type == gjson.String {
			out = append(out, patchWrites(call, jsontext.ValidUTF8(patch.Str))...)
		}
	})
	return byModel(out, l.Message.Model)
}

// WritesInDocument is WritesIn for a transcript that is one JSON document, from message
// from on, counted from 0.
func WritesInDocument(doc []byte, from int) []Written {
	d, ok := document.Parse(doc)
	if !ok {
		return nil
	}
	var out []Written
	for i := max(from, 0); i < len(d.Parts); i++ {
		out = append(out, geminiWrites(d.Message(i))...)
	}
	return out
}

// appendEdit appends an edit of path. An edit that writes no text, for example an empty
// file, is appended, too, so that its turn does not count as one whose calls are
// forgotten.
func appendEdit(out []Written, call, path string, input gjson.Result) []Written {
	if strings.HasSuffix(path, ".ipynb") && input.Get("new_source").Type == gjson.String {
		return appendWritten(out, call, path, cellTexts(input), nil)
	}
	texts, replaced := newTexts(input), oldTexts(input)
	if len(texts)+len(replaced) == 0 && writesNothing(input) {
		texts = []string{""}
	}
	return appendWritten(out, call, path, texts, replaced)
}

// cellTexts returns the lines in which a cell's new source may appear in a notebook's
// file: one string, or a list with one string for each line. A new cell has further lines
// around them.
func cellTexts(input gjson.Result) []string {
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
		kind := input.Get("cell_type").String()
		b.WriteString(`"cell_type": ` + jsontext.Quote(jsontext.ValidUTF8(kind)) + ",\n" + "\"execution_count\": null,\n\"metadata\": {},\n\"outputs\": [],\n\"outputs\": []\n\"source\": [\n{\n}\n},\n]\n],\n")
	}
	return []string{b.String()}
}

func writesNothing(input gjson.Result) bool {
	for _, key := range contentKeys {
		if v := input.Get(key); v.Type == gjson.String && v.Str == "" {
			return true
		}
	}
	return false
}

func appendWritten(out []Written, call, path string, texts, replaced []string) []Written {
	if call == "" || len(call) > agent.MaxName || path == "" || len(path) > maxPath || len(texts)+len(replaced) == 0 { // the call has no text
		return out
	}
	return append(out, Written{ToolUseID: call, Path: path, Texts: texts, Replaced: replaced})
}

// byModel sets the model that made all of the calls.
func byModel(out []Written, model string) []Written {
	if model == agent.SyntheticModel {
		return out
	}
	for i := range out {
		out[i].Model = agent.Clip(model, agent.MaxName)
	}
	return out
}

// contentKeys are the inputs with the new text of an editing tool.
var contentKeys = [...]string{"content", "new_string", "new_source"}

// newTexts returns the text that an editing tool is asked to write.
func newTexts(input gjson.Result) []string {
	var out []string
	add := func(v gjson.Result) {
		if v.Type == gjson.String && v.Str != "" {
			out = append(out, jsontext.ValidUTF8(v.Str))
		}
	}
	for _, key := range contentKeys {
		add(input.Get(key))
	}
	input.Get("edits").ForEach(func(_, edit gjson.Result) bool {
		add(edit.Get("new_string"))
		return true
	})
	return out
}

// oldTexts returns the text that an editing tool is asked to replace.
func oldTexts(input gjson.Result) []string {
	var out []string
	add := func(v gjson.Result) {
		if v.Type == gjson.String && v.Str != "" {
			out = append(out, jsontext.ValidUTF8(v.Str))
		}
	}
	add(input.Get("old_string"))
	input.Get("edits").ForEach(func(_, edit gjson.Result) bool {
		add(edit.Get("old_string"))
		return true
	})
	return out
}

// patchWrites parses a patch in the form of apply_patch: the lines that it adds to each
// file.
func patchWrites(call, patch string) []Written {
	var out []Written
	var path string
	var text strings.Builder
	named := false // since the last Written
	flush := func() {
		if text.Len() > 0 || named {
			out = appendWritten(out, call, path, []string{text.String()}, nil)
		}
		text.Reset()
		named = false
	}
	for line := range strings.Lines(patch) {
		if rest, ok := strings.CutPrefix(line, "*** "); ok {
			flush()
			for _, verb := range []string{"Update File: ", "Add File: ", "Move to: "} {
				if name, ok := strings.CutPrefix(rest, verb); ok {
					path, named = strings.TrimSpace(name), true
				}
			}
			continue
		}
		if added, ok := strings.CutPrefix(line, "+"); ok {
			text.WriteString(added)
		}
	}
	flush()
	return out
}

func geminiWrites(line []byte) []Written {
	if !bytes.Contains(line, []byte(`"toolCalls"`)) {
		return nil
	}
	var out []Written
	calls := gjson.GetBytes(line, "toolCalls")
	if !calls.Exists() {
		calls = gjson.GetBytes(line, "message.toolCalls")
	}
	calls.ForEach(func(_, call gjson.Result) bool {
		c := gemini.CallIn(call)
		if path := c.Edits(); path != "" {
			out = appendEdit(out, c.ID, path, c.Args)
		}
		return true
	})
	return byModel(out, jsontext.ValidUTF8(agent.FirstString(gjson.ParseBytes(line), "model", "message.model")))
}
