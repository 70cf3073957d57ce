package patch

import "strings"

// LexerFiles returns a file name for each language.
func LexerFiles() (names []string) {
	for _, lexer := range lexers().Lexers {
		for _, glob := range lexer.Config().Filenames {
			if name := strings.Replace(glob, "*", "name", 1); lexers().Match(name) == lexer {
				names = append(names, name)
				break
			}
		}
	}
	return names
}
