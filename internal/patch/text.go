package patch

import (
	"entire/internal/pathtext"
	"fmt"
	"strings"
)

// Text returns the file's patch with the given hunks of it alone, as `git apply` takes it. Without its
// other hunks, the new numbers of the lines change.
func (f File) Text(hunks []Hunk) string {
	var b strings.Builder
	old, new := f.Old, f.New
	if old == "" {
		old = new
	}
	if new == "" {
		new = old
	}
	fmt.Fprintf(&b, "diff --git %s %s\n", pathtext.Quote("a/"+old), pathtext.Quote("b/"+new))
	f.writeModes(&b)
	if f.Action == Rename || f.Action == Copy {
		fmt.Fprintf(&b, "%s from %s\n%[1]s to %[3]s\n", f.Action, pathtext.Quote(f.Old), pathtext.Quote(f.New))
	}
	if len(hunks) == 0 {
		return b.String()
	}
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", sideName("a/", f.Old), sideName("b/", f.New))
	moved := 0
	for _, h := range hunks {
		h.write(&b, moved)
		moved += h.NewLines - h.OldLines
	}
	return b.String()
}

func (f File) writeModes(b *strings.Builder) {
	switch {
	case f.Action == Create:
		fmt.Fprintf(b, "new file mode %s\n", f.NewMode)
	case f.Action == Remove:
		fmt.Fprintf(b, "deleted file mode %s\n", f.OldMode)
	case f.OldMode != f.NewMode:
		fmt.Fprintf(b, "old mode %s\nnew mode %s\n", f.OldMode, f.NewMode)
	}
}

// sideName is the path of a "---" or "+++" line.
func sideName(prefix, path string) string {
	if path == "" {
		return "/dev/null"
	}
	name := pathtext.Quote(prefix + path)
	if strings.Contains(path, " ") && !strings.HasPrefix(name, `"`) {
		name += "\t"
	}
	return name
}

// write writes the hunk for a file in which the hunks before it moved the lines that far.
func (h Hunk) write(b *strings.Builder, moved int) {
	newFrom := h.place() + moved
	if h.NewLines > 0 {
		newFrom++
	}
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@", h.OldFrom, h.OldLines, newFrom, h.NewLines)
	if h.Section != "" {
		b.WriteString(" " + h.Section)
	}
	b.WriteByte('\n')
	for _, l := range h.Lines {
		b.WriteByte(l.Op)
		b.WriteString(l.Text)
		b.WriteByte('\n')
		if l.NoNewline {
			b.WriteString("\\ No newline at end of file\n")
		}
	}
}
