package search

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"
	"time"

	"entire/internal/durable"
)

// An Entry is a session or checkpoint that is to be found.
type Entry struct {
	Kind int
	Name string // the ID
	// Mark changes whenever there is something new to read, in the entry or in what
	// it stands for; it is not "".
	Mark string
	// Log names what a conversation is read from: as long as it is the same, what
	// was read before need not be read again.
	Log  string
	Card Card
	// Asked and Said are what is searched of the entry itself, beside its card: of a
	// checkpoint the prompts and the summary.
	Asked, Said string
	// Size is about how many bytes its log has.
	Size int64
}

// A Line is a message of a conversation as a line of messages.jsonl.
type Line struct {
	Data  []byte // valid until the next line is asked for
	End   int64  // where it ends in the log
	Taken bool   // the conversation was taken back to before it
}

// A Source reads conversations.
type Source interface {
	// Lines streams the lines of an entry's log that end after from. An error is
	// that of the entry, which is then read again the next time.
	Lines(ctx context.Context, e Entry, from int64) iter.Seq2[Line, error]
}

// Progress is told how far an update has come.
type Progress struct {
	Sessions, AllSessions int
	Bytes, AllBytes       int64
}

// Updated says what an update did.
type Updated struct {
	Read    int              // entries that were read, wholly or what was new of them
	Removed []Card           // of entries that were removed: see [Index.Scrub]
	Bytes   int64            // of their logs that were read
	Failed  map[string]error // entries that could not be read, by name
}

// Pending are those of the entries that are not in the index as they are, with the
// bytes that there are to read of them; removed is how many the index has that are
// none of them.
func (x *Index) Pending(ctx context.Context, entries []Entry) (pending []Entry, bytes int64, removed int, err error) {
	rows, err := x.rows(ctx)
	if err != nil {
		return nil, 0, 0, fmt.Errorf("read search index: %w", err)
	}
	p := planOf(rows, entries)
	for _, t := range p.work {
		pending = append(pending, t.Entry)
		bytes += max(t.Size-t.from(), 0)
	}
	return pending, bytes, len(p.gone), nil
}

// task is an entry that is to be read.
type task struct {
	Entry
	old   row
	fresh bool // from its beginning
}

type plan struct {
	work []task // the oldest first
	gone []row
	next int64 // the number of the next new entry
}

func key(kind int, name string) string { return string(rune('0'+kind)) + name }

// planOf says what of entries is new. An entry whose log is another one, or shorter
// than before, is read from the beginning.
func planOf(rows []row, entries []Entry) plan {
	known := make(map[string]row, len(rows))
	p := plan{next: 1}
	for _, r := range rows {
		known[key(r.kind, r.name)] = r
		p.next = max(p.next, r.number+1)
	}
	for _, e := range entries {
		r, ok := known[key(e.Kind, e.Name)]
		delete(known, key(e.Kind, e.Name))
		mark := e.Log + "\n" + e.Mark
		if ok && r.mark == mark {
			continue
		}
		log, _, _ := strings.Cut(r.mark, "\n")
		p.work = append(p.work, task{e, r, !ok || log != e.Log || e.Size < r.ends})
	}
	for _, r := range rows {
		if _, ok := known[key(r.kind, r.name)]; ok {
			p.gone = append(p.gone, r)
		}
	}
	slices.SortStableFunc(p.work, func(a, b task) int {
		return cmp.Or(a.Card.Started.Compare(b.Card.Started), cmp.Compare(a.Name, b.Name))
	})
	return p
}

// lockWait is how long a process that writes the index is waited for.
const lockWait = 200 * time.Millisecond

// Update brings the index up to date: it then has the entries, and no others. facts
// are recorded with it, for [Index.Fact], once everything else is. What was read
// stays in the index when ctx is cancelled. ErrBusy while another process writes.
func (x *Index) Update(ctx context.Context, entries []Entry, src Source, facts map[string]string, tell func(Progress)) (Updated, error) {
	lock, err := durable.AcquireWithin(x.path+".lock", lockWait)
	if err != nil {
		return Updated{}, fmt.Errorf("%w: %w", ErrBusy, err)
	}
	defer lock.Release()
	rows, err := x.rows(ctx)
	if err != nil {
		return Updated{}, fmt.Errorf("read search index: %w", err)
	}
	u := &update{x: x, src: src, plan: planOf(rows, entries), tell: tell}
	u.done.Failed = map[string]error{}
	if err := u.run(ctx, facts); err != nil {
		return u.done, fmt.Errorf("write search index: %w", err)
	}
	return u.done, nil
}

type update struct {
	x    *Index
	src  Source
	plan plan
	tell func(Progress)
	done Updated
	seen Progress

	tx                     *sql.Tx
	said, words, put, gone *sql.Stmt
	since                  time.Time
	held                   int // bytes in the transaction
}

// commitBytes of words are written at once: what is written later makes fewer,
// larger pieces, which are read faster.
const commitBytes = 48 << 20

func (u *update) run(ctx context.Context, facts map[string]string) (err error) {
	u.seen.AllSessions = len(u.plan.work)
	for _, t := range u.plan.work {
		u.seen.AllBytes += max(t.Size-t.from(), 0)
	}
	if err := u.begin(ctx); err != nil {
		return err
	}
	defer func() {
		if u.tx != nil {
			err = errors.Join(err, u.tx.Rollback())
		}
	}()
	for _, r := range u.plan.gone {
		if err := u.remove(r.number, true); err != nil {
			return err
		}
		u.done.Removed = append(u.done.Removed, r.card)
	}
	if err := u.readAll(ctx); err != nil {
		if ctx.Err() != nil { // what was read stays
			return errors.Join(ctx.Err(), u.commit())
		}
		return err
	}
	for name, value := range facts {
		if _, err := u.tx.Exec("INSERT OR REPLACE INTO fact(name, value) VALUES(?, ?)", name, value); err != nil {
			return err
		}
	}
	return u.commit()
}

// from is how much of a task's log need not be read.
func (t task) from() int64 {
	if t.fresh {
		return 0
	}
	return t.old.ends
}

// begin begins a transaction. Its statements are not for ctx to break off: it is
// looked at between them.
func (u *update) begin(ctx context.Context) (err error) {
	if u.tx, err = u.x.db.BeginTx(context.WithoutCancel(ctx), nil); err != nil {
		return err
	}
	for stmt, text := range map[**sql.Stmt]string{
		&u.said:  "INSERT OR REPLACE INTO said(id, at, flags, same, uuid, text) VALUES(?, ?, ?, ?, ?, ?)",
		&u.words: "INSERT INTO words(rowid, title, asked, said, did, got, noted, files) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
		&u.put:   "INSERT OR REPLACE INTO session(number, kind, name, mark, ends, count, card) VALUES(?, ?, ?, ?, ?, ?, ?)",
		&u.gone:  "DELETE FROM words WHERE rowid = ?",
	} {
		if *stmt, err = u.tx.Prepare(text); err != nil {
			return err
		}
	}
	u.held = 0
	return nil
}

func (u *update) commit() error {
	tx := u.tx
	u.tx = nil
	return tx.Commit()
}

// remove takes an entry's documents out, and the entry.
func (u *update) remove(number int64, whole bool) error {
	from, to := number<<numberBits, (number+1)<<numberBits-1
	for _, text := range []string{"DELETE FROM words WHERE rowid BETWEEN ? AND ?", "DELETE FROM said WHERE id BETWEEN ? AND ?"} {
		if _, err := u.tx.Exec(text, from, to); err != nil {
			return err
		}
	}
	if !whole {
		return nil
	}
	_, err := u.tx.Exec("DELETE FROM session WHERE number = ?", number)
	return err
}

// save records how far an entry was read.
func (u *update) save(number int64, b *batch) error {
	card, err := json.Marshal(b.card)
	if err != nil {
		return err
	}
	mark := b.task.Log + "\n"
	if b.last {
		mark += b.task.Mark
	}
	_, err = u.put.Exec(number, b.task.Kind, b.task.Name, mark, b.ends, b.count, string(card))
	return err
}

// filesMax bounds how many files a card names.
const filesMax = 2000

// touched adds files to a card, in the words of its folder.
func (c *Card) touched(files string) {
	for name := range strings.SplitSeq(files, "\n") {
		if name = c.inFolder(name); name != "" && len(c.Files) < filesMax && !slices.Contains(c.Files, name) {
			c.Files = append(c.Files, name)
		}
	}
}

// inFolder is a file's name without the folder that it is in.
func (c *Card) inFolder(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	folder := strings.ReplaceAll(c.Folder, `\`, "/")
	if folder != "" {
		if rest, ok := strings.CutPrefix(name, strings.TrimSuffix(folder, "/")+"/"); ok {
			return rest
		}
	}
	if name == "" {
		return ""
	}
	return path.Clean(name)
}
