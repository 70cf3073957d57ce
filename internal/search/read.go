package search

import (
	"context"
	"errors"
	"hash/fnv"
	"strings"

	"github.com/klauspost/compress/s2"
)

// A prepared document is split into words, ready for the writer.
type prepared struct {
	number int
	at     int64
	flags  int
	same   int64
	uuid   string
	text   []byte // compressed
	words  [columns][]byte
}

// A batch is a part of one entry.
type batch struct {
	task  *task
	first bool // the first part of the entry
	last  bool // the last part of the entry
	docs  []prepared
	ends  int64
	count int
	card  Card
	bytes int64 // bytes read from the log
	held  int   // bytes of words
	err   error // error while reading the entry
}

// A batch is sent to the writer when it reaches one of these limits.
const (
	batchDocs  = 200
	batchBytes = 1 << 20
)

// readAll reads everything that is new. One goroutine splits texts into words while this one writes.
func (u *update) readAll(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	batches := make(chan *batch, 4)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(batches)
		r := &reader{src: u.src, words: newSplitter(), out: batches}
		for i := range u.plan.work {
			if !r.read(ctx, &u.plan.work[i]) {
				return
			}
		}
	}()
	err := u.writeAll(ctx, batches)
	stop()
	<-ended
	return errors.Join(err, ctxErr(ctx, err, len(u.plan.work) > u.seen.Sessions))
}

// ctxErr returns the cause of a cancellation that left entries unread.
func ctxErr(ctx context.Context, err error, unread bool) error {
	if err == nil && unread {
		return context.Cause(ctx)
	}
	return nil
}

type reader struct {
	src   Source
	words *splitter
	out   chan<- *batch
}

// read reads an entry. It reports false if the update was cancelled.
func (r *reader) read(ctx context.Context, t *task) bool {
	b := &batch{task: t, first: true, ends: t.from(), card: t.Card}
	if !t.fresh {
		b.count = t.old.count
	}
	for _, name := range t.old.card.Files {
		if !t.fresh {
			b.card.addFiles(name)
		}
	}
	if t.Kind == Conversation {
		for line, err := range r.src.Lines(ctx, t.Entry, t.from()) {
			if err != nil {
				b.err = err
				break
			}
			r.add(b, line)
			if len(b.docs) >= batchDocs || b.held >= batchBytes {
				if !r.send(ctx, b) {
					return false
				}
				b = &batch{task: t, ends: b.ends, count: b.count, card: b.card}
			}
		}
		if ctx.Err() != nil {
			return false
		}
	}
	b.last = b.err == nil
	b.docs = append(b.docs, r.entryDocument(t.Entry, b.card))
	return r.send(ctx, b)
}

func (r *reader) send(ctx context.Context, b *batch) bool {
	select {
	case r.out <- b:
		return true
	case <-ctx.Done():
		return false
	}
}

func (r *reader) add(b *batch, line Line) {
	b.bytes += line.End - b.ends
	b.ends = line.End
	b.count++
	if b.count >= 1<<numberBits {
		return
	}
	d, ok := message(line.Data)
	if !ok {
		return
	}
	d.number = b.count
	if line.Rewound {
		d.flags |= flagRewound
	}
	b.card.addFiles(d.files)
	p := prepared{number: d.number, flags: d.flags | d.column<<flagRoleAt, uuid: d.uuid}
	if !d.at.IsZero() {
		p.at = d.at.UnixMilli()
	}
	p.words[d.column] = r.words.appendWords(nil, d.text)
	text := d.text
	if d.more != "" {
		p.words[colDid] = r.words.appendWords(nil, d.more)
		if text != "" {
			text += "\n"
		}
		text += d.more
	}
	p.same = fingerprint(text)
	p.text = s2.Encode(nil, []byte(text))
	for _, w := range p.words {
		b.held += len(w)
	}
	b.docs = append(b.docs, p)
}

// entryDocument returns the document of an entry itself.
func (r *reader) entryDocument(e Entry, card Card) prepared {
	title := strings.Join(append([]string{e.Card.Title}, e.Card.Tags...), "\n")
	files := ""
	if e.Kind == Checkpoint { // the messages of a conversation name its files
		files = strings.Join(card.Files, "\n")
	}
	p := prepared{at: e.Card.Updated.UnixMilli(), flags: colTitle << flagRoleAt}
	p.words[colTitle] = r.words.appendWords(nil, title)
	p.words[colAsked] = r.words.appendWords(nil, head(e.Asked, spokenBytes))
	p.words[colSaid] = r.words.appendWords(nil, head(e.Said, spokenBytes))
	p.words[colFiles] = r.words.appendWords(nil, files)
	var parts []string
	for _, part := range []string{title, head(e.Asked, spokenBytes), head(e.Said, spokenBytes), files} {
		if strings.TrimSpace(part) != "" {
			parts = append(parts, part)
		}
	}
	text := strings.Join(parts, "\n")
	p.same = fingerprint(e.Name)
	p.text = s2.Encode(nil, []byte(text))
	return p
}

func fingerprint(text string) int64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return int64(h.Sum64())
}

func (u *update) writeAll(ctx context.Context, batches <-chan *batch) error {
	number := int64(0)
	for b := range batches {
		if err := ctx.Err(); err != nil {
			return err
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
		if u.held += b.held; u.held >= commitBytes {
			if err := u.commit(); err != nil {
				return err
			}
			if err := u.begin(ctx); err != nil {
				return err
			}
		}
	}
	return nil
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
	_, err := u.gone.Exec(t.old.number << numberBits)
	return t.old.number, err
}

func (u *update) write(number int64, b *batch) error {
	for i := range b.docs {
		d := &b.docs[i]
		rowid := number<<numberBits | int64(d.number)
		if _, err := u.said.Exec(rowid, d.at, d.flags, d.same, d.uuid, d.text); err != nil {
			return err
		}
		args := make([]any, 1+columns)
		args[0] = rowid
		for c, w := range d.words {
			if len(w) > 0 {
				args[1+c] = string(w)
			}
		}
		if _, err := u.words.Exec(args...); err != nil {
			return err
		}
	}
	return u.save(number, b)
}
