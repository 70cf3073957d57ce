package index

import (
	"strings"
)

// A Filter chooses rows; an empty member chooses all.
type Filter struct {
	Query  string // words and "phrases" that prompts have; -word for those that have it not
	Author string // an address
	Agent  string
	Team   string
	Branch string
	Path   string // a file, or with a slash at its end a folder
	Since  int64  // milliseconds since 1970
	Until  int64  // and before this
	Months [2]string
	Days   [2]string // first and last
	Limit  int
	After  string // what an earlier answer says comes next
}

// A term is a word or a phrase of a query.
type term struct {
	text string
	not  bool
}

// terms splits a query. Signs have no meaning but quotes and a dash before a word.
func terms(query string) []term {
	var out []term
	for query = strings.TrimSpace(query); query != ""; query = strings.TrimSpace(query) {
		var t term
		if rest, ok := strings.CutPrefix(query, "-"); ok {
			t.not, query = true, rest
		}
		if rest, ok := strings.CutPrefix(query, `"`); ok {
			t.text, query, _ = strings.Cut(rest, `"`)
		} else if end := strings.IndexAny(query, " \t\r\n\u00a0"); end >= 0 {
			t.text, query = query[:end], query[end:]
		} else {
			t.text, query = query, ""
		}
		if strings.ContainsFunc(t.text, isWordRune) {
			out = append(out, t)
		}
	}
	return out[:min(len(out), maxTerms)]
}

// maxTerms bounds a query's cost.
const maxTerms = 16

func isWordRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127
}

// tsquery returns a query as PostgreSQL takes it, with its parameters.
func tsquery(query string) (string, []any) {
	var parts []string
	var args []any
	for _, t := range terms(query) {
		part := "phraseto_tsquery('simple', ?)"
		if t.not {
			part = "!!" + part
		}
		parts, args = append(parts, part), append(args, t.text)
	}
	return strings.Join(parts, " && "), args
}

// search adds the condition that prompts fit a query, in SQLite.
func (w *where) search(query string) {
	for _, t := range terms(query) {
		not := ""
		if t.not {
			not = "NOT "
		}
		w.add("c.rowid "+not+"IN (SELECT rowid FROM words WHERE words MATCH ?)", `"`+strings.ReplaceAll(t.text, `"`, " ")+`"`)
	}
}

// equal adds the condition that a column has a value, unless that is empty.
func (w *where) equal(column, value string) {
	if value != "" {
		w.add(column+" = ?", value)
	}
}

// between adds the condition that a column is in a range of texts; an empty end is open.
func (w *where) between(column string, ends [2]string) {
	if ends[0] != "" {
		w.add(column+" >= ?", ends[0])
	}
	if ends[1] != "" {
		w.add(column+" <= ?", ends[1])
	}
}

// below adds the condition that a column is a folder or what is below it; "" is every folder.
func (w *where) below(column, folder string) {
	if folder = strings.Trim(folder, "/"); folder != "" {
		w.add("("+column+" = ? OR "+column+" >= ? AND "+column+" < ?)", folder, folder+"/", folder+"0") // 0 follows the slash
	}
}
