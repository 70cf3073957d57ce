package attribution

import (
	"strings"
	"testing"
	"unicode"
)

func TestSqueezeTakesOutAllWhiteSpace(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"", " ", "\n", "a", " a", "a ", "a b\n", "\t\ta\v\f\r\nb", "\x01 \x1f\x7f", "é ü\u00a0x\u2003y\u0085z", "a  \u3000b", "\u3000"} {
		want := strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return -1
			}
			return r
		}, line)
		if got := string(appendForm([]byte(">"), []byte(line))); got != ">"+want {
			t.Errorf("%q: %q, want %q", line, got, ">"+want)
		}
	}
	if got := string(appendForm(nil, []byte("\xff \xc3\t\xe3\x80"))); got != "\xff\xc3\xe3\x80" {
		t.Errorf("what is not UTF-8: %q", got)
	}
}
