package redact

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// corpusSize is how many different secrets the corpus plants, each in every wrapping.
const corpusSize = 5000

// planted is a text with a secret, as an agent may read or write it.
type planted struct{ class, kind, text, value string }

// corpus returns the planted secrets, the same ones every time: ten of each rule of gitleaks, two of
// each service that other scanners know, and the other forms in turn until it is full. If step is more
// than one, the rules are every step-th.
func corpus(t *testing.T, step int) []planted {
	rnd := newRand(21)
	list := oracleSecrets(t, step)
	for n := range 2 {
		list = append(list, providerSecrets(rnd, 5*n)...)
	}
	kinds := append(secretKinds(), moreKinds()...)
	for i := 0; len(list) < corpusSize || i < len(kinds); i++ {
		k := kinds[i%len(kinds)]
		value := k.value(rnd)
		list = append(list, planted{k.group, k.name, fmt.Sprintf(k.text, value), strings.Split(value, "\n")[0]})
	}
	return list
}

// oracleSecrets returns texts with ten different secrets for each rule that gitleaks finds by text alone.
func oracleSecrets(t *testing.T, step int) (list []planted) {
	d := newOracle(t)
	for i := 0; i < len(ruleTable); i += step {
		r, rnd := &ruleTable[i], newRand(uint64(22+i))
		for tries, found := 0, 0; found < 10 && tries < 40; tries++ {
			s, err := sample(rnd, r.expr)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.words) > 0 {
				s = r.words[0] + " says\n" + s + "\n"
			}
			for _, f := range d.DetectString(s) {
				if value := longestLine(f.Secret); f.RuleID == r.id && value != "" {
					list = append(list, planted{"gitleaks' rules", r.id, s, value})
					found++
					break
				}
			}
		}
	}
	return list
}

// longestLine returns the longest line of a secret that is no frame of a key.
func longestLine(secret string) (longest string) {
	for line := range strings.Lines(secret) {
		if line = strings.TrimSpace(line); len(line) > len(longest) && !strings.HasPrefix(line, "-----") {
			longest = line
		}
	}
	return longest
}

// recall counts occurrences by a name.
type recall struct{ all, left map[string]int }

func newRecall() recall { return recall{make(map[string]int), make(map[string]int)} }

func (r recall) count(name string, left bool) {
	if r.all[name]++; left {
		r.left[name]++
	}
}

func (r recall) print(t *testing.T, title string) {
	t.Helper()
	names := make([]string, 0, len(r.all))
	for n := range r.all {
		names = append(names, n)
	}
	slices.Sort(names)
	all, left := 0, 0
	for _, n := range names {
		t.Logf("%-12s %-28s %6d, left %5d: recall %6.2f %%", title, n, r.all[n], r.left[n], r.share(n))
		all, left = all+r.all[n], left+r.left[n]
	}
	t.Logf("%-12s %-28s %6d, left %5d: recall %6.2f %%", title, "all", all, left, 100-100*float64(left)/float64(all))
}

func (r recall) share(name string) float64 {
	return 100 - 100*float64(r.left[name])/float64(r.all[name])
}

// Shares of the planted secrets, in percent, that must be gone: of all, and of a class. They only ever rise.
const (
	leastRecall  = 99.9
	leastOfClass = 99.5
)

// TestRecall plants secrets in every wrapping and counts what is left, by class and by wrapping. It
// uses every fortieth secret, or with ENTIRE_REDACT_CORPUS=all the whole corpus.
func TestRecall(t *testing.T) {
	t.Parallel()
	step := 40
	if os.Getenv("ENTIRE_REDACT_CORPUS") == "all" {
		step = 1
	}
	classes, wraps, kinds := newRecall(), newRecall(), newRecall()
	var mu sync.Mutex
	secrets := corpus(t, step)
	all, left := 0, 0
	var group sync.WaitGroup
	for first := range 4 {
		group.Go(func() {
			for i := first * step; i < len(secrets); i += 4 * step {
				p := secrets[i]
				for _, w := range wrappings() {
					clean := string(Line([]byte(w.put(p))))
					stays := survives(clean, p.value)
					mu.Lock()
					classes.count(p.class, stays)
					wraps.count(w.name, stays)
					kinds.count(p.class+": "+p.kind, stays)
					if all++; stays {
						left++
						if testing.Verbose() && kinds.left[p.class+": "+p.kind] < 4 {
							t.Logf("LEFT %s, %s, %s: %q in %.400s", p.class, p.kind, w.name, p.value, clean[max(0, len(clean)-400):])
						}
					}
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	classes.print(t, "class")
	wraps.print(t, "wrapping")
	least := leastRecall
	if step > 1 {
		least -= 0.4 // of a sample, two or three secrets are as much
	}
	if share := 100 - 100*float64(left)/float64(all); share < least {
		t.Errorf("recall is %.2f %%, want at least %.2f %%", share, least)
	}
	for name := range classes.all {
		if step == 1 && classes.share(name) < leastOfClass {
			t.Errorf("recall of the class %q is %.2f %%, want at least %.2f %%", name, classes.share(name), leastOfClass)
		}
	}
}
