package redact

// finder finds secrets that gitleaks has no rule for, by their context. It is called at each of its
// words in a text and searches a bounded distance around it.
type finder struct {
	name  string
	words []string // lower case, at least three bytes
	find  func(f *found, s string, at, n int)
}

// found collects the secrets of finders.
type found struct {
	spans []Span
	named assignment // the last assignment examined: a name may contain several words

	program string // the last program examined
	command int    // the end of that program's command
}

func (f *found) add(start, end int) {
	if start < end {
		f.spans = append(f.spans, Span{start, end})
	}
}

// ownFinders returns the finders of the package's engine.
func ownFinders() []finder {
	return []finder{
		{"named-value", nameWords, findNamed},
		{"url-password", []string{"://"}, findURL},
		{"account-password", []string{"@tcp(", "@unix(", "jdbc:oracle:", "sqlplus"}, findAccount},
		{"authorization", []string{"basic ", "bearer ", "authorization"}, findHeader},
		{"cookie", []string{"cookie"}, findCookie},
		{"pgpass", []string{":5432:", ":5433:", ":6432:", ":6543:", ":*:"}, findPgpass},
		{"command-option", programWords(), findOption},
		{"worded-password", []string{"identified by", "-from-literal", "pass:"}, findWorded},
		{"service-key", prefixWords(), findPrefixed},
		{"telegram-bot", []string{":aa"}, findBot},
		{"told-secret", []string{"requirepass ", "masterauth ", "unseal key", "recovery key", "secret_key_base", "mnemonic", "seed phrase", "seed_phrase", "recovery phrase"}, findTold},
		{"piped-password", []string{"chpasswd", "cryptsetup", "--password-stdin", "--passphrase-fd", "sudo -s", "--stdin"}, findPiped},
		{"call-argument", []string{"getconnection("}, findArguments},
	}
}

const (
	// farthest is how far a finder searches for the end of a name or its context.
	farthest = 64
	// longestValue is the length of the longest secret of a finder.
	longestValue = 256
)

// until returns the first position in s[i:limit] with a byte of set, or limit.
func until(s string, i, limit int, set *byteSet) int {
	for limit = min(limit, len(s)); i < limit && !set.has(s[i]); i++ {
	}
	return i
}

// back returns the start of the run of bytes of set that ends at i, at most n bytes before i.
func back(s string, i, n int, set *byteSet) int {
	for least := max(0, i-n); i > least && set.has(s[i-1]); i-- {
	}
	return i
}

// setOf returns the set of the bytes of s.
func setOf(s string) (b byteSet) {
	for i := range len(s) {
		b[s[i]>>6&1] |= 1 << (s[i] & 63)
	}
	return b
}

func (b byteSet) with(o byteSet) byteSet { return byteSet{b[0] | o[0], b[1] | o[1]} }

var (
	blankByte  = setOf(" \t")
	spaceByte  = setOf(" \t\n\r\f\v")
	quotes     = setOf("\"'`")
	bareEnd    = setOf(" \t\n\r\f\v\"'`,;&|<>()[]{}\\") // ends an unquoted value
	wordEnd    = setOf(" \t\n\r\f\v\"'`")
	hostEnd    = setOf(" \t\n\r\f\v\"'`<>\\")
	identifier = wordByte.with(setOf("-."))
)
