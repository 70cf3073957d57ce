package redact

import (
	"strings"
)

// The kinds of personal data that Options can name.
const (
	Email = "email"
	Phone = "phone"
	Card  = "card"
	IBAN  = "iban"
)

// PersonalKinds returns the kinds of personal data that can be redacted.
func PersonalKinds() []string { return []string{Email, Phone, Card, IBAN} }

func personalRule(kind string) (extraRule, bool) {
	find, ok := map[string]func(string) []Span{Email: emails, Phone: phones, Card: cards, IBAN: ibans}[kind]
	return extraRule{name: kind, find: find}, ok
}

var (
	localByte  = wordByte.with(setOf(".%+-"))
	domainByte = alnumByteOnly.with(setOf(".-"))
	// alnumByteOnly is [A-Za-z0-9].
	alnumByteOnly = byteSet{0x3ff000000000000, 0x7fffffe07fffffe}
)

// emails finds addresses of people: not those of documentation, of git over SSH, and names of files with
// an "@".
func emails(s string) (spans []Span) {
	for at := strings.IndexByte(s, '@'); at >= 0 && at < len(s); {
		start := back(s, at, farthest, &localByte)
		for start < at && (s[start] == '.' || s[start] == '-' || s[start] == '+' || s[start] == '%') {
			start++
		}
		end := skip(s, at+1, 253, &domainByte)
		for end > at+1 && (s[end-1] == '.' || s[end-1] == '-') {
			end--
		}
		if isMailbox(s[start:at], strings.ToLower(s[at+1:end])) && !(end < len(s) && s[end] == ':' && end+1 < len(s) && isAlnum(s[end+1])) {
			spans = append(spans, Span{start, end})
		}
		next := strings.IndexByte(s[at+1:], '@')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return spans
}

// isMailbox reports whether the two parts of an address are those of a person or an office.
func isMailbox(local, domain string) bool {
	dot := strings.LastIndexByte(domain, '.')
	if local == "" || dot < 1 || len(domain)-dot < 3 || strings.Contains(domain, "..") || strings.HasPrefix(domain, "-") {
		return false
	}
	top := domain[dot+1:]
	for i := range len(top) {
		if classOf(top[i]) != small {
			return false
		}
	}
	switch top {
	case "png", "jpg", "jpeg", "gif", "svg", "webp", "js", "ts", "tsx", "jsx", "css", "html", "json", "md", "go", "py", "rs", "rb", "txt", "example", "invalid", "test", "local":
		return false
	}
	switch strings.ToLower(local) {
	case "git", "hg", "svn", "noreply", "no-reply", "donotreply":
		return false
	}
	for _, d := range []string{"example.com", "example.org", "example.net", "users.noreply.github.com", "noreply.gitlab.com"} {
		if domain == d || strings.HasSuffix(domain, "."+d) {
			return false
		}
	}
	return true
}

var (
	digitsByte = setOf("0123456789")
	// phoneByte may stand between the digits of a number.
	phoneByte = setOf("0123456789 .-()/")
)

// phones finds telephone numbers in international form, and in the form of North America with a
// separator.
func phones(s string) (spans []Span) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '+' && c != '(' && c-'0' >= 10 || i > 0 && (isAlnum(s[i-1]) || strings.IndexByte("+-._/=:#", s[i-1]) >= 0 && s[i-1] != ':') {
			continue
		}
		end := skip(s, i+1, 24, &phoneByte)
		for end > i+1 && s[end-1]-'0' >= 10 {
			end--
		}
		if end < len(s) && isAlnum(s[end]) {
			i = end
			continue
		}
		if n := phoneLen(s[i:end], i == 0 || s[i-1] == '\n'); n > 0 {
			spans = append(spans, Span{i, i + n})
			i += n
		} else if c-'0' < 10 {
			i = skip(s, i, len(s), &digitsByte) - 1
		}
	}
	return spans
}

// phoneLen returns the length of the number that v is, or zero. At the start of a line, "+" may be that of
// a diff.
func phoneLen(v string, lineStart bool) int {
	digits := onlyDigits(v)
	switch {
	case strings.Contains(v, "  ") || strings.Count(v, "/")+strings.Count(v, ".") > 4:
		return 0
	case v[0] == '+':
		if len(digits) < 9 || len(digits) > 15 || digits[0] == '0' || v[1]-'0' >= 10 || lineStart && len(digits) == len(v)-1 {
			return 0
		}
		return len(v)
	case len(digits) == 10 && isNorthAmerican(v):
		return len(v)
	}
	return 0
}

// isNorthAmerican reports whether v is (212) 555-0123, 212-555-0123 or 212.555.0123.
func isNorthAmerican(v string) bool {
	parts := strings.FieldsFunc(v, func(r rune) bool { return r < '0' || r > '9' })
	if len(parts) != 3 || len(parts[0]) != 3 || len(parts[1]) != 3 || len(parts[2]) != 4 {
		return false
	}
	return parts[0][0] >= '2' && parts[1][0] >= '2' && strings.Count(v, "/") == 0 && len(v) <= 14
}

func onlyDigits(v string) string {
	b := make([]byte, 0, len(v))
	for i := range len(v) {
		if v[i]-'0' < 10 {
			b = append(b, v[i])
		}
	}
	return string(b)
}

// cards finds numbers of payment cards: a known prefix, the length that belongs to it, and Luhn's
// checksum.
func cards(s string) (spans []Span) {
	for i := 0; i < len(s); i++ {
		if s[i]-'0' >= 10 {
			continue
		}
		end := groupsEnd(s, i)
		if (i == 0 || !cardNeighbour.has(s[i-1])) && (end == len(s) || !cardNeighbour.has(s[end])) {
			if digits := onlyDigits(s[i:end]); isCardLen(digits) && luhn(digits) {
				spans = append(spans, Span{i, end})
			}
		}
		i = end
	}
	return spans
}

var cardNeighbour = wordByte.with(setOf("-.+/="))

// groupsEnd returns the end of the digits that begin at i, in groups with one separator between them.
func groupsEnd(s string, i int) int {
	sep := byte(0)
	for i < len(s) {
		switch c := s[i]; {
		case c-'0' < 10:
		case (c == ' ' || c == '-') && (sep == 0 || sep == c) && i+1 < len(s) && s[i+1]-'0' < 10:
			sep = c
		default:
			return i
		}
		i++
	}
	return i
}

func isCardLen(d string) bool {
	if len(d) < 13 || len(d) > 19 {
		return false
	}
	head := int(d[0]-'0')*1000 + int(d[1]-'0')*100 + int(d[2]-'0')*10 + int(d[3]-'0')
	switch {
	case d[0] == '4':
		return len(d) == 13 || len(d) == 16 || len(d) == 19
	case head >= 5100 && head < 5600, head >= 2221 && head <= 2720, head >= 3528 && head <= 3589:
		return len(d) == 16
	case head/100 == 34, head/100 == 37:
		return len(d) == 15
	case head == 6011, head >= 6440 && head < 6600, head/100 == 62:
		return len(d) >= 16
	case head/10 >= 300 && head/10 <= 305, head/100 == 36, head/100 == 38, head/100 == 39:
		return len(d) == 14
	}
	return false
}

// luhn reports whether the last digit is the checksum of the others. Ten times the same digit is no number.
func luhn(d string) bool {
	sum := 0
	for i := range len(d) {
		n := int(d[len(d)-1-i] - '0')
		if i%2 == 1 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0 && strings.Count(d, d[:1]) < len(d)
}
