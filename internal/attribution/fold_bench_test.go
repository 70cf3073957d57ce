package attribution

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkFold is a commit of 50 files of 2,000 lines, each of which went through
// turns of an agent and a person's changes between: what a hook does for their lines
// beside reading them.
func BenchmarkFold(b *testing.B) {
	for _, turns := range []int{1, 3} {
		b.Run(fmt.Sprintf("%d turns", turns), func(b *testing.B) {
			texts := make([][][]byte, 50)
			for i := range texts {
				for n := range 2 * turns {
					texts[i] = append(texts[i], benchText(i, n))
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				var room Workspace
				for _, versions := range texts {
					h := room.Begin(versions[0])
					for n, text := range versions[1:] {
						by := Owner{Class: Person}
						if n%2 == 0 {
							by = Owner{Class: Agent, Session: "s", Turn: n}
						}
						h.Step(Version{Text: text, Owner: by})
					}
					f := h.Commit(versions[0])
					PrintDistinctive(versions[len(versions)-1], f.Lines)
				}
			}
		})
	}
}

func benchText(file, version int) []byte {
	var b strings.Builder
	for k := range 2000 {
		if (k+version)%40 == 0 {
			fmt.Fprintf(&b, "    result = changed(%d, %d)\n", version, k)
		} else {
			fmt.Fprintf(&b, "    value_%d = compute(%d, %d)\n", k, file, k)
		}
	}
	return []byte(b.String())
}
