package config

import (
	"os"
	"path/filepath"
	"testing"
)

// TestChanges: what git stored as a blob, and whether it may write something else for it.
func TestChanges(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, attributes string
		ends             LineEnds
		data, blob       string
		want             bool
	}{
		{"LF where nothing converts", "", LineEnds{}, "a\nb\n", "a\nb\n", false},
		{"LF with core.autocrlf", "", LineEnds{crlf: true, auto: true}, "a\nb\n", "a\nb\n", true},
		{"LF with eol=crlf", "*.txt eol=crlf\n", LineEnds{}, "a\n", "a\n", true},
		{"no line end", "", LineEnds{crlf: true, auto: true}, "a", "a", false},
		{"CRLF with core.autocrlf", "", LineEnds{crlf: true, auto: true}, "a\r\nb\r\n", "a\nb\n", false},
		{"CRLF with core.autocrlf and eol=lf", "*.txt eol=lf\n", LineEnds{crlf: true, auto: true}, "a\r\n", "a\n", true},
		{"CRLF with core.autocrlf=input", "", LineEnds{}, "a\r\nb\r\n", "a\nb\n", true},
		{"both line ends", "", LineEnds{crlf: true, auto: true}, "a\r\nb\n", "a\nb\n", true},
		{"identifier", "", LineEnds{}, "a $Id: b $ $Id: \n", "a $Id$ $Id: \n", true},
		{"identifier and CRLF", "", LineEnds{}, "$Id: b $\r\n", "$Id$\n", true},
		{"another filter", "", LineEnds{}, "a\n", "version https://git-lfs\n", false},
	} {
		top := t.TempDir()
		if err := os.WriteFile(filepath.Join(top, ".gitattributes"), []byte(row.attributes), 0o600); err != nil {
			t.Fatal(err)
		}
		row.ends.attributes = &Attributes{top: top, folders: map[string]mentions{}}
		if got := row.ends.Changes("x.txt", []byte(row.data), func(b []byte) bool { return string(b) == row.blob }); got != row.want {
			t.Errorf("%s: %v", row.name, got)
		}
	}
}
