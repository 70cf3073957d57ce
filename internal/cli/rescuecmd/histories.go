package rescuecmd

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
	"entire/internal/rescue/gather"
)

// transcriptsOf returns the transcripts of all agents that speak of one of the folders.
func transcriptsOf(ctx context.Context, env *cliui.Env, tops []string) []gather.Transcript {
	var out []gather.Transcript
	other := workplace.TranscriptDirs(env)
	for _, ag := range agents.All() {
		root := ag.TranscriptRoot(env.Home())
		if dir := other[ag.Name()]; dir != "" {
			root = dir
		}
		if keeper, ok := ag.(agent.DocumentKeeper); ok {
			out = append(out, documentsOf(env, ag, keeper, tops)...)
		}
		if root == "" {
			continue
		}
		filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || ctx.Err() != nil {
				return nil
			}
			ext := filepath.Ext(path)
			if d.Type().IsRegular() && (ext == ".jsonl" || ext == ".json") && mentions(path, tops) {
				out = append(out, gather.Transcript{Path: path, Agent: ag.Type(), Name: string(ag.Type())})
			}
			return nil
		})
	}
	return out
}

// documentsOf returns the conversations that an agent keeps as documents.
func documentsOf(env *cliui.Env, ag agent.Agent, keeper agent.DocumentKeeper, tops []string) []gather.Transcript {
	const any = "00000000-0000-4000-8000-000000000000"
	sid, err := id.ParseSessionID(any)
	if err != nil {
		return nil
	}
	files, _ := filepath.Glob(strings.ReplaceAll(keeper.Documents(env.Home(), sid), any, "*"))
	byFolder := map[string][]string{}
	for _, file := range files {
		byFolder[filepath.Dir(file)] = append(byFolder[filepath.Dir(file)], file)
	}
	var out []gather.Transcript
	for folder, files := range byFolder {
		name := filepath.Base(folder)
		sid, err := id.ParseSessionID(name)
		if err != nil {
			continue
		}
		out = append(out, gather.Transcript{Path: folder, Agent: ag.Type(), Name: string(ag.Type()), Lines: func() ([]byte, error) {
			documents := map[string][]byte{}
			for _, file := range files {
				if text, err := durable.ReadPlain(file, agent.MaxTranscript); err == nil {
					documents[file] = text
				}
			}
			lines, _ := keeper.Lines(sid, documents)
			return lines, nil
		}})
	}
	return out
}

// mentions reports whether a file has the name of one of the folders in it.
func mentions(file string, tops []string) bool {
	f, err := durable.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	var names [][]byte
	longest := 0
	for _, top := range tops {
		quoted := strings.ReplaceAll(top, `\`, `\\`)
		names, longest = append(names, []byte(quoted)), max(longest, len(quoted))
	}
	buf := make([]byte, 1<<20)
	kept := 0
	for {
		n, err := io.ReadFull(f, buf[kept:])
		part := buf[:kept+n]
		for _, name := range names {
			if bytes.Contains(part, name) {
				return true
			}
		}
		if err != nil {
			return false
		}
		kept = min(longest, len(part))
		copy(buf, part[len(part)-kept:])
	}
}
