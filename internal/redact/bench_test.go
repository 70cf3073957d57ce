package redact

import (
	"bytes"
	"testing"
)

func BenchmarkLines(b *testing.B) {
	data := benchTranscript(b)
	Lines(data)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		Lines(data)
	}
}

// BenchmarkFirst is what a hook pays: tables and regexps for 30 kB of new text.
func BenchmarkFirst(b *testing.B) {
	data := benchTranscript(b)
	if len(data) > 30_000 {
		data = data[:bytes.LastIndexByte(data[:30_000], '\n')+1]
	}
	for b.Loop() {
		e := &engine{rules: ruleTable[:], global: globalAllow}
		for line := range bytes.Lines(data) {
			e.line(bytes.TrimSuffix(line, []byte("\n")))
		}
	}
}
