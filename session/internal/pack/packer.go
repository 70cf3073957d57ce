package pack

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"entire/internal/durable"
	"entire/internal/seekable"
	"entire/session/internal/layout"
	"entire/session/internal/log"
)

// A packer makes a log's compressed file in a scratch folder that no reader looks into.
// Appends need not wait for it, because complete lines never change.
type packer struct {
	ctx  context.Context
	dir  string    // the scratch folder
	name string    // file name of the log
	log  *log.File // the log when the packing began
	end  int64     // how many bytes of the log are compressed: its complete lines
	tell func(n int64)

	out        *seekable.Writer
	written    int64 // bytes written to out
	packedNote log.PackedNote
}

// errNothingToPack is returned if there is nothing to compress.
var errNothingToPack = errors.New("there is nothing to compress")

// make writes the two files that will be the log, verifies that they hold the same bytes, and
// flushes them to the disk.
func (p *packer) make() error {
	if err := p.findEnd(); err != nil {
		return err
	}
	if err := p.writePacked(); err != nil {
		return fmt.Errorf("compress: %w", err)
	}
	sum, err := p.verify()
	if err != nil {
		return fmt.Errorf("verify what was compressed: %w", err)
	}
	return p.writeHead(sum)
}

func (p *packer) findEnd() error {
	whole, err := log.NewTailReader(p.log, p.log.Size())
	if err != nil {
		return err
	}
	if p.end = whole.At + int64(len(whole.Buf)); p.end == 0 {
		return errNothingToPack
	}
	return nil
}

func (p *packer) path() string { return filepath.Join(p.dir, p.name) }

func (p *packer) writePacked() error {
	f, err := layout.OpenFile(p.path()+log.PackedExt, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	if p.out, err = seekable.NewWriter(f); err == nil {
		err = p.addAll()
	}
	if err == nil {
		p.packedNote.Bytes = p.end
		var note []byte
		if note, err = json.Marshal(p.packedNote); err == nil {
			err = p.out.Close(note)
		}
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// addAll copies what is compressed already, and compresses the rest.
func (p *packer) addAll() error {
	var from int64
	if old := p.log.Packed; old != nil && old.Size <= p.end {
		if err := p.out.Copy(old.In); err != nil {
			return err
		}
		for _, a := range old.LargeTexts {
			if err := p.copyText(a); err != nil {
				return err
			}
		}
		from, p.written = old.Size, old.In.Size()
	}
	lines := log.NewLineReader(p.log, from, p.end)
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = p.ctx.Err()
		}
		if err == nil {
			err = p.addLine(line)
		}
		if err != nil {
			return err
		}
		p.tell(int64(len(line)) + 1)
	}
}

// copyText shares a large text that an earlier compression stored in a file of its own.
func (p *packer) copyText(a log.LargeText) error {
	p.packedNote.LargeTexts = append(p.packedNote.LargeTexts, a)
	if err := p.outputs(); err != nil {
		return err
	}
	from, to := log.TextPath(p.log.Packed.Dir, a.SHA256), log.TextPath(filepath.Join(p.dir, log.OutputsName), a.SHA256)
	if _, err := os.Lstat(to); err == nil {
		return nil
	}
	return layout.ShareFile(from, to, layout.WholeFile)
}

func (p *packer) outputs() error { return os.MkdirAll(filepath.Join(p.dir, log.OutputsName), 0o750) }

func (p *packer) addLine(line []byte) error {
	done := 0
	for _, text := range largeTexts(line, minLargeText) {
		if err := p.add(line[done:text[0]]); err != nil {
			return err
		}
		if err := p.addText(line[text[0]:text[1]]); err != nil {
			return err
		}
		done = text[1]
	}
	if err := p.add(line[done:]); err != nil {
		return err
	}
	return p.add([]byte{'\n'})
}

func (p *packer) add(data []byte) error {
	p.written += int64(len(data))
	_, err := p.out.Write(data)
	return err
}

// addText stores a text in a file of its own, once, and notes where it belongs.
func (p *packer) addText(text []byte) error {
	sum := sha256.Sum256(text)
	a := log.LargeText{At: p.written, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(text))}
	p.packedNote.LargeTexts = append(p.packedNote.LargeTexts, a)
	if err := p.outputs(); err != nil {
		return err
	}
	path := log.TextPath(filepath.Join(p.dir, log.OutputsName), a.SHA256)
	if _, err := os.Lstat(path); err != nil {
		var packed bytes.Buffer
		w, err := seekable.NewWriter(&packed)
		if err == nil {
			_, err = w.Write(text)
		}
		if err == nil {
			err = w.Close(nil)
		}
		if err == nil {
			err = durable.WriteFile(path, packed.Bytes(), 0o600)
		}
		if err != nil {
			return err
		}
	}
	return p.add([]byte(log.LargeTextMark + a.SHA256))
}

// verify reads the compressed file as a reader will, and compares it with the log, byte for
// byte.
func (p *packer) verify() (sum string, err error) {
	packed, err := log.OpenPacked(p.path() + log.PackedExt)
	if err != nil {
		return "", err
	}
	defer packed.Close()
	if packed.Size != p.end {
		return "", fmt.Errorf("%w: it has %d of %d bytes", seekable.ErrDamaged, packed.Size, p.end)
	}
	hash := sha256.New()
	want := io.TeeReader(io.NewSectionReader(p.log, 0, p.end), hash)
	same, err := log.CompareReaders(p.ctx, want, io.NewSectionReader(packed, 0, packed.Size))
	if err == nil && same != log.RelationSame {
		err = fmt.Errorf("%w: it is not what was appended", seekable.ErrDamaged)
	}
	return hex.EncodeToString(hash.Sum(nil)), err
}

// writeHead writes the file that replaces the log: its head and the incomplete last line, if
// any. Its modification time is that of the log.
func (p *packer) writeHead(sum string) error {
	head := log.PackedHead{Bytes: p.end, SHA256: sum}
	rest := io.NewSectionReader(p.log, p.end, p.log.Size()-p.end)
	if err := durable.WriteStream(p.path(), io.MultiReader(bytes.NewReader(head.Line()), rest), 0o600, true); err != nil {
		return err
	}
	at := p.log.Info.ModTime()
	return os.Chtimes(p.path(), at, at)
}

// install puts the new files in the place of the log in a folder. The caller holds the lock of
// that folder's session. A process killed during install leaves the log as it was, or
// compressed.
func (p *packer) install(dir, name string, step func(string)) error {
	if err := p.unchanged(filepath.Join(dir, name)); err != nil {
		return err
	}
	if err := p.placeTexts(filepath.Join(dir, log.OutputsName), step); err != nil {
		return err
	}
	target := filepath.Join(dir, name)
	if err := moveIntoPlace(p.path()+log.PackedExt, target+log.PackedExt); err != nil {
		return err
	}
	step("the compressed file is there")
	if err := durable.SyncDir(dir); err != nil {
		return err
	}
	step("it will stay there")
	if err := moveIntoPlace(p.path(), target); err != nil {
		return err
	}
	step("the log is compressed")
	return durable.SyncDir(dir)
}

func (p *packer) placeTexts(outputs string, step func(string)) error {
	there := map[string]bool{}
	for _, a := range p.packedNote.LargeTexts {
		if there[a.SHA256] {
			continue
		}
		there[a.SHA256] = true
		if err := os.MkdirAll(outputs, 0o750); err != nil {
			return err
		}
		if err := moveIntoPlace(log.TextPath(filepath.Join(p.dir, log.OutputsName), a.SHA256), log.TextPath(outputs, a.SHA256)); err != nil {
			return err
		}
		step("a text is there")
	}
	if len(there) == 0 {
		return nil
	}
	return durable.SyncDir(outputs)
}

// unchanged returns ErrUsed unless the log is still the file that was compressed.
func (p *packer) unchanged(path string) error {
	now, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if was := p.log.Info; !os.SameFile(now, was) || now.Size() != was.Size() {
		return layout.ErrUsed
	}
	return nil
}

// moveIntoPlace moves a file to its final name. If the file system allows hard links, the file also
// keeps its old name, so that place can be called again for another folder.
func moveIntoPlace(from, to string) error {
	twin := from + ".twin"
	if err := os.Remove(twin); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if os.Link(from, twin) != nil {
		twin = from
	}
	return os.Rename(twin, to)
}
