package epoch

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"entire/internal/git"
)

// Manifest is the manifest of one month. Its parts are read when they are needed.
type Manifest struct {
	Month  Month
	Commit git.OID // of the manifest
	fan    int
	shards map[string]git.OID
	meta   git.OID
}

// Meta is what a manifest says about the whole month.
type Meta struct {
	Count  int
	Bodies git.OID // the commit of the month's checkpoints
	Again  int     // how often the month was unsealed before
}

// Open reads which shards a month's manifest has.
func Open(rd *git.Reader, month Month, commit git.OID) (*Manifest, error) {
	c, err := rd.Commit(commit)
	if err != nil {
		return nil, err
	}
	entries, err := rd.Tree(c.Tree)
	if err != nil {
		return nil, err
	}
	m := &Manifest{Month: month, Commit: commit, shards: map[string]git.OID{}}
	for _, e := range entries {
		switch {
		case e.Name == metaName:
			m.meta = e.OID
		case e.Name == wholeShard || len(e.Name) == 1 || len(e.Name) == 2:
			m.shards[e.Name] = e.OID
			if e.Name != wholeShard {
				m.fan = len(e.Name)
			}
		}
	}
	if m.meta.IsZero() || len(m.shards) == 0 {
		return nil, fmt.Errorf("it is no manifest that this version can read")
	}
	return m, nil
}

// Meta reads what the manifest says about the month.
func (m *Manifest) Meta(rd *git.Reader) (Meta, error) {
	text, err := rd.RawBlob(m.meta)
	if err != nil {
		return Meta{}, fmt.Errorf("read the manifest of %s: %w", m.Month, err)
	}
	meta, err := m.parseMeta(string(text))
	if err != nil {
		return Meta{}, fmt.Errorf("read the manifest of %s: %w", m.Month, err)
	}
	return meta, nil
}

// encodeMeta is the only text that says what an epoch is.
func encodeMeta(m Month, count, fan int, bodies git.OID, again int) string {
	text := fmt.Sprintf("entire-epoch 1\nmonth %s\ncheckpoints %d\nfan %d\nbodies %s\n", m, count, fan, bodies)
	if again > 0 {
		text += fmt.Sprintf("again %d\n", again)
	}
	return text
}

func (m *Manifest) parseMeta(text string) (meta Meta, err error) {
	fields := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		fields[name] = value
	}
	switch {
	case fields["entire-epoch"] != "1":
		return meta, fmt.Errorf("its version is not 1")
	case fields["month"] != string(m.Month):
		return meta, fmt.Errorf("it is of another month")
	}
	if meta.Count, err = strconv.Atoi(fields["checkpoints"]); err != nil || meta.Count < 0 {
		return meta, fmt.Errorf("it has no number of checkpoints")
	}
	if meta.Bodies, err = git.ParseOID(fields["bodies"]); err != nil || meta.Bodies.IsZero() {
		return meta, fmt.Errorf("it names no bodies")
	}
	if text := fields["again"]; text != "" {
		if meta.Again, err = strconv.Atoi(text); err != nil || meta.Again < 0 {
			return meta, fmt.Errorf("it does not say how often it was unsealed")
		}
	}
	return meta, nil
}

// A shard of a manifest begins with the name of its page; then it has the IDs.
const pageLine = "page "

func encodeShard(page git.OID, rows []Row) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%s\n", pageLine, page)
	for _, r := range rows {
		b.WriteString(r.ID.String() + "\n")
	}
	return b.Bytes()
}

func parseShard(data []byte) (page git.OID, ids []byte, err error) {
	first, ids, _ := bytes.Cut(data, []byte("\n"))
	name, ok := strings.CutPrefix(string(first), pageLine)
	if page, err = git.ParseOID(name); err != nil || !ok {
		return page, nil, fmt.Errorf("a shard does not begin with its page")
	}
	return page, ids, nil
}

// shard reads a shard by its name; one that the manifest does not have is empty.
func (m *Manifest) shard(rd *git.Reader, name string) (page git.OID, ids []byte, err error) {
	oid, ok := m.shards[name]
	if !ok {
		return page, nil, nil
	}
	return m.readShard(rd, oid)
}

func (m *Manifest) readShard(rd *git.Reader, oid git.OID) (page git.OID, ids []byte, err error) {
	data, err := rd.RawBlob(oid)
	if err == nil {
		page, ids, err = parseShard(data)
	}
	if err != nil {
		return page, nil, fmt.Errorf("read the manifest of %s: %w", m.Month, err)
	}
	return page, ids, nil
}
