package redact

// finder finds secrets that no rule of gitleaks knows, by what stands around them. It is called
// where one of its words stands in a text, and looks a bounded way from there.
type finder struct {
	words []string // lower case, at least three bytes
	find  func(f *found, s string, at, n int)
}

// found collects what finders find.
type found struct {
	spans []Span
	named assignment // the last one looked at: a name may hold several words

	program string // the last one looked at, and
	command int    // the end of its command
}

func (f *found) add(start, end int) {
	if start < end {
		f.spans = append(f.spans, Span{start, end})
	}
}

// ownFinders are those of the package's engine.
func ownFinders() []finder {
	return []finder{
		{nameWords, findNamed},
		{[]string{"://"}, findURL},
		{[]string{"@tcp(", "@unix(", "jdbc:oracle:", "sqlplus"}, findAccount},
		{[]string{"basic ", "bearer ", "authorization"}, findHeader},
		{[]string{"cookie"}, findCookie},
		{[]string{":5432:", ":5433:", ":6432:", ":6543:", ":*:"}, findPgpass},
		{programWords(), findOption},
		{[]string{"identified by", "-from-literal", "pass:"}, findSpoken},
		{prefixWords(), findPrefixed},
		{[]string{":aa"}, findBot},
	}
}

const (
	// farthest is how far a finder looks for the end of a name or of what is around it.
	farthest = 64
	// longestValue is the length of the longest value a finder takes for a secret.
	longestValue = 256
)

// until is the first place in s[i:limit] with a byte of set, or limit.
func until(s string, i, limit int, set *byteSet) int {
	for limit = min(limit, len(s)); i < limit && !set.has(s[i]); i++ {
	}
	return i
}

// back is the start of the run of bytes of set that ends at i, at most n bytes before it.
func back(s string, i, n int, set *byteSet) int {
	for least := max(0, i-n); i > least && set.has(s[i-1]); i-- {
	}
	return i
}

// setOf is the set of the bytes of s.
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
	bareEnd    = setOf(" \t\n\r\f\v\"'`,;&|<>()[]{}\\") // ends a value without quotes
	wordEnd    = setOf(" \t\n\r\f\v\"'`")
	hostEnd    = setOf(" \t\n\r\f\v\"'`<>\\")
	identifier = wordByte.with(setOf("-."))
)
