package generic

import (
	"encoding/json"

	"entire/agent"
	"entire/agent/internal/jsontext"
)

// Records returns the record in a line that holds the JSON form of an agent.Record: such a line has
// parts. It returns false for any other line.
func (Adapter) Records(line []byte) ([]agent.Record, bool) {
	parts := false
	if !jsontext.EachMember(line, func(key, value []byte) {
		parts = parts || string(key) == "parts" && jsontext.At(value, 0) == '['
	}) || !parts {
		return nil, false
	}
	var r agent.Record
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, false
	}
	return []agent.Record{r}, true
}

// Encode returns a record as a line of a transcript, with a newline.
func Encode(r agent.Record) ([]byte, error) {
	if r.Parts == nil {
		r.Parts = []agent.Part{}
	}
	out, err := json.Marshal(struct {
		agent.Record
		Parts []agent.Part `json:"parts"` // always there: it makes the line one of this form
	}{r, r.Parts})
	if err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}
