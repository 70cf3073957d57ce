package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"entire/agent"
	"entire/id"

	"github.com/tidwall/gjson"
)

// A cut is the part of a session that a fork shares.
type cut struct {
	messages, transcript []part
	whole                bool // the fork shares the whole session
	checkpoints          []string
}

// forkPoint returns the metadata of a session as it was after the message at, and the logs up
// to there. An at of "" is the session's end.
func forkPoint(ctx context.Context, sid id.SessionID, dir, at string) (SessionMetadata, cut, error) {
	meta, _, err := readMetadata(dir, sid)
	if err == nil {
		err = catchUp(ctx, dir, &meta, nil)
	}
	if err != nil {
		return meta, cut{}, err
	}
	c := cut{whole: at == ""}
	if c.messages, err = parts(dir, messageStream); err != nil {
		return meta, cut{}, err
	}
	if c.transcript, err = parts(dir, transcriptStream); err != nil {
		return meta, cut{}, err
	}
	if c.checkpoints, err = checkpointNames(dir); err != nil {
		return meta, cut{}, err
	}
	if c.whole {
		err = c.atEnd()
	} else {
		err = c.after(ctx, at, &meta)
	}
	return meta, c, err
}

// atEnd cuts off incomplete last lines.
func (c *cut) atEnd() error {
	for _, list := range [][]part{c.messages, c.transcript} {
		if len(list) == 0 {
			continue
		}
		last := &list[len(list)-1]
		end, err := lastEnd(*last)
		if err != nil {
			return err
		}
		last.bytes = end
	}
	return nil
}

// lastEnd returns where the last complete line of a part ends.
func lastEnd(p part) (int64, error) {
	f, err := p.open()
	if err != nil {
		return 0, err
	}
	defer f.Close()
	whole, err := newTailReader(f, p.bytes)
	if err != nil {
		return 0, err
	}
	return whole.at + int64(len(whole.buf)), nil
}

// after cuts off everything after a message and counts the rest again for meta. It keeps all
// file checkpoints, because a later one may hold a file's state that no earlier one has.
func (c *cut) after(ctx context.Context, at string, meta *SessionMetadata) error {
	var t tally
	var last said
	for m, err := range upTo(eachSaid(ctx, c.messages, 0), at) {
		if err != nil && !isBad(err) {
			return err
		}
		last = m
		if err != nil {
			continue
		}
		t.add(&m.Message)
	}
	c.messages = upToPart(c.messages, last.part, last.end)
	if t.rewinds > 0 {
		v, err := viewOf(ctx, c.messages, -1, true, messageRecord)
		if err != nil {
			return err
		}
		if t, _, err = tallyLines(ctx, c.messages, v, 0); err != nil {
			return err
		}
	}
	meta.MessageCount, meta.TotalTokens, meta.Usage, meta.TotalCostUSD, meta.Rewinds = 0, 0, nil, 0, 0
	meta.TurnCount = t.prompts
	t.into(meta)
	return c.cutTranscript(ctx, at)
}

func upToPart(list []part, n int, end int64) []part {
	list = slices.Clone(list[:n+1])
	list[n].bytes = end
	return list
}

// cutTranscript cuts the agent's stream after the record that the message came from. If no
// record has its ID, the fork shares nothing of the stream.
func (c *cut) cutTranscript(ctx context.Context, at string) error {
	record := agent.RecordUUID(at)
	for line, err := range eachLine(ctx, c.transcript, 0) {
		if err != nil {
			return err
		}
		if !bytes.Contains(line.data, []byte(record)) {
			continue
		}
		object := gjson.ParseBytes(line.data)
		if object.Get("uuid").Str == record || object.Get("id").Str == record {
			c.transcript = upToPart(c.transcript, line.part, line.end)
			return nil
		}
	}
	c.transcript = nil
	return nil
}

// share fills a fork's folder. It names the shared files one after the other, so that a fork of
// a fork needs none of the folders before it.
func (c *cut) share(from, child string) error {
	var b baseFile
	var err error
	if b.Messages, err = shareParts(child, c.messages, messageStream); err != nil {
		return err
	}
	if b.Transcript, err = shareParts(child, c.transcript, transcriptStream); err != nil {
		return err
	}
	if c.whole {
		err = shareFile(filepath.Join(from, documentName), filepath.Join(child, documentName), wholeFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := shareCheckpoints(from, child, c.checkpoints); err != nil {
		return err
	}
	return writeJSON(filepath.Join(child, baseName), b)
}

func shareParts(child string, list []part, of stream) ([]basePart, error) {
	out := []basePart{}
	for _, p := range list {
		if p.bytes == 0 {
			continue
		}
		name := fmt.Sprintf(of.base, len(out))
		if err := shareLog(p.path, filepath.Join(child, name), p.bytes); err != nil {
			return nil, err
		}
		out = append(out, basePart{File: name, Bytes: p.bytes})
	}
	return out, nil
}
