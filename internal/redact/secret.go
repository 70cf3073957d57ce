package redact

import "strings"

// shortestNamed is the length of the shortest value that is a secret because of its name.
const shortestNamed = 8

// secret reports whether v, assigned to the name, is a secret.
func (a *assignment) secret(v, s string) bool {
	if len(v) < shortestNamed || isPlaceholder(v) {
		return false
	}
	switch h := shapeOf(v); {
	case h.blanks > 0:
		return false
	case a.told && (a.class != passLike || h.digits+h.symbols == 0):
		return isRandomWord(v, h)
	case a.class == vagueName:
		return a.random(v, s)
	case a.quoted && s[a.value.Start-1] == '`' && h.digits+h.symbols == 0:
		return isRandomWord(v, h)
	case a.listed && h.digits+h.symbols == 0:
		return false
	case a.quoted:
		return a.inQuotes(v, h)
	case a.tight && (a.connection || a.capitals(s) || a.option || a.property(s)):
		return a.inLine(v, h)
	case a.connection:
		return true
	default:
		return a.inCode(v, h)
	}
}

// isRandomWord decides for a value in a sentence, such as "the token X is old": words of a language, names
// and numbers are none.
func isRandomWord(v string, h shape) bool {
	switch {
	case h.symbols > 0 || len(v) < 10 || isReference(v) || isLocation(v):
		return false
	case isUUID(v) || isHexKey(strings.ReplaceAll(v, "-", "")) && len(v) >= 20:
		return h.digits > 1 && h.letters > 1
	case h.digits == 0:
		return mixedCase(v) && randomBytes(v) == len(v) && !isCamel(v)
	}
	inside := shapeOf(strings.TrimRight(v, "0123456789")).digits // a name may end with a number
	return h.letters > 1 && (mixed(v) || h.digits > 1) && (2*randomBytes(v) > len(v) || inside > 2 && len(v) >= 16 && isWord("x"+v))
}

// isCamel reports whether each capital of v begins a word: a small letter follows it.
func isCamel(v string) bool {
	for i := range len(v) {
		if classOf(v[i]) == capital && (i+1 == len(v) || classOf(v[i+1]) != small) {
			return false
		}
	}
	return true
}

// isWordPath reports whether v consists of names joined by slashes, as in "--- PASS: TestRead/empty_file".
func isWordPath(v string) bool {
	parts := strings.Split(v, "/")
	for _, p := range parts {
		if !isWord(p) && !isWord(strings.ReplaceAll(p, "-", "_")) || randomBytes(p) > len(p)/2 {
			return false
		}
	}
	return len(parts) > 1
}

// property reports whether the name is one of a file of properties: words joined by two dots or more.
func (a *assignment) property(s string) bool {
	name := s[a.name.Start:a.name.End]
	return strings.Count(name, ".") > 1 && strings.ToLower(name) == name
}

// inQuotes decides for the value of "name": "value".
func (a *assignment) inQuotes(v string, h shape) bool {
	if isReference(v) || isLabel(v) || isLocation(v) {
		return false
	}
	return a.class == passLike || h.digits > 0 && h.letters > 0 || h.symbols > 2 || isRandomWord(v, h)
}

// inLine decides for the value of NAME=value, of --name=value, and in a connection string.
func (a *assignment) inLine(v string, h shape) bool {
	switch {
	case a.class == passLike:
		return !isReference(v)
	case isReference(v) || isLocation(v) || isLabel(v):
		return false
	case h.letters == 0:
		return h.symbols > 2
	}
	return h.digits > 0 || h.symbols > 0 || h.letters == len(v)
}

// inCode decides for other values without quotes. Most of them are code.
func (a *assignment) inCode(v string, h shape) bool {
	switch {
	case isReference(v) || isLabel(v) || isLocation(v) || isWordPath(v) || h.letters == 0 && h.symbols < 4:
		return false
	case a.class == passLike && (h.digits > 1 || h.symbols > 0):
		return true
	case a.option:
		return h.digits > 0
	}
	return h.digits > 0 && (!isWord(v) || !isWords(v) || isHexKey(v))
}

// random decides for the value of a vague name, like the rule generic-api-key. It covers values whose
// end that rule does not find.
func (a *assignment) random(v, s string) bool {
	if a.value.End >= len(s) || !bracketByte.has(s[a.value.End]) || len(v) < 16 || len(v) > genericMax {
		return false
	}
	h := shapeOf(v)
	return h.digits > 1 && h.letters > 1 && h.symbols == 0 && !isID(v) && !isReference(v) && !namesSecret(v) && entropy(v) > 3.5 && randomBytes(v) > 10
}

func isHexKey(v string) bool { return len(v) >= 16 && isHash(v) }

var bracketByte = setOf(")]}>,&|\\")
