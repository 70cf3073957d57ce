package redact

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// lazyRegexp is a regexp compiled when it is first needed.
type lazyRegexp struct {
	once sync.Once
	re   *regexp.Regexp
	err  error
}

func (e *engine) compile(expr string) (*regexp.Regexp, error) {
	v, ok := e.regexps.Load(expr)
	if !ok {
		v, _ = e.regexps.LoadOrStore(expr, new(lazyRegexp))
	}
	l := v.(*lazyRegexp)
	l.once.Do(func() { l.re, l.err = regexp.Compile(expr) })
	return l.re, l.err
}

// compileRule returns the rule's expression, with other neighbours, too. Two rules would match code then.
func (e *engine) compileRule(r *rule) (*regexp.Regexp, error) {
	v, ok := e.wide.Load(r)
	if !ok {
		expr := r.expr
		if r.id != genericRule && r.id != "vault-service-token" {
			expr = widened.Replace(expr)
		}
		v, _ = e.wide.LoadOrStore(r, expr)
	}
	return e.compile(v.(string))
}

// search collects the secrets of a string.
type search struct {
	e       *engine
	s       string
	secrets []string // without duplicates
	seen    map[string]bool
	line    Span            // the line of the last match
	on      map[string]bool // by expression: the allowlist's result for that line
}

// maxSecrets is the most different secrets in a string. A string with more is a list of secrets, and
// searching it for each of them would take too long.
const maxSecrets = 2000

var errTooMany = errors.New("too many secrets")

// run searches s[lo:hi] with rule r and records the secrets it finds.
func (f *search) run(r *rule, lo, hi int) error {
	re, err := f.e.compileRule(r)
	if err != nil {
		return fmt.Errorf("compile rule %s: %w", r.id, err)
	}
	for _, m := range re.FindAllStringIndex(f.s[lo:hi], -1) {
		match := strings.Trim(f.s[lo+m[0]:lo+m[1]], "\n")
		secret := r.secret(re, match)
		if secret == "" || r.id == genericRule && f.isChecksum(secret, lo+m[0], lo+m[1]) || f.seen[secret] || r.entropy > 0 && runeEntropy(secret) <= r.entropy {
			continue
		}
		allowed, err := f.allowed(r, finding{secret, match, Span{lo + m[0], lo + m[1]}})
		if err != nil {
			return err
		}
		if !allowed {
			f.e.note(r.id, secret, []Span{{0, len(secret)}})
			if err := f.add(secret); err != nil {
				return err
			}
		}
	}
	return nil
}

// Most expressions of gitleaks end after quotes, blanks and semicolons only, as they are made for
// files of code. A secret in a sentence, a path or a diff has other neighbours.
var widened = strings.NewReplacer(
	`(?:[\x60'"\s;]|\\[nr]|$)`, `(?:[\x60'"\s;]|\\[nr]|[^\w+=-]|$)`,
	`(?:^|[\\'"\x60\s>=:(,)])`, `(?:^|[^\w~.-])`,
	`(?:$|[\\'"\x60\s<),])`, `(?:$|[^\w~-])`,
)

// isChecksum reports whether the secret is a checksum in a lock file, next to the name of a package
// such as "token".
func (f *search) isChecksum(secret string, start, end int) bool {
	i := start + strings.LastIndex(f.s[start:end], secret)
	return isChecksum(f.s, i, i+len(secret))
}

func (f *search) add(secret string) error {
	if f.seen == nil {
		f.seen = make(map[string]bool)
	}
	if f.seen[secret] = true; len(f.seen) > maxSecrets {
		return errTooMany
	}
	f.secrets = append(f.secrets, secret)
	return nil
}

// secret returns the secret part of a match. Like gitleaks, it applies the groups to the match alone.
func (r *rule) secret(re *regexp.Regexp, match string) string {
	groups := re.FindStringSubmatch(match)
	if r.group > 0 && r.group < len(groups) {
		return groups[r.group]
	}
	if len(groups) > 1 {
		for _, g := range groups[1:] {
			if g != "" {
				return g
			}
		}
	}
	return match
}

type finding struct {
	secret, match string
	at            Span // position of the match
}

func (f *search) allowed(r *rule, found finding) (bool, error) {
	for _, lists := range [][]allowlist{r.allow, f.e.global} {
		for i := range lists {
			if ok, err := f.allows(&lists[i], found); ok || err != nil {
				return ok, err
			}
		}
	}
	return false, nil
}

func (f *search) allows(a *allowlist, found finding) (bool, error) {
	if len(a.stop) > 0 && f.e.stopWords(a).in(found.secret) {
		return true, nil
	}
	for _, expr := range a.exprs {
		re, err := f.e.compile(expr)
		if err != nil {
			return false, fmt.Errorf("compile allowlist: %w", err)
		}
		if f.matches(re, a.target, found) {
			return true, nil
		}
	}
	return false, nil
}

func (f *search) matches(re *regexp.Regexp, t target, found finding) bool {
	if t == onLine {
		return f.onLine(re, found.at)
	}
	return re.MatchString([...]string{onSecret: found.secret, onMatch: found.match}[t])
}

// onLine reports whether re matches the line or lines of a match. It caches the result for the last
// line, which may have very many matches.
func (f *search) onLine(re *regexp.Regexp, at Span) bool {
	if f.on == nil || at.Start < f.line.Start || at.End > f.line.End {
		f.line, f.on = lineAt(f.s, at), make(map[string]bool)
	}
	if strings.IndexByte(f.s[at.Start:at.End], '\n') >= 0 {
		defer func() { f.on = nil }() // no other match has the same lines
	}
	ok, known := f.on[re.String()]
	if !known {
		ok = re.MatchString(f.s[f.line.Start:f.line.End])
		f.on[re.String()] = ok
	}
	return ok
}

func (e *engine) stopWords(a *allowlist) *wordIndex {
	v, ok := e.stops.Load(a)
	if !ok {
		v, _ = e.stops.LoadOrStore(a, newWordIndex(a.stop))
	}
	return v.(*wordIndex)
}

// lineAt returns the line or lines that contain s[at.Start:at.End].
func lineAt(s string, at Span) Span {
	line := Span{strings.LastIndexByte(s[:at.Start], '\n') + 1, len(s)}
	if i := strings.IndexByte(s[at.End:], '\n'); i >= 0 {
		line.End = at.End + i
	}
	return line
}

// runeEntropy returns the entropy as gitleaks computes it: of runes, over the length in bytes.
func runeEntropy(s string) float64 {
	counts := make(map[rune]int, 64)
	for _, r := range s {
		counts[r]++
	}
	var sum float64
	for _, n := range sortedCounts(counts) {
		p := float64(n) / float64(len(s))
		sum -= p * math.Log2(p)
	}
	return sum
}

// sortedCounts sorts the counts so that the sum is the same to the last bit every time.
func sortedCounts(counts map[rune]int) []int {
	list := make([]int, 0, len(counts))
	for _, n := range counts {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}
