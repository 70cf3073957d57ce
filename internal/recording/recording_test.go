//go:build linux || darwin

package recording

import (
	"bytes"
	"encoding/xml"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestRecording records a shell: what it shows, its colours, and the picture.
func TestRecording(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sh", "-c", `printf 'Who? '; read x; printf '\033[1;31mHello\033[0m, <%s> 世界\n' "$x"; read y`)
	s, err := Start(cmd, Options{Columns: 40, Rows: 5, Dark: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	frames, err := Play(s, "wait Who?\nshow 1s\ntype Eve\nkey enter\nwait Hello, <Eve>\nshow 2s\nkey enter\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ended(); err != nil {
		t.Errorf("the shell: %v", err)
	}
	if len(frames) != 2 || !strings.Contains(frames[1].Screen.Text(), "Hello, <Eve> 世界\n") || frames[1].For != 2*time.Second {
		t.Fatalf("frames: %+v", frames)
	}
	if c := frames[1].Screen.Rows[1][0]; c.Text != "H" || !c.Bold || c.Fore == nil {
		t.Errorf("the first cell is %+v", c)
	}
	var svg bytes.Buffer
	if err := (Picture{Title: "a & b", Alt: `says "hello"`, Dark: true}).Draw(&svg, frames); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(&svg)
	texts, uses := "", 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.CharData:
			texts += string(token)
		case xml.StartElement:
			if token.Name.Local == "use" {
				uses++
			}
		}
	}
	if !strings.Contains(texts, ", <Eve> 世界") || !strings.Contains(texts, "a & b") || uses < 3 {
		t.Errorf("%d rows are used; texts: %q", uses, texts)
	}
}

// TestScriptErrors names the line that is wrong.
func TestScriptErrors(t *testing.T) {
	t.Parallel()
	s, err := Start(exec.Command("cat"), Options{Columns: 20, Rows: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, script := range []string{"key nokey", "jump", "show soon"} {
		if _, err := Play(s, script); err == nil || !strings.Contains(err.Error(), script) {
			t.Errorf("%s: %v", script, err)
		}
	}
}
