package claude

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/jsontext"
)

var (
	_ agent.FileTeller = Adapter{}
	_ agent.CopyKeeper = Adapter{}
)

// CopyFolders implements agent.CopyKeeper.
func (Adapter) CopyFolders(home string) []string {
	return []string{filepath.Join(home, filepath.FromSlash(copiesFolder))}
}

// CopyOf implements agent.CopyKeeper: a name has the hash of the path, and a number after it.
func (Adapter) CopyOf(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:])[:16] + "@v"
}

// FilesIn implements agent.FileTeller. The program notes with the result of a call what it read or wrote: a
// file that was read, the content before and after a write, and before an edit. It drops carriage returns when it
// reads.
func (Adapter) FilesIn(text []byte) []agent.FileFact {
	if bytes.Contains(text, []byte(`"file-history-snapshot"`)) {
		return copies(text)
	}
	if bytes.Contains(text, []byte(`"type":"attachment"`)) {
		return attached(text)
	}
	if !bytes.Contains(text, []byte(`"toolUseResult"`)) {
		return nil
	}
	r := gjson.GetBytes(text, "toolUseResult")
	if !r.IsObject() {
		return nil
	}
	if f := r.Get("file"); r.Get("type").Str == "text" && f.IsObject() {
		return readFact(f)
	}
	path := jsontext.ValidUTF8(r.Get("filePath").Str)
	if path == "" {
		return nil
	}
	var out []agent.FileFact
	if was := r.Get("originalFile"); was.Type == gjson.String {
		out = append(out, agent.FileFact{Kind: agent.FileWhole, Path: path, Before: true, Text: was.Str, Loose: true})
	}
	switch now := r.Get("content"); {
	case now.Type == gjson.String:
		return append(out, agent.FileFact{Kind: agent.FileWhole, Path: path, Text: now.Str, Loose: r.Get("type").Str != "create"})
	case r.Get("oldString").Type == gjson.String:
		return append(out, agent.FileFact{Kind: agent.FileChanged, Path: path, Changes: []agent.FileChange{editChange(r)}})
	}
	var changes []agent.FileChange
	r.Get("edits").ForEach(func(_, one gjson.Result) bool {
		changes = append(changes, agent.FileChange{Old: one.Get("old_string").Str, New: one.Get("new_string").Str, All: one.Get("replace_all").Bool()})
		return true
	})
	if len(changes) > 0 {
		out = append(out, agent.FileFact{Kind: agent.FileChanged, Path: path, Changes: changes})
	}
	return out
}

func readFact(f gjson.Result) []agent.FileFact {
	out := agent.FileFact{Kind: agent.FileShown, Path: jsontext.ValidUTF8(f.Get("filePath").Str), Text: f.Get("content").Str,
		First: int(f.Get("startLine").Int()), Total: int(f.Get("totalLines").Int())}
	if out.First <= 1 && out.Total > 0 && f.Get("numLines").Int() == int64(out.Total) {
		out.Kind, out.Loose = agent.FileWhole, true
	}
	return []agent.FileFact{out}
}

// editChange returns the change of an edit. The text decides; the hunks, in which the program writes leading
// tabs as spaces, are for an edit that a person changed before it was made.
func editChange(r gjson.Result) agent.FileChange {
	c := agent.FileChange{Old: r.Get("oldString").Str, New: r.Get("newString").Str, All: r.Get("replaceAll").Bool()}
	r.Get("structuredPatch").ForEach(func(_, h gjson.Result) bool {
		hunk := agent.FileHunk{Index: base.HunkIndex(int(h.Get("oldStart").Int()), h.Get("oldLines").Int() > 0)}
		h.Get("lines").ForEach(func(_, line gjson.Result) bool {
			hunk.Lines = append(hunk.Lines, line.Str)
			return true
		})
		c.Hunks = append(c.Hunks, hunk)
		return true
	})
	if r.Get("userModified").Bool() {
		c.Old, c.New = "", ""
	}
	return c
}

// copies returns the copies that the program made of files before it edited them, for its own rewind.
func copies(text []byte) []agent.FileFact {
	line := gjson.ParseBytes(text)
	if line.Get("type").Str != "file-history-snapshot" {
		return nil
	}
	var out []agent.FileFact
	line.Get("snapshot.trackedFileBackups").ForEach(func(path, b gjson.Result) bool {
		name := b.Get("backupFileName").Str
		if jsontext.IsSafeName(strings.ReplaceAll(name, "@", "_")) {
			out = append(out, agent.FileFact{Kind: agent.FileWhole, Path: jsontext.ValidUTF8(path.Str), Before: true, Time: b.Get("backupTime").String(),
				Stored: copiesFolder + name})
		}
		return true
	})
	return out
}

// copiesFolder has a folder of copies for each session, which the line does not name.
const copiesFolder = ".claude/file-history/*/"

// attached returns the files that the program showed the model by itself: those that a prompt names, and the lines around
// what somebody else changed.
func attached(text []byte) []agent.FileFact {
	line := gjson.ParseBytes(text)
	a := line.Get("attachment")
	var out []agent.FileFact
	switch a.Get("type").Str {
	case "file":
		if f := a.Get("content.file"); f.Get("filePath").Str != "" {
			out = readFact(f)
		}
	case "edited_text_file":
		runs, _ := base.NumberedRuns(a.Get("snippet").Str)
		for _, r := range runs {
			out = append(out, agent.FileFact{Kind: agent.FileShown, Path: jsontext.ValidUTF8(a.Get("filename").Str), Text: strings.Join(r.Lines, "\n"), First: r.First})
		}
	}
	for i := range out {
		out[i].Time = line.Get("timestamp").String()
	}
	return out
}
