package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"entire/internal/git/object"
)

// start starts the process before it is needed, so that its start-up overlaps with other
// work.
func (rd *Reader) start() error {
	if rd.cmd != nil {
		return nil
	}
	cmd := rd.repo.Command(nil).Cmd(rd.ctx, "cat-file", "--batch")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start git cat-file: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start git cat-file: %w", err)
	}
	rd.stderr = &bytes.Buffer{}
	cmd.Stderr = rd.stderr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start git cat-file: %w", err)
	}
	rd.cmd, rd.stdin, rd.out = cmd, stdin, bufio.NewReaderSize(stdout, 64<<10)
	return nil
}

// stop ends the process and returns its standard error.
func (rd *Reader) stop() (said string, err error) {
	if rd.cmd == nil {
		return "", nil
	}
	rd.stdin.Close()
	_, _ = io.Copy(io.Discard, rd.out)
	err = rd.cmd.Wait()
	rd.cmd = nil
	return rd.stderr.String(), WrapExit(rd.ctx, err, []string{"cat-file"}, rd.stderr.String())
}

// round requests specs[ask...] and fills objs; n is the number of complete answers.
func (rd *Reader) round(specs []string, ask []int, objs []object.Object) (n int, err error) {
	if err := rd.start(); err != nil {
		return 0, err
	}
	var req bytes.Buffer
	for _, i := range ask {
		req.WriteString(specs[i])
		req.WriteByte('\n')
	}
	sent := make(chan error, 1)
	if req.Len() <= 4<<10 { // fits every pipe: no goroutine needed
		_, werr := rd.stdin.Write(req.Bytes())
		sent <- werr
	} else {
		go func() { _, werr := rd.stdin.Write(req.Bytes()); sent <- werr }()
	}
	for n = 0; n < len(ask); n++ {
		o, err := rd.answer()
		if err != nil {
			return n, err
		}
		if o.Type == "" {
			if err := rd.absent(specs[ask[n]]); err != nil {
				return n, err
			}
		}
		objs[ask[n]] = o
		rd.kept.add(o)
	}
	return n, <-sent
}

// absent returns an error if the object that git did not find exists: git also reports a
// damaged object as missing. One that a power cut left empty has nothing of the object.
func (rd *Reader) absent(spec string) error {
	if len(spec) != 2*rd.repo.HashLen() {
		return nil
	}
	oid, err := object.ParseOID(spec)
	if err != nil || oid.IsZero() {
		return nil
	}
	if fi, err := os.Lstat(rd.repo.loosePath(oid)); errors.Is(err, fs.ErrNotExist) || err == nil && fi.Size() == 0 {
		return nil
	}
	return errDamaged
}

// saysEmpty reports whether git's last words name an object that a power cut left empty.
func (rd *Reader) saysEmpty(said string) bool {
	for _, name := range hexName().FindAllString(said, -1) {
		if oid, err := object.ParseOID(name); err == nil && len(name) == 2*rd.repo.HashLen() {
			if fi, err := os.Lstat(rd.repo.loosePath(oid)); err == nil && fi.Size() == 0 {
				return true
			}
		}
	}
	return false
}

// errDamaged is returned for an object that exists but that git cannot read.
var errDamaged = errors.New("object is damaged")

// answer parses `<oid> <type> <size>\n<data>\n` or `<spec> missing\n`. Newer versions of
// git answer `submodule` for a submodule's path.
func (rd *Reader) answer() (object.Object, error) {
	line, err := rd.out.ReadString('\n')
	if err != nil {
		return object.Object{}, io.ErrUnexpectedEOF
	}
	line = strings.TrimSuffix(line, "\n")
	if strings.HasSuffix(line, " missing") || strings.HasSuffix(line, " submodule") {
		return object.Object{}, nil
	}
	f := strings.Fields(line)
	if len(f) != 3 {
		return object.Object{}, fmt.Errorf("git cat-file answered %q", object.Clip(line))
	}
	oid, err := object.ParseOID(f[0])
	if err != nil {
		return object.Object{}, err
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil || size < 0 {
		return object.Object{}, fmt.Errorf("git cat-file answered %q", object.Clip(line))
	}
	if rd.limit > 0 && size > rd.limit {
		if _, err := io.CopyN(io.Discard, rd.out, size+1); err != nil {
			return object.Object{}, io.ErrUnexpectedEOF
		}
		return object.Object{OID: oid, Type: f[1], Large: true}, nil
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(rd.out, data); err != nil {
		return object.Object{}, io.ErrUnexpectedEOF
	}
	return object.Object{OID: oid, Type: f[1], Data: data[:size]}, nil
}

func FirstError(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
