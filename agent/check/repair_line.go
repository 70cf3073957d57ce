package check

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"

	"entire/agent"
)

// FreshUUID returns the UUID of the result for a call; it is always the same for the same
// call.
func (g *Graph) FreshUUID(record, callID string) string {
	for k := 0; ; k++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "entire repair %d\x00%s\x00%s", k, record, callID))
		sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // version 8: defined by this program
		uuid := fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
		if _, taken := g.byUUID[uuid]; !taken {
			return uuid
		}
	}
}

// repairWriter writes a transcript with the changes of a plan.
type repairWriter struct {
	plan
	linker agent.Linker
	out    io.Writer
	n      int
	calls  map[int][]byte // lines with calls
	done   Repairs
}

func (m *repairWriter) line(line []byte) error {
	m.n++
	bad, isBad := m.bad[m.n]
	if isBad {
		m.aside(bad, line)
		if bad.good == 0 {
			return nil
		}
		line = line[bad.good:]
	}
	if parent, relinked := m.parents[m.n]; relinked {
		line = m.linker.SetParent(line, parent)
		m.done.Relinked++
	}
	if m.keep[m.n] {
		m.calls[m.n] = bytes.Clone(line)
	}
	if err := writeLine(m.out, line); err != nil {
		return err
	}
	for _, s := range m.insert[m.n] {
		m.done.Results++
		if err := writeLine(m.out, m.linker.Failure(m.calls[s.of], agent.Failure{CallID: s.callID, Text: MissingResult, ID: s.uuid, Parent: s.parent})); err != nil {
			return err
		}
	}
	return nil
}

func writeLine(out io.Writer, line []byte) error {
	if _, err := out.Write(line); err != nil {
		return err
	}
	_, err := out.Write([]byte("\n"))
	return err
}

func (m *repairWriter) aside(bad badLine, line []byte) {
	switch {
	case bad.kind == ProblemDuplicate:
		m.done.Duplicates++
	case bad.good > 0:
		m.done.Salvaged++
		line = line[:bad.good]
	default:
		m.done.Torn++
	}
	m.done.Aside = append(m.done.Aside, Aside{m.n, bad.kind, bytes.Clone(line)})
}

// MissingResult is the text of a result that was never written.
const MissingResult = "Interrupted: no result of this tool call was recorded."
