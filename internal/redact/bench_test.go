package redact

import (
	"bytes"
	"testing"
)

// BenchmarkLines is the scan of a transcript by a process that has scanned before.
// ENTIRE_BENCH_TRANSCRIPT names a real one to use.
func BenchmarkLines(b *testing.B) {
	data := benchTranscript(b)
	Lines(data)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		Lines(data)
	}
}

// BenchmarkFirst is what a hook pays for 30 kB of new text, tables and regexps included.
func BenchmarkFirst(b *testing.B) {
	data := benchTranscript(b)
	if len(data) > 30_000 {
		data = data[:bytes.LastIndexByte(data[:30_000], '\n')+1]
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		e := newEngine()
		for line := range bytes.Lines(data) {
			e.line(bytes.TrimSuffix(line, []byte("\n")))
		}
	}
}

// BenchmarkFirstSecrets is what a process pays for the rules most often hit.
func BenchmarkFirstSecrets(b *testing.B) {
	s := "api_key = " + hex32 + "\n" + github + "\n" + awsID + "\n" + jwt + "\n" + slack + "\n" + pemKey
	for b.Loop() {
		e := newEngine()
		e.text(s, anyText)
	}
}
