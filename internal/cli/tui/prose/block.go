package prose

import (
	"strings"
	"unicode"
)

type kind int

const (
	paragraph kind = iota
	heading
	item
	quote
	code
	table
	rule
)

// A block is a piece of a text that begins on a line of its own.
type block struct {
	kind  kind
	level int      // of a heading, from 1; of an item, how far it is indented, from 0
	mark  string   // of an item: "-" or a number with its point
	lang  string   // of code
	lines []string // without what makes them a block
}

// parse returns the blocks of a text.
func parse(text string) []block {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	var out []block
	open := false // the last block goes on with the next line
	for i := 0; i < len(lines); i++ {
		line := strings.ReplaceAll(strings.TrimRight(lines[i], " \r"), "\t", "    ")
		bare := strings.TrimLeft(line, " ")
		switch {
		case bare == "":
			open = false
		case fence(bare) != "":
			b, next := fenced(lines, i)
			out, i, open = append(out, b), next, false
		case headingLevel(bare) > 0:
			n := headingLevel(bare)
			out, open = append(out, block{kind: heading, level: n, lines: []string{strings.TrimSpace(strings.Trim(bare[n:], "#"))}}), false
		case isRule(bare):
			out, open = append(out, block{kind: rule}), false
		case strings.HasPrefix(bare, "|") && i+1 < len(lines) && isTableRule(lines[i+1]):
			b := block{kind: table}
			for ; i < len(lines) && strings.HasPrefix(strings.TrimLeft(lines[i], " "), "|"); i++ {
				b.lines = append(b.lines, strings.TrimSpace(lines[i]))
			}
			i--
			out, open = append(out, b), false
		case strings.HasPrefix(bare, ">"):
			rest := strings.TrimPrefix(strings.TrimPrefix(bare, ">"), " ")
			if k := len(out) - 1; open && out[k].kind == quote {
				out[k].lines = append(out[k].lines, rest)
			} else {
				out = append(out, block{kind: quote, lines: []string{rest}})
			}
			open = true
		case itemMark(bare) != "":
			mark := itemMark(bare)
			out = append(out, block{kind: item, level: (len(line) - len(bare)) / 2, mark: mark, lines: []string{strings.TrimLeft(bare[len(mark):], " ")}})
			open = true
		case len(line)-len(bare) >= 4 && !open && !lastIsItem(out):
			out = append(out, block{kind: code, lines: []string{line[4:]}})
		case open:
			k := len(out) - 1
			out[k].lines = append(out[k].lines, bare)
		default:
			out, open = append(out, block{lines: []string{bare}}), true
		}
	}
	return joinCode(out)
}

func lastIsItem(blocks []block) bool { return len(blocks) > 0 && blocks[len(blocks)-1].kind == item }

// joinCode joins blocks of indented code that follow each other.
func joinCode(blocks []block) []block {
	out := blocks[:0]
	for _, b := range blocks {
		if k := len(out) - 1; b.kind == code && b.mark == "" && k >= 0 && out[k].kind == code && out[k].mark == "" {
			out[k].lines = append(out[k].lines, b.lines...)
			continue
		}
		out = append(out, b)
	}
	return out
}

// fence returns the signs that a line of them begins a block of code with, "" for none.
func fence(bare string) string {
	for _, sign := range []string{"`", "~"} {
		n := len(bare) - len(strings.TrimLeft(bare, sign))
		if n >= 3 && !(sign == "`" && strings.Contains(bare[n:], "`")) {
			return bare[:n]
		}
	}
	return ""
}

// fenced returns the block of code that begins at line i, and the number of its last line.
func fenced(lines []string, i int) (block, int) {
	bare := strings.TrimLeft(lines[i], " ")
	indent := len(lines[i]) - len(bare)
	mark := fence(bare)
	b := block{kind: code, mark: mark, lang: strings.TrimSpace(bare[len(mark):])}
	b.lang, _, _ = strings.Cut(b.lang, " ")
	for i++; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], "\r")
		if bare := strings.TrimSpace(line); strings.HasPrefix(bare, mark) && strings.Trim(bare, mark[:1]) == "" {
			return b, i
		}
		strip := 0
		for strip < indent && strip < len(line) && line[strip] == ' ' {
			strip++
		}
		b.lines = append(b.lines, line[strip:])
	}
	return b, i
}

func headingLevel(bare string) int {
	n := len(bare) - len(strings.TrimLeft(bare, "#"))
	if n < 1 || n > 6 || len(bare) == n || bare[n] != ' ' {
		return 0
	}
	return n
}

func isRule(bare string) bool {
	text := strings.ReplaceAll(bare, " ", "")
	return len(text) >= 3 && (strings.Trim(text, "-") == "" || strings.Trim(text, "*") == "" || strings.Trim(text, "_") == "")
}

func isTableRule(line string) bool {
	text := strings.ReplaceAll(strings.TrimSpace(line), " ", "")
	return strings.HasPrefix(text, "|") && strings.Contains(text, "-") && strings.Trim(text, "|-:") == ""
}

// itemMark returns the mark that begins an item of a list, "" for none.
func itemMark(bare string) string {
	if len(bare) > 1 && strings.ContainsRune("-*+", rune(bare[0])) && bare[1] == ' ' {
		return bare[:1]
	}
	n := 0
	for n < len(bare) && n < 9 && unicode.IsDigit(rune(bare[n])) {
		n++
	}
	if n > 0 && n+1 < len(bare) && (bare[n] == '.' || bare[n] == ')') && bare[n+1] == ' ' {
		return bare[:n+1]
	}
	return ""
}

// cells returns the cells of a row of a table.
func cells(row string) []string {
	row = strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|")
	parts := strings.Split(strings.ReplaceAll(row, `\|`, "\x00"), "|")
	for i := range parts {
		parts[i] = strings.ReplaceAll(strings.TrimSpace(parts[i]), "\x00", "|")
	}
	return parts
}
