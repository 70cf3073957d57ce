package base

import (
	"path"
	"strings"

	"entire/agent"
)

// PatchEdits returns what a patch in the form of apply_patch writes. dir is the folder of its relative paths, ""
// for the session's.
func PatchEdits(patch, dir string) []agent.Edit {
	var out []agent.Edit
	var rows changedRows
	flush := func() {
		if len(out) > 0 {
			rows.flush(&out[len(out)-1])
		}
	}
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		if word, name, ok := strings.Cut(line, ": "); ok && strings.HasPrefix(word, "*** ") {
			flush()
			switch name = Within(dir, name); word {
			case "*** Add File", "*** Update File", "*** Delete File":
				out = append(out, agent.Edit{Path: name})
			case "*** Move to":
				if len(out) > 0 {
					out = append(out, agent.Edit{Path: name}) // the lines that follow are those of the new name
				}
			}
			continue
		}
		switch {
		case strings.HasPrefix(line, "+"):
			rows.added.WriteString(line[1:] + "\n")
		case strings.HasPrefix(line, "-"):
			rows.removed.WriteString(line[1:] + "\n")
		case strings.HasPrefix(line, "*** End Patch"):
			flush()
			return out
		default:
			flush()
		}
	}
	flush()
	return out
}

// Within returns a path of a patch, in dir if it is relative.
func Within(dir, name string) string {
	if dir == "" || name == "" || path.IsAbs(name) {
		return name
	}
	return path.Join(dir, name)
}
