package enginetest

import (
	"fmt"
	"slices"
	"strings"
)

// HostileStep puts a step on the shadow branch whose tree no git would have made:
// entries are names with slashes only where they are meant as part of the name.
func (w *World) HostileStep(entries map[string]string) string {
	w.T.Helper()
	blob := w.GitInput("hostile\n", "hash-object", "-w", "--stdin")
	tip := w.Points()[0].ID
	base := w.Git("rev-parse", tip+"^{tree}")
	raw := func(list [][3]string) string { // mode, name, object
		slices.SortFunc(list, func(a, b [3]string) int { return strings.Compare(a[1], b[1]) })
		var data strings.Builder
		for _, e := range list {
			data.WriteString(e[0] + " " + e[1] + "\x00")
			for i := 0; i < len(e[2]); i += 2 {
				var v byte
				_, err := fmt.Sscanf(e[2][i:i+2], "%02x", &v)
				Ok(w.T, err)
				data.WriteByte(v)
			}
		}
		return w.GitInput(data.String(), "hash-object", "-w", "--literally", "-t", "tree", "--stdin")
	}
	var list [][3]string
	for line := range strings.Lines(w.Git("ls-tree", base) + "\n") {
		meta, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		f := strings.Fields(meta)
		list = append(list, [3]string{strings.TrimPrefix(f[0], "0"), name, f[2]})
	}
	for name, below := range entries {
		if below == "" {
			list = append(list, [3]string{"100644", name, blob})
		} else {
			list = append(list, [3]string{"40000", name, raw([][3]string{{"100755", below, blob}})})
		}
	}
	message := w.Git("log", "-1", "--format=%B", tip)
	commit := w.GitInput(message, "commit-tree", raw(list), "-p", tip)
	w.Git("update-ref", w.Shadows()[0], commit)
	return commit
}
