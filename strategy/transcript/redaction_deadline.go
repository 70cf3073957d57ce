package transcript

import (
	"bytes"
	"context"
	"fmt"

	"entire/strategy/sessionstate"
)

// ErrDeadline is the ErrTranscript for a reading whose time limit passed.
var ErrDeadline = fmt.Errorf("%w: no time was left", ErrTranscript)

// RedactAtOnceMax is the size in bytes up to which a text is redacted without watching the time limit.
const RedactAtOnceMax = 64 << 10

// redactWithin returns text without its secrets, or ErrDeadline when the context reading ends first. A
// redaction that has begun then goes on in memory until it is done or the hook ends.
func redactWithin(reading context.Context, s *sessionstate.Env, text []byte) ([]byte, error) {
	if reading.Err() != nil {
		return nil, ErrDeadline
	}
	if len(text) <= RedactAtOnceMax || reading.Done() == nil {
		return s.Redact(text), nil
	}
	done := make(chan []byte, 1)
	go func(text []byte) { done <- s.Redact(text) }(bytes.Clone(text))
	select {
	case clean := <-done:
		return clean, nil
	case <-reading.Done():
		return nil, ErrDeadline
	}
}

// redactLine returns a line without its secrets. If two readings began with the line and had no time
// for it, redacted returns a placeholder: otherwise nothing after the line would ever be read.
func (in *ingester) redactLine(line []byte) ([]byte, error) {
	if in.readCtx.Err() != nil {
		return nil, ErrDeadline // the time had passed before this line
	}
	clean, err := redactWithin(in.readCtx, in.s, line)
	at, slow := in.c.Offset+in.batchRawBytes, in.c.SlowLine
	switch {
	case err == nil:
		in.c.SlowLine = nil
		return clean, nil
	case at != in.startOffset:
		return nil, err
	case slow == nil || *slow != at:
		in.c.SlowLine = &at
		return nil, err
	}
	in.c.SlowLine = nil
	in.s.Log.Warn("line left out of the stored transcript", "offset", at, "bytes", len(line), "err", err)
	return fmt.Appendf(nil, `{"type":"entire-left-out","bytes":%d,"why":"a hook had no time to look for secrets in it"}`, len(line)), nil
}
