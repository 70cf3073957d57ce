package search

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"entire/agent"
	"entire/internal/search/lists"
	"entire/internal/testrepo"
)

// A plain is the same documents in a table of SQLite's FTS5, which compares all matches of a query: another
// program that must come to the same result.
type plain struct{ db *sql.DB }

// newPlain puts the documents of an index into another, in whose texts the words are as ours are.
func newPlain(t testing.TB, x *Index, s talks, checkpoints ...Entry) *plain {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec("CREATE VIRTUAL TABLE words USING fts5(title, asked, said, did, got, noted, files, tokenize='ascii')"); err != nil {
		t.Fatal(err)
	}
	rows, err := x.rows(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		var lines []Line
		for line, err := range s.Lines(context.Background(), Entry{Name: r.name}, 0) {
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, line)
		}
		to := &reader{words: newVocabulary()}
		b := &batch{task: &task{Entry: Entry{Kind: r.kind, Name: r.name, Card: r.card}}}
		for _, c := range checkpoints {
			if c.Name == r.name {
				b.task.Entry = c
			}
		}
		for _, line := range lines {
			to.add(b, line)
		}
		for _, d := range append(b.docs, to.entryDocument(b, r.card)) {
			args := []any{r.number<<lists.NumberBits | int64(d.number)}
			for _, list := range d.Words {
				text := make([]string, len(list))
				for i, n := range list {
					text[i] = to.words.words[n]
				}
				args = append(args, strings.Join(text, " "))
			}
			if _, err := db.Exec("INSERT INTO words(rowid, title, asked, said, did, got, noted, files) VALUES(?, ?, ?, ?, ?, ?, ?, ?)", args...); err != nil {
				t.Fatal(err)
			}
		}
	}
	return &plain{db}
}

// ranked returns all documents that match, by ID.
func (p *plain) ranked(t testing.TB, n *Node) (out []match) {
	t.Helper()
	var by strings.Builder
	for _, w := range lists.Weights {
		fmt.Fprintf(&by, ", %g", w)
	}
	rows, err := p.db.Query("SELECT rowid, -bm25(words"+by.String()+") FROM words WHERE words MATCH ? ORDER BY rowid", n.match())
	if err != nil {
		t.Fatalf("%s: %v", n.match(), err)
	}
	defer rows.Close()
	for rows.Next() {
		var m match
		if err := rows.Scan(&m.id, &m.score); err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	return out
}

// ranked returns all documents that match, by ID, without the weights of their kinds.
func (x *Index) ranked(t testing.TB, n *Node) []match {
	t.Helper()
	tx, err := x.db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	f, err := x.finder(context.Background(), tx, Request{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := f.matches(n)
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		found[i].score /= f.factor(found[i].id)
	}
	slices.SortFunc(found, func(a, b match) int { return cmp.Compare(a.id, b.id) })
	return found
}

func ids(list []match) (out []int64) {
	for _, m := range list {
		out = append(out, m.id)
	}
	return out
}

// TestPlainRanking: whatever is indexed, added, replaced and removed, in however many parts, a query finds the
// documents that FTS5 finds, with the scores of its bm25, and the partial matches.
func TestPlainRanking(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 1))
			x, s := newIndex(t), talks{}
			for round := range 6 {
				gone := map[string]bool{}
				for range 1 + rng.IntN(8) {
					name := fmt.Sprint("s", rng.IntN(12))
					if rng.IntN(6) == 0 {
						delete(s, name)
						gone[name] = true
					}
					if gone[name] {
						name += fmt.Sprint("r", round) // a log that is not the old one has another name, until the index knows
					}
					for range 1 + rng.IntN(60) {
						s[name] = append(s[name], madeUp(rng))
					}
				}
				c := Entry{Kind: Checkpoint, Name: "c1", Mark: fmt.Sprint(round), Asked: sentence(rng, 9), Said: sentence(rng, 9),
					Card: Card{Title: sentence(rng, 4), Files: []string{"a/alpha.go", sentence(rng, 2)}}}
				mustUpdate(t, x, s, s.entries(c)...)
				if round == 3 {
					if err := x.Scrub(context.Background()); err != nil {
						t.Fatal(err)
					}
				}
				p := newPlain(t, x, s, c)
				for range testrepo.Amount(10, 25) {
					compare(t, x, p, question(rng))
				}
			}
		})
	}
}

// compare compares what a query finds.
func compare(t *testing.T, x *Index, p *plain, query string) {
	t.Helper()
	q, err := Parse(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	got, want := x.ranked(t, q.Root), p.ranked(t, q.Root)
	if !slices.Equal(ids(got), ids(want)) {
		t.Fatalf("%s: found %x, and FTS5 %x", query, ids(got), ids(want))
	}
	if nested := slices.ContainsFunc(q.Root.Nodes, func(n *Node) bool { return n.Kind == And || n.Kind == Or }); q.Root.Kind == Or && nested {
		return // where a branch does not match, FTS5 leaves out those of its words that the document has
	}
	one := len(addTerms(nil, q.Root)) == 1 // its rarity only scales the scores
	for i := range got {
		a, b := got[i].score, want[i].score
		if one {
			a, b = a/got[0].score, b/want[0].score
		}
		if math.Abs(a-b) > 1e-9*max(math.Abs(b), 1e-9) {
			t.Fatalf("%s: document %x has the score %g, and FTS5 gives it %g", query, got[i].id, a, b)
		}
	}
	for _, n := range looserQueries(q.Root) {
		if got, want := ids(x.ranked(t, n)), ids(p.ranked(t, n)); !slices.Equal(got, want) {
			t.Fatalf("%s, in part: found %x, and FTS5 %x with %s", query, got, want, n.match())
		}
	}
}

var madeWords = strings.Fields("alpha beta gamma delta epsilon alphabet bet the of a parseConfig parse_config config.go a/b/alpha.go Straße 数据 x9 retry retries retried go gone going")

// sentence returns up to n words, the first of madeWords more often than the last.
func sentence(rng *rand.Rand, n int) string {
	var out []string
	for range 1 + rng.IntN(n) {
		out = append(out, madeWords[rng.IntN(1+rng.IntN(len(madeWords)))])
	}
	return strings.Join(out, " ")
}

func madeUp(rng *rand.Rand) agent.Message {
	if rng.IntN(5) == 0 {
		m := called("Edit", map[string]any{"file_path": "/w/alpha.go", "new_string": sentence(rng, 20)})
		m.Content = sentence(rng, 5)
		return m
	}
	return said([]string{agent.RoleUser, agent.RoleAssistant, agent.RoleTool, agent.RoleSystem}[rng.IntN(4)], sentence(rng, 40))
}

// question returns a query of up to four words, phrases, beginnings and operators.
func question(rng *rand.Rand) string {
	one := func() string {
		switch w := sentence(rng, 1); rng.IntN(6) {
		case 0:
			return `"` + sentence(rng, 3) + `"`
		case 1:
			r := []rune(w)
			return `"` + strings.TrimRight(string(r[:1+rng.IntN(min(len(r), 4))]), "/._") + `"*`
		case 2:
			return `"` + sentence(rng, 2) + ` a"*`
		default:
			return w
		}
	}
	text := one()
	for range rng.IntN(4) {
		text += []string{" ", " ", " OR ", " NOT ", " AND "}[rng.IntN(5)] + one()
	}
	return text
}
