package hookcmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Bounds of a hook's input.
const (
	inputLimit = 64 << 20
	inputWait  = 10 * time.Second // a lost turn is worse than a late one
	inputLooks = 10
)

// readInput reads in to its end. After wait it returns what has come so far; if an agent leaves
// the pipe open, it returns a complete JSON value earlier, at one of inputLooks checks. The
// goroutine of an abandoned reader ends with the process.
func readInput(in io.Reader, limit int, wait time.Duration) ([]byte, error) {
	p := &partial{limit: limit, done: make(chan error, 1)}
	go func() { p.done <- p.readFrom(in) }()
	ticker := time.NewTicker(wait / inputLooks)
	defer ticker.Stop()
	for range inputLooks {
		select {
		case err := <-p.done:
			return p.bytes(), err
		case <-ticker.C:
			if data := p.bytes(); json.Valid(data) {
				return data, nil
			}
		}
	}
	data := p.bytes()
	if len(data) == 0 {
		return nil, fmt.Errorf("read hook input: nothing came in %s", wait)
	}
	return data, nil
}

// partial is input that may still grow.
type partial struct {
	limit int
	done  chan error

	mu   sync.Mutex
	data []byte
}

var errTooLong = errors.New("hook input is too long")

func (p *partial) readFrom(in io.Reader) error {
	buf := make([]byte, 64<<10)
	for {
		n, err := in.Read(buf)
		p.mu.Lock()
		p.data = append(p.data, buf[:n]...)
		long := len(p.data) > p.limit
		p.mu.Unlock()
		switch {
		case long:
			return fmt.Errorf("%w: over %d bytes", errTooLong, p.limit)
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("read hook input: %w", err)
		}
	}
}

func (p *partial) bytes() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.data
}
