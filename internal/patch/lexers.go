package patch

import (
	"embed"
	"io/fs"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

//go:generate go run gen.go

// definitions are chroma's own, see lexers/README.md: its package of lexers reads all of them whenever a
// program starts, which each hook would pay for.
//
//go:embed lexers/*.xml
var definitions embed.FS

// lexers returns the lexers; the first call reads the names of their files.
var lexers = sync.OnceValue(func() *chroma.LexerRegistry {
	all := chroma.NewLexerRegistry()
	names, err := fs.Glob(definitions, "lexers/*.xml")
	if err != nil {
		return all
	}
	for _, name := range names {
		if lexer, err := chroma.NewXMLLexer(definitions, name); err == nil {
			all.Register(lexer)
		}
	}
	for _, lexer := range []*chroma.RegexLexer{golang(), markdown(), php(all)} {
		if lexer != nil {
			all.Register(lexer)
		}
	}
	return all
})

// php reads a text that begins within PHP, as most hunks do.
func php(all *chroma.LexerRegistry) *chroma.RegexLexer {
	lexer, ok := all.Get("PHP").(*chroma.RegexLexer)
	if !ok {
		return nil
	}
	config := *lexer.Config()
	config.Filenames = []string{"*.php", "*.phtml", "*.inc"}
	return lexer.SetConfig(&config)
}
