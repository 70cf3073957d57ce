package patch

import "github.com/alecthomas/chroma/v2"

// golang is the lexer for Go, which chroma defines in its package of lexers alone.
func golang() *chroma.RegexLexer {
	return chroma.MustNewLexer(&chroma.Config{Name: "Go", Filenames: []string{"*.go"}}, func() chroma.Rules {
		types := []string{"u?int(?:8|16|32|64)?", "uintptr", "float(?:32|64)", "complex(?:64|128)", "byte", "rune", "string", "bool", "error", "any", "comparable"}
		return chroma.Rules{"root": {
			{Pattern: `\s+`, Type: chroma.TextWhitespace},
			{Pattern: `//[^\n]*`, Type: chroma.CommentSingle},
			{Pattern: `/\*[\s\S]*?(?:\*/|\z)`, Type: chroma.CommentMultiline},
			{Pattern: "`[^`]*(?:`|\\z)", Type: chroma.LiteralString},
			{Pattern: `"(?:\\.|[^"\\\n])*"?`, Type: chroma.LiteralString},
			{Pattern: `'(?:\\[^\n]|[^'\\\n])[^'\n]*'`, Type: chroma.LiteralStringChar},
			{Pattern: `(?:import|package|var|func|struct|map|chan|type|interface|const|break|default|select|case|defer|go|else|goto|switch|fallthrough|if|range|continue|for|return)\b`, Type: chroma.Keyword},
			{Pattern: `(?:true|false|iota|nil)\b`, Type: chroma.KeywordConstant},
			{Pattern: alternatives(types) + `\b`, Type: chroma.KeywordType},
			{Pattern: `[\p{L}_][\p{L}\p{N}_]*(?=\s*\()`, Type: chroma.NameFunction},
			{Pattern: `[\p{L}_][\p{L}\p{N}_]*`, Type: chroma.Name},
			{Pattern: `0[xX][0-9a-fA-F_.pP+-]+|0[bBoO][0-9_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?i?`, Type: chroma.LiteralNumber},
			{Pattern: `<<=|>>=|&\^=?|[-+*/%&|^<>=!:]=|<<|>>|<-|\+\+|--|&&|\|\||\.\.\.|[-+*/%&|^<>=!~]`, Type: chroma.Operator},
			{Pattern: `[()\[\]{}.,;:]`, Type: chroma.Punctuation},
		}}
	})
}

func alternatives(patterns []string) string {
	out := "(?:"
	for i, p := range patterns {
		if i > 0 {
			out += "|"
		}
		out += p
	}
	return out + ")"
}

// markdown is the lexer for Markdown, likewise.
func markdown() *chroma.RegexLexer {
	return chroma.MustNewLexer(&chroma.Config{Name: "Markdown", Filenames: []string{"*.md", "*.mkd", "*.markdown", "*.mdx"}}, func() chroma.Rules {
		return chroma.Rules{"root": {
			{Pattern: `<!--[\s\S]*?(?:-->|\z)`, Type: chroma.CommentMultiline},
			{Pattern: `^#{1,6}\s[^\n]*`, Type: chroma.GenericHeading},
			{Pattern: "^(?:```|~~~)[^\\n]*\\n[\\s\\S]*?(?:^(?:```|~~~)|\\z)", Type: chroma.LiteralString},
			{Pattern: `^\s*(?:[-*+]|\d+[.)])(?=\s)`, Type: chroma.Keyword},
			{Pattern: `^\s*>[^\n]*`, Type: chroma.GenericEmph},
			{Pattern: "`[^`\\n]+`", Type: chroma.LiteralString},
			{Pattern: `(\*\*|__)(?=\S)[^\n]+?\1`, Type: chroma.GenericStrong},
			{Pattern: `\*(?=[^\s*])[^*\n]+\*|(?<!\w)_(?=[^\s_])[^_\n]+_(?!\w)`, Type: chroma.GenericEmph},
			{Pattern: `(!?\[[^\]\n]*\])(\([^)\n]*\))`, Type: chroma.ByGroups(chroma.NameTag, chroma.NameAttribute)},
			{Pattern: `<[^>\s]+>`, Type: chroma.NameTag},
			{Pattern: "[^\\n*_`\\[<!]+|[\\s\\S]", Type: chroma.Text},
		}}
	})
}
