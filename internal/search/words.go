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

// splitWords returns the words of a text, in order. A word is a run of letters and digits, a part of a
// camelCase name, or a single character of a script without spaces between words.
func splitWords(text string) []Word {
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
	w := formOf(raw)
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

// A vocabulary numbers the words of texts. It is not safe for concurrent use, but others may read the words of
// numbers that they were told.
type vocabulary struct {
	splitter *splitter
	words    []string
	numbers  map[string]uint32 // of words
	written  map[string]uint32 // of words as they are written
	names    map[string]uint32 // of names of several words, as they are written
	begun    map[string]bool   // names of the text
	inText   []string
}

func newVocabulary() *vocabulary {
	return &vocabulary{splitter: newSplitter(), numbers: map[string]uint32{}, written: map[string]uint32{}, names: map[string]uint32{}, begun: map[string]bool{}}
}

// full reports whether the vocabulary should not grow further.
func (v *vocabulary) full() bool { return len(v.written)+len(v.names) >= knownMax }

// number returns the number of a word.
func (v *vocabulary) number(word string) uint32 {
	n, ok := v.numbers[word]
	if !ok {
		n = uint32(len(v.words))
		v.words = append(v.words, word)
		v.numbers[word] = n
	}
	return n
}

// noWord is the number of what is no word.
const noWord = 1<<32 - 1

// numberOf returns the number of a word or name as it is written.
func (v *vocabulary) numberOf(known map[string]uint32, raw string, form func(string) string) uint32 {
	n, ok := known[raw]
	if !ok {
		raw = strings.Clone(raw)
		if word := form(raw); word != "" {
			n = v.number(word)
		} else {
			n = noWord
		}
		known[raw] = n
	}
	return n
}

// appendNumbers appends the words of a text to out, and then each name of several words once, as one word.
func (v *vocabulary) appendNumbers(out []uint32, text string) []uint32 {
	v.inText = v.inText[:0]
	begin, end, parts := 0, -1, 0
	name := func() {
		if parts > 1 && !v.begun[text[begin:end]] {
			v.begun[text[begin:end]] = true
			v.inText = append(v.inText, text[begin:end])
		}
	}
	v.splitter.split(text, func(from, to int) {
		if n := v.numberOf(v.written, text[from:to], formOf); n != noWord {
			out = append(out, n)
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
	for _, raw := range v.inText {
		if n := v.numberOf(v.names, raw, nameForm); n != noWord {
			out = append(out, n)
		}
	}
	clear(v.begun)
	return out
}

// formOf returns the form in which a word is searched, nameForm that of a name of several words as one word.
func formOf(raw string) string   { return stem(fold(raw)) }
func nameForm(raw string) string { return stem(fold(strings.ReplaceAll(raw, "_", ""))) }

// name returns the form in which a name of several words is searched as one word.
func (s *splitter) name(raw string) string {
	if w, ok := s.known["\x00"+raw]; ok {
		return w
	}
	w := nameForm(raw)
	if len(s.known) < knownMax {
		s.known["\x00"+raw] = w
	}
	return w
}
