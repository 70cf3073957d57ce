package conversation_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"entire/agent"
	"entire/agent/conversation"
)

func TestLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 12<<20)
	for name, row := range map[string]struct {
		in       string
		want     []string
		consumed int
	}{
		"nothing":           {"", nil, 0},
		"torn only":         {"abc", nil, 0},
		"one":               {"abc\n", []string{"abc"}, 4},
		"torn last":         {"a\nbc\r\nde", []string{"a", "bc\r"}, 6},
		"blank":             {"\n\na\n", []string{"", "", "a"}, 4},
		"longer than 10 MB": {"a\n" + long + "\nb\nc", []string{"a", long, "b"}, len(long) + 5},
		"fills the buffer":  {long[:agent.FirstBuffer] + "\n" + long[:agent.FirstBuffer-1] + "\nx", []string{long[:agent.FirstBuffer], long[:agent.FirstBuffer-1]}, 2*agent.FirstBuffer + 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for how, r := range map[string]io.Reader{
				"whole":  strings.NewReader(row.in),
				"halves": iotest.HalfReader(strings.NewReader(row.in)),
				"eof":    iotest.DataErrReader(strings.NewReader(row.in)),
			} {
				var got []string
				n, err := agent.Lines(r, func(l []byte) error { got = append(got, string(l)); return nil })
				if err != nil || n != int64(row.consumed) || len(got) != len(row.want) {
					t.Fatalf("%s: %d lines of %d bytes, %v; want %d of %d", how, len(got), n, err, len(row.want), row.consumed)
				}
				for i := range got {
					if got[i] != row.want[i] {
						t.Fatalf("%s: line %d differs", how, i)
					}
				}
			}
		})
	}
}

func TestLinesStopsAtAnError(t *testing.T) {
	t.Parallel()
	stop := errors.New("stop")
	n, err := agent.Lines(strings.NewReader("a\nb\nc\n"), func(l []byte) error {
		if string(l) == "b" {
			return stop
		}
		return nil
	})
	if n != 2 || err != stop {
		t.Errorf("consumed %d, %v", n, err)
	}
	n, err = agent.Lines(iotest.TimeoutReader(iotest.HalfReader(strings.NewReader("a\n"+strings.Repeat("b", 2*agent.FirstBuffer)))), func([]byte) error { return nil })
	if n != 2 || !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("consumed %d, %v", n, err)
	}
}

// endless is a line that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestLinesIsBounded(t *testing.T) {
	t.Parallel()
	if n, err := agent.Lines(endless{}, func([]byte) error { return nil }); n != 0 || !errors.Is(err, agent.ErrLineTooLong) {
		t.Fatalf("consumed %d, %v", n, err)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\n\nb\r\nc"), 3)
	f.Add([]byte("\n"), 0)
	f.Fuzz(func(t *testing.T, data []byte, at int) {
		at = min(max(at, 0), len(data))
		var got []byte
		keep := func(l []byte) error { got = append(append(got, l...), '\n'); return nil }
		// A first pass sees a file that is still being written.
		n, err := agent.Lines(bytes.NewReader(data[:at]), keep)
		if err != nil {
			t.Fatal(err)
		}
		m, err := agent.Lines(iotest.OneByteReader(bytes.NewReader(data[n:])), keep)
		if err != nil {
			t.Fatal(err)
		}
		whole := data[:bytes.LastIndexByte(data, '\n')+1]
		if n+m != int64(len(whole)) || !bytes.Equal(got, whole) {
			t.Fatalf("%d and %d bytes: %q, want %q", n, m, got, whole)
		}
	})
}

func BenchmarkAddLine(b *testing.B) {
	filler := strings.Repeat(`mix test \"all\" {[`, 80)
	for name, line := range map[string]string{
		"progress":  `{"parentUuid":"7c3b16d7-e104-4b45-abc2-56cf29834863","isSidechain":false,"type":"progress","data":{"type":"bash_progress","output":"` + filler + `"},"uuid":"dd4e7d64-cb8f-47cc-8998-3585601ec2c3"}`,
		"result":    `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"` + filler + `"}]},"toolUseResult":{"stdout":"` + filler + `"},"uuid":"dd4e7d64-cb8f-47cc-8998-3585601ec2c3"}`,
		"assistant": `{"type":"assistant","message":{"id":"m","model":"x","usage":{"input_tokens":3,"output_tokens":4},"content":[{"type":"text","text":"` + filler + `"}]},"uuid":"dd4e7d64-cb8f-47cc-8998-3585601ec2c3"}`,
	} {
		b.Run(name, func(b *testing.B) {
			c, l := conversation.NewConversation(agent.AgentTypeClaudeCode), []byte(line)
			b.SetBytes(int64(len(l)))
			for b.Loop() {
				c.AddLine(l)
			}
		})
	}
}
