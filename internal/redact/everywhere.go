package redact

import (
	"cmp"
	"slices"
	"strings"
)

// everywhere appends all occurrences of the secrets in s. It reads s once, for any number of secrets.
func everywhere(s string, secrets []string, spans []Span) []Span {
	if len(secrets) == 1 {
		return occurrences(s, secrets[0], spans)
	}
	if len(secrets) == 0 {
		return spans
	}
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	head := min(8, len(secrets[len(secrets)-1]))
	byHead := make(map[string][]string, len(secrets)) // longest first
	var first [1 << 16]bool                           // by the first two bytes
	for _, secret := range secrets {
		byHead[secret[:head]] = append(byHead[secret[:head]], secret)
		first[pair(secret, head)] = true
	}
	for i := 0; i+head <= len(s); i++ {
		if !first[pair(s[i:], head)] {
			continue
		}
		for _, secret := range byHead[s[i:i+head]] {
			if strings.HasPrefix(s[i:], secret) {
				spans = append(spans, Span{i, i + len(secret)})
				break
			}
		}
	}
	return spans
}

// pair returns the first two bytes of s, or the first one if head is less than two.
func pair(s string, head int) int {
	if head < 2 {
		return int(s[0])
	}
	return int(s[0])<<8 | int(s[1])
}

func occurrences(s, secret string, spans []Span) []Span {
	for at := 0; ; {
		i := strings.Index(s[at:], secret)
		if i < 0 {
			return spans
		}
		spans = append(spans, Span{at + i, at + i + len(secret)})
		at += i + len(secret)
	}
}
