package bodies

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"entire/internal/lines"
)

// asProgram makes the test's binary the bucket program: it writes a line of that many bytes before its answers.
const asProgram = "BODIES_TEST_ANSWERS_AFTER"

func TestMain(m *testing.M) {
	if before := os.Getenv(asProgram); before != "" {
		var n int
		if _, err := fmt.Sscan(before, &n); err != nil {
			panic(err)
		}
		fmt.Println(strings.Repeat("x", n))
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			var j Job
			if json.Unmarshal(in.Bytes(), &j) == nil && j.SHA256 != "" {
				fmt.Printf("{\"sha256\":%q}\n", j.SHA256)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A line that is no answer is an error, however long it is, and the answers behind it count.
func TestALineThatIsNoAnswer(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, maxAnswer + 1, 4 << 20} {
		f, _ := agreed(t)
		f.Program, f.Environ = os.Executable, append(os.Environ(), fmt.Sprintf("%s=%d", asProgram, size))
		var done []string
		_, err := f.runEach(t.Context(), []Job{{Do: "check", SHA256: "one"}, {Do: "check", SHA256: "two"}}, func(name string) error {
			done = append(done, name)
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), "the bucket program answered") || size > maxAnswer != errors.Is(err, lines.ErrTooLong) {
			t.Errorf("%d bytes: %v", size, err)
		}
		if len(done) != 2 {
			t.Errorf("%d bytes: %q are done", size, done)
		}
	}
}
