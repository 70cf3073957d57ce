package resume

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"strings"
	"time"

	"entire/agent"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/git"
)

// indexHead is followed by a checksum of the rest and the entries. It changes with the form, and with what an entry
// has of a checkpoint.
const indexHead = "entire checkpoints 1\n"

var errIndex = errors.New("damaged index")

// An indexWriter appends values.
type indexWriter struct{ b []byte }

func (w *indexWriter) number(n int) { w.b = binary.AppendVarint(w.b, int64(n)) }

func (w *indexWriter) text(s string) {
	w.b = append(binary.AppendUvarint(w.b, uint64(len(s))), s...)
}

func (w *indexWriter) flag(is bool) {
	n := byte(0)
	if is {
		n = 1
	}
	w.b = append(w.b, n)
}

func (w *indexWriter) time(t time.Time) {
	data, err := t.MarshalBinary()
	if err != nil { // an offset that no file has
		data, _ = t.UTC().MarshalBinary()
	}
	w.text(string(data))
}

func encodeIndex(list []*entry) []byte {
	w := &indexWriter{b: make([]byte, len(indexHead)+4, 1<<20)}
	copy(w.b, indexHead)
	w.number(len(list))
	for _, e := range list {
		w.text(e.ID.String())
		w.text(e.Tree.String())
		w.number(len(e.parts))
		for i := range e.parts {
			w.part(&e.parts[i])
		}
		w.number(len(e.listed))
		for i := range e.listed {
			w.listed(&e.listed[i])
		}
	}
	sum := w.b[len(indexHead):]
	binary.BigEndian.PutUint32(sum, crc32.ChecksumIEEE(sum[4:]))
	return w.b
}

func (w *indexWriter) part(p *Part) {
	for _, s := range []string{p.SessionID, p.Strategy, p.ToolUseID, p.Branch, p.first, p.last, p.named} {
		w.text(s)
	}
	w.time(p.CreatedAt)
	w.flag(p.IsTask)
	w.flag(p.Files != nil)
	w.number(len(p.Files))
	for _, f := range p.Files {
		w.text(f)
	}
	summary := ""
	if p.Summary != nil {
		data, _ := json.Marshal(p.Summary)
		summary = string(data)
	}
	w.text(summary)
}

func (w *indexWriter) listed(t *listedConversation) {
	w.text(t.session)
	w.text(string(t.agent))
	w.text(t.title)
	w.text(string(t.info))
	w.time(t.written)
	w.time(t.began)
	w.flag(t.stored)
	w.number(t.messages)
}

// An indexReader reads values. After the first that is not there it reads zeros, and failed is true.
type indexReader struct {
	s      string
	failed bool
}

func (r *indexReader) number() int {
	n, used := binary.Varint([]byte(r.s[:min(len(r.s), binary.MaxVarintLen64)]))
	if used <= 0 || int64(int(n)) != n {
		r.failed, r.s = true, ""
		return 0
	}
	r.s = r.s[used:]
	return int(n)
}

func (r *indexReader) text() string {
	n, used := binary.Uvarint([]byte(r.s[:min(len(r.s), binary.MaxVarintLen64)]))
	if used <= 0 || n > uint64(len(r.s)-used) {
		r.failed, r.s = true, ""
		return ""
	}
	s := r.s[used : used+int(n)]
	r.s = r.s[used+int(n):]
	return s
}

func (r *indexReader) flag() bool {
	if r.s == "" {
		r.failed = true
		return false
	}
	is := r.s[0] != 0
	r.s = r.s[1:]
	return is
}

func (r *indexReader) time() (t time.Time) {
	if t.UnmarshalBinary([]byte(r.text())) != nil {
		r.failed = true
	}
	return t
}

// decodeIndex reads what encodeIndex made, or returns an error.
func decodeIndex(data []byte) ([]*entry, error) {
	rest, ok := strings.CutPrefix(string(data), indexHead)
	if !ok || len(rest) < 4 || binary.BigEndian.Uint32(data[len(indexHead):]) != crc32.ChecksumIEEE(data[len(indexHead)+4:]) {
		return nil, errIndex
	}
	r := &indexReader{s: rest[4:]}
	var list []*entry
	for n := r.number(); n > 0 && !r.failed; n-- {
		list = append(list, r.entry())
	}
	if r.failed || r.s != "" {
		return nil, errIndex
	}
	return list, nil
}

func (r *indexReader) entry() *entry {
	cp, err := id.NewCheckpointID(r.text())
	tree, bad := git.ParseOID(r.text())
	r.failed = r.failed || err != nil || bad != nil
	e := &entry{Version: records.Version{ID: cp, Tree: tree}, complete: true}
	for n := r.number(); n > 0 && !r.failed; n-- {
		e.parts = append(e.parts, r.part(cp))
	}
	for n := r.number(); n > 0 && !r.failed; n-- {
		e.listed = append(e.listed, r.listed())
	}
	return e
}

func (r *indexReader) part(cp id.CheckpointID) Part {
	p := Part{Checkpoint: cp}
	for _, s := range []*string{&p.SessionID, &p.Strategy, &p.ToolUseID, &p.Branch, &p.first, &p.last, &p.named} {
		*s = r.text()
	}
	p.CreatedAt, p.IsTask = r.time(), r.flag()
	if r.flag() {
		p.Files = []string{}
	}
	for n := r.number(); n > 0 && !r.failed; n-- {
		p.Files = append(p.Files, r.text())
	}
	if summary := r.text(); summary != "" {
		p.Summary = &metadata.Summary{}
		r.failed = r.failed || json.Unmarshal([]byte(summary), p.Summary) != nil
	}
	return p
}

func (r *indexReader) listed() listedConversation {
	t := listedConversation{session: r.text(), agent: agent.AgentType(r.text()), title: r.text()}
	if info := r.text(); info != "" {
		t.info = []byte(info)
	}
	t.written, t.began, t.stored, t.messages = r.time(), r.time(), r.flag(), r.number()
	return t
}
