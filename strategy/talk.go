package strategy

import (
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"fmt"
	"io"

	"entire/agent"
	"entire/checkpoint"
	"entire/internal/durable"
	"entire/internal/git"
)

// talkAt sets the stored conversation back to the one that a step holds.
func (s *ManualCommitStrategy) talkAt(ctx context.Context, o *open, st step) error {
	if st.info.Transcript.Prefix == "" {
		return nil // the step has no position; the next event reads on
	}
	rd := s.repo.Reader(ctx)
	dir, ok, err := rd.Path(st.Tree, checkpoint.SessionDir(o.id))
	if err != nil || !ok {
		return err
	}
	folder, err := rd.Tree(dir.OID)
	if err != nil {
		return err
	}
	if doc, err := s.documentAt(ctx, o, folder); err != nil || doc != nil {
		if doc != nil {
			o.side.Capture.becomes(*doc)
			o.side.Chunks = max(o.side.Chunks, len(doc.Log.Entries()))
			o.condensedNoFurther()
		}
		return err
	}
	conversation := agent.NewConversation(o.state.AgentType)
	read := func(oid git.OID) ([]byte, error) { return rd.Blob(oid) }
	log, err := checkpoint.RestoreLog(func(oid git.OID) ([]byte, error) {
		data, err := read(oid)
		if err == nil {
			eachLine(data, conversation.AddLine)
		}
		return data, err
	}, folder)
	if err != nil {
		return err
	}
	o.side.Capture.becomes(capture{Path: o.state.TranscriptPath, Offset: st.info.Transcript.Offset, Log: *log, Talk: conversation})
	o.side.Chunks = max(o.side.Chunks, len(log.Entries()))
	o.condensedNoFurther()
	return nil
}

func eachLine(data []byte, fn func([]byte)) {
	for len(data) > 0 {
		i := 0
		for i < len(data) && data[i] != '\n' {
			i++
		}
		fn(data[:i])
		data = data[min(i+1, len(data)):]
	}
}

// cutTranscript cuts the agent's own file to where it ended when the step was made. The whole
// file is kept next to it, so that a rewind forward can restore the rest. It returns warnings
// for the user.
func (s *ManualCommitStrategy) cutTranscript(ctx context.Context, o *open, pos checkpoint.TranscriptPosition) []string {
	path := o.state.TranscriptPath
	if path == "" || pos.Prefix == "" {
		return nil
	}
	c := &o.side.Capture
	if c.seen != nil {
		return s.cutDocument(ctx, o, pos)
	}
	from, state, err := s.transcriptWith(path, pos)
	if err != nil {
		c.Edges = "" // so that the next event reads the file again
		return []string{fmt.Sprintf("the conversation was not taken back: %v", err)}
	}
	if err := s.movedTalk(ctx, o, func() error { return cutTo(path, from, pos.Offset) }); err != nil {
		c.Edges = ""
		return []string{fmt.Sprintf("the conversation was not taken back: %v", err)}
	}
	c.Raw = state
	if f, err := durable.Open(path); err == nil {
		defer f.Close()
		c.Edges, _ = edges(f, c.Offset)
	}
	return nil
}

// transcriptWith finds a file that begins with the bytes that a step saw: the agent's own, or
// one that an earlier rewind kept. state is the state of the digest after these bytes.
func (s *ManualCommitStrategy) transcriptWith(path string, pos checkpoint.TranscriptPosition) (from string, state []byte, err error) {
	candidates, err := withKept(path)
	if err != nil {
		return "", nil, err
	}
	for _, candidate := range candidates {
		h := sha256.New()
		f, err := durable.Open(candidate)
		if err != nil {
			continue
		}
		n, err := io.CopyN(h, f, pos.Offset)
		f.Close()
		if err != nil || n != pos.Offset || hex.EncodeToString(h.Sum(nil))[:len(pos.Prefix)] != pos.Prefix {
			continue
		}
		state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
		return candidate, state, err
	}
	return "", nil, fmt.Errorf("%s no longer holds it", path)
}
