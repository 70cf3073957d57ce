package redact

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
)

// sample returns a text that matches the expression, as far as printable text goes.
func sample(rnd *rand.Rand, expr string) (string, error) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	writeSample(rnd, &b, re)
	return b.String(), nil
}

func writeSample(rnd *rand.Rand, b *strings.Builder, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(runeOf(rnd, re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte(randomAlnum(rnd))
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			writeSample(rnd, b, sub)
		}
	case syntax.OpAlternate:
		writeSample(rnd, b, re.Sub[rnd.IntN(len(re.Sub))])
	case syntax.OpQuest:
		repeatSample(rnd, b, re.Sub[0], 0, 1)
	case syntax.OpStar:
		repeatSample(rnd, b, re.Sub[0], 0, 3)
	case syntax.OpPlus:
		repeatSample(rnd, b, re.Sub[0], 1, 12)
	case syntax.OpRepeat:
		most := re.Max
		if most < 0 || most > re.Min+20 {
			most = re.Min + 20
		}
		repeatSample(rnd, b, re.Sub[0], re.Min, most)
	}
}

func repeatSample(rnd *rand.Rand, b *strings.Builder, re *syntax.Regexp, least, most int) {
	for range least + rnd.IntN(most-least+1) {
		writeSample(rnd, b, re)
	}
}

// runeOf prefers runes that can be printed.
func runeOf(rnd *rand.Rand, ranges []rune) rune {
	var printable []rune
	for i := 0; i < len(ranges); i += 2 {
		for r := max(ranges[i], '!'); r <= min(ranges[i+1], '~'); r++ {
			printable = append(printable, r)
		}
	}
	if len(printable) == 0 {
		return ranges[0]
	}
	return printable[rnd.IntN(len(printable))]
}

const alnum = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

func randomAlnum(rnd *rand.Rand) byte { return alnum[rnd.IntN(len(alnum))] }

func randomString(rnd *rand.Rand, alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[rnd.IntN(len(alphabet))]
	}
	return string(b)
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, seed)) }
