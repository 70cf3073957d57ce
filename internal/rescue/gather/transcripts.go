package gather

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/filelog"
	"entire/internal/durable"
	"entire/internal/rescue/versions"
)

// Transcript is a file with an agent's history.
type Transcript struct {
	Path  string
	Agent agent.AgentType
	Name  string // the agent, as people call it
	// Loose says that texts may lack something: secrets that were left out when the transcript was stored.
	Loose bool
	// Lines returns the transcript's lines where they are not those of the file; nil to read the file.
	Lines func() ([]byte, error)
}

// transcripts reads what agents wrote and saw.
func (c *Collector) transcripts(ctx context.Context) error {
	var failed error
	for i, t := range c.Transcripts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i%20 == 0 {
			c.tell(fmt.Sprintf("agents' transcripts: %d of %d", i, len(c.Transcripts)))
		}
		if err := c.transcript(ctx, t); err != nil && !errors.Is(err, os.ErrNotExist) {
			failed = fmt.Errorf("%s: %w", t.Path, err)
		}
	}
	return failed
}

func (c *Collector) transcript(ctx context.Context, t Transcript) error {
	r := c.readerOf(t)
	defer func() { r.add(r.reader.End()) }()
	if t.Lines != nil {
		text, err := t.Lines()
		if err != nil {
			return err
		}
		return eachLine(ctx, bytes.NewReader(text), r.line)
	}
	f, err := durable.Open(t.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	if strings.HasSuffix(t.Path, ".zst") {
		dec, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(128<<20))
		if err != nil {
			return err
		}
		defer dec.Close()
		return eachLine(ctx, dec, r.line)
	}
	if strings.HasSuffix(t.Path, ".json") {
		return c.document(f, r.line)
	}
	return eachLine(ctx, f, r.line)
}

// eachLine calls take for each line that is not too long, until ctx ends.
func eachLine(ctx context.Context, r io.Reader, take func([]byte)) error {
	_, err := agent.Lines(r, func(line []byte) error {
		take(line)
		return ctx.Err()
	})
	if errors.Is(err, agent.ErrLineTooLong) {
		return nil // what is behind it cannot be read by anybody
	}
	return err
}

// document takes the messages of a transcript that is one JSON document.
func (c *Collector) document(r io.Reader, take func([]byte)) error {
	text, err := io.ReadAll(io.LimitReader(r, agent.MaxTranscript))
	if err != nil || !gjson.ValidBytes(text) {
		return err
	}
	gjson.GetBytes(text, "messages").ForEach(func(_, m gjson.Result) bool {
		take([]byte(m.Raw))
		return true
	})
	return nil
}

// transcriptReader adds what the lines of a transcript tell.
type transcriptReader struct {
	c      *Collector
	t      Transcript
	reader *filelog.Reader
	source string
	last   time.Time // when the last fact was
}

func (c *Collector) readerOf(t Transcript) *transcriptReader {
	return &transcriptReader{c: c, t: t, reader: filelog.NewReader(t.Agent), source: t.Name + " session " + sessionName(t.Path)}
}

func (r *transcriptReader) line(line []byte) { r.add(r.reader.Line(line)) }

// add adds facts. Where a transcript has no times, its facts come one after the other before its last change.
func (r *transcriptReader) add(facts []filelog.Fact) {
	for _, f := range facts {
		if f.Time.IsZero() {
			if r.last.IsZero() {
				if info, err := os.Stat(r.t.Path); err == nil {
					r.last = info.ModTime().Add(-time.Second)
				}
			}
			f.Time = r.last.Add(time.Microsecond)
		}
		r.last = f.Time
		if f.FromTop {
			f.Dir = ""
		}
		if path, ok := r.c.inside(f.Path, f.Dir); ok {
			f.Stored = r.c.storedFile(f.Stored, r.t.Path)
			r.c.addFact(path, r.source, f, r.t.Loose)
		}
	}
}

// sessionName returns a short name of the session whose transcript is at a path: that of the file or, where all have the
// same, of its folder.
func sessionName(path string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".zst"), filepath.Ext(path))
	name = strings.TrimSuffix(name, ".jsonl")
	if name == "events" || name == "transcript" {
		name = filepath.Base(filepath.Dir(path))
	}
	if i := strings.LastIndex(name, "T"); strings.HasPrefix(name, "rollout-") && i > 0 {
		if _, id, ok := strings.Cut(name[i:], "-"); ok && len(id) > 6 {
			name = id[min(6, len(id)):]
		}
	}
	if len(name) > 12 {
		return name[:12]
	}
	return name
}

// addFact adds what a transcript tells of a path, whose texts may be loose.
func (c *Collector) addFact(path, source string, f filelog.Fact, loose bool) {
	c.seq++
	e := versions.Evidence{Path: path, At: f.Time, Seq: c.seq, Source: source + ", " + words(f), Loose: f.Loose || loose}
	size := 0
	if f.Before {
		e.At = e.At.Add(-time.Microsecond)
	}
	switch f.Kind {
	case agent.FileWhole:
		content := []byte(f.Text)
		if f.Stored != "" {
			var err error
			if content, err = readRegular(f.Stored); err != nil {
				return
			}
		}
		var ok bool
		if e.Content, e.Size, ok = c.put(content); !ok {
			return
		}
	case agent.FileShown:
		e.Kind, e.Text, e.First, e.Total = versions.Shown, strings.Clone(f.Text), f.First, f.Total
		size = len(e.Text)
	case agent.FileChanged:
		e.Kind, e.Base, e.Result = versions.Edited, strings.Clone(f.Base), strings.Clone(f.Result)
		e.Edits, size = edits(f.Changes)
	case agent.FileGone:
		e.Kind = versions.Gone
	case agent.FileMoved:
		changes, _ := edits(f.Changes)
		c.move(e, f, changes)
		return
	}
	if c.texts += size; c.texts > maxTexts {
		if c.texts -= size; !c.full {
			c.full = true
			c.note("agents' transcripts tell more changes than can be held at once: name PATHs to read all of theirs")
		}
		return
	}
	c.add(e)
}

// storedFile returns the file that a transcript names as the place of a copy, "" for none. A `*` in the name
// stands for the session; the only file that fits is taken if the transcript's own name does not lead to one.
func (c *Collector) storedFile(stored, transcript string) string {
	if stored == "" {
		return ""
	}
	pattern := filepath.Join(c.Home, filepath.FromSlash(stored))
	session := strings.TrimSuffix(filepath.Base(transcript), filepath.Ext(transcript))
	file := strings.Replace(pattern, "*", session, 1)
	if _, err := os.Lstat(file); err == nil {
		return file
	}
	if found, _ := filepath.Glob(pattern); len(found) == 1 {
		return found[0]
	}
	return file
}

// words says what an agent did, in the words of a person.
func words(f filelog.Fact) string {
	switch {
	case f.Stored != "":
		return "the agent's own copy"
	case f.Result != "":
		return "shown by git diff"
	case f.Before:
		return "the file before an edit"
	case f.Kind == agent.FileShown, f.Kind == agent.FileWhole && f.Loose:
		return "read"
	case f.Kind == agent.FileChanged:
		return "edited"
	case f.Kind == agent.FileGone:
		return "removed"
	case f.Kind == agent.FileMoved:
		return "given another name"
	}
	return "written"
}

// edits returns the changes with texts of their own: those of a transcript hold its whole line in memory. size is what the
// texts take.
func edits(changes []agent.FileChange) (out []versions.Edit, size int) {
	for _, c := range changes {
		e := versions.Edit{Old: strings.Clone(c.Old), New: strings.Clone(c.New), All: c.All, Append: strings.Clone(c.Append),
			EachLine: c.EachLine, Begins: c.Begins, Ends: c.Ends}
		size += len(e.Old) + len(e.New) + len(e.Append)
		for _, h := range c.Hunks {
			lines := strings.Join(h.Lines, "\n")
			size += len(lines)
			e.Hunks = append(e.Hunks, versions.Hunk{Index: h.Index, Lines: strings.Split(lines, "\n"), First: h.Index < 0, After: strings.Clone(h.After)})
		}
		out = append(out, e)
	}
	return out, size
}

// readRegular returns the content of a regular file of bounded size; it follows no link at the end.
func readRegular(path string) ([]byte, error) { return durable.ReadPlain(path, maxFile) }
