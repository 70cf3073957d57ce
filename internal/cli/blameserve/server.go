package blameserve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/lines"
	"entire/internal/timeline"
)

// Bounds of one session: open files, and requests that wait for an answer.
const (
	maxDocuments = 500
	maxWaiting   = 1000
)

// looks is how often the open files are looked at for a change on disk.
const looks = 500 * time.Millisecond

// A Server serves one editor.
type Server struct {
	env       *cliui.Env
	place     *workplace.Workplace
	out       *json.Encoder
	top       string
	greeted   bool
	owners    *owners
	documents map[string]*document
	disk      map[string]fileState // of each document, when its owners were asked for
	noticed   map[string]bool      // the editor was told that the file changed, and has not asked since
	state     state                // of the repository, when owners were asked for last
	stateTold bool
	jobs      *queue
}

// Serve answers requests from env.In until its end, or until the editor reads no more. The error of a
// request is an answer, and no error of Serve.
func Serve(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := json.NewEncoder(env.Raw())
	out.SetEscapeHTML(false)
	s := &Server{env: env, place: wp, out: out, top: filepath.ToSlash(wp.Repo.Top), owners: newOwners(""),
		documents: map[string]*document{}, disk: map[string]fileState{}, noticed: map[string]bool{}, jobs: newQueue()}
	requests := make(chan incoming)
	go receive(ctx, env.In, requests)
	worked := make(chan struct{})
	go func() { s.jobs.work(ctx); close(worked) }()
	err := s.loop(ctx, requests)
	cancel()
	<-worked // before the repository is closed
	return err
}

// incoming is a line of the editor's, or why there is none.
type incoming struct {
	line []byte
	err  error
}

func receive(ctx context.Context, in io.Reader, requests chan<- incoming) {
	for r := lines.NewReader(in, maxMessage); ; {
		line, err := r.Next()
		if errors.Is(err, lines.ErrTorn) {
			err = nil
		}
		select {
		case requests <- incoming{bytes.Clone(bytes.TrimSpace(line)), err}:
		case <-ctx.Done():
			return
		}
		if err != nil && !errors.Is(err, lines.ErrTooLong) {
			return
		}
	}
}

func (s *Server) loop(ctx context.Context, requests <-chan incoming) error {
	changed, err := timeline.Watch(ctx, s.place.Repo)
	if err != nil {
		s.place.Log.Warn("the repository is not watched", "err", err)
		changed = nil
	}
	ticker := time.NewTicker(looks)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case in := <-requests:
			if in.err != nil && !errors.Is(in.err, lines.ErrTooLong) {
				if errors.Is(in.err, io.EOF) {
					return nil
				}
				return in.err
			}
			err = s.take(in)
		case done := <-s.jobs.done:
			err = done()
		case _, open := <-changed:
			if !open {
				changed = nil
			}
			s.lookAtRepository()
		case <-ticker.C:
			err = s.lookAtFiles()
			if changed == nil {
				s.lookAtRepository()
			}
		}
		if err != nil {
			return err
		}
	}
}

// take answers a request, or starts what will.
func (s *Server) take(in incoming) error {
	if errors.Is(in.err, lines.ErrTooLong) {
		return s.refuse(nil, failed(codeTooLarge, "the line has more than 32 MB; it was skipped", "send only the lines that changed"))
	}
	if len(in.line) == 0 {
		return nil
	}
	q, bad := parse(in.line)
	if bad != nil {
		return s.refuse(q.ID, bad)
	}
	method, known := methods[q.Method]
	switch {
	case !known:
		return s.refuse(q.ID, failed(codeMethod, "no such method: "+cliui.ShortLine(q.Method, 60), "hello names the methods"))
	case !s.greeted && q.Method != "hello":
		return s.refuse(q.ID, failed(codeNoHello, "the first request must be hello", `as in {"id":1,"method":"hello","params":{"version":1}}`))
	case s.jobs.waiting() >= maxWaiting && q.Method != "cancel":
		return s.refuse(q.ID, failed(codeTooLarge, "too many requests wait for an answer", ""))
	}
	result, bad := method(s, q)
	switch {
	case bad != nil:
		return s.refuse(q.ID, bad)
	case result == nil: // a job answers it
		return nil
	}
	return s.reply(q.ID, result)
}

func (s *Server) reply(id json.RawMessage, result any) error {
	return s.out.Encode(answer{ID: id, Result: result})
}

func (s *Server) refuse(id json.RawMessage, f *failure) error {
	return s.out.Encode(answer{ID: id, Error: f})
}
