package mcpserver

import (
	"strings"

	"entire/agent/mcp"
	"entire/internal/legible"
	"entire/internal/redact"
)

// dataNote stands before the first quotation of an answer. The search knows earlier answers by it.
const dataNote = mcp.DataNote

// A page is an answer that is being written. What we say are lines of our own; what others said is quoted.
type page struct {
	text   strings.Builder
	quoted bool
}

// say adds lines of our own. Texts of others in them must be IDs, dates or numbers.
func (p *page) say(lines string) { p.text.WriteString(legible.Text(lines)) }

// quote adds a text of others in at most limit tokens, each line after ">".
func (p *page) quote(text string, limit int) {
	text = short(legible.Text(redact.Text(text)), limit)
	if text == "" {
		return
	}
	p.quoted = true
	for line := range strings.Lines(text) {
		p.text.WriteString("> ")
		p.text.WriteString(strings.TrimSuffix(line, "\n"))
		p.text.WriteByte('\n')
	}
}

// String returns the answer.
func (p *page) String() string {
	if p.quoted {
		return dataNote + p.text.String()
	}
	return p.text.String()
}

// named returns a short text of others, such as a title or a path, for a line of our own: in one line, in
// quotation marks.
func named(text string, limit int) string {
	text = strings.Join(strings.Fields(redact.Text(text)), " ")
	return `"` + legible.Line(strings.ReplaceAll(short(text, limit), `"`, "'")) + `"`
}
