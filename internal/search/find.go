package search

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"entire/internal/search/lists"
)

// A Request is a search.
type Request struct {
	Query  Query
	Filter Filter
	Limit  int // most hits; 0 for 20
}

// A Hit is a message, session or checkpoint that was found.
type Hit struct {
	Kind     int
	Name     string // ID of the session or checkpoint
	Card     Card
	Number   int // number of the message among all ever stored, from 1; 0 for the session or checkpoint itself
	UUID     string
	Role     string // of the message
	At       time.Time
	Score    float64 // higher is better; comparable within one request
	Failed   bool    // a tool's answer that is an error
	Rewound  bool    // the message was rewound
	Subagent bool    // from a subagent
	// Snippet is a part of the text; Marks are the matches in it.
	Snippet string
	Marks   []Span
	// Same are other messages with the same text, e.g. in forks.
	Same []Place
	// Near are the numbers of adjacent messages that match too.
	Near []int
}

// A Place identifies a message.
type Place struct {
	Name   string
	Number int
}

// A Span is a range of bytes in a text.
type Span struct{ Start, End int }

// An Answer holds the hits, best first.
type Answer struct {
	Hits  []Hit
	Whole int // the hits that match the whole query; those after them match a part of it
	// Matches is the number of matches that were ranked. If More is set, there are others.
	Matches int
	More    bool
	// Sessions are the IDs of all sessions in the index.
	Sessions []string
}

// comparedMax is how many matches are ranked: the latest ones and, for titles, prompts and file names,
// as many again.
const comparedMax = 4000

// Roles are the values of Filter.Role.
var Roles = []string{"user", "assistant", "tool", "system"}

// columnRole maps a column to its role.
var columnRole = [lists.Columns]string{lists.ColAsked: "user", lists.ColSaid: "assistant", lists.ColDid: "assistant", lists.ColGot: "tool", lists.ColNoted: "system"}

// Find runs a search.
func (x *Index) Find(ctx context.Context, req Request) (Answer, error) {
	a, err := x.find(ctx, req)
	if err != nil {
		return Answer{}, fmt.Errorf("search: %w", err)
	}
	return a, nil
}

func (x *Index) find(ctx context.Context, req Request) (a Answer, err error) {
	if req.Limit <= 0 {
		req.Limit = 20
	}
	tx, err := x.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, done(tx.Rollback())) }()
	f, err := x.finder(ctx, tx, req)
	if err != nil || len(f.allowed) == 0 {
		return f.a, err
	}
	return f.answer()
}

// finder returns what a search needs, also with an error.
func (x *Index) finder(ctx context.Context, tx *sql.Tx, req Request) (f *finder, err error) {
	f = &finder{tx: tx, ctx: ctx, req: req, whole: req.Filter.ofCards(), entries: map[partKey]lists.Entry{}, counted: map[string]float64{}, seen: map[seenKey]*lists.SeenPhrase{}}
	if f.known, err = x.knows(ctx, tx); err != nil {
		return f, err
	}
	if f.rows, err = lists.OpenRows(tx, &x.kept); err != nil {
		return f, err
	}
	rows := f.known.rows
	if f.whole {
		if rows, err = rowsWhere(ctx, tx, "1"); err != nil {
			return f, err
		}
		linked(rows)
	}
	f.byNumber = make(map[int64]*row, len(rows))
	for i := range rows {
		f.byNumber[rows[i].number] = &rows[i]
		if rows[i].kind == Conversation {
			f.a.Sessions = append(f.a.Sessions, rows[i].name)
		}
		if req.Filter.accepts(&rows[i]) {
			f.allowed = append(f.allowed, rows[i].number)
		}
	}
	f.all = len(f.allowed) == len(rows)
	return f, nil
}

// linked adds to each session the branches and files of the checkpoints that contain it.
func linked(rows []row) {
	byName := map[string]*row{}
	for i := range rows {
		if rows[i].kind == Conversation {
			byName[rows[i].name] = &rows[i]
		}
	}
	for _, r := range rows {
		if r.kind != Checkpoint {
			continue
		}
		for _, sid := range r.card.Sessions {
			if s := byName[sid]; s != nil {
				s.card.Branches = with(s.card.Branches, r.card.Branches)
				s.card.Files = with(s.card.Files, r.card.Files)
			}
		}
	}
}

// card returns the card of a row, with the branches and files of the checkpoints that contain it.
func (f *finder) card(r *row) (Card, error) {
	if f.whole {
		return r.card, nil
	}
	if f.linking == nil {
		var err error
		if f.linking, err = rowsWhere(f.ctx, f.tx, "kind = ?", Checkpoint); err != nil {
			return Card{}, err
		}
		f.linking = slices.Grow(f.linking, 1) // not nil
	}
	own, err := rowsWhere(f.ctx, f.tx, "number = ?", r.number)
	if err != nil || len(own) == 0 { // removed meanwhile
		return Card{}, err
	}
	if r.kind == Conversation {
		for _, c := range f.linking {
			if slices.Contains(c.card.Sessions, r.name) {
				own[0].card.Branches = with(own[0].card.Branches, c.card.Branches)
				own[0].card.Files = with(own[0].card.Files, c.card.Files)
			}
		}
	}
	return own[0].card, nil
}

// with returns list and the elements of more that are not in it.
func with(list, more []string) []string {
	list = slices.Clip(list)
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// Partial matches are not added from so many hits on with the whole query, or from so many matches on, whose
// hits are fewer only because copies and neighbours are named with them.
const (
	enoughHits    = 5
	enoughMatches = 200
)

type finder struct {
	tx       *sql.Tx
	rows     *lists.Rows
	known    *known
	entries  map[partKey]lists.Entry
	counted  map[string]float64 // documents with terms
	seen     map[seenKey]*lists.SeenPhrase
	ctx      context.Context
	req      Request
	byNumber map[int64]*row
	allowed  []int64 // ascending numbers of the sessions and checkpoints that the filter accepts
	all      bool    // the filter accepts all of them
	whole    bool    // the rows have their cards
	linking  []row   // the checkpoints, once they were read
	a        Answer
	used     map[int64]bool // rows in the answer, and rows adjacent to a hit
	byText   map[int64]int  // hits by fingerprint of their text
	byPlace  map[int64]int  // hits by row
	loose    bool           // partial matches are being added
}

// match is a matching document.
type match struct {
	id    int64
	score float64
	words int // that it has
	part  *lists.Part
	doc   uint32
	level int // of the score; see leveled
}

func (f *finder) answer() (Answer, error) {
	f.used, f.byText, f.byPlace = map[int64]bool{}, map[int64]int{}, map[int64]int{}
	root := f.req.Query.Root
	if root == nil {
		return f.latest()
	}
	found, err := f.matches(root)
	if err != nil {
		return f.a, err
	}
	if err := f.addHits(found, root); err != nil {
		return f.a, err
	}
	f.a.Whole = len(f.a.Hits)
	if len(f.a.Hits) >= min(f.req.Limit, enoughHits) || len(found) >= enoughMatches || !f.req.Query.Plain {
		return f.a, nil
	}
	f.loose = true
	for _, looser := range looserQueries(root) {
		if found, err = f.matches(looser); err != nil {
			return f.a, err
		}
		if err := f.addHits(found, root); err != nil {
			return f.a, err
		}
		if len(f.a.Hits) >= f.req.Limit {
			break
		}
	}
	return f.a, nil
}

// leveled returns a score in steps of about three percent, which count as equal.
func leveled(score float64) int { return int(math.Round(math.Log(max(score, 1e-12)) * 32)) }

// factor returns the weight of a row's score, which depends on its kind.
func (f *finder) factor(id int64) float64 {
	if id&(1<<lists.NumberBits-1) != 0 {
		return 1
	}
	if r := f.byNumber[id>>lists.NumberBits]; r != nil && r.kind == Conversation {
		return 0.7 // prefer to show the messages in it
	}
	return 0.85
}

// where returns the filter's SQL conditions for a row.
func (f *finder) where(id string) (sql string, args []any) {
	first, last := f.allowed[0], f.allowed[len(f.allowed)-1]
	if !f.all {
		sql += " AND " + id + " BETWEEN ? AND ?"
		args = append(args, first<<lists.NumberBits, (last+1)<<lists.NumberBits-1)
		if int(last-first)+1 != len(f.allowed) {
			list, _ := json.Marshal(f.allowed)
			sql += fmt.Sprintf(" AND (%s >> %d) IN (SELECT value FROM json_each(?))", id, lists.NumberBits)
			args = append(args, string(list))
		}
	}
	since, until := f.req.Filter.Since, f.req.Filter.Until
	if !since.IsZero() || !until.IsZero() {
		to := int64(1) << 62
		if !until.IsZero() {
			to = until.UnixMilli()
		}
		from := int64(-1) << 62
		if !since.IsZero() {
			from = since.UnixMilli()
		}
		sql += " AND (SELECT at FROM said WHERE said.id = " + id + ") BETWEEN ? AND ?"
		args = append(args, from, to-1)
	}
	return sql, args
}

// latest returns the latest sessions and checkpoints that the filter accepts, or their messages if it
// names a role.
func (f *finder) latest() (Answer, error) {
	where, args := f.where("id")
	text := fmt.Sprintf("SELECT id, 0.0 FROM said WHERE (id & %d) = 0%s ORDER BY at DESC LIMIT ?", 1<<lists.NumberBits-1, where)
	if len(f.req.Filter.Role) > 0 {
		var of []string
		for c, role := range columnRole {
			if slices.Contains(f.req.Filter.Role, role) {
				of = append(of, fmt.Sprint(c))
			}
		}
		text = fmt.Sprintf("SELECT id, 0.0 FROM said WHERE (id & %d) > 0 AND ((flags >> %d) & %d) IN (%s)%s ORDER BY at DESC LIMIT ?",
			1<<lists.NumberBits-1, flagRoleAt, flagRoleAll, strings.Join(of, ","), where)
	}
	rows, err := f.tx.QueryContext(f.ctx, text, append(args, f.req.Limit+1)...)
	if err != nil {
		return f.a, err
	}
	var found []match
	for rows.Next() {
		var m match
		if err := rows.Scan(&m.id, &m.score); err != nil {
			rows.Close()
			return f.a, err
		}
		found = append(found, m)
	}
	if err := cmp.Or(rows.Err(), rows.Close()); err != nil {
		return f.a, err
	}
	f.a.More = len(found) > f.req.Limit
	f.a.Matches = min(len(found), f.req.Limit)
	err = f.addHits(found, nil)
	f.a.Whole = len(f.a.Hits)
	return f.a, err
}
