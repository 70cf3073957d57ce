package attribsuite

import (
	"fmt"
	"testing"
)

const (
	// mostUnknown is the largest share of unknown lines that the suite allows, in percent. It only goes down:
	// lower it when the suite says so, and mend the program, not the number, when the suite fails.
	mostUnknown = 3.70

	// unknownSlack is how far the share may move away from mostUnknown before the suite says something.
	unknownSlack = 0.25
)

// unknownShare returns the share of the judged lines of a sequence that blame calls unknown although the
// sequence names their owner, in percent, as the mean over all sequences: one with 50,000 lines counts as much
// as one with five.
func unknownShare(counts []count) float64 {
	sum := 0.0
	for _, c := range counts {
		sum += float64(c.unknown) / float64(max(1, c.right+c.wrong+c.unknown))
	}
	return 100 * sum / float64(max(1, len(counts)))
}

// ratchet compares a share of unknown lines with the largest one that is allowed. It returns a complaint if
// the share is larger, a hint if the limit can be lowered, and two empty texts otherwise.
func ratchet(share, most float64) (tooMany, hint string) {
	switch {
	case share > most+unknownSlack:
		return fmt.Sprintf("%.2f %% of a sequence's lines are unknown on average; mostUnknown (ratchet_test.go) "+
			"allows %.2f %% and a slack of %.2f. The table above shows which sequences have unknown lines.",
			share, most, unknownSlack), ""
	case share < most-unknownSlack:
		return "", fmt.Sprintf("Fewer lines are unknown than mostUnknown allows: set it to %.2f in "+
			"internal/attribsuite/ratchet_test.go.", share)
	}
	return "", ""
}

func TestRatchet(t *testing.T) {
	counts := []count{{verdict{right: 3, unknown: 1}, true}, {verdict{right: 50000}, true}}
	if share := unknownShare(counts); share != 12.5 {
		t.Errorf("the share is %v", share)
	}
	for _, c := range []struct {
		share         float64
		tooMany, hint bool
	}{{10, false, false}, {10.2, false, false}, {10.3, true, false}, {9.8, false, false}, {9.7, false, true}} {
		if tooMany, hint := ratchet(c.share, 10); (tooMany != "") != c.tooMany || (hint != "") != c.hint {
			t.Errorf("%v: %q, %q", c.share, tooMany, hint)
		}
	}
}
