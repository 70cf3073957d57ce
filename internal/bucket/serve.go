package bucket

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"entire/internal/bodies"
)

// atOnce is how many jobs run at the same time.
const atOnce = 8

const maxLine = 64 << 10

// Serve reads a [bodies.Head] and jobs, one JSON object on each line, and writes an answer for each job. It returns when
// the input has ended and all are answered.
func Serve(ctx context.Context, in io.Reader, out io.Writer, environ []string) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	w := &writer{enc: json.NewEncoder(out)}
	if !lines.Scan() {
		return fmt.Errorf("no bucket was named: %w", io.ErrUnexpectedEOF)
	}
	var head bodies.Head
	if err := json.Unmarshal(lines.Bytes(), &head); err != nil {
		return fmt.Errorf("read the name of the bucket: %w", err)
	}
	store, err := open(head, environ)
	if err != nil {
		return w.answer(bodies.Answer{Kind: bodies.KindBucket, Error: err.Error()})
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	jobs := make(chan bodies.Job)
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for job := range jobs {
				a := store.do(ctx, job)
				_ = w.answer(a) // who cannot read it has ended
				if a.Kind == bodies.KindBucket {
					stop() // the others would fail for the same reason, which is told already
				}
			}
		})
	}
	err = feed(ctx, lines, jobs)
	close(jobs)
	workers.Wait()
	return err
}

func feed(ctx context.Context, lines *bufio.Scanner, jobs chan<- bodies.Job) error {
	for lines.Scan() {
		var job bodies.Job
		if err := json.Unmarshal(lines.Bytes(), &job); err != nil {
			return fmt.Errorf("read a job: %w", err)
		}
		select {
		case jobs <- job:
		case <-ctx.Done():
			return nil
		}
	}
	return lines.Err()
}

// writer writes answers of several workers.
type writer struct {
	mu  sync.Mutex
	enc *json.Encoder
}

func (w *writer) answer(a bodies.Answer) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.enc.Encode(a)
}
