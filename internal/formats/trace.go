package formats

import (
	"cmp"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"entire/internal/attribution"
	"entire/internal/formats/agenttrace"
	"entire/internal/git"
	"entire/internal/lineage"
)

// Lengths returns the numbers of lines of the files that a commit has changed.
func Lengths(files []lineage.ChangedFile) func(path string) (int, bool) {
	lengths := map[string]int{}
	for _, f := range files {
		lengths[f.Path] = f.Lines
	}
	return func(path string) (int, bool) {
		n, there := lengths[path]
		return n, there
	}
}

// schemaURL names Agent Trace in the IDs of records.
const schemaURL = "https://agent-trace.dev/schemas/v1/trace-record.json#"

// Trace returns the record of a commit, with the lines that it added. A commit always gets the same
// record. It leaves out the paths in left, which JSON cannot hold.
func Trace(c git.Commit, files []lineage.ChangedFile, version string) (r *agenttrace.Record, left []string) {
	r = &agenttrace.Record{Version: agenttrace.Version, Timestamp: timestamp(c.Committer.When), Files: []agenttrace.File{},
		ID:   uuid.NewSHA1(uuid.NameSpaceURL, []byte(schemaURL+c.OID.String())).String(),
		VCS:  &agenttrace.VCS{Type: "git", Revision: c.OID.String()},
		Tool: &agenttrace.Tool{Name: "entire", Version: cmp.Or(version, "dev")}}
	for _, f := range files {
		conversations := conversationsOf(f.Added)
		switch {
		case len(conversations) == 0:
		case !utf8.ValidString(f.Path):
			left = append(left, f.Path)
		default:
			r.Files = append(r.Files, agenttrace.File{Path: f.Path, Conversations: conversations})
		}
	}
	return r, left
}

// timestamp returns a time in UTC, as RFC 3339 has it.
func timestamp(t time.Time) string {
	if t = t.UTC(); t.Year() < 1 || t.Year() > 9999 {
		t = time.Unix(0, 0).UTC()
	}
	return t.Format(time.RFC3339)
}

// conversationsOf returns one conversation for each session and model, one for people and one for
// unknown writers, in the order of their first lines.
func conversationsOf(lines []lineage.ChangedLine) (out []agenttrace.Conversation) {
	type key struct{ class, session, agent, model, checkpoint string }
	at := map[key]int{}
	for _, l := range lines {
		if l.MovedOnly {
			continue
		}
		k := key{class: l.Owner.Class}
		if l.Agent() {
			k = key{l.Owner.Class, l.Owner.SessionID, l.Owner.Agent, l.Owner.Model, l.Checkpoint.String()}
		}
		i, there := at[k]
		if !there {
			i, at[k] = len(out), len(out)
			out = append(out, agenttrace.Conversation{Contributor: contributor(l.Origin), Related: related(k.session, k.checkpoint)})
		}
		ranges := &out[i].Ranges
		if n := len(*ranges); n > 0 && (*ranges)[n-1].EndLine == l.Number-1 {
			(*ranges)[n-1].EndLine++
			continue
		}
		*ranges = append(*ranges, agenttrace.Range{StartLine: l.Number, EndLine: l.Number})
	}
	return out
}

func contributor(o lineage.Origin) *agenttrace.Contributor {
	switch {
	case o.Agent():
		return &agenttrace.Contributor{Type: agenttrace.AI, ModelID: modelID(o.Owner.Model)}
	case o.Owner.Class == attribution.ClassHuman:
		return &agenttrace.Contributor{Type: agenttrace.Human}
	}
	return &agenttrace.Contributor{Type: agenttrace.Unknown}
}

// related returns links to the session and the checkpoint, for `entire show`.
func related(session, checkpoint string) (out []agenttrace.Related) {
	if session != "" {
		out = append(out, agenttrace.Related{Type: "session", URL: "entire:session/" + url.PathEscape(session)})
	}
	if checkpoint != "" {
		out = append(out, agenttrace.Related{Type: "checkpoint", URL: "entire:checkpoint/" + url.PathEscape(checkpoint)})
	}
	return out
}

// providers are the makers of models by how the models' names begin.
var providers = [][2]string{{"claude-", "anthropic"}, {"gemini-", "google"}, {"gpt-", "openai"}, {"o1", "openai"}, {"o3", "openai"}, {"o4", "openai"},
	{"grok-", "xai"}, {"deepseek-", "deepseek"}, {"mistral-", "mistral"}, {"codestral-", "mistral"}, {"devstral-", "mistral"}}

// modelID returns a model as "provider/model" where the provider is known.
func modelID(model string) string {
	if utf8.RuneCountInString(model) > 200 || !utf8.ValidString(model) {
		return ""
	}
	for _, p := range providers {
		if strings.HasPrefix(model, p[0]) {
			return p[1] + "/" + model
		}
	}
	return model
}
