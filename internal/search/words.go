package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// wordBytes is how much of a word is looked at: of what is longer, the beginning.
const wordBytes = 64

// A Word is a word of a text and where it stands there.
type Word struct {
	Text       string // as it is looked for: folded, and without its ending
	Start, End int    // bytes of the text
}

// A splitter takes texts apart. It remembers what it made of words: texts say the
// same over and over. Not safe for concurrent use.
type splitter struct {
	known map[string]string // a word as written to the word looked for
}

// knownMax bounds what a splitter remembers.
const knownMax = 1 << 17

func newSplitter() *splitter { return &splitter{known: map[string]string{}} }

// Words are the words of a text, in order: runs of letters and digits, those of
// camelCase by their parts, and each character alone of scripts that put no space
// between words.
func Words(text string) []Word {
	s := newSplitter()
	var out []Word
	s.split(text, func(start, end int) {
		out = append(out, Word{s.word(text[start:end]), start, end})
	})
	return out
}

// word is how a word is looked for.
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

// fold is a word in lower case, without accents, cut to wordBytes.
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

// The classes of a character, as far as words are concerned.
const (
	other = iota
	lower // of a letter without case, too
	upper
	digit
	mark  // it belongs to the letter before
	alone // it is a word by itself
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

// split calls do for each word of a text. A word ends where no letter or digit
// follows, before the capital of camelCase, and before the last capital of several
// that a small letter follows: HTTPServer is HTTP and Server.
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

// lowerAt reports whether a small letter stands at i.
func lowerAt(text string, i int) bool {
	if i >= len(text) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return classOf(r) == lower
}

// joins reports whether what stands between two words of a text makes one name of
// them: nothing, as in camelCase, or underscores, as in snake_case.
func joins(text string, from, to int) bool {
	for i := from; i < to; i++ {
		if text[i] != '_' {
			return false
		}
	}
	r, _ := utf8.DecodeLastRuneInString(text[:from])
	return classOf(r) != alone
}

// appendWords appends the words of a text to out, each with a space after it, and
// at the end the names that several of them make, each once, written as one word.
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

// name is how a name of several words is looked for as one.
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
