package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// wrapping is a way in which a text comes to stand in a transcript's line.
type wrapping struct {
	name string
	put  func(p planted) string
}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

func inner(text string) string { q := quoted(text); return q[1 : len(q)-1] }

func asObject(text string) string { return `{"type":"text","text":` + quoted(text) + `}` }

// asciiEscapes escapes every fourth byte as \uXXXX.
func asciiEscapes(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if i%4 == 0 {
			fmt.Fprintf(&b, `\u%04x`, text[i])
		} else {
			b.WriteString(inner(text[i : i+1]))
		}
	}
	return b.String()
}

// chunk is the size of the pieces in which a transcript is stored.
const chunk = 128 << 10

// atEdge puts the value into a line so that it is cut in the middle by a chunk's edge (where is
// 1), ends there (2) or begins there (0).
func atEdge(p planted, where int) string {
	head, rest := `{"type":"text","text":"`, inner(p.text)
	before := max(0, strings.Index(rest, inner(p.value)))
	fill := chunk - len(head) - before - where*len(inner(p.value))/2 - len(`\n`)
	return head + strings.Repeat("word ", fill/5) + strings.Repeat("x", fill%5) + `\n` + rest + `\n` + strings.Repeat("word ", 10) + `"}`
}

func wrappings() []wrapping {
	text := func(put func(string) string) func(planted) string {
		return func(p planted) string { return put(p.text) }
	}
	return []wrapping{
		{"plain", text(func(s string) string { return s })},
		{"JSON", text(asObject)},
		{"line numbers", text(func(s string) string {
			return asObject("   12→x\n   13→" + strings.ReplaceAll(s, "\n", "\n   14→") + "\n")
		})},
		{"\\u escapes", text(func(s string) string { return `{"text":"` + asciiEscapes(s) + `"}` })},
		{"JSON in JSON", text(func(s string) string { return asObject(`{"out":` + quoted("ok\n\t"+s+"\n") + `}`) })},
		{"JSON in JSON in JSON", text(func(s string) string { return asObject(asObject(asObject("a\n" + s + "\tb"))) })},
		{"escapes in JSON in JSON", text(func(s string) string { return asObject(`{"out":"x\n` + asciiEscapes(s) + `"}`) })},
		{"five deep", text(func(s string) string { return asObject(asObject(asObject(asObject(asObject("\t" + s))))) })},
		{"brackets", text(func(s string) string { return asObject("see [" + s + "] (" + s + ")") })},
		{"diff", text(func(s string) string {
			return asObject("@@ -1 +1 @@\n-old\n+" + strings.ReplaceAll(s, "\n", "\n+") + "\n")
		})},
		{"colours", text(func(s string) string { return asObject("\x1b[32m+\x1b[0m \x1b[31m" + s + "\x1b[0m") })},
		{"CRLF", text(func(s string) string { return asObject("a\r\n" + strings.ReplaceAll(s, "\n", "\r\n") + "\r\nb") })},
		{"command line", text(func(s string) string {
			return `{"type":"tool_use","input":{"command":` + quoted("cd /tmp && deploy --note '"+strings.ReplaceAll(s, "'", `'\''`)+"' && echo done") + `}}`
		})},
		{"heredoc", text(func(s string) string { return asObject("cat > f <<'EOF'\n" + s + "\nEOF") })},
		{"path", text(func(s string) string { return asObject("open /srv/app/" + s + "/notes.txt") })},
		{"URL-encoded", text(func(s string) string { return asObject("GET /x?q=" + url.PathEscape("a "+s) + " 200") })},
		{"base64", text(func(s string) string {
			return asObject("data: " + base64.StdEncoding.EncodeToString([]byte(s+"\n")) + "\n")
		})},
		{"cut by the edge of 128 KiB", func(p planted) string { return atEdge(p, 1) }},
		{"before the edge of 128 KiB", func(p planted) string { return atEdge(p, 2) }},
		{"after the edge of 128 KiB", func(p planted) string { return atEdge(p, 0) }},
	}
}

// survives says whether the value, or half of a long one, is left in a line in any of the forms it
// may have there.
func survives(clean, value string) bool {
	probes := []string{value}
	if n := len(value); n >= 16 {
		probes = append(probes, value[:n/2], value[n/2:])
	}
	for range 8 {
		for _, p := range probes {
			if strings.Contains(clean, p) {
				return true
			}
		}
		if wrapped(clean, value) {
			return true
		}
		v := viewOf(clean)
		if v == nil {
			return false
		}
		clean = v.text
	}
	return false
}

// wrapped says whether a run of base64 in the text holds the value.
func wrapped(text, value string) bool {
	for _, run := range strings.FieldsFunc(text, func(r rune) bool { return r >= 128 || !base64Byte.has(byte(r)) && r != '=' }) {
		raw, err := base64.StdEncoding.DecodeString(run)
		if err == nil && strings.Contains(string(raw), value) {
			return true
		}
	}
	return false
}
