package versions_test

import (
	"strings"
	"testing"

	"entire/internal/rescue/versions"
)

// FuzzBuild builds versions from a content, a hunk and lines that anybody wrote.
func FuzzBuild(f *testing.F) {
	f.Add("a\nb\n", "-a\n+c\n b", 0, "x\ny", 1, 5)
	f.Add("a\r\nb", " a\n\\ No newline", -1, "", 0, 0)
	f.Fuzz(func(t *testing.T, content, hunk string, index int, shown string, first, total int) {
		m := newMemory()
		edit := versions.Edit{Hunks: []versions.Hunk{{Index: index, Lines: strings.Split(hunk, "\n")}}}
		edited := versions.Evidence{Path: "f", Kind: versions.Edited, Edits: []versions.Edit{edit}}
		seen := versions.Evidence{Path: "f", Kind: versions.Shown, Text: shown, First: first, Total: total}
		for _, evidence := range [][]versions.Evidence{{m.whole(content, second(0)), edited, seen}, {seen, edited, m.whole(content, second(0))}, {edited, seen, edited}} {
			for i := range evidence {
				evidence[i].At = second(i)
			}
			if _, err := versions.Build(evidence, m); err != nil {
				t.Fatal(err)
			}
		}
	})
}
