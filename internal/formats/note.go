package formats

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/formats/authorship"
	"entire/internal/git"
	"entire/internal/lineage"
)

// Note returns the note of a commit, with the lines that agents added; nil if there are none. A
// commit always gets the same note. People's lines are left out: the format lists only those that
// somebody was seen typing. It leaves out the paths in left, which the format cannot hold.
func Note(c git.Commit, files []lineage.ChangedFile) (n *authorship.Note, left []string) {
	n = &authorship.Note{Metadata: authorship.Metadata{Schema: authorship.Version, Base: c.OID.String(), Prompts: map[string]authorship.Prompt{},
		Sessions: map[string]authorship.Session{}}}
	author := strings.ToValidUTF8(c.Author.Name+" <"+c.Author.Email+">", "\uFFFD")
	for _, f := range files {
		out := authorship.File{Path: f.Path}
		at := map[string]int{}
		for _, l := range f.Added {
			if l.MovedOnly || !l.Agent() {
				continue
			}
			who := conversation(l.Origin)
			session := authorship.SessionKey(who.Tool, who.ID)
			k := authorship.CallKey(session, callOf(l.Origin))
			i, there := at[k]
			if !there {
				i, at[k] = len(out.Entries), len(out.Entries)
				out.Entries = append(out.Entries, authorship.Entry{Key: k})
			}
			if authorship.Representable(f.Path) {
				n.Metadata.Sessions[session] = authorship.Session{Agent: who, Human: &author, Attributes: map[string]string{writtenBy: programName}}
			}
			ranges := &out.Entries[i].Ranges
			if k := len(*ranges); k > 0 && (*ranges)[k-1].End == l.Number-1 {
				(*ranges)[k-1].End++
				continue
			}
			*ranges = append(*ranges, authorship.Range{Start: l.Number, End: l.Number})
		}
		switch {
		case len(out.Entries) == 0:
		case !authorship.Representable(f.Path):
			left = append(left, f.Path)
		default:
			n.Files = append(n.Files, out)
		}
	}
	if len(n.Files) == 0 {
		return nil, left
	}
	return n, left
}

// writtenBy is the attribute by which a note's session says which program wrote it.
const writtenBy, programName = "written_by", "entire"

// Ours reports whether this program wrote the whole note.
func Ours(n *authorship.Note) bool {
	for _, s := range n.Metadata.Sessions {
		if s.Attributes[writtenBy] != programName {
			return false
		}
	}
	return len(n.Metadata.Sessions) > 0 && n.Metadata.Program == "" && len(n.Metadata.Prompts)+len(n.Metadata.Humans) == 0
}

// conversation names a line's conversation as git-ai does. Where the session is not known, the
// checkpoint stands for it.
func conversation(o lineage.Origin) authorship.AgentID {
	return authorship.AgentID{Tool: tool(o.Owner.Agent), ID: cmp.Or(o.Owner.SessionID, "checkpoint "+o.Checkpoint.String()), Model: strings.ToValidUTF8(o.Owner.Model, "\uFFFD")}
}

// callOf names the call that wrote a line, or else the turn.
func callOf(o lineage.Origin) string {
	if o.Owner.ToolUseID != "" {
		return o.Owner.ToolUseID
	}
	return fmt.Sprintf("%s turn %d", o.Owner.SessionID, o.Owner.Turn)
}

// tool returns the short name of an agent: that of its program.
func tool(name string) string {
	if a, found := agents.ByType(agent.AgentType(name)); found {
		if short := program(a); short != "" {
			return short
		}
	}
	return cmp.Or(strings.ReplaceAll(strings.ToLower(strings.ToValidUTF8(name, "")), " ", "-"), "unknown")
}

// program returns the name of an agent's program, without a suffix that says that it is an agent.
func program(a agent.Agent) string {
	if programs := a.Profile().Programs; len(programs) > 0 {
		return strings.TrimSuffix(path.Base(programs[0]), "-agent")
	}
	return ""
}

// AgentNamed returns the name of the agent that git-ai calls tool; that word itself for one that nobody knows here.
func AgentNamed(tool string) string {
	for _, a := range agents.All() {
		if tool == program(a) || tool == string(a.Name()) {
			return string(a.Type())
		}
	}
	return tool
}
