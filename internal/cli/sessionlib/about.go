package sessionlib

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/document"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
)

// An aboutTranscript is what a transcript says about itself.
type aboutTranscript struct {
	Agent  agent.AgentType
	ID     id.SessionID
	folder string    // the agent's working folder
	first  time.Time // when the conversation began
}

// aboutBytes bounds how much of a transcript is read to find out what it is.
const aboutBytes = 1 << 20

// ReadAbout reads what the transcript at path is; name is the name of its agent, "" to detect the
// agent.
func ReadAbout(path, name string) (aboutTranscript, error) {
	f, err := durable.Open(path)
	if err != nil {
		return aboutTranscript{}, err
	}
	defer f.Close()
	head := make([]byte, aboutBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return aboutTranscript{}, err
	}
	head = head[:n]
	about := aboutTranscript{Agent: agentOf(path, head)}
	if name != "" {
		a, ok := agents.Lookup(agent.AgentName(name))
		if !ok {
			return about, cliui.Failf("one of "+strings.Join(workplace.AgentNames(), ", "), "unknown agent: %s", name)
		}
		about.Agent = a.Type()
	}
	if about.Agent == "" {
		return about, cliui.Failf("name its agent with --agent", "%s: not a transcript of a known agent", path)
	}
	about.look(head)
	named := toldIn(about.Agent, head)
	if named == "" {
		if named, err = sessionNamed(path, io.MultiReader(bytes.NewReader(head), f)); err != nil {
			return about, err
		}
	}
	if about.ID, err = id.ParseSessionID(named); err != nil {
		return about, cliui.Failf("rename the file: its name becomes the session's ID", "%s: %w", path, err)
	}
	return about, nil
}

// toldIn returns the session's ID, if the agent's transcripts tell it in one of their first lines.
func toldIn(t agent.AgentType, head []byte) string {
	teller := agents.FormOf(t).Teller
	if teller == nil {
		return ""
	}
	for line := range bytes.Lines(head) {
		if told := teller.SessionIn(line); told != "" {
			return told
		}
	}
	return ""
}

// agentOf detects the agent of a transcript by its path, or by its beginning; "" if neither shows
// it.
func agentOf(path string, head []byte) agent.AgentType {
	if t, ok := agent.TypeByLocation(path); ok {
		return t
	}
	if a, ok := agents.Recognise(head); ok {
		return a.Type()
	}
	return ""
}

// look sets when and in which folder the conversation began.
func (about *aboutTranscript) look(head []byte) {
	if document.Is(head) {
		about.first = gjson.GetBytes(head, "startTime").Time()
		return
	}
	for line := range bytes.Lines(head) {
		if about.folder == "" {
			for _, name := range []string{"cwd", "payload.cwd"} {
				if dir := gjson.GetBytes(line, name).String(); filepath.IsAbs(dir) {
					about.folder = dir
				}
			}
		}
		if about.first.IsZero() {
			about.first = gjson.GetBytes(line, "timestamp").Time()
		}
		if about.folder != "" && !about.first.IsZero() {
			return
		}
	}
}

var errNamed = errors.New("named")

// sessionNamed returns the session's ID: the file's name if a record names it too; else the ID of
// the last record that has one; else the file's name.
func sessionNamed(path string, in io.Reader) (string, error) {
	stem, _, _ := strings.Cut(filepath.Base(path), ".")
	in, whole, err := wholeDocument(in)
	if err != nil {
		return "", err
	}
	last := gjson.GetBytes(whole, "sessionId").String()
	if whole == nil {
		_, err = agent.Lines(in, func(line []byte) error {
			if !bytes.Contains(line, []byte(`"sessionId"`)) {
				return nil
			}
			if sid := gjson.GetBytes(line, "sessionId").String(); sid != "" {
				last = sid
			}
			if last == stem {
				return errNamed
			}
			return nil
		})
		if err != nil && !errors.Is(err, errNamed) {
			return "", err
		}
	}
	if last == "" {
		last = stem
	}
	return last, nil
}

// wholeDocument reads all of in if it is one JSON document; otherwise whole is nil and rest
// has all of in.
func wholeDocument(in io.Reader) (rest io.Reader, whole []byte, err error) {
	head := make([]byte, aboutBytes)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, err
	}
	rest = io.MultiReader(bytes.NewReader(head[:n]), in)
	if !document.Is(head[:n]) {
		return rest, nil, nil
	}
	whole, err = io.ReadAll(rest)
	return nil, whole, err
}
