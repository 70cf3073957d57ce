package prose

import (
	"strings"
	"unicode"

	"entire/internal/cli/tui/paint"
)

// inline returns a text with its emphasis, code and links as spans.
func inline(text string, role paint.Role) paint.Line {
	p := inliner{role: role}
	for p.text = text; p.text != ""; {
		if !p.special() {
			p.pending.WriteByte(p.text[0])
			p.before, p.text = p.text[0], p.text[1:]
		}
	}
	p.flush()
	return p.out
}

// An inliner reads a text from its beginning.
type inliner struct {
	text    string // what is left
	before  byte   // the byte before it
	role    paint.Role
	pending strings.Builder
	out     paint.Line
}

func (p *inliner) flush() {
	if p.pending.Len() > 0 {
		p.out = append(p.out, paint.Say(p.role, p.pending.String()))
		p.pending.Reset()
	}
}

// take appends spans and goes on after n bytes.
func (p *inliner) take(n int, spans ...paint.Span) bool {
	p.flush()
	p.out = append(p.out, spans...)
	p.before, p.text = p.text[n-1], p.text[n:]
	return true
}

// special takes what begins here and is not plain text, if there is any.
func (p *inliner) special() bool {
	switch t := p.text; {
	case t[0] == '\\' && len(t) > 1 && unicode.IsPunct(rune(t[1])):
		p.pending.WriteByte(t[1])
		p.before, p.text = t[1], t[2:]
		return true
	case t[0] == '`':
		return p.code()
	case t[0] == '[':
		return p.link()
	case strings.HasPrefix(t, "https://"), strings.HasPrefix(t, "http://"):
		n := strings.IndexFunc(t, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("<>\"'`", r) })
		if n < 0 {
			n = len(t)
		}
		n = len(strings.TrimRight(t[:n], ".,;:!?)*_"))
		return p.take(n, linked(t[:n], t[:n]))
	case strings.HasPrefix(t, "**"), strings.HasPrefix(t, "__"):
		return p.strong(t[:2])
	case t[0] == '*', t[0] == '_':
		return p.emphasis(t[:1])
	}
	return false
}

// reach is how far what ends an emphasis, code or a link may be from where it begins. A text of nothing but
// beginnings would take long without it.
const reach = 2000

// near returns the text from byte i on, as far as something that begins here may end.
func (p *inliner) near(i int) string { return p.text[i:max(i, min(len(p.text), reach))] }

func (p *inliner) code() bool {
	n := len(p.text) - len(strings.TrimLeft(p.text, "`"))
	mark := p.text[:n]
	end := strings.Index(p.near(n), mark)
	if end < 0 {
		return false
	}
	inner := p.text[n : n+end]
	if len(inner) > 2 && inner[0] == ' ' && inner[len(inner)-1] == ' ' {
		inner = inner[1 : len(inner)-1]
	}
	return p.take(n+end+n, paint.Say(paint.Code, inner))
}

func (p *inliner) link() bool {
	mid := strings.Index(p.near(0), "](")
	if mid < 0 || strings.IndexByte(p.text[1:mid+1], '[') >= 0 {
		return false
	}
	end := strings.IndexByte(p.near(mid), ')')
	if end < 0 {
		return false
	}
	name, target := p.text[1:mid], p.text[mid+2:mid+end]
	target, _, _ = strings.Cut(target, " ")
	if name == "" {
		name = target
	}
	return p.take(mid+end+1, linked(strings.Trim(name, "`"), target))
}

// linked returns a link that shows where it leads, unless only a terminal's own files could be meant.
func linked(name, target string) paint.Span {
	s := paint.Say(paint.Link, name)
	if strings.HasPrefix(target, "https://") || strings.HasPrefix(target, "http://") {
		s.Link = paint.Say(paint.Plain, target).Text
	}
	return s
}

func (p *inliner) strong(mark string) bool {
	end := strings.Index(p.near(2), mark)
	if end < 1 || p.text[2] == ' ' || mark == "__" && wordy(p.before) {
		return false
	}
	return p.take(end+4, inline(p.text[2:2+end], paint.Strong)...)
}

// emphasis drops the signs around emphasised words, which stay as they are: not every terminal
// has slanted letters.
func (p *inliner) emphasis(mark string) bool {
	end := strings.Index(p.near(1), mark)
	if end < 1 || p.text[1] == ' ' || p.text[end] == ' ' || wordy(p.before) {
		return false
	}
	if after := p.text[end+2:]; after != "" && wordy(after[0]) {
		return false
	}
	return p.take(end+2, inline(p.text[1:1+end], p.role)...)
}

func wordy(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
