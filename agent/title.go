package agent

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"entire/agent/internal/jsontext"
)

// titleMin is the least length of a title's first sentence if more sentences follow.
const titleMin = 16

// lineMin is the least length of a first line that is a title by itself.
const lineMin = 12

// Title returns a title for a conversation, made from a prompt: at most so many runes, cut
// after a sentence or a word. It returns "" for a prompt that asks for nothing: a slash
// command, text of an agent's or editor's program, a greeting, or just "go on".
func Title(prompt string, runes int) string {
	text := request(prompt)
	if text == "" {
		return ""
	}
	line, rest, _ := strings.Cut(text, "\n")
	line = heading(line)
	if rest = heading(rest); strings.HasSuffix(line, ":") && rest != "" { // the next line has the request
		rest, _, _ = strings.Cut(rest, "\n")
		line += " " + heading(rest)
	}
	if utf8.RuneCountInString(line) < lineMin {
		line = text
	}
	line = strings.TrimRight(sentence(OneLine(line), runes), " .:,;")
	if utf8.RuneCountInString(line) <= runes {
		return line
	}
	cut := firstRunes(line, runes-1)
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 {
		cut = cut[:space]
	}
	return strings.TrimRight(cut, " .:,;") + "…"
}

// heading returns a line without the marks of a heading or list item.
func heading(line string) string {
	return strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#>*- "))
}

// sentence returns the first sentence of a line that is longer than runes, otherwise the
// line.
func sentence(line string, runes int) string {
	if utf8.RuneCountInString(line) <= runes {
		return line
	}
	for i, r := range line {
		if i < titleMin || r != '.' && r != '?' && r != '!' && r != ';' {
			continue
		}
		if next := line[i+1:]; strings.HasPrefix(next, " ") && utf8.RuneCountInString(line[:i]) < runes {
			return line[:i+1]
		}
	}
	return line
}

var (
	slashCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/[A-Za-z][\w:-]*(\s|$)`) })
	tagged1      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^<[a-z][\w-]*>`) })
	greeting     = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(hi|hello|hey|hallo|hej|hola|moin|servus|good (morning|afternoon|evening))(,? (there|claude|gemini|all|again))?\s*([,!.:)\-–—]+\s*|\s+|$)`)
	})
)

// emptyRequests are prompts, in lower case, that ask for nothing that could be a title.
var emptyRequests = map[string]bool{"continue": true, "go on": true, "go ahead": true, "proceed": true, "yes": true, "no": true, "ok": true, "okay": true,
	"thanks": true, "thank you": true, "test": true, "ping": true, "yo": true, "y": true, "n": true, "sure": true, "resume": true, "help": true,
	"weiter": true, "ja": true, "nein": true, "danke": true, "hilfe": true}

// request returns what a prompt asks for, "" for nothing.
func request(prompt string) string {
	text := CleanPrompt(jsontext.ValidUTF8(prompt))
	if slashCommand().MatchString(text) || tagged1().MatchString(text) {
		return ""
	}
	text = strings.TrimSpace(text[len(greeting().FindString(text)):])
	bare := strings.ToLower(strings.TrimFunc(OneLine(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
	if bare == "" || emptyRequests[bare] || utf8.RuneCountInString(bare) < 2 {
		return ""
	}
	return text
}
