package facts

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"entire/agent/conversation"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/statuslib"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
)

// A Live says what runs here, and whether it is captured.
type Live struct {
	Status *statuslib.Status
	Last   map[string]Doing // by session: what it did last
}

// Doing is what an agent did last, as its own transcript shows it.
type Doing struct {
	At     time.Time
	Words  string // a call, or what it said
	Prompt string // the last one
}

// Live reads the status, and the ends of the transcripts of the sessions in this worktree.
func (s *Source) Live(ctx context.Context) (Live, error) {
	status, err := statuslib.Read(ctx, s.env)
	if err != nil {
		return Live{}, err
	}
	out := Live{Status: status, Last: map[string]Doing{}}
	err = s.opened(ctx, func(wp *workplace.Workplace) error {
		for _, a := range status.Sessions {
			sid, err := id.ParseSessionID(a.ID)
			if err != nil {
				continue
			}
			st, err := wp.Store.Load(ctx, sid)
			if err != nil || st.TranscriptPath == "" {
				continue
			}
			if tail, err := endOf(st.TranscriptPath); err == nil {
				out.Last[a.ID] = doing(conversation.Passages(st.AgentType, tail))
			}
		}
		return nil
	})
	return out, err
}

// tailMax is how much of the end of a transcript is read.
const tailMax = 256 << 10

// endOf returns the last whole lines of a file.
func endOf(path string) ([]byte, error) {
	f, err := durable.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(info.Size()-tailMax, 0)
	data, err := io.ReadAll(io.LimitReader(io.NewSectionReader(f, from, tailMax), tailMax))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if from > 0 {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	return data, nil
}

// doing returns what the last passages say.
func doing(passages []conversation.Passage) (d Doing) {
	for i := len(passages) - 1; i >= 0; i-- {
		p := passages[i]
		switch {
		case d.Words == "" && p.Kind == conversation.CallPassage:
			d.Words, d.At = sessionlib.CallLine(p.Call), p.Time
		case d.Words == "" && p.Kind == conversation.TextPassage:
			d.Words, d.At = cliui.ShortLine(p.Text, cliui.PromptRunes*4), p.Time
		case p.Kind == conversation.PromptPassage && p.Chain == "":
			d.Prompt = cliui.ShortLine(p.Text, cliui.PromptRunes*4)
			return d
		}
	}
	return d
}

// Alarm returns why work is not captured here, "" if nothing is wrong.
func (l Live) Alarm(now time.Time) string {
	for _, a := range l.Status.Standings {
		if a.Alarm != nil {
			return fmt.Sprintf("%s worked here %s, and nothing was captured: %s", a.Agent, cliui.Ago(now.Sub(a.Alarm.Worked)), a.Alarm.Why)
		}
	}
	switch st := l.Status; {
	case !st.SetUp:
		return "Entire is not set up here: `entire enable`"
	case !st.Enabled:
		return "Entire is disabled here: `entire enable`"
	case len(st.Problems) > 0:
		p := st.Problems[0]
		if p.Subject != "" {
			return p.Subject + ": " + p.Why
		}
		return p.Why
	}
	return ""
}
