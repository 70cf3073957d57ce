package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// wordBytes is how many bytes of a word are searched; the rest is ignored.
const wordBytes = 64

// A Word is a word of a text and its position.
type Word struct {
	Text       string // as it is searched: folded and stemmed
	Start, End int    // bytes of the text
}

// A splitter splits texts into words. It caches the results for words, because texts repeat them. It
// is not safe for concurrent use.
type splitter struct {
	known map[string]string // from the word as written to the word searched
}

// knownMax bounds a splitter's cache.
const knownMax = 1 << 17

func newSplitter() *splitter { return &splitter{known: map[string]string{}} }

// Words returns the words of a text, in order. A word is a run of letters and digits, a part of a
// camelCase name, or a single character of a script without spaces between words.
func Words(text string) []Word {
	s := newSplitter()
	var out []Word
	s.split(text, func(start, end int) {
		out = append(out, Word{s.word(text[start:end]), start, end})
	})
	return out
}

// word returns the form in which a word is searched.
func (s *splitter) word(raw string) string {
	if w, ok := s.known[raw]; ok {
		return w
	}
	if len(s.known) >= knownMax {
		clear(s.known)
	}
	raw = strings.Clone(raw)
	w := stem(fold(raw))
	s.known[raw] = w
	return w
}

// fold returns a word in lower case, without accents, cut to wordBytes.
func fold(word string) string {
	ascii := true
	for i := range len(word) {
		ascii = ascii && word[i] < utf8.RuneSelf
	}
	if !ascii {
		word = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFKD.String(word))
	}
	word = strings.ToLower(word)
	for len(word) > wordBytes {
		word = word[:wordBytes]
		for len(word) > 0 && !utf8.ValidString(word) {
			word = word[:len(word)-1]
		}
	}
	return word
}

// The classes of characters in words.
const (
	other = iota
	lower // also letters without case
	upper
	digit
	mark  // belongs to the letter before it
	alone // a word by itself
)

func classOf(r rune) int {
	switch {
	case 'a' <= r && r <= 'z':
		return lower
	case 'A' <= r && r <= 'Z':
		return upper
	case '0' <= r && r <= '9':
		return digit
	case r < utf8.RuneSelf:
		return other
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		if unicode.IsMark(r) {
			return other
		}
		return alone
	case unicode.IsUpper(r) || unicode.IsTitle(r):
		return upper
	case unicode.IsLetter(r):
		return lower
	case unicode.IsMark(r):
		return mark
	case unicode.IsNumber(r):
		return digit
	}
	return other
}

// split calls do for each word of a text. A word ends where no letter or digit follows, before a
// capital in camelCase, and before the last of several capitals that a small letter follows:
// HTTPServer is HTTP and Server.
func (s *splitter) split(text string, do func(start, end int)) {
	start, last := -1, other
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		class := classOf(r)
		if class == mark {
			if class = last; start < 0 {
				class = other
			}
		}
		switch {
		case class == other || class == alone:
			if start >= 0 {
				do(start, i)
			}
			start = -1
			if class == alone {
				do(i, i+size)
			}
		case start < 0:
			start = i
		case class == upper && (last == lower || (last == digit || last == upper) && lowerAt(text, i+size)):
			do(start, i)
			start = i
		}
		last = class
		i += size
	}
	if start >= 0 {
		do(start, len(text))
	}
}

// lowerAt reports whether there is a small letter at i.
func lowerAt(text string, i int) bool {
	if i >= len(text) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return classOf(r) == lower
}

// joins reports whether two words of a text form one name: between them is nothing, as in camelCase,
// or underscores, as in snake_case.
func joins(text string, from, to int) bool {
	for i := from; i < to; i++ {
		if text[i] != '_' {
			return false
		}
	}
	r, _ := utf8.DecodeLastRuneInString(text[:from])
	return classOf(r) != alone
}

// appendWords appends the words of a text to out, each followed by a space, and then each name of
// several words once, as one word.
func (s *splitter) appendWords(out []byte, text string) []byte {
	var names map[string]bool
	begin, end, parts := 0, -1, 0
	name := func() {
		if parts > 1 {
			if names == nil {
				names = map[string]bool{}
			}
			names[text[begin:end]] = true
		}
	}
	s.split(text, func(from, to int) {
		if w := s.word(text[from:to]); w != "" {
			out = append(append(out, w...), ' ')
		}
		if end >= 0 && joins(text, end, from) {
			parts++
		} else {
			name()
			begin, parts = from, 1
		}
		end = to
	})
	name()
	for n := range names {
		out = append(append(out, s.name(n)...), ' ')
	}
	return out
}

// name returns the form in which a name of several words is searched as one word.
func (s *splitter) name(raw string) string {
	if w, ok := s.known["\x00"+raw]; ok {
		return w
	}
	w := stem(fold(strings.ReplaceAll(raw, "_", "")))
	if len(s.known) < knownMax {
		s.known["\x00"+raw] = w
	}
	return w
}
