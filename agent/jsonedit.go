package agent

import (
	"bytes"
	"encoding/json"
	"strings"
)

// style is the layout of a JSON text.
type style struct {
	newline string // puts everything on one line
	unit    string // of indentation
	space   string // after a colon, and after a comma on one line
}

var defaultStyle = style{newline: "\n", unit: "  ", space: " "}

// styleOf returns the layout of the object root, as its first member shows it.
func styleOf(text []byte, root textValue) style {
	s := defaultStyle
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		s.newline = "\r\n"
	}
	if len(root.items) == 0 {
		return s
	}
	lead := string(text[root.start+1 : root.items[0].start])
	nl := strings.LastIndexByte(lead, '\n')
	if nl < 0 {
		s.space = spaceBefore(text, root.items[0].value.start)
	} else if unit := lead[nl+1:]; unit != "" {
		s.unit = unit
	}
	return s
}

// spaceBefore returns " " if there is a space before offset, otherwise "".
func spaceBefore(text []byte, offset int) string {
	if text[offset-1] == ' ' {
		return " "
	}
	return ""
}

// emptyMark is the space before the newline after the opening bracket of a container that
// existed and was empty before an insertion. A container that was added with its content
// has no such space. So a later removal knows whether to keep the container.
const emptyMark = " "

// insert adds item at the end of the container c, in the layout of its neighbours.
func insert(text []byte, s style, c textValue, item render) []byte {
	if len(c.items) == 0 {
		indent := lineIndent(text, c.start)
		inner := indent + s.unit
		added := emptyMark + s.newline + inner + item(s, inner) + s.newline + indent
		return splice(text, c.end-1, c.end-1, added)
	}
	last := c.items[len(c.items)-1]
	sep, indent, multi := separator(text, last.start)
	if !multi {
		s.newline = ""
		if len(c.items) == 1 {
			sep = s.space
		}
	}
	return splice(text, last.value.end, last.value.end, ","+sep+item(s, indent))
}

// separator returns the white space before the item at start, from the last newline on,
// and the indentation in it.
func separator(text []byte, start int) (sep, indent string, multi bool) {
	from := start
	for strings.IndexByte(" \t\r\n", text[from-1]) >= 0 {
		from--
	}
	space := string(text[from:start])
	nl := strings.LastIndexByte(space, '\n')
	if nl < 0 {
		return space, "", false
	}
	indent = space[nl+1:]
	if nl > 0 && space[nl-1] == '\r' {
		nl--
	}
	return space[nl:], indent, true
}

// lineIndent returns the indentation of the line that contains offset.
func lineIndent(text []byte, offset int) string {
	from := bytes.LastIndexByte(text[:offset], '\n') + 1
	to := from
	for to < offset && (text[to] == ' ' || text[to] == '\t') {
		to++
	}
	return string(text[from:to])
}

func splice(text []byte, from, to int, with string) []byte {
	out := make([]byte, 0, len(text)+len(with))
	out = append(out, text[:from]...)
	out = append(out, with...)
	return append(out, text[to:]...)
}

// render returns a new item for a place with that indentation.
type render func(s style, indent string) string

// quoted is a string value.
func quoted(text string) render {
	return func(style, string) string { return quote(text) }
}

func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// field is a member of an object.
func field(key string, value render) render {
	return func(s style, indent string) string {
		return quote(key) + ":" + s.space + value(s, indent)
	}
}

func object(fields ...render) render  { return bracketed("{", fields, "}") }
func array(elements ...render) render { return bracketed("[", elements, "]") }

func bracketed(open string, items []render, end string) render {
	return func(s style, indent string) string {
		inner, lead, sep, tail := indent, "", ","+s.space, ""
		if s.newline != "" {
			inner += s.unit
			lead, sep, tail = s.newline+inner, ","+s.newline+inner, s.newline+indent
		}
		parts := make([]string, len(items))
		for i, it := range items {
			parts[i] = it(s, inner)
		}
		return open + lead + strings.Join(parts, sep) + tail + end
	}
}
