package redact

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
	case a.class == vagueName:
		return a.random(v, s)
	case a.listed && h.digits+h.symbols == 0:
		return false
	case a.quoted:
		return a.inQuotes(v, h)
	case a.tight && (a.connection || a.capitals(s) || a.option):
		return a.inLine(v, h)
	case a.connection:
		return true
	default:
		return a.inCode(v, h)
	}
}

// inQuotes decides for the value of "name": "value".
func (a *assignment) inQuotes(v string, h shape) bool {
	if isReference(v) || isLabel(v) || isLocation(v) {
		return false
	}
	return a.class == passLike || h.digits > 0 && h.letters > 0 || h.symbols > 2
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
	case isReference(v) || isLabel(v) || isLocation(v) || h.letters == 0 && h.symbols < 4:
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
