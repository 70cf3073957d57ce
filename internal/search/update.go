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
	"entire/internal/search/lists"
)

// An Entry is a session or checkpoint to index.
type Entry struct {
	Kind int
	Name string // the ID
	// Mark is not empty and changes whenever the entry or its log changes.
	Mark string
	// Log names the log of a conversation. While it stays the same, only what was appended is read.
	Log  string
	Card Card
	// Asked and Said are searched in addition to the card: a checkpoint's prompts and its summary.
	Asked, Said string
	// Size is the approximate size of the log in bytes.
	Size int64
}

// A Line is a message of a conversation, in the format of messages.jsonl.
type Line struct {
	Data    []byte // valid until the next line is requested
	End     int64  // offset of its end in the log
	Rewound bool   // the message was rewound
}

// A Source reads conversations.
type Source interface {
	// Lines streams the lines of an entry's log that end after from. After an error, the entry is read
	// again by the next update.
	Lines(ctx context.Context, e Entry, from int64) iter.Seq2[Line, error]
}

// Progress says how far an update has come.
type Progress struct {
	Sessions int
	Bytes    int64
}

// Updated is the result of an update.
type Updated struct {
	Read    int              // entries read, completely or in part
	Removed []Card           // cards of removed entries; see [Index.Scrub]
	Bytes   int64            // bytes of logs that were read
	Failed  map[string]error // entries that could not be read, by name
}

// Pending returns the entries that the index does not have in their present state, and the number of
// bytes to read. removed is the number of entries in the index that are not in entries.
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

// task is an entry to read.
type task struct {
	Entry
	old   row
	fresh bool // read from the beginning
}

type plan struct {
	work []task // oldest first
	gone []row
	next int64 // number of the next new entry
}

func key(kind int, name string) string { return string(rune('0'+kind)) + name }

// planOf compares the entries with the index. An entry with another log, or a log that is shorter than
// before, is read from the beginning.
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

// lockWait is how long Update waits for another process that writes the index.
const lockWait = 200 * time.Millisecond

// lock keeps other processes from writing the index until the returned function is called. It returns
// ErrBusy while one does.
func (x *Index) lock() (release func() error, err error) {
	if x.path == "" {
		return func() error { return nil }, nil
	}
	lock, err := durable.AcquireWithin(x.path+".lock", lockWait)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return lock.Release, nil
}

// Update makes the index contain exactly the entries. It records facts, for [Index.Fact], after
// everything else. If ctx is cancelled, the index keeps what was read. It returns ErrBusy while
// another process is writing.
func (x *Index) Update(ctx context.Context, entries []Entry, src Source, facts map[string]string, tell func(Progress)) (Updated, error) {
	release, err := x.lock()
	if err != nil {
		return Updated{}, err
	}
	defer release()
	rows, err := x.rows(ctx)
	if err != nil {
		return Updated{}, fmt.Errorf("read search index: %w", err)
	}
	x.known = nil
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

	tx         *sql.Tx
	said, put  *sql.Stmt
	parts      lists.Builder
	vocabulary *vocabulary // of the words of parts
	next       int64       // number of the next part
}

func (u *update) run(ctx context.Context, facts map[string]string) (err error) {
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
		if ctx.Err() == nil {
			return err
		}
		if werr := u.writePart(); werr != nil {
			return errors.Join(ctx.Err(), werr)
		}
		return errors.Join(ctx.Err(), u.commit()) // keep what was read
	}
	if err := u.writePart(); err != nil {
		return err
	}
	if err := lists.MergeSome(context.WithoutCancel(ctx), u.tx); err != nil {
		return err
	}
	for name, value := range facts {
		if _, err := u.tx.Exec("INSERT OR REPLACE INTO fact(name, value) VALUES(?, ?)", name, value); err != nil {
			return err
		}
	}
	return u.commit()
}

// from returns the offset from which a task's log must be read.
func (t task) from() int64 {
	if t.fresh {
		return 0
	}
	return t.old.ends
}

// begin starts a transaction. ctx does not interrupt its statements; writeAll checks ctx between them.
func (u *update) begin(ctx context.Context) (err error) {
	if u.tx, err = u.x.db.BeginTx(context.WithoutCancel(ctx), nil); err != nil {
		return err
	}
	for stmt, text := range map[**sql.Stmt]string{
		&u.said: "INSERT OR REPLACE INTO said(id, at, flags, size, uuid, text) VALUES(?, ?, ?, ?, ?, ?)",
		&u.put:  "INSERT OR REPLACE INTO session(number, kind, name, mark, ends, count, card) VALUES(?, ?, ?, ?, ?, ?, ?)",
	} {
		if *stmt, err = u.tx.Prepare(text); err != nil {
			return err
		}
	}
	u.next, err = lists.NextPart(u.tx)
	return err
}

func (u *update) commit() error {
	tx := u.tx
	u.tx = nil
	return tx.Commit()
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

// filesMax is the most files that a card names.
const filesMax = 2000

// addFiles adds file names, one per line, to a card, relative to its folder.
func (c *Card) addFiles(files string) {
	for name := range strings.SplitSeq(files, "\n") {
		if name = c.inFolder(name); name != "" && len(c.Files) < filesMax && !slices.Contains(c.Files, name) {
			c.Files = append(c.Files, name)
		}
	}
}

// inFolder returns a file's name relative to the card's folder.
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
