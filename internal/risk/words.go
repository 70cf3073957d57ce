package risk

import "strings"

// A command is one simple command: its words without quotes, and the here-document on its input.
type command struct {
	words []string
	over  []string // the files that redirections replace
	here  []string
}

// maxBytes is how much of a command line is read. The rest is ignored as data.
const maxBytes = 256 << 10

// maxDepth is how deep commands may be nested.
const maxDepth = 10

// A reader parses one command line.
type reader struct {
	text  string
	at    int
	depth int

	out     []command
	now     command
	word    strings.Builder
	begun   bool     // a word has begun, even if it is empty
	pending []string // here-documents whose bodies begin after this line
	skip    bool     // the next word is the target of a redirection
	over    bool     // which replaces a file
	heredoc bool     // the next word ends a here-document
}

// commands returns the simple commands of a line; those in substitutions come first.
func commands(text string, depth int) []command {
	if depth > maxDepth {
		return nil
	}
	r := &reader{text: text[:min(len(text), maxBytes)], depth: depth}
	for r.at < len(r.text) {
		r.step()
	}
	r.endCommand()
	return r.out
}

func (r *reader) peek(n int) byte {
	if r.at+n < len(r.text) {
		return r.text[r.at+n]
	}
	return 0
}

// step parses the text at the current position.
func (r *reader) step() {
	c := r.text[r.at]
	switch c {
	case ' ', '\t', '\r':
		r.endWord()
	case '\n':
		r.endCommand()
		r.at++
		r.readBodies()
		return
	case ';', '&', '|', '(', ')':
		if c == '&' && r.peek(1) == '>' { // &> file
			r.endWord()
			break
		}
		r.endCommand()
	case '{', '}':
		if r.begun || !r.aloneAt() {
			r.put(c)
			break
		}
		r.endCommand()
	case '#':
		if r.begun {
			r.put(c)
			break
		}
		for r.at < len(r.text) && r.text[r.at] != '\n' {
			r.at++
		}
		return
	case '<', '>':
		r.redirect(c)
		return
	case '\\':
		if r.peek(1) != '\n' && r.at+1 < len(r.text) {
			r.put(r.peek(1))
		}
		r.at++
	case '\'':
		r.single()
		return
	case '"':
		r.double()
		return
	case '$':
		r.dollar()
		return
	case '`':
		r.backquote()
		return
	default:
		r.put(c)
	}
	r.at++
}

// aloneAt reports whether the current character is a word by itself.
func (r *reader) aloneAt() bool {
	next := r.peek(1)
	return next == 0 || strings.IndexByte(" \t\r\n;&|()", next) >= 0
}

func (r *reader) put(c byte) {
	r.word.WriteByte(c)
	r.begun = true
}

func (r *reader) endWord() {
	if !r.begun {
		return
	}
	word := r.word.String()
	r.word.Reset()
	r.begun = false
	switch {
	case r.heredoc:
		r.pending = append(r.pending, word)
	case r.skip && r.over:
		r.now.over = append(r.now.over, word)
	case !r.skip:
		r.now.words = append(r.now.words, word)
	}
	r.skip, r.heredoc, r.over = false, false, false
}

func (r *reader) endCommand() {
	r.endWord()
	r.skip, r.heredoc, r.over = false, false, false
	if len(r.now.words)+len(r.now.over) > 0 {
		r.out = append(r.out, r.now)
	}
	r.now = command{}
}

// redirect parses <, >, >>, <<, <<<, <&, >| and process substitutions.
func (r *reader) redirect(c byte) {
	if r.peek(1) == '(' {
		r.at += 2
		r.inside(')')
		r.begun = true // its value is a file name
		return
	}
	if !allDigits(r.word.String()) { // otherwise it is a file descriptor
		r.endWord()
	}
	r.word.Reset()
	r.begun = false
	if strings.HasPrefix(r.text[r.at:], "<<<") {
		r.at += 3 // the next word is the input
		from := len(r.now.words)
		for r.at < len(r.text) && (r.text[r.at] == ' ' || r.text[r.at] == '\t') {
			r.at++
		}
		for r.at < len(r.text) && strings.IndexByte(" \t\r\n;&|()<>", r.text[r.at]) < 0 {
			r.step()
		}
		r.endWord()
		if len(r.now.words) > from {
			r.now.here = append(r.now.here, r.now.words[from])
			r.now.words = r.now.words[:from]
		}
		return
	}
	if c == '<' && r.peek(1) == '<' {
		r.at += 2
		if r.peek(0) == '-' {
			r.at++
		}
		r.skip, r.heredoc = true, true
		return
	}
	from := r.at
	r.at++
	for r.at < len(r.text) && strings.IndexByte("<>&|", r.text[r.at]) >= 0 {
		r.at++
	}
	op := r.text[from:r.at]
	r.skip, r.over = true, (op == ">" || op == ">|") && r.replaces(from)
}

// replaces reports whether the redirection at from is written as overwriting says, as most are.
func (r *reader) replaces(from int) bool {
	before := ""
	if from == 0 && r.depth == 0 {
		before = `:"` // as in the payload of a hook
	}
	return hasAny(before+r.text[max(0, from-2):min(len(r.text), from+5)], overwriting())
}

func allDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// readBodies reads the here-documents that begin here. They are the input of the previous command.
func (r *reader) readBodies() {
	for _, end := range r.pending {
		var body strings.Builder
		for r.at < len(r.text) {
			line, _, _ := strings.Cut(r.text[r.at:], "\n")
			r.at = min(r.at+len(line)+1, len(r.text))
			if strings.TrimLeft(strings.TrimRight(line, "\r"), "\t") == end {
				break
			}
			body.WriteString(line + "\n")
		}
		if len(r.out) > 0 {
			last := &r.out[len(r.out)-1]
			last.here = append(last.here, body.String())
		}
	}
	r.pending = nil
}

func (r *reader) single() {
	r.begun = true
	end := strings.IndexByte(r.text[r.at+1:], '\'')
	if end < 0 {
		end = len(r.text) - r.at - 1
	}
	r.word.WriteString(r.text[r.at+1 : r.at+1+end])
	r.at = min(r.at+end+2, len(r.text))
}

func (r *reader) double() {
	r.begun = true
	for r.at++; r.at < len(r.text); {
		switch c := r.text[r.at]; c {
		case '"':
			r.at++
			return
		case '\\':
			next := r.peek(1)
			if strings.IndexByte("$`\"\\\n", next) < 0 {
				r.put(c)
			}
			if next != '\n' && r.at+1 < len(r.text) {
				r.put(next)
			}
			r.at += 2
		case '$':
			r.dollar()
		case '`':
			r.backquote()
		default:
			r.put(c)
			r.at++
		}
	}
}

// dollar parses $(…), ${…}, $'…' and $name. Their values are not known.
func (r *reader) dollar() {
	switch r.peek(1) {
	case '(':
		if r.peek(2) == '(' { // arithmetic or a subshell: both are parsed the same way
			r.at++
		}
		r.at += 2
		r.inside(')')
		r.put('$')
	case '\'':
		r.at++
		r.ansi()
	default:
		r.put('$')
		r.at++
	}
}

// ansi parses $'…'.
func (r *reader) ansi() {
	r.begun = true
	for r.at++; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; c {
		case '\'':
			r.at++
			return
		case '\\':
			r.at++
			switch c := r.peek(0); c {
			case 'n':
				r.put('\n')
			case 't':
				r.put('\t')
			default:
				r.put(c)
			}
		default:
			r.put(c)
		}
	}
}

// inside parses the commands up to a closing parenthesis. They may be in the middle of a word.
func (r *reader) inside(closing byte) {
	from, open := r.at, 1
	for r.at < len(r.text) {
		switch c := r.text[r.at]; c {
		case '\\':
			r.at++
		case '\'':
			if end := strings.IndexByte(r.text[r.at+1:], '\''); end >= 0 {
				r.at += end + 1
			}
		case '"':
			r.at = skipDouble(r.text, r.at)
		case '(':
			open++
		case closing:
			open--
		}
		if open == 0 {
			break
		}
		r.at++
	}
	end := min(r.at, len(r.text))
	r.out = append(r.out, commands(r.text[from:end], r.depth+1)...)
	r.at = min(end+1, len(r.text))
}

// skipDouble returns the end of the double-quoted string that begins at from.
func skipDouble(text string, from int) int {
	for i := from + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text)
}

func (r *reader) backquote() {
	r.at++
	end := r.at
	for end < len(r.text) && r.text[end] != '`' {
		if r.text[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(r.text))
	r.out = append(r.out, commands(strings.ReplaceAll(r.text[r.at:end], "\\`", "`"), r.depth+1)...)
	r.at = min(end+1, len(r.text))
	r.put('$')
}
