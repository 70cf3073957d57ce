package index

import "strings"

// keys returns the query for the keys of the checkpoints that a filter chooses, the newest, one more than the limit. It is
// chosen so that few rows are read, whether the filter fits many checkpoints or none.
func (v *View) keys(f Filter, after cursor) (string, []any, error) {
	switch {
	case v.x.Postgres() && len(terms(f.Query)) > 0:
		words, args := tsquery(f.Query)
		args = append(args, f.Author, f.Agent, f.Team, f.Branch, f.Path, f.Since, f.Until, after.At, after.Repo, after.ID, f.Limit+1)
		return "SELECT repo, id FROM search_checkpoints(" + words + strings.Repeat(", ?", 11) + ")", args, nil
	case v.x.Postgres() && f.Author+f.Agent+f.Team+f.Branch+f.Path == "" && len(v.scope) <= eachMax:
		query, args := newestOfEach(v.scope, f, after)
		return query, args, nil
	case f.Path == "":
		query, args := v.filtered(f, after, v.scoped("c.repo"))
		return query, args, nil
	}
	w := v.scoped("f.repo")
	w.path("f.path", f.Path)
	few := true
	if strings.HasSuffix(f.Path, "/") {
		var err error
		if few, err = v.few(w); err != nil {
			return "", nil, err
		}
	}
	if few {
		query, args := v.ofFiles(f, after, w)
		return query, args, nil
	}
	w = v.scoped("c.repo")
	inside := &where{}
	inside.path("g.path", f.Path)
	w.add("EXISTS (SELECT 1 FROM file g WHERE g.repo = c.repo AND g.checkpoint = c.id AND "+inside.conditions[0]+")", inside.args...)
	query, args := v.filtered(f, after, w)
	return query, args, nil
}

// eachMax is the most repositories that are asked one by one.
var eachMax = 200

// newestOfEach asks each repository for its newest: one that is quiet is not looked for among all checkpoints of others.
func newestOfEach(scope Scope, f Filter, after cursor) (string, []any) {
	w := &where{}
	w.add("c.repo = s.repo")
	w.time("c", "c.id", f, after)
	args := append([]any{[]int64(scope)}, w.args...)
	return "SELECT l.repo, l.id FROM unnest(CAST(? AS integer[])) s (repo) CROSS JOIN LATERAL (SELECT c.repo, c.id, c.at FROM checkpoint c" + w.String() +
		" ORDER BY c.at DESC, c.id LIMIT ?) l ORDER BY l.at DESC, l.repo, l.id LIMIT ?", append(args, f.Limit+1, f.Limit+1)
}

// filtered goes back in time through an index.
func (v *View) filtered(f Filter, after cursor, w *where) (string, []any) {
	w.search(f.Query)
	w.columns(f)
	w.time("c", "c.id", f, after)
	return "SELECT c.repo, c.id FROM checkpoint c" + w.String() + " ORDER BY c.at DESC, c.repo, c.id LIMIT ?", append(w.args, f.Limit+1)
}

// fewMax is how many changes of files are read and sorted rather than met on the way back in time: with a million checkpoints
// so many take about as long as finding a page on that way.
var fewMax = 10_000

// few reports whether only few rows of files fit.
func (v *View) few(w *where) (bool, error) {
	n := 0
	err := v.rows("SELECT COUNT(*) FROM (SELECT 1 FROM file f"+w.String()+" LIMIT ?) h", append(w.args[:len(w.args):len(w.args)], fewMax+1), func(scan func(...any) error) error { return scan(&n) })
	return n <= fewMax, err
}

// ofFiles returns the checkpoints of files, which are found by their index.
func (v *View) ofFiles(f Filter, after cursor, w *where) (string, []any) {
	from := "file f"
	if f.Author+f.Agent+f.Team+f.Branch+f.Query != "" {
		from += " JOIN checkpoint c ON c.repo = f.repo AND c.id = f.checkpoint"
		w.search(f.Query)
		w.columns(f)
	}
	w.time("f", "f.checkpoint", f, after)
	distinct := ""
	if strings.HasSuffix(f.Path, "/") {
		distinct = "DISTINCT " // a checkpoint may have several files in a folder
	}
	return "SELECT " + distinct + "f.repo, f.checkpoint AS id, f.at FROM " + from + w.String() + " ORDER BY f.at DESC, f.repo, f.checkpoint LIMIT ?", append(w.args, f.Limit+1)
}

// columns adds the conditions that columns of a checkpoint have values.
func (w *where) columns(f Filter) {
	w.equal("c.email", f.Author)
	w.equal("c.agent", f.Agent)
	w.equal("c.team", f.Team)
	w.equal("c.branch", f.Branch)
}

// time adds the conditions of time, and that of what comes after an earlier answer.
func (w *where) time(table, id string, f Filter, after cursor) {
	at := table + ".at"
	if f.Since != 0 {
		w.add(at+" >= ?", f.Since)
	}
	if f.Until != 0 {
		w.add(at+" < ?", f.Until)
	}
	if f.After != "" {
		w.add(at+" <= ? AND ("+at+" < ? OR ("+table+".repo, "+id+") > (?, ?))", after.At, after.At, after.Repo, after.ID)
	}
}

// path adds the condition that a column is a file or, with a slash at the end, below a folder.
func (w *where) path(column, path string) {
	if folder, ok := strings.CutSuffix(path, "/"); ok {
		w.add(column+" >= ? AND "+column+" < ?", path, folder+"0") // 0 follows the slash
		return
	}
	w.add(column+" = ?", path)
}
