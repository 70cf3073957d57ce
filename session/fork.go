package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"entire/id"

	"github.com/tidwall/gjson"
)

// ForkContext is [Store.Fork] with a context.
func (s *Store) ForkContext(ctx context.Context, sourceID, newID string) (*Session, error) {
	return s.ForkAt(ctx, sourceID, newID, "")
}

// ForkAt makes the session newID, which goes on after the message messageUUID of
// sourceID, or after its last if that is "". The messages up to there are shared,
// not copied: neither session sees what is appended to the other, and either can
// be deleted. The agent's own stream is shared as far as it is known to belong
// to those messages: up to the record that the message is from.
func (s *Store) ForkAt(ctx context.Context, sourceID, newID, messageUUID string) (*Session, error) {
	err := s.settle(ctx)
	if err == nil {
		err = s.fork(ctx, sourceID, newID, messageUUID)
	}
	if err != nil {
		return nil, fmt.Errorf("fork session %.100s: %w", sourceID, err)
	}
	return s.LoadContext(ctx, newID)
}

// fork holds the source's lock: an append that fails is taken back under it, so
// what is shared stays.
func (s *Store) fork(ctx context.Context, sourceID, newID, at string) error {
	target, err := id.ParseSessionID(newID)
	if err != nil {
		return err
	}
	sid, dir, l, err := s.lock(sourceID)
	if err != nil {
		return err
	}
	defer l.Release()
	meta, cut, err := forkPoint(ctx, sid, dir, at)
	if err != nil {
		return err
	}
	meta.ID, meta.ParentID, meta.ForkPoint = target.String(), sid.String(), meta.LastMessage
	meta.CreatedAt = s.now().UTC()
	meta.UpdatedAt = meta.CreatedAt
	meta.ExitReason, meta.EndedAt, meta.counted = "", nil, 0
	return s.build(target, func(child string) error {
		if err := cut.share(dir, child); err != nil {
			return err
		}
		return writeMetadata(child, meta, !s.noSync)
	})
}

// A cut is what a fork shares.
type cut struct {
	messages, transcript []part
	whole                bool // all of the session
	checkpoints          []string
}

// forkPoint returns the metadata of a session as it was after a message, and
// what there was until then.
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

// atEnd cuts off ends of lines that are not there yet.
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

// lastEnd is where the last complete line of a part ends.
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

// after cuts everything after a message, and counts anew for meta. Of the files'
// checkpoints those stay that are named after a message that does.
func (c *cut) after(ctx context.Context, at string, meta *SessionMetadata) error {
	var t tally
	var last said
	var checkpoints []string
	for m, err := range upTo(eachSaid(ctx, c.messages, 0), at) {
		if err != nil && !isBad(err) {
			return err
		}
		last = m
		if err != nil {
			continue
		}
		t.add(&m.Message)
		if slices.Contains(c.checkpoints, m.UUID) {
			checkpoints = append(checkpoints, m.UUID)
		}
	}
	c.messages, c.checkpoints = upToPart(c.messages, last.part, last.end), checkpoints
	meta.MessageCount, meta.TotalTokens, meta.Usage, meta.TotalCostUSD = 0, 0, nil, 0
	meta.TurnCount = t.prompts
	t.into(meta)
	return c.cutTranscript(ctx, at)
}

func upToPart(list []part, n int, end int64) []part {
	list = slices.Clone(list[:n+1])
	list[n].bytes = end
	return list
}

// cutTranscript cuts the agent's stream after the record that a message is from.
// Where no record has its name nothing is shared.
func (c *cut) cutTranscript(ctx context.Context, at string) error {
	record, _, _ := strings.Cut(at, "#")
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

// share fills a fork's folder. The messages are named one after the other, so a
// fork of a fork needs none of the folders before it.
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
		if err := shareFile(p.path, filepath.Join(child, name), p.bytes); err != nil {
			return nil, err
		}
		out = append(out, basePart{File: name, Bytes: p.bytes})
	}
	return out, nil
}
