package rescue_test

import (
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/rescue"
)

// TestMemoryOfALongPlace: however long what is known of one conversation is, the others are remembered.
func TestMemoryOfALongPlace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory")
	m, err := rescue.OpenMemory(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []*rescue.Conversation
	for _, place := range []string{"a", strings.Repeat("b", 2<<20), "c", "d", "e", "f", "g", "h"} {
		c := &rescue.Conversation{Path: place}
		m.Note(c, rescue.Outcome{Project: "of " + place[:1], Mark: c.Mark()})
		all = append(all, c)
	}
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	again, err := rescue.OpenMemory(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if done, known := again.Outcome(c); !known || done.Project != "of "+c.Path[:1] {
			t.Errorf("%.10q: %v, %v", c.Path, done, known)
		}
	}
}
