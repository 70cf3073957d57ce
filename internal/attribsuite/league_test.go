package attribsuite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"entire/internal/histories"
)

// leagueFile is the document that TestLeague writes its table into (`make league`), if LEAGUE is set.
const leagueFile = "../../docs/attribution.md"

// Ways to answer "agent or person?" for a line, and what each said of the judged lines.
const (
	byEntire = iota // blame
	byCommit        // the agent wrote all lines of a commit with a checkpoint, a person all others
	byFile          // the agent wrote all lines of the files that the commit's checkpoint lists
	ways
)

var wayNames = [ways]string{"`entire blame`", "the whole commit is the agent's", "the whole file is the agent's"}

// league counts the verdicts of each way over the judged lines of one sequence.
type league struct {
	on      bool
	verdict [ways]verdict
	files   map[string][]string // of each commit with a checkpoint, the files that it lists
}

// countLeague judges, by every way, one line that who wrote. A line whose owner nobody can know does not count.
func (w *world) countLeague(who string, got owner, path string) {
	if !w.league.on || who == "." || who == "?" || who == "" || strings.Trim(got.told.Commit, "0") == "" {
		return
	}
	person := who == "p"
	is := func(agent bool) verdict {
		if agent == person {
			return verdict{wrong: 1}
		}
		return verdict{right: 1}
	}
	files, linked := w.filesOf(got.told.Commit)
	said := [ways]verdict{byCommit: is(linked), byFile: is(slices.Contains(files, path))}
	switch got.told.Class {
	case "agent", "human":
		said[byEntire] = is(got.told.Class == "agent")
	default:
		said[byEntire] = verdict{unknown: 1}
	}
	for i := range said {
		w.league.verdict[i].add(said[i])
	}
}

// filesOf returns the files that the checkpoints of a commit list, and whether it names any.
func (w *world) filesOf(commit string) (files []string, linked bool) {
	if known, ok := w.league.files[commit]; ok {
		return known, known != nil
	}
	for _, id := range strings.Fields(w.run("", "git", "log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)", commit).out) {
		linked = true
		text := w.run("", "git", "show", "entire/checkpoints/v1:"+id[:2]+"/"+id[2:]+"/metadata.json").out
		var doc struct {
			Files []string `json:"files_touched"`
		}
		if json.Unmarshal([]byte(text), &doc) == nil {
			files = append(files, doc.Files...)
		}
	}
	if linked && files == nil {
		files = []string{}
	}
	if w.league.files == nil {
		w.league.files = map[string][]string{}
	}
	w.league.files[commit] = files
	return files, linked
}

// TestLeague plays all sequences and compares the ways to answer. No way may say less wrong than blame, which says
// nothing wrong.
func TestLeague(t *testing.T) {
	if os.Getenv("LEAGUE") == "" {
		t.Skip("LEAGUE is not set: make league")
	}
	all := rows(t)
	results := make([][ways]verdict, len(all))
	t.Run("rows", func(t *testing.T) {
		for i, s := range all {
			t.Run(s.topic+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.league.on = true
				if failed := histories.Guard(func() {
					for _, statement := range s.statements {
						w.play(statement)
					}
				}); failed != nil {
					t.Error(failed.Error())
				}
				results[i] = w.league.verdict
			})
		}
	})
	text := leagueTable(results)
	fmt.Print(text)
	if results := sums(results); results[byEntire].wrong > 0 {
		t.Errorf("blame is wrong about %d lines", results[byEntire].wrong)
	}
	if !t.Failed() {
		writeLeague(t, text)
	}
}

func sums(results [][ways]verdict) (sum [ways]verdict) {
	for _, r := range results {
		for i := range r {
			sum[i].add(r[i])
		}
	}
	return sum
}

// leagueTable returns, for each way, the mean share of lines of a sequence that it got right, wrong and unknown: a
// sequence of 50,000 lines counts as much as one of five.
func leagueTable(results [][ways]verdict) string {
	var b strings.Builder
	played := 0
	var share [ways][3]float64
	for _, r := range results {
		n := r[byEntire].right + r[byEntire].wrong + r[byEntire].unknown
		if n == 0 {
			continue
		}
		played++
		for i, v := range r {
			for k, x := range []int{v.right, v.wrong, v.unknown} {
				share[i][k] += 100 * float64(x) / float64(n)
			}
		}
	}
	fmt.Fprintf(&b, "Of the committed lines of a sequence, on average over %d sequences:\n\n| answer | right | wrong | unknown |\n|---|---|---|---|\n", played)
	for i, name := range wayNames {
		fmt.Fprintf(&b, "| %s | %.1f %% | %.1f %% | %.1f %% |\n", name, share[i][0]/float64(played), share[i][1]/float64(played), share[i][2]/float64(played))
	}
	return b.String()
}

func writeLeague(t *testing.T, text string) {
	const from, to = "<!-- league -->\n", "<!-- /league -->\n"
	doc, err := os.ReadFile(leagueFile)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := bytes.Cut(doc, []byte(from))
	_, tail, ok2 := bytes.Cut(rest, []byte(to))
	if !ok || !ok2 {
		t.Fatalf("%s has no %s", leagueFile, from)
	}
	if err := os.WriteFile(leagueFile, []byte(string(head)+from+text+to+string(tail)), 0o644); err != nil {
		t.Fatal(err)
	}
}
