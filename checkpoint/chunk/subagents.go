package chunk

import (
	"strings"

	"entire/agent/document"
	"entire/internal/git"
)

// SubagentTranscriptsIn is SubagentTranscripts for a folder that has `tasks/`: a slot, or a
// session's folder in a step.
func SubagentTranscriptsIn(rd *git.Reader, folder []git.TreeEntry, limit int64) ([][]byte, error) {
	var specs []string
	for _, e := range folder {
		if e.Name != "tasks" || e.Mode != git.ModeTree {
			continue
		}
		tasks, err := rd.Tree(e.OID)
		if err != nil {
			return nil, err
		}
		var oids []git.OID
		for _, task := range tasks {
			if task.Mode == git.ModeTree {
				oids = append(oids, task.OID)
			}
		}
		trees, err := rd.Trees(oids...)
		if err != nil {
			return nil, err
		}
		for _, files := range trees {
			for _, file := range files {
				if strings.HasPrefix(file.Name, "agent-") && strings.HasSuffix(file.Name, ".jsonl") {
					specs = append(specs, file.OID.String())
				}
			}
		}
	}
	objs, err := rd.Small(limit, specs...)
	var out [][]byte
	for _, o := range objs {
		if o.Type == "blob" && !o.Large && len(o.Data) > 0 && !document.Is(o.Data) {
			out = append(out, o.Data)
		}
	}
	return out, err
}
