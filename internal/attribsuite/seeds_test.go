package attribsuite

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// seedsFile has the seeds of histories that have ever failed, one a line, with what
// was wrong behind a #.
const seedsFile = "testdata/seeds.txt"

// briefly is how long an ordinary test plays.
const briefly = 12 * time.Second

// keptSeeds are those of testdata/seeds.txt, the last one first.
func keptSeeds() ([]uint64, error) {
	data, err := os.ReadFile(seedsFile)
	if err != nil {
		return nil, err
	}
	var out []uint64
	for line := range strings.Lines(string(data)) {
		number, _, _ := strings.Cut(line, "#")
		if number = strings.TrimSpace(number); number == "" {
			continue
		}
		s, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", seedsFile, err)
		}
		out = append(out, s)
	}
	slices.Reverse(out)
	return out, nil
}
