package search

import (
	"context"
	"errors"
	"hash/fnv"
	"strings"

	"github.com/klauspost/compress/s2"

	"entire/agent"
	"entire/internal/search/lists"
)

// A prepared document is split into words, ready for the writer.
type prepared struct {
	lists.Doc
	number int
	flags  int
	uuid   string
	packed []byte // the text
}

// A batch is a part of one entry.
type batch struct {
	task  *task
	first bool // the first part of the entry
	last  bool // the last part of the entry
	docs  []prepared
	ids   []uint32    // the words of docs
	from  *vocabulary // numbers them
	ends  int64
	count int
	card  Card
	bytes int64 // bytes read from the log
	held  int   // words
	err   error // error while reading the entry
}

// A batch is sent to the writer when it reaches one of these limits.
const (
	batchDocs  = 200
	batchWords = 128 << 10
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
		r := &reader{src: u.src, words: newVocabulary(), out: batches}
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
	words *vocabulary
	held  int // words since the vocabulary began
	docs  int
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
			if len(b.docs) >= batchDocs || b.held >= batchWords {
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
	b.docs = append(b.docs, r.entryDocument(b, b.card))
	return r.send(ctx, b)
}

// send sends a batch. After many words another vocabulary begins, and with it another part.
func (r *reader) send(ctx context.Context, b *batch) bool {
	b.from = r.words
	r.held, r.docs = r.held+b.held, r.docs+len(b.docs)
	if r.held >= lists.WordsInPart || r.docs >= lists.DocsInPart/2 || r.words.full() {
		r.words, r.held, r.docs = newVocabulary(), 0, 0
	}
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
	if b.count >= 1<<lists.NumberBits {
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
		p.At = d.at.UnixMilli()
	}
	r.split(b, &p, d.column, d.text)
	text := d.text
	if d.more != "" {
		r.split(b, &p, lists.ColDid, d.more)
		if text != "" {
			text += "\n"
		}
		text += d.more
	}
	p.Text = fingerprint(text)
	p.packed = s2.Encode(nil, []byte(text))
	b.docs = append(b.docs, p)
}

// split adds the words of a text to a column of a document.
func (r *reader) split(b *batch, p *prepared, column int, text string) {
	from := len(b.ids)
	b.ids = r.words.appendNumbers(b.ids, text)
	p.Words[column] = b.ids[from:len(b.ids):len(b.ids)]
	b.held += len(b.ids) - from
}

// entryDocument returns the document of an entry itself.
func (r *reader) entryDocument(b *batch, card Card) prepared {
	e := b.task.Entry
	title := strings.Join(append([]string{e.Card.Title}, e.Card.Tags...), "\n")
	files := ""
	if e.Kind == Checkpoint { // the messages of a conversation name its files
		files = strings.Join(card.Files, "\n")
	}
	p := prepared{flags: lists.ColTitle << flagRoleAt}
	p.At = e.Card.Updated.UnixMilli()
	r.split(b, &p, lists.ColTitle, title)
	r.split(b, &p, lists.ColAsked, agent.Clip(e.Asked, spokenBytes))
	r.split(b, &p, lists.ColSaid, agent.Clip(e.Said, spokenBytes))
	r.split(b, &p, lists.ColFiles, files)
	var parts []string
	for _, part := range []string{title, agent.Clip(e.Asked, spokenBytes), agent.Clip(e.Said, spokenBytes), files} {
		if strings.TrimSpace(part) != "" {
			parts = append(parts, part)
		}
	}
	text := strings.Join(parts, "\n")
	p.Text = fingerprint(e.Name)
	p.packed = s2.Encode(nil, []byte(text))
	return p
}

func fingerprint(text string) int64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return int64(h.Sum64())
}
