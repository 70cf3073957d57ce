package chunk

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"entire/agent"
	"entire/internal/git"
)

const (
	// TranscriptName is the name of a transcript's first chunk.
	TranscriptName = "full.jsonl"

	// Size is the most bytes that a chunk of several lines holds, including its final
	// newline.
	Size = 128 << 10

	LegacyTranscriptName = "full.log"
)

// Name returns the file name of chunk i: full.jsonl, full.jsonl.001, …
func Name(i int) string {
	if i == 0 {
		return TranscriptName
	}
	return fmt.Sprintf("%s.%03d", TranscriptName, i)
}

// JoinChunks joins the chunks of a transcript. Every chunk but the last is stored without its
// final newline.
func JoinChunks(chunks [][]byte) []byte { return bytes.Join(chunks, []byte("\n")) }

// Number returns the position of a file among the chunks of a transcript; ok is false if
// it is not a chunk.
func Number(name string) (n int, ok bool) {
	if name == TranscriptName || name == LegacyTranscriptName {
		return 0, true
	}
	digits, ok := strings.CutPrefix(name, TranscriptName+".")
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && n >= 1 && digits[0] != '+'
}

// Entries returns a transcript's chunks among the files of a folder, in order, and the
// names of chunks that are missing between them. If there is a full.jsonl, it ignores full.log,
// which is older.
func Entries(folder []git.TreeEntry) (chunks []git.TreeEntry, missing []string) {
	byNumber := map[int]git.TreeEntry{}
	for _, e := range folder {
		n, ok := Number(e.Name)
		if !ok || e.Mode == git.ModeTree || e.Mode == git.ModeGitlink {
			continue
		}
		if have, taken := byNumber[n]; !taken || have.Name != Name(n) {
			byNumber[n] = e
		}
	}
	numbers := make([]int, 0, len(byNumber))
	for n := range byNumber {
		numbers = append(numbers, n)
	}
	slices.SortFunc(numbers, cmp.Compare[int])
	next := 0
	for _, n := range numbers {
		missing = appendGap(missing, next, n)
		chunks = append(chunks, byNumber[n])
		next = n + 1
	}
	return chunks, missing
}

// appendGap appends the names of the chunks from one number up to, not including, another. It
// names a very long gap by its first and last chunk.
func appendGap(missing []string, from, to int) []string {
	if to-from > 100 {
		return append(missing, Name(from)+" to "+Name(to-1))
	}
	for i := from; i < to; i++ {
		missing = append(missing, Name(i))
	}
	return missing
}

// ReadTranscript joins the chunks in a folder; the result is nil if there are none. It returns
// the names of chunks that the folder or the object store does not have.
func ReadTranscript(rd *git.Reader, files []git.TreeEntry, kind agent.AgentType) (data []byte, missing []string, err error) {
	entries, missing := Entries(files)
	if len(entries) == 0 {
		return nil, missing, nil
	}
	var chunks [][]byte
	var ask Batch
	for _, e := range entries {
		ask.Add(e.OID.String(), func(o git.Object) error {
			if o.Sealed != nil {
				return o.Sealed
			}
			if o.Type == "blob" {
				chunks = append(chunks, o.Data)
			} else {
				missing = append(missing, e.Name)
			}
			return nil
		})
	}
	if err := ask.Run(rd); err != nil {
		return nil, nil, err
	}
	return JoinTranscript(kind, chunks), missing, nil
}

// IsChunk reports whether an entry is a part of a transcript.
func IsChunk(e git.TreeEntry) bool {
	_, ok := Number(e.Name)
	return ok && e.Mode != git.ModeTree
}
