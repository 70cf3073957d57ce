package claude

import (
	"errors"
	"testing"

	"entire/agent"
)

// TestStatusLine adds our status line to settings and removes it again, byte for byte; another
// program's stays.
func TestStatusLine(t *testing.T) {
	t.Parallel()
	const command = "entire statusline --stdin"
	var a Adapter
	for name, src := range map[string]string{
		"empty object": "{}", "spaced": "{ }\n", "one line": `{"model":"opus"}`, "blank": "  \n",
		"indented": "{\n\t\"model\": \"opus\",\n\t\"hooks\": {}\n}\n", "windows": "{\r\n  \"a\": 1\r\n}\r\n",
		"our hooks": `{"hooks":{"Stop":[{"matcher":"","hooks":[{"type":"command","command":"entire hooks claude-code stop"}]}]}}`,
	} {
		with, n, err := a.AddStatusLine([]byte(src), command)
		if err != nil || n != 1 {
			t.Fatalf("%s: %d, %v", name, n, err)
		}
		if again, n, err := a.AddStatusLine(with, command); err != nil || n != 0 || string(again) != string(with) {
			t.Errorf("%s, again: %d, %v\n%s", name, n, err, again)
		}
		if back, n, err := a.DropStatusLine(with, command); err != nil || n != 1 || string(back) != src {
			t.Errorf("%s: removed %d, %v\n%q", name, n, err, back)
		}
	}
	with, _, err := a.AddStatusLine(nil, command)
	if err != nil {
		t.Fatal(err)
	}
	if back, n, err := a.DropStatusLine(with, command); err != nil || n != 1 || back != nil {
		t.Errorf("a file of ours: %d, %v, %q", n, err, back)
	}
	foreign := `{"statusLine": {"type": "command", "command": "~/mine.sh"}}`
	if _, _, err := a.AddStatusLine([]byte(foreign), command); !errors.Is(err, agent.ErrForeignStatusLine) {
		t.Errorf("another status line: %v", err)
	}
	if out, n, err := a.DropStatusLine([]byte(foreign), command); err != nil || n != 0 || string(out) != foreign {
		t.Errorf("another status line: removed %d, %v", n, err)
	}
	if _, _, err := a.AddStatusLine([]byte(`{"a": `), command); err == nil {
		t.Error("torn settings are no error")
	}
}
