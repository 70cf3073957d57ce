package attribsuite

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"entire/internal/histories"
)

// rewind goes to the N-th newest point that holds files, if there are so many: N and
// the flags, of which "alone" means only what the point's session did. "undo" undoes it.
func (w *world) rewind(rest string) {
	program := filepath.Join(bin, "entire")
	if rest == "undo" {
		w.run("", program, "undo", "--yes")
		return
	}
	var n int
	number, flags, _ := strings.Cut(rest, " ")
	if _, err := fmt.Sscan(number, &n); err != nil {
		histories.Fail("notation", "%s", "rewind "+rest)
	}
	var points []struct {
		ID      string `json:"id"`
		Logs    bool   `json:"is_logs_only"`
		Session string `json:"session_id"`
	}
	r := w.run("", program, "rewind", "--list")
	if err := json.Unmarshal([]byte(r.out), &points); err != nil {
		histories.Fail("rewind", "--list: %v, %v\n%s", r.code, err, r.err)
	}
	for _, p := range points {
		if p.Logs {
			continue
		}
		if n--; n == 0 {
			w.run("", program, append([]string{"rewind", "--yes", "--to", p.ID}, strings.Fields(strings.ReplaceAll(flags, "alone", "--session="+p.Session))...)...)
		}
	}
}
