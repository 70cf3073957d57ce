package strategy

import (
	"bytes"
	"context"
	"fmt"
)

// errNoTime is the errTranscript for a reading whose time limit passed.
var errNoTime = fmt.Errorf("%w: no time was left", errTranscript)

// shortText is the size in bytes up to which a text is redacted without watching the time limit.
const shortText = 64 << 10

// redactIn returns text without its secrets, or errNoTime when the context reading ends first. A
// redaction that has begun then goes on in memory until it is done or the hook ends.
func (s *ManualCommitStrategy) redactIn(reading context.Context, text []byte) ([]byte, error) {
	if reading.Err() != nil {
		return nil, errNoTime
	}
	if len(text) <= shortText || reading.Done() == nil {
		return s.Redact(text), nil
	}
	done := make(chan []byte, 1)
	go func(text []byte) { done <- s.Redact(text) }(bytes.Clone(text))
	select {
	case clean := <-done:
		return clean, nil
	case <-reading.Done():
		return nil, errNoTime
	}
}

// redacted returns a line without its secrets. If two readings began with the line and had no time
// for it, redacted returns a placeholder: otherwise nothing after the line would ever be read.
func (in *intake) redacted(line []byte) ([]byte, error) {
	if in.reading.Err() != nil {
		return nil, errNoTime // the time had passed before this line
	}
	clean, err := in.s.redactIn(in.reading, line)
	at, slow := in.c.Offset+in.taken, in.c.Slow
	switch {
	case err == nil:
		in.c.Slow = nil
		return clean, nil
	case at != in.began:
		return nil, err
	case slow == nil || *slow != at:
		in.c.Slow = &at
		return nil, err
	}
	in.c.Slow = nil
	in.s.Log.Warn("line left out of the stored transcript", "offset", at, "bytes", len(line), "err", err)
	return fmt.Appendf(nil, `{"type":"entire-left-out","bytes":%d,"why":"a hook had no time to look for secrets in it"}`, len(line)), nil
}
