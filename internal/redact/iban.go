package redact

import "strings"

// ibanLens are the lengths of account numbers by country, from the registry of ISO 13616.
const ibanLens = "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24FI18FO18FR27GB22GE22GI23GL18GR27GT28HR21HU28" +
	"IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MR27MT31MU30NL18NO15PK24PL28PS29PT25QA29RO24RS22SA24SC31" +
	"SE24SI19SK24SM27ST25SV28TL23TN24TR26UA29VA22VG24XK20"

// ibans finds international account numbers by their country, its length, and their checksum.
func ibans(s string) (spans []Span) {
	for i := 0; i+15 <= len(s); i++ {
		if classOf(s[i]) != capital || classOf(s[i+1]) != capital || s[i+2]-'0' >= 10 || s[i+3]-'0' >= 10 || i > 0 && wordByte.has(s[i-1]) {
			continue
		}
		if end := ibanEnd(s, i); end > 0 {
			spans = append(spans, Span{i, end})
			i = end - 1
		}
	}
	return spans
}

// ibanEnd returns the end of the number that begins at i, or zero. Blanks may divide it.
func ibanEnd(s string, i int) int {
	n := ibanLen(s[i : i+2])
	number := make([]byte, 0, n)
	for ; i < len(s) && len(number) < n; i++ {
		switch c := s[i]; {
		case classOf(c) == capital || classOf(c) == digit:
			number = append(number, c)
		case c != ' ' || i+1 < len(s) && s[i+1] == ' ':
			return 0
		}
	}
	if n == 0 || len(number) < n || i < len(s) && wordByte.has(s[i]) || !ibanChecksum(number) {
		return 0
	}
	return i
}

func ibanLen(country string) int {
	for i := 0; i < len(ibanLens); i += 4 {
		if strings.HasPrefix(ibanLens[i:], country) {
			return int(ibanLens[i+2]-'0')*10 + int(ibanLens[i+3]-'0')
		}
	}
	return 0
}

// ibanChecksum reports whether the number leaves one when it is divided by 97, with letters as numbers
// and its first four places last.
func ibanChecksum(number []byte) bool {
	rest := 0
	for i := range number {
		c := number[(i+4)%len(number)]
		if classOf(c) == digit {
			rest = (rest*10 + int(c-'0')) % 97
		} else {
			rest = (rest*100 + int(c-'A') + 10) % 97
		}
	}
	return rest == 1
}
