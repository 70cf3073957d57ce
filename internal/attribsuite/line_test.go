package attribsuite

import (
	"strconv"
	"strings"

	"entire/internal/histories"
)

// In the notation a line is a token: who wrote it, and which of theirs it is.
//
//	p7 o3 A1 B2    line 7 of the person, 3 of before the tool, 1 of session A …
//	A2.5           line 5 of session A, written in its turn 2
//	>A1 >>A1       the same line, indented
//	p9(A1)         the person's line 9, with the words of A1
//	A1~ A1~~       the line A1 with other words, by whomever
//	A1% A1_        A1 with words of other alphabets, with a blank at its end
//	{ } .          lines that say nothing by themselves; . is an empty one
//	"text"         any line
//	p1..9          p1 to p9
type token string

// text is the line that a token stands for, without its end.
func (k token) text() string {
	s := string(k)
	body := strings.TrimLeft(s, ">")
	indent := strings.Repeat("\t", len(s)-len(body))
	switch {
	case body == ".":
		return ""
	case body == "{" || body == "}":
		return indent + body
	case strings.HasPrefix(body, `"`):
		text, err := strconv.Unquote(body)
		if err != nil {
			histories.Fail("notation", "%s: %v", body, err)
		}
		return indent + text
	}
	mark, of, other := strings.Cut(body, "(")
	if !other {
		of = body
	}
	of = strings.TrimSuffix(of, ")")
	base := strings.TrimRight(of, "~%_")
	text, more := histories.LineOf(strings.TrimRight(mark, "~%_"), base)
	for range strings.Count(of, "~") {
		if word := more(); strings.Contains(text, "(") {
			text = strings.Replace(text, "(", "("+word+", ", 1)
		} else {
			text = strings.Replace(text, " of ", " of the "+word+" or ", 1)
		}
	}
	if strings.Contains(of, "%") {
		text += " größer 漢字 🚀 Ω"
	}
	if strings.Contains(of, "_") {
		text += " "
	}
	return indent + text
}

// expand reads tokens, ranges of them included.
func expand(list string) []token {
	var out []token
	for _, f := range fields(list) {
		head, last, isRange := strings.Cut(f, "..")
		n, err := strconv.Atoi(last)
		if !isRange || err != nil {
			out = append(out, token(f))
			continue
		}
		mark := strings.TrimRight(head, "0123456789")
		first, err := strconv.Atoi(head[len(mark):])
		if err != nil {
			histories.Fail("notation", "%s", f)
		}
		for i := first; i <= n; i++ {
			out = append(out, token(mark+strconv.Itoa(i)))
		}
	}
	return out
}

// fields splits at blanks, but not within quotes.
func fields(s string) []string {
	var out []string
	for {
		s = strings.TrimLeft(s, " ")
		if s == "" {
			return out
		}
		indent := len(s) - len(strings.TrimLeft(s, ">"))
		if quoted, err := strconv.QuotedPrefix(s[indent:]); err == nil {
			out, s = append(out, s[:indent]+quoted), s[indent+len(quoted):]
			continue
		}
		word, rest, _ := strings.Cut(s, " ")
		out, s = append(out, word), rest
	}
}

// render makes a file of tokens. The flags: crlf, bom, nonl (no newline at the end),
// gone (no file).
func render(list []token, flags string) string {
	end := "\n"
	if strings.Contains(flags, "crlf") {
		end = "\r\n"
	}
	var b strings.Builder
	if strings.Contains(flags, "bom") {
		b.WriteString("\ufeff")
	}
	for i, k := range list {
		b.WriteString(k.text())
		if i < len(list)-1 || !strings.Contains(flags, "nonl") {
			b.WriteString(end)
		}
	}
	return b.String()
}

// markOf is a line's own word.
func markOf(line string) string {
	word, _, _ := strings.Cut(strings.TrimLeft(line, "\t \ufeff"), " ")
	return word
}

// marked is who wrote a line by its own word, and in which turn; "" for a line that
// does not say.
func marked(line string) (who string, turn int) {
	word, rest, _ := strings.Cut(strings.TrimLeft(line, "\t \ufeff"), " ")
	if rest == "" || word == "" {
		return "", 0
	}
	switch c := word[0]; {
	case len(word) < 2 || word[1] != '.' && (word[1] < '0' || word[1] > '9'):
		return "", 0
	case c == 'o':
		return "?", 0
	case c == 'p':
		return "p", 0
	case c >= 'A' && c <= 'Z':
		if number, _, dotted := strings.Cut(word[1:], "."); dotted {
			turn, _ = strconv.Atoi(number)
		}
		return word[:1], turn
	}
	return "", 0
}
