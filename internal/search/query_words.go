package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	tokWord = iota
	tokPhrase
	tokField
	tokOpen
	tokClose
	tokAnd
	tokOr
	tokNot
)

type token struct {
	kind   int
	text   string
	field  string
	prefix bool
	pos    int // byte
}

// lex splits the query into tokens.
func (p *parser) lex() {
	for i := 0; i < len(p.text) && p.err == nil; {
		r, size := utf8.DecodeRuneInString(p.text[i:])
		switch {
		case unicode.IsSpace(r):
			i += size
		case r == '(':
			p.tokens = append(p.tokens, token{kind: tokOpen, pos: i})
			i++
		case r == ')':
			p.tokens = append(p.tokens, token{kind: tokClose, pos: i})
			i++
		case r == '-' && i+1 < len(p.text) && p.text[i+1] != '-' && !unicode.IsSpace(rune(p.text[i+1])):
			p.tokens = append(p.tokens, token{kind: tokNot, text: "-", pos: i})
			i++
		case r == '"':
			i = p.lexPhrase(i)
		default:
			i = p.lexWord(i)
		}
	}
}

func (p *parser) lexPhrase(i int) int {
	text, end := p.quoted(i)
	t := token{kind: tokPhrase, text: text, pos: i}
	if end < len(p.text) && p.text[end] == '*' {
		t.prefix = true
		end++
	}
	p.tokens = append(p.tokens, t)
	return end
}

// quoted returns the text in quotes at i, and where it ends.
func (p *parser) quoted(i int) (string, int) {
	n := strings.IndexByte(p.text[i+1:], '"')
	if n < 0 {
		p.fail(i, "this quote is not closed", "add another \" at the end of the phrase")
		return "", len(p.text)
	}
	return p.text[i+1 : i+1+n], i + n + 2
}

func (p *parser) lexWord(i int) int {
	end := i
	for end < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[end:])
		if unicode.IsSpace(r) || r == '(' || r == ')' || r == '"' {
			break
		}
		end += size
	}
	word := p.text[i:end]
	switch word {
	case "AND", "&&":
		p.tokens = append(p.tokens, token{kind: tokAnd, text: word, pos: i})
		return end
	case "OR", "||":
		p.tokens = append(p.tokens, token{kind: tokOr, text: word, pos: i})
		return end
	case "NOT":
		if next := strings.Fields(p.text[end:]); len(next) > 0 && next[0] == "NULL" {
			break // a constraint in SQL, which is searched for as it is
		}
		p.tokens = append(p.tokens, token{kind: tokNot, text: word, pos: i})
		return end
	}
	if name, value, ok := strings.Cut(word, ":"); ok && slices.Contains(Fields, name) {
		if value == "" && end < len(p.text) && p.text[end] == '"' {
			value, end = p.quoted(end)
		}
		if value == "" {
			p.fail(i, name+": has no value", "as in "+name+":VALUE, without a space")
		}
		p.tokens = append(p.tokens, token{kind: tokField, field: name, text: value, pos: i})
		return end
	}
	t := token{kind: tokWord, text: word, pos: i}
	t.text, t.prefix = strings.CutSuffix(word, "*")
	p.tokens = append(p.tokens, t)
	return end
}
