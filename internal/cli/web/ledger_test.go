package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"entire/internal/cli/rewindlib"
	"entire/strategy/condense"
)

// The sessions of the ledger.
const (
	rounding = "5e55104f-0000-4000-8000-000000000001"
	readme   = "b1a7c0de-0000-4000-8000-000000000002"
)

const ledgerGo = `package ledger

import "fmt"

// An Entry is one line of the ledger.
type Entry struct {
	Account string
	Amount  float64 // in euros
}

// Balance returns the sum of an account's entries.
func Balance(entries []Entry, account string) float64 {
	sum := 0.0
	for _, e := range entries {
		if e.Account == account {
			sum += e.Amount
		}
	}
	return sum
}

func (e Entry) String() string { return fmt.Sprintf("%s %.2f", e.Account, e.Amount) }
`

// newLedger is a day of work: two sessions, two commits, a rewind, and work that is not committed.
func newLedger(t *testing.T) *story {
	s := newStory(t, map[string]string{
		"go.mod": "module ledger\n\ngo 1.26\n", "ledger.go": ledgerGo,
		"web/index.html": "<!doctype html>\n<title>Ledger</title>\n<p>Nothing yet.\n",
	})
	s.prompt(rounding, "Amounts drift: 0.1 + 0.2 shows 0.30000000000000004. Keep cents as integers.")
	s.thinks(rounding, "Floats cannot hold cents. An int64 of cents is exact, and String has to format it.")
	s.tool(rounding, "Bash", map[string]any{"command": "grep -rn 'Amount' --include=*.go ."}, "./ledger.go:8:\tAmount  float64 // in euros\n./ledger.go:16:\t\t\tsum += e.Amount", false)
	s.edits(rounding, "ledger.go", "\tAmount  float64 // in euros", "\tAmount  int64 // in cents")
	s.edits(rounding, "ledger.go", "account string) float64 {\n\tsum := 0.0", "account string) int64 {\n\tsum := int64(0)")
	s.edits(rounding, "ledger.go", `fmt.Sprintf("%s %.2f", e.Account, e.Amount)`, `fmt.Sprintf("%s %d.%02d", e.Account, e.Amount/100, e.Amount%100)`)
	s.stops(rounding, "Amounts are whole cents now. `Balance` returns `int64`, and `String` prints euros with two digits.")
	s.prompt(rounding, "Negative amounts print as -1.-50. Fix that, with a test.")
	s.edits(rounding, "ledger.go", `func (e Entry) String() string { return fmt.Sprintf("%s %d.%02d", e.Account, e.Amount/100, e.Amount%100) }`,
		"func (e Entry) String() string {\n\tsign, cents := \"\", e.Amount\n\tif cents < 0 {\n\t\tsign, cents = \"-\", -cents\n\t}\n\treturn fmt.Sprintf(\"%s %s%d.%02d\", e.Account, sign, cents/100, cents%100)\n}")
	s.writes(rounding, "ledger_test.go", "package ledger\n\nimport \"testing\"\n\nfunc TestString(t *testing.T) {\n\tfor cents, want := range map[int64]string{150: \"a 1.50\", -150: \"a -1.50\", -5: \"a -0.05\"} {\n\t\tif got := (Entry{\"a\", cents}).String(); got != want {\n\t\t\tt.Errorf(\"%d cents: %q, want %q\", cents, got, want)\n\t\t}\n\t}\n}\n")
	s.tool(rounding, "Bash", map[string]any{"command": "go test ./..."}, "ok  \tledger\t0.002s", false)
	s.stops(rounding, "The sign is printed once, before the euros. `TestString` covers both signs.")
	s.Write("web/index.html", "<!doctype html>\n<title>Ledger</title>\n<h1>Ledger</h1>\n<p>Balances are in euros.\n")
	s.commit("Keep amounts in cents")

	s.later(time.Hour)
	s.prompt(readme, "Write a README with an example")
	s.writes(readme, "README.md", "# ledger\n\nAdds up entries, in whole cents.\n\n```go\nfmt.Println(ledger.Balance(entries, \"cash\"))\n```\n")
	s.stops(readme, "I wrote `README.md` with an example of `Balance`.")
	s.prompt(rounding, "Read entries from a CSV file")
	s.writes(rounding, "csv.go", "package ledger\n\nimport (\n\t\"encoding/csv\"\n\t\"io\"\n\t\"strconv\"\n)\n\n// Read reads entries: an account and its cents on each line.\nfunc Read(r io.Reader) ([]Entry, error) {\n\trows, err := csv.NewReader(r).ReadAll()\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\tvar out []Entry\n\tfor _, row := range rows {\n\t\tcents, err := strconv.ParseInt(row[1], 10, 64)\n\t\tif err != nil {\n\t\t\treturn nil, err\n\t\t}\n\t\tout = append(out, Entry{row[0], cents})\n\t}\n\treturn out, nil\n}\n")
	s.tool(rounding, "Bash", map[string]any{"command": "go vet ./..."}, "ledger: vet: ./csv.go:17:37: row[1] may be out of range", true)
	s.stops(rounding, "`Read` reads entries from CSV. A row with one column would still panic.")
	s.commit("Read entries from CSV")

	s.later(26 * time.Hour)
	s.prompt(rounding, "Check the number of columns")
	s.edits(rounding, "csv.go", "\tfor _, row := range rows {\n", "\tfor i, row := range rows {\n\t\tif len(row) != 2 {\n\t\t\treturn nil, fmt.Errorf(\"row %d has %d columns, want 2\", i+1, len(row))\n\t\t}\n")
	s.edits(rounding, "csv.go", "\t\"encoding/csv\"\n", "\t\"encoding/csv\"\n\t\"fmt\"\n")
	s.stops(rounding, "Rows with another number of columns are an error that names the row.")
	s.prompt(readme, "Make the README funnier")
	s.writes(readme, "README.md", "# ledger\n\nWhere did the money go? Here.\n")
	s.stops(readme, "Done.")
	s.rewind(s.points("turn")[1])
	return s
}

// rewind takes everything back to a point.
func (s *story) rewind(point string) {
	s.t.Helper()
	s.later(30 * time.Second)
	_, err := rewindlib.Do(s.t.Context(), s.env(), rewindlib.Request{Point: point, Scope: condense.Scope{Kind: condense.ScopeTree}}, "")
	s.ok(err)
}

// many is a story with n turns, each in one line of one file.
func many(t *testing.T, n int) *story {
	s := newStory(t, map[string]string{"list.txt": "0\n"})
	var lines strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&lines, "%d\n", i)
		s.prompt(rounding, fmt.Sprintf("Add number %d", i))
		s.writes(rounding, "list.txt", lines.String())
		s.stops(rounding, "Done.")
	}
	return s
}
