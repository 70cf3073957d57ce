package check

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"

	"entire/agent/internal/jsontext"
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
	out   io.Writer
	n     int
	calls map[int]callRecord // by line
	done  Repairs
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
		line = SetParent(line, parent)
		m.done.Relinked++
	}
	if m.keep[m.n] {
		m.calls[m.n] = readCallRecord(line)
	}
	if err := writeLine(m.out, line); err != nil {
		return err
	}
	for _, s := range m.insert[m.n] {
		m.done.Results++
		if err := writeLine(m.out, m.calls[s.of].result(s)); err != nil {
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

// SetParent returns a line with another parent; all other bytes stay.
func SetParent(line []byte, parent string) []byte {
	return setMembers(line, "parentUuid", ParentValue(parent))
}

func ParentValue(uuid string) string {
	if uuid == "" {
		return "null"
	}
	return jsontext.Quote(uuid)
}

// setMembers returns a line with every occurrence of a member's raw value replaced.
func setMembers(line []byte, name, value string) []byte {
	e := jsontext.Eraser{Text: line}
	jsontext.EachMember(line, func(key, old []byte) {
		if string(key) == name {
			from := cap(line) - cap(old) // a slice of line
			e.Replace(from, from+len(old), value)
		}
	})
	return e.Result()
}

// callRecord holds the members that the record of a call shares with that of its result,
// in order, raw.
type callRecord struct {
	uuid    string
	members []string
}

func readCallRecord(line []byte) callRecord {
	var c callRecord
	jsontext.EachMember(line, func(key, value []byte) {
		switch string(key) {
		case "uuid":
			c.uuid = jsontext.Unquote(value)
		case "isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "agentId", "slug", "timestamp":
			c.members = append(c.members, jsontext.Quote(string(key))+":"+string(value))
		}
	})
	return c
}

// MissingResult is the text of a result that was never written.
const MissingResult = "Interrupted: no result of this tool call was recorded."

// result returns the result as the agent writes it, as an error.
func (c callRecord) result(s synthetic) []byte {
	var b bytes.Buffer
	if s.own {
		fmt.Fprintf(&b, `{"role":"tool","content":[{"type":"tool_result","tool_use_id":%s,"content":%s,"is_error":true}]}`,
			jsontext.Quote(s.callID), jsontext.Quote(MissingResult))
		return b.Bytes()
	}
	b.WriteString(`{"parentUuid":` + ParentValue(s.parent) + ",")
	for _, m := range c.members {
		b.WriteString(m + ",")
	}
	fmt.Fprintf(&b, `"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":%s,"is_error":true,"tool_use_id":%s}]},`,
		jsontext.Quote(MissingResult), jsontext.Quote(s.callID))
	fmt.Fprintf(&b, `"uuid":%s,"toolUseResult":%s,"sourceToolAssistantUUID":%s}`,
		jsontext.Quote(s.uuid), jsontext.Quote("Error: "+MissingResult), jsontext.Quote(c.uuid))
	return b.Bytes()
}
