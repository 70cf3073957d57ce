package feed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"entire/agent"
	"entire/agent/conversation"
	"entire/internal/durable"
	"entire/session"
)

// position is how far the transcripts of a session were read, stored in feed.jsonl. The first line is
// the position; each Normalizer has its own line, because it is large and not always needed. The
// position is written after the store, so the store may hold more if the process was killed in
// between.
type position struct {
	Version int                `json:"version"` // 1
	Main    stream             `json:"main"`
	Agents  map[string]*stream `json:"agents,omitempty"` // by subagent ID
	// Messages is the size of messages.jsonl.
	Messages int64 `json:"messages"`

	Turns  int     `json:"turns,omitempty"`  // prompts read so far
	Cost   float64 `json:"cost,omitempty"`   // dollars, from the transcript
	Titled bool    `json:"titled,omitempty"` // the session has a title
	Tip    string  `json:"tip,omitempty"`    // ID of the last message, if the transcript is one document
	Ended  bool    `json:"ended,omitempty"`
	Active bool    `json:"active,omitempty"` // a turn is in progress
	// Circumstances is the session's circumstances in the metadata.
	Circumstances session.Circumstances `json:"around,omitzero"`
	// Asked is the prompt of the open turn, if the feed keeps the transcript.
	Asked string `json:"asked,omitempty"`
	// Told is what events told of the session's tokens.
	Told agent.ToldUsage `json:"tokens,omitzero"`
}

// stream is how far one transcript was read.
type stream struct {
	Path   string `json:"path,omitempty"`
	Offset int64  `json:"offset"`          // raw bytes read; at the end of a line
	Edges  string `json:"edges,omitempty"` // digest of the first and last bytes read
	Doc    string `json:"doc,omitempty"`   // digest of the transcript, if it is one document
	Stored int64  `json:"stored"`          // size of the store's copy
	// Line is the Normalizer's line in feed.jsonl, from 1; 0 before the first line of the transcript
	// was read.
	Line int `json:"line,omitempty"`
	// Rewound says that the transcript was rewound: the store holds messages that it no longer contains,
	// and that may appear in it again.
	Rewound bool       `json:"again,omitempty"`
	Eras    []eraStart `json:"eras,omitempty"`

	encoded    []byte // the Normalizer as stored
	normalizer *conversation.Normalizer
}

// errNothingRead is returned if nothing of a stream was read.
var errNothingRead = errors.New("nothing was read yet")

// started reports whether anything was read.
func (st *stream) started() bool { return st.normalizer != nil || st.encoded != nil }

// loadNormalizer returns the Normalizer, decoding it if necessary.
func (st *stream) loadNormalizer() (*conversation.Normalizer, error) {
	if st.normalizer == nil {
		n := new(conversation.Normalizer)
		if st.encoded == nil {
			return nil, errNothingRead
		}
		if err := json.Unmarshal(st.encoded, n); err != nil {
			return nil, err
		}
		st.normalizer = n
	}
	return st.normalizer, nil
}

// reset resets st to the start of a transcript. It keeps Stored.
func (st *stream) reset(kind agent.AgentType) {
	*st = stream{Stored: st.Stored, normalizer: conversation.NewNormalizer(kind)}
}

// encodeNormalizer encodes the Normalizer; nil if there is none.
func (st *stream) encodeNormalizer() ([]byte, error) {
	if st.normalizer == nil {
		return st.encoded, nil
	}
	return json.Marshal(st.normalizer)
}

// loadPosition reads the position. It returns the start if there is none or if it is invalid.
func loadPosition(dir string) *position {
	data, err := durable.ReadOwn(filepath.Join(dir, positionName))
	if err != nil {
		return &position{Version: 1}
	}
	if p, ok := decodePosition(data); ok {
		return p
	}
	return &position{Version: 1}
}

func decodePosition(data []byte) (*position, bool) {
	lines := bytes.Split(data, []byte{'\n'})
	if len(lines) < 2 { // torn
		return nil, false
	}
	lines = lines[:len(lines)-1]
	p := new(position)
	if json.Unmarshal(lines[0], p) != nil || p.Version != 1 || p.Messages < 0 || !p.Main.decodeNormalizer(lines) {
		return nil, false
	}
	for aid, st := range p.Agents {
		if st == nil || !st.decodeNormalizer(lines) || !isAgentID(aid) {
			return nil, false
		}
	}
	return p, true
}

// decodeNormalizer finds the stream's stored Normalizer. It returns false if the stream is invalid.
func (st *stream) decodeNormalizer(lines [][]byte) bool {
	if st.Line < 0 || st.Line > len(lines) || st.Line == 1 || st.Offset < 0 || st.Stored < 0 || st.Offset > 0 && st.Line == 0 {
		return false
	}
	if st.Line > 0 {
		st.encoded = lines[st.Line-1]
		return len(st.encoded) > 0 && st.encoded[0] == '{'
	}
	return true
}

// encode returns the content of feed.jsonl.
func (p *position) encode() ([]byte, error) {
	streams := []*stream{&p.Main}
	for _, aid := range slices.Sorted(maps.Keys(p.Agents)) {
		streams = append(streams, p.Agents[aid])
	}
	var normalizers bytes.Buffer
	line := 1
	for _, st := range streams {
		frozen, err := st.encodeNormalizer()
		if err != nil {
			return nil, err
		}
		if st.Line = 0; frozen != nil {
			line++
			st.Line = line
			normalizers.Write(append(frozen, '\n'))
		}
	}
	head, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return append(append(head, '\n'), normalizers.Bytes()...), nil
}

// write replaces the position in a session's folder.
func (p *position) write(dir string) error {
	data, err := p.encode()
	if err != nil {
		return err
	}
	return durable.WriteCache(filepath.Join(dir, positionName), data, 0o600)
}

// continues reports whether the file still begins with what was read.
func (st *stream) continues(f *os.File) bool {
	if !st.started() || st.Doc != "" {
		return false
	}
	if st.Offset == 0 {
		return true
	}
	got, err := agent.EdgeDigest(f, st.Offset)
	return err == nil && got == st.Edges
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}
