package search

import (
	"context"
	"errors"

	"entire/internal/search/lists"
)

// writeAll writes batches, and a part whenever enough were written.
func (u *update) writeAll(ctx context.Context, batches <-chan *batch) error {
	number := int64(0)
	for b := range batches {
		if err := ctx.Err(); err != nil {
			return err
		}
		if b.from != u.vocabulary {
			if err := u.endPart(ctx); err != nil {
				return err
			}
			u.vocabulary = b.from
		}
		if b.first {
			var err error
			if number, err = u.start(b.task); err != nil {
				return err
			}
		}
		if err := u.write(number, b); err != nil {
			return err
		}
		if b.err != nil {
			u.done.Failed[b.task.Name] = b.err
		}
		u.done.Bytes += b.bytes
		u.seen.Bytes += b.bytes
		if b.last || b.err != nil {
			u.done.Read++
			u.seen.Sessions++
		}
		if u.tell != nil {
			u.tell(u.seen)
		}
	}
	return nil
}

// endPart writes what was collected as a part, and begins another transaction.
func (u *update) endPart(ctx context.Context) error {
	if u.parts.Size() == 0 {
		return nil
	}
	if err := u.writePart(); err != nil {
		return err
	}
	if err := lists.MergeSome(context.WithoutCancel(ctx), u.tx); err != nil {
		return err
	}
	if err := u.commit(); err != nil {
		return err
	}
	return u.begin(ctx)
}

// writePart writes what was collected as a part.
func (u *update) writePart() error {
	docs := u.parts.Size()
	if docs == 0 {
		return nil
	}
	words, err := u.parts.Write(u.tx, u.next, u.vocabulary.words)
	if err != nil {
		return err
	}
	if _, err := u.tx.Exec("INSERT INTO part(number, docs, words) VALUES(?, ?, ?)", u.next, docs, words); err != nil {
		return err
	}
	u.next++
	_, err = u.tx.Exec("UPDATE total SET docs = docs + ?, words = words + ?", docs, words)
	return err
}

// start returns the number of an entry, and removes the documents that are read again.
func (u *update) start(t *task) (int64, error) {
	if t.old.number == 0 {
		u.plan.next++
		return u.plan.next - 1, nil
	}
	if t.fresh {
		return t.old.number, u.remove(t.old.number, false)
	}
	id := t.old.number << lists.NumberBits
	return t.old.number, u.bury(t.old.number, id, id, 0, u.next)
}

func (u *update) write(number int64, b *batch) error {
	for i := range b.docs {
		d := &b.docs[i]
		id := number<<lists.NumberBits | int64(d.number)
		if _, err := u.said.Exec(id, d.At, d.flags, d.Size(), d.uuid, d.packed); err != nil {
			return err
		}
		u.parts.Add(id, d.Doc)
	}
	return u.save(number, b)
}

// remove deletes an entry's documents and, if whole is set, the entry itself.
func (u *update) remove(number int64, whole bool) error {
	err := u.bury(number, number<<lists.NumberBits, (number+1)<<lists.NumberBits-1, u.next, u.next)
	if err == nil && whole {
		_, err = u.tx.Exec("DELETE FROM session WHERE number = ?", number)
	}
	return err
}

// bury deletes the documents from first to last. Parts keep them until they are merged: those of a number below
// whole count no longer with all documents of the entry, those below entry with that of the entry itself.
func (u *update) bury(number, first, last, whole, entry int64) error {
	var docs, words int64
	err := u.tx.QueryRow("SELECT count(*), coalesce(sum(size), 0) FROM said WHERE id BETWEEN ? AND ?", first, last).Scan(&docs, &words)
	if err != nil || docs == 0 {
		return err
	}
	_, err = u.tx.Exec("DELETE FROM said WHERE id BETWEEN ? AND ?", first, last)
	_, terr := u.tx.Exec("UPDATE total SET docs = docs - ?, words = words - ?", docs, words)
	_, derr := u.tx.Exec("INSERT INTO dead(number, whole, entry) VALUES(?, ?, ?) ON CONFLICT(number) DO UPDATE SET "+
		"whole = max(whole, excluded.whole), entry = max(entry, excluded.entry)", number, whole, entry)
	return errors.Join(err, terr, derr)
}
