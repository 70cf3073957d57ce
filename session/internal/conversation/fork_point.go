package conversation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/tidwall/gjson"

	"entire/agent/conversation"
	"entire/id"
	"entire/session/internal/layout"
	"entire/session/internal/log"
)

// A Cut is the part of a session that a fork shares.
type Cut struct {
	messages, Transcript []log.Part
	whole                bool // the fork shares the whole session
	checkpoints          []string
}

// ForkPoint returns the metadata of a session as it was after the message at, and the logs up
// to there. An at of "" is the session's end.
func ForkPoint(ctx context.Context, sid id.SessionID, dir, at string) (SessionMetadata, Cut, error) {
	meta, _, err := ReadMetadata(dir, sid)
	if err == nil {
		err = UpdateCounts(ctx, dir, &meta, nil)
	}
	if err != nil {
		return meta, Cut{}, err
	}
	c := Cut{whole: at == ""}
	if c.messages, err = log.Parts(dir, log.MessageStream); err != nil {
		return meta, Cut{}, err
	}
	if c.Transcript, err = log.Parts(dir, log.TranscriptStream); err != nil {
		return meta, Cut{}, err
	}
	if c.checkpoints, err = layout.CheckpointNames(dir); err != nil {
		return meta, Cut{}, err
	}
	if c.whole {
		err = c.atEnd()
	} else {
		err = c.after(ctx, at, &meta)
	}
	return meta, c, err
}

// atEnd cuts off incomplete last lines.
func (c *Cut) atEnd() error {
	for _, list := range [][]log.Part{c.messages, c.Transcript} {
		if len(list) == 0 {
			continue
		}
		last := &list[len(list)-1]
		end, err := lastEnd(*last)
		if err != nil {
			return err
		}
		last.Bytes = end
	}
	return nil
}

// lastEnd returns where the last complete line of a part ends.
func lastEnd(p log.Part) (int64, error) {
	f, err := p.Open()
	if err != nil {
		return 0, err
	}
	defer f.Close()
	whole, err := log.NewTailReader(f, p.Bytes)
	if err != nil {
		return 0, err
	}
	return whole.At + int64(len(whole.Buf)), nil
}

// after cuts off everything after a message and counts the rest again for meta. It keeps all
// file checkpoints, because a later one may hold a file's state that no earlier one has.
func (c *Cut) after(ctx context.Context, at string, meta *SessionMetadata) error {
	var t Tally
	var last storedMessage
	for m, err := range UpToMessage(EachMessage(ctx, c.messages, 0), at) {
		if err != nil && !IsBadLine(err) {
			return err
		}
		last = m
		if err != nil {
			continue
		}
		t.Add(&m.Message)
	}
	c.messages = cutAfter(c.messages, last.Part, last.End)
	if t.rewinds > 0 {
		v, err := ViewOf(ctx, c.messages, -1, true, MessageRecord)
		if err != nil {
			return err
		}
		if t, _, err = tallyLines(ctx, c.messages, v, 0); err != nil {
			return err
		}
	}
	meta.MessageCount, meta.TotalTokens, meta.Usage, meta.TotalCostUSD, meta.Rewinds = 0, 0, nil, 0, 0
	meta.TurnCount = t.Prompts
	t.AddTo(meta)
	return c.CutTranscript(ctx, at)
}

func cutAfter(list []log.Part, n int, end int64) []log.Part {
	list = slices.Clone(list[:n+1])
	list[n].Bytes = end
	return list
}

// CutTranscript cuts the agent's stream after the record that the message came from. If no
// record has its ID, the fork shares nothing of the stream.
func (c *Cut) CutTranscript(ctx context.Context, at string) error {
	record := conversation.RecordUUID(at)
	for line, err := range EachLine(ctx, c.Transcript, 0) {
		if err != nil {
			return err
		}
		if !bytes.Contains(line.Data, []byte(record)) {
			continue
		}
		object := gjson.ParseBytes(line.Data)
		if object.Get("uuid").Str == record || object.Get("id").Str == record {
			c.Transcript = cutAfter(c.Transcript, line.Part, line.End)
			return nil
		}
	}
	c.Transcript = nil
	return nil
}

// Share fills a fork's folder. It names the shared files one after the other, so that a fork of
// a fork needs none of the folders before it.
func (c *Cut) Share(from, child string) error {
	var b log.BaseFile
	var err error
	if b.Messages, err = shareParts(child, c.messages, log.MessageStream); err != nil {
		return err
	}
	if b.Transcript, err = shareParts(child, c.Transcript, log.TranscriptStream); err != nil {
		return err
	}
	if c.whole {
		err = layout.ShareFile(filepath.Join(from, layout.DocumentName), filepath.Join(child, layout.DocumentName), layout.WholeFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := layout.ShareCheckpoints(from, child, c.checkpoints); err != nil {
		return err
	}
	return layout.WriteJSON(filepath.Join(child, layout.BaseName), b)
}

func shareParts(child string, list []log.Part, of log.Stream) ([]log.BasePart, error) {
	out := []log.BasePart{}
	for _, p := range list {
		if p.Bytes == 0 {
			continue
		}
		name := fmt.Sprintf(of.Base, len(out))
		if err := log.ShareLog(p.Path, filepath.Join(child, name), p.Bytes); err != nil {
			return nil, err
		}
		out = append(out, log.BasePart{File: name, Bytes: p.Bytes})
	}
	return out, nil
}
