package strategy

import (
	"bytes"
	"context"
	"fmt"
)

// errNoTime is the errTranscript of a reading that ended because its time had passed.
var errNoTime = fmt.Errorf("%w: no time was left", errTranscript)

// shortText is redacted in so little time that nobody has to watch over it.
const shortText = 64 << 10

// redactIn takes the secrets out of text, or gives up when reading ends. What has begun
// goes on, in memory, until it is done or the hook ends.
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

// redacted is a line without its secrets. A line that two readings have begun with, and
// had no time for, is left out: nothing behind it would ever be read.
func (in *intake) redacted(line []byte) ([]byte, error) {
	if in.reading.Err() != nil {
		return nil, errNoTime // the line itself had none
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
