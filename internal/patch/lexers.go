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
var lexers = sync.OnceValue(func() *registry {
	all := &registry{LexerRegistry: chroma.NewLexerRegistry(), named: map[string]chroma.Lexer{}}
	names, err := fs.Glob(definitions, "lexers/*.xml")
	if err != nil {
		return all
	}
	for _, name := range names {
		if lexer, err := chroma.NewXMLLexer(definitions, name); err == nil {
			all.Register(lexer)
		}
	}
	for _, lexer := range []*chroma.RegexLexer{golang(), markdown(), php(all.LexerRegistry)} {
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

// A registry has the lexers, and those of names that were asked for, nil for none: a diff asks for each of its
// hunks, and finding a lexer takes longer than most hunks take it.
type registry struct {
	*chroma.LexerRegistry
	mu    sync.Mutex
	named map[string]chroma.Lexer
}

const namesMax = 1000 // names, which others choose

// of returns the lexer for files of a name, nil for none.
func (r *registry) of(name string) chroma.Lexer {
	r.mu.Lock()
	defer r.mu.Unlock()
	lexer, known := r.named[name]
	if known {
		return lexer
	}
	if len(r.named) >= namesMax {
		clear(r.named)
	}
	lexer = r.Match(name)
	r.named[name] = lexer
	return lexer
}
