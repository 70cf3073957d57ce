package patch

import "github.com/alecthomas/chroma/v2"

// A Kind is what a piece of text is in its language.
type Kind uint8

const (
	Plain Kind = iota
	Keyword
	Type
	Function
	Name // a word that is none of the others, such as a variable
	Attribute
	Tag
	Constant
	String
	Number
	Comment
	Operator
	Punctuation
	Heading
	Emphasis
)

// String returns the kind's name in lower case, which pages use as a class.
func (k Kind) String() string {
	names := [...]string{"plain", "keyword", "type", "function", "name", "attribute", "tag", "constant", "string", "number",
		"comment", "operator", "punctuation", "heading", "emphasis"}
	if int(k) >= len(names) {
		return names[Plain]
	}
	return names[k]
}

// kindOf maps the types of tokens that lexers tell apart.
func kindOf(t chroma.TokenType) Kind {
	switch t {
	case chroma.KeywordType, chroma.NameBuiltin, chroma.NameClass, chroma.NameException, chroma.NameNamespace:
		return Type
	case chroma.KeywordConstant, chroma.NameConstant, chroma.NameBuiltinPseudo:
		return Constant
	case chroma.NameFunction, chroma.NameFunctionMagic:
		return Function
	case chroma.NameAttribute, chroma.NameDecorator, chroma.NameProperty, chroma.NameLabel:
		return Attribute
	case chroma.NameTag:
		return Tag
	case chroma.GenericHeading, chroma.GenericSubheading:
		return Heading
	case chroma.GenericEmph, chroma.GenericStrong:
		return Emphasis
	}
	switch {
	case t.InCategory(chroma.Keyword):
		return Keyword
	case t.InCategory(chroma.Name):
		return Name
	case t.InSubCategory(chroma.LiteralString):
		return String
	case t.InSubCategory(chroma.LiteralNumber):
		return Number
	case t.InCategory(chroma.Literal):
		return String
	case t.InCategory(chroma.Comment):
		return Comment
	case t.InCategory(chroma.Operator):
		return Operator
	case t.InCategory(chroma.Punctuation):
		return Punctuation
	}
	return Plain
}
