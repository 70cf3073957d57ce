package transcript

import (
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"fmt"
	"io"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/checkpoint/chunk"
	"entire/checkpoint/shadow"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// RestoreConversationAt sets the stored conversation back to the one that a step holds.
func RestoreConversationAt(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, st step.Step) error {
	if st.Info.Transcript.Prefix == "" {
		return nil // the step has no position; the next event reads on
	}
	rd := s.Repo.Reader(ctx)
	dir, ok, err := rd.Path(st.Tree, shadow.SessionDir(o.ID))
	if err != nil || !ok {
		return err
	}
	folder, err := rd.Tree(dir.OID)
	if err != nil {
		return err
	}
	if doc, err := documentAt(ctx, s, o, folder); err != nil || doc != nil {
		if doc != nil {
			ReplaceWith(&o.Engine.Capture, *doc)
			o.Engine.Chunks = max(o.Engine.Chunks, len(doc.Log.Entries()))
			ClampCondensed(o)
		}
		return err
	}
	conversation := conversation.NewConversation(o.State.AgentType).In(o.Engine.Capture.Folder)
	read := func(oid git.OID) ([]byte, error) { return rd.Blob(oid) }
	log, err := chunk.RestoreLog(func(oid git.OID) ([]byte, error) {
		data, err := read(oid)
		if err == nil {
			eachLine(data, conversation.AddLine)
		}
		return data, err
	}, folder)
	if err != nil {
		return err
	}
	ReplaceWith(&o.Engine.Capture, sessionstate.TranscriptState{Path: o.State.TranscriptPath, Offset: st.Info.Transcript.Offset, Log: *log, Conversation: conversation})
	o.Engine.Chunks = max(o.Engine.Chunks, len(log.Entries()))
	ClampCondensed(o)
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

// CutTranscript cuts the agent's own file to where it ended when the step was made. The whole
// file is kept next to it, so that a rewind forward can restore the rest. It returns warnings
// for the user.
func CutTranscript(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, pos shadow.TranscriptPosition) []string {
	path := o.State.TranscriptPath
	if path == "" || pos.Prefix == "" {
		return nil
	}
	c := &o.Engine.Capture
	if why := WhyNoCut(o.State.AgentType); why != "" {
		if pos.Offset >= c.Offset {
			return nil // there is nothing to cut
		}
		return []string{why}
	}
	if c.DocumentIDs != nil {
		return cutDocument(ctx, s, o, pos)
	}
	from, state, err := findTranscript(path, pos)
	if err != nil {
		c.EdgeDigest = "" // so that the next event reads the file again
		return []string{fmt.Sprintf("the conversation was not taken back: %v", err)}
	}
	if err := MoveTranscript(ctx, s, o, func() error { return ReplaceWithPrefix(path, from, pos.Offset) }); err != nil {
		c.EdgeDigest = ""
		return []string{fmt.Sprintf("the conversation was not taken back: %v", err)}
	}
	c.RawHash = state
	if f, err := durable.Open(path); err == nil {
		defer f.Close()
		c.EdgeDigest, _ = agent.EdgeDigest(f, c.Offset)
	}
	return nil
}

// WhyNoCut returns a sentence that says why a rewind leaves the conversation of such an agent as it is; "" if
// a rewind takes it back.
func WhyNoCut(t agent.AgentType) string {
	why := agents.For(t).Profile().NoCut
	if why == "" {
		return ""
	}
	return "the conversation is not taken back: " + why
}

// findTranscript finds a file that begins with the bytes that a step saw: the agent's own, or
// one that an earlier rewind kept. state is the state of the digest after these bytes.
func findTranscript(path string, pos shadow.TranscriptPosition) (from string, state []byte, err error) {
	candidates, err := TranscriptAndKept(path)
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
