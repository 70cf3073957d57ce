package transcript

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"entire/checkpoint/chunk"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/checkpoint/shadow"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/sessionstate"
)

const (
	// batchBytes of redacted text are packed into chunks at a time.
	batchBytes = 1 << 20
	// flushBytes of a backlog are stored durably at a time, so that a hook that is killed in a long
	// transcript continues where it was.
	flushBytes = 16 << 20
)

// ReplaceWith replaces c after a rewind or before the transcript is read again. It keeps the
// recorded calls and tokens: a turn that was rewound did happen, and an undo restores what it wrote.
func ReplaceWith(c *sessionstate.TranscriptState, now sessionstate.TranscriptState) {
	now.Calls, now.ActivityLog, now.TurnStart, now.TurnPrompt, now.Told, now.Folder = c.Calls, c.ActivityLog, c.TurnStart, c.TurnPrompt, c.Told, c.Folder
	SkipRead(&now.ActivityLog, now.Conversation)
	*c = now
}

// Position returns the trailer by which a rewind finds this position in the raw file.
func Position(c *sessionstate.TranscriptState) shadow.TranscriptPosition {
	if c.DocumentSum != "" {
		return shadow.TranscriptPosition{Offset: c.Offset, Prefix: c.DocumentSum[:16]}
	}
	h, err := rawHash(c.RawHash)
	if err != nil || c.Offset == 0 || len(c.RawHash) == 0 {
		return shadow.TranscriptPosition{}
	}
	return shadow.TranscriptPosition{Offset: c.Offset, Prefix: hex.EncodeToString(h.Sum(nil))[:16]}
}

// IngestTranscript reads what the agent has written since the last call, up to the last complete line. A
// missing or empty transcript changes nothing; one whose beginning changed is read from its
// start. It calls saved between batches to save the progress. If the context reading ends first,
// what was read is stored and the error is ErrDeadline.
func IngestTranscript(s *sessionstate.Env, ctx, reading context.Context, c *sessionstate.TranscriptState, kind agent.AgentType, path string, saved func() error) error {
	if path == "" {
		return nil
	}
	f, err := durable.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrTranscript, err)
	}
	defer f.Close()
	if fi, err := f.Stat(); err == nil && fi.Size() == 0 {
		return nil
	}
	if agents.CountsMessages(kind) && document.Begins(f) {
		return advanceDocument(s, kind, ctx, reading, c, f, path)
	}
	if c.Conversation == nil || c.DocumentSum != "" || c.Conversation.Agent != kind || !stillMatches(c, f) || !tailExists(ctx, s, c) {
		counted := c.ActivityLog
		ReplaceWith(c, sessionstate.TranscriptState{Conversation: conversation.NewConversation(kind)})
		c.ActivityLog = counted
	}
	c.Path, c.Conversation.Folder = path, c.Folder
	if _, err := f.Seek(c.Offset, io.SeekStart); err != nil {
		return fmt.Errorf("read transcript: %w", err)
	}
	raw, err := rawHash(c.RawHash)
	if err != nil {
		return err
	}
	in := &ingester{s: s, ctx: ctx, readCtx: reading, startOffset: c.Offset, c: c, raw: raw, save: saved}
	_, unread := agent.Lines(f, in.addLine)
	if err := in.finish(); err != nil {
		return fmt.Errorf("store transcript: %w", err)
	}
	if unread != nil {
		unread = fmt.Errorf("%w: %s: %w", ErrTranscript, path, unread)
	}
	if u, known := usageBeside(kind, path); known {
		c.Conversation.SetTotal(u)
	}
	if !c.Told.Sum.IsZero() {
		c.Conversation.SetTotal(c.Told.Sum)
	}
	c.EdgeDigest, err = agent.EdgeDigest(f, c.Offset)
	return errors.Join(err, unread)
}

// maxUsageFile bounds the file that has a session's tokens, in bytes.
const maxUsageFile = 1 << 20

// usageBeside returns what a session has used, for an agent that keeps that beside the transcript.
func usageBeside(kind agent.AgentType, path string) (agent.TokenUsage, bool) {
	keeper := agents.UsageKeeper(kind)
	if keeper == nil {
		return agent.TokenUsage{}, false
	}
	data, err := durable.Read(keeper.UsageFile(path), maxUsageFile)
	if err != nil {
		return agent.TokenUsage{}, false
	}
	return keeper.Usage(data)
}

// ErrTranscript is returned by advance if the agent's file could not be read to its end. What
// was read before is stored.
var ErrTranscript = errors.New("transcript not readable")

// stillMatches reports whether f still begins with what was read.
func stillMatches(c *sessionstate.TranscriptState, f *os.File) bool {
	if c.Offset == 0 {
		return true
	}
	got, err := agent.EdgeDigest(f, c.Offset)
	return err == nil && got == c.EdgeDigest
}

// tailExists reports whether the repository still has the stored tail, to which the next lines
// are added.
func tailExists(ctx context.Context, s *sessionstate.Env, c *sessionstate.TranscriptState) bool {
	if c.Log.Tail.Size == 0 {
		return true
	}
	_, err := s.Repo.Reader(ctx).Blob(c.Log.Tail.OID)
	return err == nil
}

func rawHash(state []byte) (h interface {
	io.Writer
	Sum([]byte) []byte
}, err error) {
	sum := sha256.New()
	if len(state) > 0 {
		if err := sum.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
			return nil, fmt.Errorf("resume transcript digest: %w", err)
		}
	}
	return sum, nil
}

// ingester redacts, parses and packs lines.
type ingester struct {
	s              *sessionstate.Env
	ctx            context.Context
	readCtx        context.Context // no more lines are read after its end
	startOffset    int64           // offset where this reading began
	c              *sessionstate.TranscriptState
	raw            interface{ io.Writer }
	save           func() error
	batch          bytes.Buffer
	batchRawBytes  int64 // raw bytes in batch
	bytesSinceSave int64
}

// writer returns where the transcript's chunks are stored.
func (in *ingester) writer() chunk.ObjectWriter { return in.s.Repo.Conversation(in.c.Path) }

// addLine takes one line: redacted, read for what it says, and added to the batch, which is packed when it
// is full.
func (in *ingester) addLine(line []byte) error {
	clean, err := in.redactLine(line)
	if err != nil {
		return err
	}
	in.raw.Write(line)
	in.raw.Write([]byte{'\n'})
	in.c.TurnStart.LocateStart(in.c.Offset+in.batchRawBytes, in.c.Conversation, in.c.TurnPrompt)
	l := conversation.ReadLine(in.c.Conversation.Agent, clean)
	in.c.Conversation.Add(l)
	noteCallsIn(in.c, l)
	if in.c.TurnStart != nil && in.c.TurnStart.TranscriptSize > 0 && in.c.Conversation.PromptCount() <= in.c.TurnStart.ConversationMark.Prompts {
		assignTurnBefore(in.c)
	}
	in.batch.Write(clean)
	in.batch.WriteByte('\n')
	in.batchRawBytes += int64(len(line)) + 1
	if in.batch.Len() < batchBytes {
		return nil
	}
	if err := in.ctx.Err(); err != nil {
		return err
	}
	if err := in.pack(); err != nil {
		return err
	}
	if in.bytesSinceSave < flushBytes || in.save == nil {
		return nil
	}
	in.bytesSinceSave = 0
	if err := in.c.Log.Flush(in.writer()); err != nil {
		return err
	}
	if err := in.recordHash(); err != nil {
		return err
	}
	return in.save()
}

// pack moves the batch into the stored log.
func (in *ingester) pack() error {
	if in.batch.Len() == 0 {
		return nil
	}
	read := func(oid git.OID) ([]byte, error) { return in.s.Repo.Reader(in.ctx).Blob(oid) }
	if err := in.c.Log.Grow(in.writer(), read, in.batch.Bytes()); err != nil {
		return err
	}
	in.c.Offset += in.batchRawBytes
	in.bytesSinceSave += in.batchRawBytes
	in.batchRawBytes = 0
	in.batch.Reset()
	return nil
}

// recordHash records the digest of everything packed.
func (in *ingester) recordHash() (err error) {
	in.c.RawHash, err = in.raw.(encoding.BinaryMarshaler).MarshalBinary()
	return err
}

func (in *ingester) finish() error {
	if err := in.pack(); err != nil {
		return err
	}
	in.c.TurnStart.LocateStartAtEnd(in.c.Offset, in.c.Conversation, in.c.TurnPrompt)
	if err := in.c.Log.Flush(in.writer()); err != nil {
		return err
	}
	return in.recordHash()
}

// KeepBacklog returns a function that saves the progress in a long transcript: a ref of its own
// makes the chunks reachable before the state names them.
func KeepBacklog(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) func() error {
	return func() error {
		tree, err := s.Repo.Writer().Tree(o.Engine.Capture.Log.Entries())
		if err != nil {
			return err
		}
		ref := backlogRef(o)
		old, _, err := s.Repo.Ref(ctx, ref)
		if err != nil {
			return err
		}
		if err := s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: ref, New: tree, Old: old}}); err != nil {
			return err
		}
		f, err := durable.Open(o.Engine.Capture.Path)
		if err != nil {
			return err
		}
		defer f.Close()
		if o.Engine.Capture.EdgeDigest, err = agent.EdgeDigest(f, o.Engine.Capture.Offset); err != nil {
			return err
		}
		o.Engine.HasBacklog = true
		return s.Store.SaveSide(o.ID, sessionstate.EngineStateName, &o.Engine)
	}
}

func backlogRef(o *sessionstate.LockedSession) string { return "refs/entire/backlog/" + o.ID.String() }

// RemoveBacklog returns the deletion of the backlog's ref, to be done in the transaction that
// makes its chunks reachable from another ref.
func RemoveBacklog(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) ([]git.RefUpdate, error) {
	if !o.Engine.HasBacklog {
		return nil, nil
	}
	oid, ok, err := s.Repo.Ref(ctx, backlogRef(o))
	if err != nil || !ok {
		return nil, err
	}
	return []git.RefUpdate{{Name: backlogRef(o), Old: oid}}, nil
}
