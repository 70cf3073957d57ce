package index

import "entire/internal/hub/rows"

// A table is rows that are to be written.
type table struct {
	name    string
	columns []string
	rows    int
	row     func(i int) []any
}

// tables returns the rows of a batch, which become those of the repository.
func tables(b *rows.Batch, repo int64) []table {
	return []table{
		{"checkpoint", checkpointColumns(), len(b.Checkpoints), func(i int) []any {
			r := &b.Checkpoints[i]
			return []any{repo, r.ID, r.Tree, r.At, r.Month, r.Branch, r.Author, r.Email, r.AuthorAt, r.Team, r.Agent, r.Sessions, r.Files, r.Recorded,
				r.AgentLines, r.PersonLines, r.UnknownLines, r.Stated, r.Signed, r.Commit, r.Title, r.Prompt}
		}},
		{"session", sessionColumns(), len(b.Sessions), func(i int) []any {
			r := &b.Sessions[i]
			return []any{repo, r.Checkpoint, r.Position, r.SessionID, r.At, r.Day, r.Email, r.Team, r.Agent, r.Model, r.Title, r.Turns, r.Messages,
				r.Input, r.CacheRead, r.CacheWrite, r.Output, r.Answers}
		}},
		{"file", fileColumns(), len(b.Files), func(i int) []any {
			r := &b.Files[i]
			return []any{repo, r.Checkpoint, r.Path, r.At, r.Month, r.Folder, r.Team, r.AgentLines, r.PersonLines, r.UnknownLines, r.Removed}
		}},
		{"statement", statementColumns(), len(b.Statements), func(i int) []any {
			r := &b.Statements[i]
			return []any{repo, r.Checkpoint, r.Clone, r.Number, r.At, r.Person, r.Email, r.Commit, r.Signed, r.Digest, r.Previous, r.Replaces}
		}},
	}
}

func forgottenTable(list []rows.Forgotten, repo int64) table {
	return table{"forgotten", forgottenColumns(), len(list), func(i int) []any {
		return []any{repo, list[i].Checkpoint, list[i].At, list[i].Reason}
	}}
}

func checkpointColumns() []string {
	return []string{"repo", "id", "tree", "at", "month", "branch", "author", "email", "author_at", "team", "agent", "sessions", "files", "recorded",
		"agent_lines", "person_lines", "unknown_lines", "stated", "signed", "commit_id", "title", "prompts"}
}

func sessionColumns() []string {
	return []string{"repo", "checkpoint", "position", "session_id", "at", "day", "email", "team", "agent", "model", "title", "turns", "messages",
		"input", "cache_read", "cache_write", "output", "answers"}
}

func fileColumns() []string {
	return []string{"repo", "checkpoint", "path", "at", "month", "folder", "team", "agent_lines", "person_lines", "unknown_lines", "removed"}
}

func statementColumns() []string {
	return []string{"repo", "checkpoint", "clone", "number", "at", "person", "email", "commit_id", "signed", "digest", "previous", "replaces"}
}

func forgottenColumns() []string { return []string{"repo", "checkpoint", "at", "reason"} }
