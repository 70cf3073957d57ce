package redact

import "bytes"

// isJSON returns the same as json.Valid in a third of the time. Most of a transcript is inside
// strings, which it reads byte by byte without a state machine.
func isJSON(in []byte) bool {
	p := jsonText{in: in}
	return p.value(0) && p.space() == len(in)
}

// deepestJSON is how deep encoding/json lets values be nested.
const deepestJSON = 10_000

type jsonText struct {
	in []byte
	at int
}

func (p *jsonText) space() int {
	for p.at < len(p.in) && (p.in[p.at] == ' ' || p.in[p.at] == '\n' || p.in[p.at] == '\t' || p.in[p.at] == '\r') {
		p.at++
	}
	return p.at
}

func (p *jsonText) value(depth int) bool {
	if p.space() == len(p.in) {
		return false
	}
	switch c := p.in[p.at]; c {
	case '"':
		return p.str()
	case '{', '[':
		return depth < deepestJSON && p.list(c, depth+1)
	case 't':
		return p.word("true")
	case 'f':
		return p.word("false")
	case 'n':
		return p.word("null")
	}
	return p.number()
}

func (p *jsonText) word(w string) bool {
	if !bytes.HasPrefix(p.in[p.at:], []byte(w)) {
		return false
	}
	p.at += len(w)
	return true
}

// next consumes c and any white space before it.
func (p *jsonText) next(c byte) bool {
	if p.space() == len(p.in) || p.in[p.at] != c {
		return false
	}
	p.at++
	return true
}

// list consumes an object or an array, which begins with open.
func (p *jsonText) list(open byte, depth int) bool {
	p.at++
	if p.next(open + 2) {
		return true
	}
	for {
		if open == '{' && !(p.space() < len(p.in) && p.in[p.at] == '"' && p.str() && p.next(':')) {
			return false
		}
		if !p.value(depth) {
			return false
		}
		if !p.next(',') {
			return p.next(open + 2)
		}
	}
}

func (p *jsonText) str() bool {
	in := p.in
	for i := p.at + 1; i < len(in); i++ {
		switch c := in[i]; {
		case plainByte[c]:
		case c == '"':
			p.at = i + 1
			return true
		case c != '\\':
			return false
		default:
			n := escapeLen(in[i:])
			if n == 0 {
				return false
			}
			i += n - 1
		}
	}
	return false
}

// plainByte are the bytes that need no escape in a string.
var plainByte = plainBytes()

func plainBytes() (b [256]bool) {
	for c := range b {
		b[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return b
}

// escapeLen returns the length of the escape at the start of in, or zero if there is none.
func escapeLen(in []byte) int {
	if len(in) < 2 {
		return 0
	}
	switch in[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(in) >= 6 && isHex(in[2]) && isHex(in[3]) && isHex(in[4]) && isHex(in[5]) {
			return 6
		}
	}
	return 0
}

func (p *jsonText) number() bool {
	if p.in[p.at] == '-' {
		p.at++
	}
	if p.at < len(p.in) && p.in[p.at] == '0' {
		p.at++
	} else if !p.digits() {
		return false
	}
	if p.at < len(p.in) && p.in[p.at] == '.' {
		if p.at++; !p.digits() {
			return false
		}
	}
	if p.at < len(p.in) && p.in[p.at]|0x20 == 'e' {
		p.at++
		if p.at < len(p.in) && (p.in[p.at] == '+' || p.in[p.at] == '-') {
			p.at++
		}
		return p.digits()
	}
	return true
}

func (p *jsonText) digits() bool {
	start := p.at
	for p.at < len(p.in) && p.in[p.at]-'0' < 10 {
		p.at++
	}
	return p.at > start
}
