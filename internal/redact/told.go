package redact

import "strings"

// findTold finds the value after words that only stand before a secret.
func findTold(f *found, s string, at, n int) {
	i := skip(s, at+n, 24, &toldByte)
	end := until(s, i, i+longestValue, &toldEnd)
	v := s[i:end]
	switch {
	case hasFold(s[at+n-4:], "onic") || hasFold(s[at+n-4:], "rase"): // mnemonic, seed phrase
		if words := strings.Fields(v); len(words) >= 12 && len(words) <= 24 && shapeOf(v).blanks == len(words)-1 && isLowerText(words) {
			f.add(i, end)
		}
	default:
		end = i + until(v, 0, len(v), &spaceByte)
		if v = s[i:end]; len(v) >= shortestNamed && !isPlaceholder(v) && shapeOf(v).digits > 0 {
			f.add(i, end)
		}
	}
}

var (
	toldByte = setOf(" \t:=\"'`123456789")
	toldEnd  = setOf("\n\r\"'`,;|&<>()[]{}\\")
)

// isLowerText reports whether all words consist of three to eight small letters.
func isLowerText(words []string) bool {
	for _, w := range words {
		if len(w) < 3 || len(w) > 8 {
			return false
		}
		for i := range len(w) {
			if classOf(w[i]) != small {
				return false
			}
		}
	}
	return true
}

// findPiped finds what echo or printf passes to a program that reads a password from a pipe.
func findPiped(f *found, s string, at, _ int) {
	line := back(s, at, longestValue, &notLineEnd)
	bar := strings.LastIndexByte(s[line:at+1], '|')
	if bar < 0 {
		return
	}
	bar += line
	from := max(strings.LastIndex(s[line:bar], "echo "), strings.LastIndex(s[line:bar], "printf "))
	if from < 0 {
		return
	}
	from = line + from + strings.IndexByte(s[line+from:], ' ')
	had := len(f.spans)
	for from < bar {
		start := skip(s, from, bar-from, &spaceByte)
		from = wordAt(s, start, bar)
		if start == from {
			return
		}
		if raw := s[start:from]; raw == "&&" || raw == "||" || raw[len(raw)-1] == ';' {
			f.spans = f.spans[:had] // another command is before the bar
			return
		}
		word := strings.Trim(s[start:from], "\"'`")
		if word == "" || word[0] == '-' || word[0] == '%' || isPlaceholder(word) {
			continue
		}
		start += strings.Index(s[start:from], word)
		end := start + len(word)
		if user, pass, ok := strings.Cut(word, ":"); ok && isWord(user) && !isPlaceholder(pass) {
			start += len(user) + 1
		}
		if end-start >= 4 {
			f.add(start, end)
		}
	}
}

var notLineEnd = byteSet{^uint64(1<<'\n' | 1<<'\r'), ^uint64(0)}

// findArguments finds the password in the call getConnection(url, user, password).
func findArguments(f *found, s string, at, n int) {
	limit := min(len(s), at+n+2*longestValue)
	i := at + n
	for arg := range 3 {
		i = skip(s, i, 8, &argumentByte)
		if i >= limit || !quotes.has(s[i]) {
			return
		}
		end := closing(s, i)
		if end < 0 {
			return
		}
		if v := s[i+1 : end]; arg == 2 && !isPlaceholder(v) {
			f.add(i+1, end)
		}
		i = end + 1
	}
}

var argumentByte = setOf(" \t\n,\\")
