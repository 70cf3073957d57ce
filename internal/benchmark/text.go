package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

var (
	nouns = strings.Fields("anchor basket beacon border bridge button canvas carbon castle circle column corner cotton damper drawer engine fabric " +
		"finger forest garden hammer harbor island jacket kettle ladder lantern magnet marble meadow mirror napkin needle orchard paddle pencil pepper " +
		"pillow planet pocket rabbit ribbon saddle shovel signal silver spider spring staple sunset tablet tunnel valley velvet violin walnut window")
	verbs    = strings.Fields("align bind check clear count fold guard hold join keep limit mark measure merge move open pack pick place poll press pull push route scan seal send sort split store trace turn wrap")
	suffixes = []string{".go", ".py", ".ts", ".rs", ".md", ".json"}
)

// prose generates text from a fixed seed, so that every run has the same text.
type prose struct{ *rand.Rand }

func newProse(seed uint64) prose { return prose{rand.New(rand.NewPCG(seed, 2))} }

func (p prose) pick(list []string) string { return list[p.IntN(len(list))] }

// sentence returns n words.
func (p prose) sentence(n int) string {
	words := make([]string, n)
	for i := range words {
		if i%3 == 1 {
			words[i] = p.pick(verbs)
		} else {
			words[i] = p.pick(nouns)
		}
	}
	return strings.Join(words, " ")
}

// line returns one line that looks like source code.
func (p prose) line() string {
	indent := strings.Repeat("\t", p.IntN(4))
	a, b, v, n := p.pick(nouns), p.pick(nouns), p.pick(verbs), p.IntN(1000)
	switch p.IntN(6) {
	case 0:
		return fmt.Sprintf("%sfunc %s%s(%s int, %s string) error {", indent, v, strings.ToUpper(a[:1])+a[1:], a, b)
	case 1:
		return fmt.Sprintf("%sif %s.%s(%s) > %d {", indent, a, v, b, n)
	case 2:
		return fmt.Sprintf("%s// %s the %s before %s does", indent, v, a, p.sentence(4))
	case 3:
		return fmt.Sprintf("%sreturn fmt.Errorf(\"%s %s %%d: %%w\", %s, err)", indent, v, a, b)
	case 4:
		return fmt.Sprintf("%s%s := %s.%s(%d, %q)", indent, a, b, v, n, p.sentence(2))
	}
	return ""
}

// text returns lines with about n bytes in total.
func (p prose) text(n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(p.line())
		b.WriteByte('\n')
	}
	return b.String()
}

// bodies returns n short texts.
func (p prose) bodies(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = p.text(200)
	}
	return list
}

// paths returns n file names, about ten per folder, in folders one to five levels deep.
func (p prose) paths(n int) []string {
	folders := []string{"cmd", "docs", "lib", "src", "test", "web"}
	seen := map[string]bool{}
	for len(folders) < n/10 {
		parent := p.pick(folders)
		if strings.Count(parent, "/") >= 4 {
			continue
		}
		name := fmt.Sprintf("%s/%s%s", parent, p.pick(nouns), p.pick(nouns)[:2])
		if !seen[name] {
			seen[name] = true
			folders = append(folders, name)
		}
	}
	files := make([]string, n)
	for i := range files {
		files[i] = fmt.Sprintf("%s/%s_%s_%d%s", folders[i%len(folders)], p.pick(verbs), p.pick(nouns), i, p.pick(suffixes))
	}
	return files
}
