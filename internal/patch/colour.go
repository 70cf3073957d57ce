package patch

import (
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"
)

// A Token is a piece of a line.
type Token struct {
	Text    string
	Kind    Kind
	Changed bool // it differs from the line beside it
}

const (
	maxColoured     = 256 << 10 // bytes of one text
	maxColouredLine = 2000      // bytes of one line
	maxColouring    = 2 * time.Second
)

// Colour returns the pieces of each line of text, in the language that the file's name tells of. The
// pieces of a line are the line. A text of more than 256 KB is Plain, and so is one with a line of more
// than 2,000 bytes or in a language that is not known. What takes longer than two seconds stays Plain.
func Colour(file, text string) [][]Token {
	lines := strings.Split(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return colourLines(file, lines)
}

// Colour returns the pieces of each line of the hunk. Each side is read as a text of its own; what
// begins before the hunk, such as a comment, is not known.
func (h Hunk) Colour(file string) [][]Token {
	out := make([][]Token, len(h.Lines))
	for _, op := range []byte{'-', '+'} { // unchanged lines look as on the new side
		var lines []string
		var at []int
		for i, l := range h.Lines {
			if l.Op == ' ' || l.Op == op {
				lines, at = append(lines, l.Text), append(at, i)
			}
		}
		for i, tokens := range colourLines(file, lines) {
			out[at[i]] = tokens
		}
	}
	for i, l := range h.Lines {
		out[i] = cut(out[i], l.Marks)
	}
	return out
}

// Colour returns the pieces of each line of each hunk, with Changed from the lines' marks. The hunks
// after the first 256 KB are Plain.
func (f File) Colour() [][][]Token {
	out := make([][][]Token, len(f.Hunks))
	left := maxColoured
	for i, h := range f.Hunks {
		for _, l := range h.Lines {
			left -= len(l.Text) + 1
		}
		file := f.Path()
		if left < 0 {
			file = ""
		}
		out[i] = h.Colour(file)
	}
	return out
}

// colourLines returns the pieces of each line.
func colourLines(file string, lines []string) [][]Token {
	out := make([][]Token, len(lines))
	if lexer := lexerFor(file, lines); lexer == nil || !tokenise(lexer, lines, out) {
		for i, line := range lines {
			out[i] = plainLine(line)
		}
	}
	return out
}

func plainLine(line string) []Token {
	if line == "" {
		return nil
	}
	return []Token{{Text: line}}
}

// lexerFor returns the lexer for a file's lines, nil if they stay plain.
func lexerFor(file string, lines []string) chroma.Lexer {
	if file == "" {
		return nil
	}
	size := 0
	for _, line := range lines {
		size += len(line) + 1
		if len(line) > maxColouredLine || size > maxColoured {
			return nil
		}
	}
	return lexers().of(path.Base(file))
}

// tokenise fills out with the pieces of the lines. It reports false if the lexer does not get through.
func tokenise(lexer chroma.Lexer, lines []string, out [][]Token) (ok bool) {
	defer func() {
		if recover() != nil { // a lexer gives up by a panic
			ok = false
		}
	}()
	bare := make([]string, len(lines))
	size := 0
	for i, line := range lines {
		bare[i] = strings.TrimSuffix(line, "\r")
		size += len(bare[i]) + 1
	}
	next, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, strings.Join(bare, "\n")+"\n")
	if err != nil {
		return false
	}
	enough := time.NewTimer(maxColouring) // some expressions take long for some texts
	defer enough.Stop()
	w := lineWriter{lines: lines, out: out}
	for n := 0; ; n++ {
		token := next()
		if token == chroma.EOF {
			break
		}
		if n > 2*size+1000 { // a lexer that does not move on
			return false
		}
		w.write(token.Value, kindOf(token.Type))
		select {
		case <-enough.C:
			w.finish()
			return true
		default:
		}
	}
	w.finish()
	return true
}

// lineWriter puts tokens into lines. Their text is taken from the lines, as a lexer replaces bytes that
// are no UTF-8.
type lineWriter struct {
	lines    []string
	out      [][]Token
	line, at int
}

func (w *lineWriter) write(value string, kind Kind) {
	for value != "" && w.line < len(w.lines) {
		part, rest, broken := strings.Cut(value, "\n")
		line, end := w.lines[w.line], w.at
		for range part {
			_, size := utf8.DecodeRuneInString(line[end:])
			end += size
		}
		w.add(end, kind)
		if broken {
			w.add(len(line), Plain)
			w.line, w.at = w.line+1, 0
		}
		value = rest
	}
}

// add adds the text up to end to the line.
func (w *lineWriter) add(end int, kind Kind) {
	if end == w.at {
		return
	}
	tokens := w.out[w.line]
	text := w.lines[w.line][w.at:end]
	if last := len(tokens) - 1; last >= 0 && tokens[last].Kind == kind {
		tokens[last].Text = w.lines[w.line][w.at-len(tokens[last].Text) : end]
	} else {
		w.out[w.line] = append(tokens, Token{Text: text, Kind: kind})
	}
	w.at = end
}

// finish adds what no token has covered.
func (w *lineWriter) finish() {
	for ; w.line < len(w.lines); w.line, w.at = w.line+1, 0 {
		w.add(len(w.lines[w.line]), Plain)
	}
}

// cut divides tokens at the ends of marks, and sets Changed within them.
func cut(tokens []Token, marks []Span) []Token {
	if len(marks) == 0 {
		return tokens
	}
	var out []Token
	at := 0
	for _, t := range tokens {
		for t.Text != "" {
			for len(marks) > 0 && marks[0].To <= at {
				marks = marks[1:]
			}
			size := len(t.Text)
			changed := len(marks) > 0 && marks[0].From <= at
			switch {
			case changed:
				size = min(size, marks[0].To-at)
			case len(marks) > 0:
				size = min(size, marks[0].From-at)
			}
			out = append(out, Token{t.Text[:size], t.Kind, changed})
			t.Text = t.Text[size:]
			at += size
		}
	}
	return out
}
