package attribsuite

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"entire/internal/histories"
)

// What TestMain sets before any test runs.
var (
	bin    = "" // the folder with the program under test
	limit  = time.Duration(histories.Number("ATTRIBUTION_SECONDS", 0)) * time.Second
	chatty = os.Getenv("ATTRIBUTION_UNKNOWN") != "" // shows each statement, and each line that is unknown
)

func TestMain(m *testing.M) {
	histories.Main(m, func(dir string) { bin = filepath.Join(dir, "bin") })
}
