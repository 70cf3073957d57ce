package strategy

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"entire/agent"
	"entire/checkpoint"
	"entire/internal/durable"
	"entire/internal/git"
)

const (
	// batchBytes of redacted text are packed into chunks at a time.
	batchBytes = 1 << 20
	// flushBytes of a backlog are stored durably at a time, so that a hook that is killed in a long
	// transcript continues where it was.
	flushBytes = 16 << 20
	// edgeBytes at both ends of the read part are compared to detect a rewritten transcript.
	edgeBytes = 4 << 10
)

// capture says how much of a session's transcript has been read, redacted and stored.
type capture struct {
	Path   string              `json:"path,omitempty"`
	Offset int64               `json:"offset"`          // raw bytes read, up to the end of a line
	Raw    []byte              `json:"raw,omitempty"`   // state of a SHA-256 over them
	Edges  string              `json:"edges,omitempty"` // digest of their first and last bytes
	Doc    string              `json:"doc,omitempty"`   // SHA-256 of a transcript that is one document
	Log    checkpoint.Log      `json:"log,omitzero"`
	Talk   *agent.Conversation `json:"talk,omitempty"`
	Calls  []editCall          `json:"calls,omitempty"` // edit calls, oldest first
	Slow   *int64              `json:"slow,omitempty"`  // offset of the line that the last reading had no time for
	turnsOf

	seen []string  // set by a rewind to a step with a document: the IDs of its messages
	turn *turnMark // set until its start is found in the transcript; nil for none

	asking string // prompt of that turn, which may come before or after its start
}

// becomes replaces c after a rewind or before the transcript is read again. It keeps the
// recorded calls: a turn that was rewound did happen, and an undo restores what it wrote.
func (c *capture) becomes(now capture) {
	now.Calls, now.turnsOf, now.turn, now.asking = c.Calls, c.turnsOf, c.turn, c.asking
	now.heard(now.Talk)
	*c = now
}

// position returns the trailer by which a rewind finds this position in the raw file.
func (c *capture) position() checkpoint.TranscriptPosition {
	if c.Doc != "" {
		return checkpoint.TranscriptPosition{Offset: c.Offset, Prefix: c.Doc[:16]}
	}
	h, err := rawHash(c.Raw)
	if err != nil || c.Offset == 0 || len(c.Raw) == 0 {
		return checkpoint.TranscriptPosition{}
	}
	return checkpoint.TranscriptPosition{Offset: c.Offset, Prefix: hex.EncodeToString(h.Sum(nil))[:16]}
}

// advance reads what the agent has written since the last call, up to the last complete line. A
// missing or empty transcript changes nothing; one whose beginning changed is read from its
// start. It calls saved between batches to save the progress. If the context reading ends first,
// what was read is stored and the error is errNoTime.
func (s *ManualCommitStrategy) advance(ctx, reading context.Context, c *capture, kind agent.AgentType, path string, saved func() error) error {
	if path == "" {
		return nil
	}
	f, err := durable.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errTranscript, err)
	}
	defer f.Close()
	if fi, err := f.Stat(); err == nil && fi.Size() == 0 {
		return nil
	}
	if kind == agent.AgentTypeGemini && startsDocument(f) {
		return s.advanceDocument(ctx, reading, c, f, path)
	}
	if c.Talk == nil || c.Doc != "" || c.Talk.Agent != kind || !c.continues(f) || !s.tailExists(ctx, c) {
		counted := c.turnsOf
		c.becomes(capture{Talk: agent.NewConversation(kind)})
		c.turnsOf = counted
	}
	c.Path = path
	if _, err := f.Seek(c.Offset, io.SeekStart); err != nil {
		return fmt.Errorf("read transcript: %w", err)
	}
	raw, err := rawHash(c.Raw)
	if err != nil {
		return err
	}
	in := &intake{s: s, ctx: ctx, reading: reading, began: c.Offset, c: c, raw: raw, saved: saved}
	_, unread := agent.Lines(bufio.NewReaderSize(f, 256<<10), in.line)
	if err := in.finish(); err != nil {
		return fmt.Errorf("store transcript: %w", err)
	}
	if unread != nil {
		unread = fmt.Errorf("%w: %s: %w", errTranscript, path, unread)
	}
	c.Edges, err = edges(f, c.Offset)
	return errors.Join(err, unread)
}

// errTranscript is returned by advance if the agent's file could not be read to its end. What
// was read before is stored.
var errTranscript = errors.New("transcript not readable")

// continues reports whether f still begins with what was read.
func (c *capture) continues(f *os.File) bool {
	if c.Offset == 0 {
		return true
	}
	got, err := edges(f, c.Offset)
	return err == nil && got == c.Edges
}

// tailExists reports whether the repository still has the stored tail, to which the next lines
// are added.
func (s *ManualCommitStrategy) tailExists(ctx context.Context, c *capture) bool {
	if c.Log.Tail.Size == 0 {
		return true
	}
	_, err := s.repo.Reader(ctx).Blob(c.Log.Tail.OID)
	return err == nil
}

// edges returns a digest of the first and last bytes before offset.
func edges(f *os.File, offset int64) (string, error) {
	n := min(offset, edgeBytes)
	buf := make([]byte, 2*n)
	if _, err := f.ReadAt(buf[:n], 0); err != nil {
		return "", err
	}
	if _, err := f.ReadAt(buf[n:], offset-n); err != nil {
		return "", err
	}
	sum := sha256.Sum256(buf)
	return hex.EncodeToString(sum[:8]), nil
}

func rawHash(state []byte) (h interface {
	io.Writer
	Sum([]byte) []byte
}, err error) {
	sum := sha256.New()
	if len(state) > 0 {
		if err := sum.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
			return nil, fmt.Errorf("resume transcript digest: %w", err)
		}
	}
	return sum, nil
}

// intake redacts, parses and packs lines.
type intake struct {
	s       *ManualCommitStrategy
	ctx     context.Context
	reading context.Context // no more lines are read after its end
	began   int64           // offset where this reading began
	c       *capture
	raw     interface{ io.Writer }
	saved   func() error
	batch   bytes.Buffer
	taken   int64 // raw bytes in batch
	unsaved int64
}

func (in *intake) line(line []byte) error {
	clean, err := in.redacted(line)
	if err != nil {
		return err
	}
	in.raw.Write(line)
	in.raw.Write([]byte{'\n'})
	in.c.turn.reached(in.c.Offset+in.taken, in.c.Talk, in.c.asking)
	in.c.Talk.AddLine(clean)
	in.c.noteCalls(clean)
	in.batch.Write(clean)
	in.batch.WriteByte('\n')
	in.taken += int64(len(line)) + 1
	if in.batch.Len() < batchBytes {
		return nil
	}
	if err := in.ctx.Err(); err != nil {
		return err
	}
	if err := in.pack(); err != nil {
		return err
	}
	if in.unsaved < flushBytes || in.saved == nil {
		return nil
	}
	in.unsaved = 0
	if err := in.c.Log.Flush(in.s.repo.Writer()); err != nil {
		return err
	}
	if err := in.mark(); err != nil {
		return err
	}
	return in.saved()
}

// pack moves the batch into the stored log.
func (in *intake) pack() error {
	if in.batch.Len() == 0 {
		return nil
	}
	read := func(oid git.OID) ([]byte, error) { return in.s.repo.Reader(in.ctx).Blob(oid) }
	if err := in.c.Log.Grow(in.s.repo.Writer(), read, in.batch.Bytes()); err != nil {
		return err
	}
	in.c.Offset += in.taken
	in.unsaved += in.taken
	in.taken = 0
	in.batch.Reset()
	return nil
}

// mark records the digest of everything packed.
func (in *intake) mark() (err error) {
	in.c.Raw, err = in.raw.(encoding.BinaryMarshaler).MarshalBinary()
	return err
}

func (in *intake) finish() error {
	if err := in.pack(); err != nil {
		return err
	}
	in.c.turn.readAll(in.c.Offset, in.c.Talk, in.c.asking)
	if err := in.c.Log.Flush(in.s.repo.Writer()); err != nil {
		return err
	}
	return in.mark()
}

// keepBacklog returns a function that saves the progress in a long transcript: a ref of its own
// makes the chunks reachable before the state names them.
func (s *ManualCommitStrategy) keepBacklog(ctx context.Context, o *open) func() error {
	return func() error {
		tree, err := s.repo.Writer().Tree(o.side.Capture.Log.Entries())
		if err != nil {
			return err
		}
		ref := backlogRef(o)
		old, _, err := s.repo.Ref(ctx, ref)
		if err != nil {
			return err
		}
		if err := s.repo.UpdateRefs(ctx, []git.RefUpdate{{Name: ref, New: tree, Old: old}}); err != nil {
			return err
		}
		f, err := durable.Open(o.side.Capture.Path)
		if err != nil {
			return err
		}
		defer f.Close()
		if o.side.Capture.Edges, err = edges(f, o.side.Capture.Offset); err != nil {
			return err
		}
		o.side.Backlog = true
		return s.store.SaveSide(o.id, sideName, &o.side)
	}
}

func backlogRef(o *open) string { return "refs/entire/backlog/" + o.id.String() }

// backlogDone returns the deletion of the backlog's ref, to be done in the transaction that
// makes its chunks reachable from another ref.
func (s *ManualCommitStrategy) backlogDone(ctx context.Context, o *open) ([]git.RefUpdate, error) {
	if !o.side.Backlog {
		return nil, nil
	}
	oid, ok, err := s.repo.Ref(ctx, backlogRef(o))
	if err != nil || !ok {
		return nil, err
	}
	return []git.RefUpdate{{Name: backlogRef(o), Old: oid}}, nil
}
