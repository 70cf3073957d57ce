package teleport

import (
	"crypto/rand"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// codeWords is the number of words in a code: 66 bits, from a list of 2048.
const codeWords = 6

// words are the words for codes, in order. No two share their first four letters. The list is part of
// the format and must never change.
//
//go:embed words.txt
var wordList string

func words() []string { return strings.Fields(wordList) }

// Code is a secret that people can speak. The zero value is invalid.
type Code [codeWords]string

// errNoCode is returned for text that cannot be a code.
var errNoCode = errors.New("not a teleport code")

// NewCode returns a random code.
func NewCode() Code {
	list := words()
	var c Code
	for i := range c {
		var b [2]byte
		rand.Read(b[:]) // never fails
		c[i] = list[int(binary.BigEndian.Uint16(b[:]))%len(list)]
	}
	return c
}

// String returns the code in the form in which it is shown and typed.
func (c Code) String() string { return strings.Join(c[:], "-") }

func split(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
}

// ParseCode parses a code in the forms people type: in any case, with spaces, dashes or both. It
// accepts a unique prefix of a word, and a word with one wrong, missing, extra or swapped letter if
// only one word is that close. read describes the corrections.
func ParseCode(text string) (c Code, read []string, err error) {
	parts := split(text)
	if len(parts) != codeWords {
		words := "words"
		if len(parts) == 1 {
			words = "word"
		}
		return Code{}, nil, fmt.Errorf("%w: it has %d %s, a code has %d", errNoCode, len(parts), words, codeWords)
	}
	for i, p := range parts {
		w, others := nearest(p)
		switch {
		case w == "" && len(others) == 0:
			return Code{}, nil, fmt.Errorf("%w: word %d, %.20q, is none of a code's", errNoCode, i+1, p)
		case w == "":
			return Code{}, nil, fmt.Errorf("%w: word %d, %.20q, may be %s", errNoCode, i+1, p, orList(others))
		case w != p:
			read = append(read, fmt.Sprintf("%s for %s", w, p))
		}
		c[i] = w
	}
	return c, read, nil
}

func orList(list []string) string {
	if len(list) > 4 {
		list = list[:4]
	}
	return strings.Join(list, " or ")
}

const minPrefix = 3 // letters of a word

// nearest returns the intended word. If there is more than one, word is "" and others lists them; if
// there is none, both are empty.
func nearest(typed string) (word string, others []string) {
	list := words()
	if _, found := slices.BinarySearch(list, typed); found {
		return typed, nil
	}
	for _, near := range []func(string) bool{
		func(w string) bool { return len(typed) >= minPrefix && strings.HasPrefix(w, typed) },
		func(w string) bool { return oneApart(w, typed) },
	} {
		var found []string
		for _, w := range list {
			if near(w) {
				found = append(found, w)
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return "", found
		}
	}
	return "", nil
}

// oneApart reports whether one letter changed, added, left out or swapped with its neighbour turns a
// into b.
func oneApart(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	switch len(a) - len(b) {
	case 0:
		swapped := i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		return i < len(a) && (a[i+1:] == b[i+1:] || swapped)
	case 1:
		return a[i+1:] == b[i:]
	}
	return false
}

// CompleteCode returns the completions of a partially typed code, for a shell.
func CompleteCode(text string) []string {
	at := strings.LastIndexAny(text, " -")
	var out []string
	if strings.Count(text, "-")+strings.Count(text, " ") >= codeWords {
		return nil
	}
	for word := range strings.FieldsSeq(wordList) {
		if strings.HasPrefix(word, strings.ToLower(text[at+1:])) {
			out = append(out, text[:at+1]+word)
		}
	}
	return out
}
