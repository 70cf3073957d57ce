package teleport

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path"
	"strings"

	"entire/agent"
	"entire/internal/archive"
	"entire/session"
)

// Redactor removes the secrets from a line or a JSON document.
type Redactor func([]byte) []byte

// Content is a session's files for a bundle. A fork's files include the shared part, and every text is
// redacted again.
type Content struct {
	redact Redactor
	files  []contentFile

	Bytes   int64
	Secrets map[string]int // by file name: number of lines with secrets
}

type contentFile struct {
	name  string
	size  int64
	lines func() (io.Reader, error) // of texts
	whole func() (io.ReadCloser, error)
	fixed []byte
}

// Gather reads a session once to find its files for the bundle and the secrets in them. Close the
// folder after writing the content.
func Gather(ctx context.Context, folder *session.Folder, redact Redactor) (*Content, error) {
	c := &Content{redact: redact, Secrets: map[string]int{}}
	for _, log := range []struct {
		name string
		open func() (io.Reader, int64, error)
	}{{"messages.jsonl", folder.Messages}, {"transcript.jsonl", folder.Transcript}} {
		in, _, err := log.open()
		if err != nil {
			return nil, err
		}
		if in == nil {
			continue
		}
		if err := c.addLines(ctx, log.name, func() (io.Reader, error) {
			in, _, err := log.open()
			return in, err
		}); err != nil {
			return nil, err
		}
	}
	for _, f := range folder.Files {
		if err := c.add(ctx, f); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *Content) add(ctx context.Context, f session.FolderFile) error {
	switch {
	case !inBundle(f.Name) || f.Name == "messages.jsonl" || f.Name == "transcript.jsonl":
		return nil
	case f.Name == "metadata.json" || f.Name == "transcript.json":
		return c.addJSON(f)
	case path.Ext(f.Name) == ".jsonl" && !strings.HasPrefix(f.Name, "checkpoints/"):
		return c.addLines(ctx, f.Name, func() (io.Reader, error) { return f.Open() })
	}
	c.files = append(c.files, contentFile{name: f.Name, size: f.Size, whole: f.Open})
	c.Bytes += f.Size
	return nil
}

// addJSON adds a file with one JSON value.
func (c *Content) addJSON(f session.FolderFile) error {
	in, err := f.Open()
	if err != nil {
		return err
	}
	data, err := io.ReadAll(in)
	if err := errors.Join(err, in.Close()); err != nil {
		return err
	}
	clean := c.redact(data)
	if !bytes.Equal(clean, data) {
		c.Secrets[f.Name]++
	}
	if f.Name == "metadata.json" && !json.Valid(clean) {
		return errors.New("metadata.json is damaged")
	}
	c.files = append(c.files, contentFile{name: f.Name, size: int64(len(clean)), fixed: clean})
	c.Bytes += int64(len(clean))
	return nil
}

// addLines adds a file of lines and counts the lines with secrets.
func (c *Content) addLines(ctx context.Context, name string, open func() (io.Reader, error)) error {
	in, err := open()
	if err != nil {
		return err
	}
	found := 0
	n, err := eachLine(ctx, in, io.Discard, c.relined(&found))
	if err != nil {
		return err
	}
	if found > 0 {
		c.Secrets[name] = found
	}
	c.files = append(c.files, contentFile{name: name, size: n, lines: open})
	c.Bytes += n
	return nil
}

func (c *Content) relined(found *int) *lineChanger {
	return &lineChanger{Change: func(line []byte) []byte {
		clean := c.redact(line)
		if !bytes.Equal(clean, line) {
			*found++
		}
		return clean
	}}
}

// eachLine copies the complete lines of in, changed. Text after the last newline is an incomplete line
// and is omitted.
func eachLine(ctx context.Context, in io.Reader, out io.Writer, change *lineChanger) (n int64, err error) {
	if closer, ok := in.(io.Closer); ok {
		defer closer.Close()
	}
	_, err = agent.Lines(in, func(line []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		clean := change.lineIn(line)
		for _, b := range [][]byte{clean, {'\n'}} {
			m, err := out.Write(b)
			if n += int64(m); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// Write writes the files.
func (c *Content) Write(ctx context.Context, to *Sealer, progress func(int64)) error {
	for _, f := range c.files {
		if err := c.write(ctx, to, f); err != nil {
			return err
		}
		progress(f.size)
	}
	return nil
}

func (c *Content) write(ctx context.Context, to *Sealer, f contentFile) error {
	e := archive.Entry{Kind: KindFile, Name: f.name, Size: f.size}
	switch {
	case f.whole != nil:
		in, err := f.whole()
		if err != nil {
			return err
		}
		return errors.Join(to.Add(e, in), in.Close())
	case f.lines == nil:
		return to.AddBytes(e, f.fixed)
	}
	in, err := f.lines()
	if err != nil {
		return err
	}
	read, write := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		found := 0
		_, err := eachLine(ctx, in, write, c.relined(&found))
		write.CloseWithError(err)
	}()
	err = to.Add(e, read)
	read.CloseWithError(errors.New("enough"))
	<-done
	return err
}

// ReceivedFile returns a file of a bundle with the paths of this machine, as it is to be stored. The caller
// must close it.
func ReceivedFile(ctx context.Context, name string, content io.Reader, m Move) io.ReadCloser {
	isLines := name == "transcript.jsonl" || name == "messages.jsonl" || strings.HasPrefix(name, "agents/") && path.Ext(name) == ".jsonl"
	if name == "transcript.json" {
		data, err := io.ReadAll(content)
		return io.NopCloser(io.MultiReader(bytes.NewReader(m.lineIn(data)), errReader{err}))
	}
	if !isLines {
		return io.NopCloser(content)
	}
	read, write := io.Pipe()
	a := &fileReader{PipeReader: read, done: make(chan struct{})}
	go func() {
		defer close(a.done)
		_, err := eachLine(ctx, content, write, &lineChanger{Change: m.lineIn})
		write.CloseWithError(err)
	}()
	return a
}

// errReader returns an error, or io.EOF if there is none.
type errReader struct{ err error }

func (e errReader) Read([]byte) (int, error) { return 0, cmp.Or(e.err, io.EOF) }

// fileReader waits in Close for the goroutine that reads for it.
type fileReader struct {
	*io.PipeReader
	done chan struct{}
}

func (a *fileReader) Close() error {
	err := a.PipeReader.CloseWithError(errors.New("nobody reads on"))
	<-a.done
	return err
}
