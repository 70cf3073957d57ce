package mcpserver

import "strings"

const (
	usualTokens = 1500
	mostTokens  = 20_000
)

// A size is how long an answer may be.
type size struct {
	MaxTokens int `json:"max_tokens,omitempty" jsonschema:"how long the answer may be: 1500 if left out, at most 20000"`
}

func (s size) limit() int {
	if s.MaxTokens <= 0 {
		return usualTokens
	}
	return min(s.MaxTokens, mostTokens)
}

// tokens returns an upper estimate of the tokens in text, whatever the model: four letters or spaces of
// ASCII are one, two of its other characters, or one character of another script.
func tokens(text string) int {
	quarters := 0
	for _, r := range text {
		quarters += quartersOf(r)
	}
	return (quarters + 3) / 4
}

func quartersOf(r rune) int {
	switch {
	case r >= 0x80:
		return 4
	case r == ' ', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
		return 1
	}
	return 2
}

// within returns the longest beginning of text that has at most limit tokens.
func within(text string, limit int) string {
	left := limit * 4
	for i, r := range text {
		if left -= quartersOf(r); left < 0 {
			return text[:i]
		}
	}
	return text
}

const cutNote = "\n(cut; ask again with a larger max_tokens, or open an ID above)\n"

// cut returns text in at most limit tokens, and says so if it left something out.
func cut(text string, limit int) string {
	if tokens(text) <= limit {
		return text
	}
	return strings.TrimRight(within(text, limit-tokens(cutNote)), "\n ") + cutNote
}

// short returns text in at most limit tokens, for a passage among others.
func short(text string, limit int) string {
	text = strings.Trim(strings.TrimRight(text, " \t\r\n"), "\n") // the first line may be indented
	if part := within(text, limit); len(part) < len(text) {
		return strings.TrimRight(part, "\n ") + " …"
	}
	return text
}
