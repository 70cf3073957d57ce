package jsontext

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Style is the layout of a JSON text.
type Style struct {
	newline string // puts everything on one line
	unit    string // of indentation
	space   string // after a colon, and after a comma on one line
}

var DefaultStyle = Style{newline: "\n", unit: "  ", space: " "}

// StyleOf returns the layout of the object root, as its first member shows it.
func StyleOf(text []byte, root TextValue) Style {
	s := DefaultStyle
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		s.newline = "\r\n"
	}
	if len(root.Items) == 0 {
		return s
	}
	lead := string(text[root.Start+1 : root.Items[0].start])
	nl := strings.LastIndexByte(lead, '\n')
	if nl < 0 {
		s.space = spaceBefore(text, root.Items[0].Value.Start)
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

// Insert adds item at the end of the container c, in the layout of its neighbours.
func Insert(text []byte, s Style, c TextValue, item Render) []byte {
	if len(c.Items) == 0 {
		indent := lineIndent(text, c.Start)
		inner := indent + s.unit
		added := emptyMark + s.newline + inner + item(s, inner) + s.newline + indent
		return Splice(text, c.End-1, c.End-1, added)
	}
	last := c.Items[len(c.Items)-1]
	sep, indent, multi := separator(text, last.start)
	if !multi {
		s.newline = ""
		if len(c.Items) == 1 {
			sep = s.space
		}
	}
	return Splice(text, last.Value.End, last.Value.End, ","+sep+item(s, indent))
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

func Splice(text []byte, from, to int, with string) []byte {
	out := make([]byte, 0, len(text)+len(with))
	out = append(out, text[:from]...)
	out = append(out, with...)
	return append(out, text[to:]...)
}

// Render returns a new item for a place with that indentation.
type Render func(s Style, indent string) string

// Quoted is a string value.
func Quoted(text string) Render {
	return func(Style, string) string { return Quote(text) }
}

func Quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Field is a member of an object.
func Field(key string, value Render) Render {
	return func(s Style, indent string) string {
		return Quote(key) + ":" + s.space + value(s, indent)
	}
}

func Object(fields ...Render) Render { return bracketed("{", fields, "}") }

func Array(elements ...Render) Render { return bracketed("[", elements, "]") }

func bracketed(open string, items []Render, end string) Render {
	return func(s Style, indent string) string {
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
