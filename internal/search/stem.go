package search

import "strings"

// stem returns an English word in lower case without its ending, so that "failing" and "failed",
// "retry" and "retries", "migrate" and "migrations" match. The stem need not be a word, and unrelated
// words may share one. Other languages, short words and words with digits stay as they are.
func stem(w string) string {
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return w
		}
	}
	w = plural(w)
	switch {
	case len(w) > 6 && (strings.HasSuffix(w, "tion") || strings.HasSuffix(w, "sion")):
		w = w[:len(w)-3]
	case len(w) > 5 && strings.HasSuffix(w, "ing") && hasVowel(w[:len(w)-3]):
		w = single(w[:len(w)-3])
	case len(w) > 4 && strings.HasSuffix(w, "ied"):
		w = w[:len(w)-3] + "y"
	case len(w) > 4 && strings.HasSuffix(w, "ed") && hasVowel(w[:len(w)-2]) && w[len(w)-3] != 'e':
		w = single(w[:len(w)-2])
	}
	if len(w) > 4 && w[len(w)-1] == 'e' {
		w = w[:len(w)-1]
	}
	return w
}

// plural removes the s of a plural or a verb.
func plural(w string) string {
	n := len(w)
	switch {
	case n < 4 || w[n-1] != 's' || strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us") || strings.HasSuffix(w, "is"):
		return w
	case n > 4 && strings.HasSuffix(w, "ies"):
		return w[:n-3] + "y"
	case n > 4 && (strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "zes") ||
		strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes")):
		return w[:n-2]
	}
	return w[:n-1]
}

// single removes the second of two letters that an ending doubled: running, stopped.
func single(w string) string {
	n := len(w)
	if n > 2 && w[n-1] == w[n-2] && !strings.ContainsRune("aeioulsz", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}

func hasVowel(w string) bool { return strings.ContainsAny(w, "aeiouy") }
