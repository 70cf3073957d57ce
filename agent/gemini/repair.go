package gemini

import (
	"bytes"
	"fmt"

	"github.com/tidwall/gjson"

	"entire/agent/internal/jsontext"
)

// EndCalls implements agent.MessageReader: a call that ends so was cancelled.
func (Adapter) EndCalls(text []byte, result string, ends func(n int, id string) (string, bool)) []byte {
	var m message
	if !m.scan(text) || m.kind != "gemini" || jsontext.At(m.calls, 0) != '[' {
		return text
	}
	e := jsontext.Eraser{Text: text}
	for i, p := range jsontext.Elements(m.calls, 1, len(m.calls)-1) {
		raw := bytes.TrimSpace(m.calls[p.From:p.To])
		c := callIn(gjson.ParseBytes(raw))
		if !c.open() {
			continue
		}
		if id, ok := ends(i+1, c.id); ok {
			cancel(&e, raw, fmt.Sprintf(`[{"functionResponse":{"id":%s,"name":%s,"response":{"error":%s}}}]`,
				jsontext.Quote(id), jsontext.Quote(c.name), jsontext.Quote(result)))
		}
	}
	return e.Result()
}

// cancel edits the text of a call to say that it was cancelled, with this result.
func cancel(e *jsontext.Eraser, call []byte, result string) {
	added := `,"result":` + result
	jsontext.EachMember(call, func(key, value []byte) {
		if string(key) == "result" {
			e.ReplacePart(value, result)
			added = ""
		}
	})
	jsontext.EachMember(call, func(key, value []byte) {
		if string(key) == "status" {
			e.ReplacePart(value, `"cancelled"`+added)
			added = ""
		}
	})
}
