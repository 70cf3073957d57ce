package chunk

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"fmt"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/document"
	"entire/internal/git"
)

// maxDocumentChunk is the size above which a transcript that is one JSON document is cut
// between messages, because hosts refuse larger files.
const maxDocumentChunk = 50 << 20

// JoinTranscript joins the chunks of a transcript. A JSON document in several chunks was cut
// into documents that each have some of the messages; the first also has everything else, and
// joining restores every byte.
func JoinTranscript(kind agent.AgentType, chunks [][]byte) []byte {
	if agents.CountsMessages(kind) && len(chunks) > 1 {
		if joined, ok := document.Join(chunks); ok {
			return joined
		}
	}
	return JoinChunks(chunks)
}

// DocumentLog stores a transcript that is one JSON document, redacted by the caller, and
// returns its Log, which must not be appended to.
func DocumentLog(w ObjectWriter, doc []byte) (Log, error) {
	return cutDocument(w, doc, maxDocumentChunk)
}

// cutDocument stores a document in chunks of at most limit bytes. The last one is the tail.
func cutDocument(w ObjectWriter, doc []byte, limit int) (Log, error) {
	if len(doc) == 0 {
		return Log{}, nil
	}
	h := sha256.New()
	h.Write(doc)
	state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		return Log{}, fmt.Errorf("save transcript hash: %w", err)
	}
	l := Log{Bytes: int64(len(doc)), Lines: int64(bytes.Count(doc, []byte("\n"))), Hash: state}
	chunks := document.Split(doc, limit)
	for i, data := range chunks {
		oid, err := w.Blob(data)
		if err != nil {
			return Log{}, fmt.Errorf("store transcript chunk %d: %w", i, err)
		}
		c := Chunk{OID: oid, Size: int64(len(data))}
		if i < len(chunks)-1 {
			l.Closed = append(l.Closed, c)
		} else {
			l.Tail = c
		}
	}
	return l, nil
}

// TranscriptIn joins the transcript whose chunks are among the files of a folder; the result is
// nil if there are none. It returns the names of the missing chunks.
func TranscriptIn(rd *git.Reader, folder []git.TreeEntry, kind agent.AgentType) (data []byte, missing []string, err error) {
	return ReadTranscript(rd, folder, kind)
}
