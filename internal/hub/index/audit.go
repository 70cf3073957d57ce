package index

import "entire/internal/hub/rows"

// A Chain is the statements of one clone in a repository.
type Chain struct {
	Clone       string
	Statements  int64
	Signed      int64
	First, Last int64 // numbers
	LastAt      int64
	Absent      int64 // numbers up to the last that no statement has or replaces
	Broken      int64 // statements that name another one before them than there is
}

// Chains returns the chains of a repository, by clone.
func (v *View) Chains(repo int64) ([]Chain, error) {
	w := v.scoped("repo")
	w.add("repo = ?", repo)
	var list []Chain
	err := v.rows(`SELECT clone, COUNT(*), `+whole("CASE WHEN signed THEN 1 ELSE 0 END")+`, MIN(number), MAX(number), MAX(at), MAX(number) - COUNT(*) - `+whole("replaces")+`,
		`+whole("CASE WHEN before = number - 1 AND digest_before <> previous THEN 1 ELSE 0 END")+`
		FROM (SELECT clone, signed, number, at, replaces, previous, LAG(number) OVER w AS before, LAG(digest) OVER w AS digest_before
			FROM statement`+w.String()+` WINDOW w AS (PARTITION BY clone ORDER BY number)) s GROUP BY clone ORDER BY clone`, w.args, func(scan func(...any) error) error {
		var c Chain
		err := scan(&c.Clone, &c.Statements, &c.Signed, &c.First, &c.Last, &c.LastAt, &c.Absent, &c.Broken)
		c.Absent = max(c.Absent, 0)
		list = append(list, c)
		return err
	})
	return list, err
}

// Forgotten returns the checkpoints of a repository that were removed on purpose, the latest first.
func (v *View) Forgotten(repo int64) ([]rows.Forgotten, error) {
	w := v.scoped("repo")
	w.add("repo = ?", repo)
	var list []rows.Forgotten
	err := v.rows("SELECT checkpoint, at, reason FROM forgotten"+w.String()+" ORDER BY at DESC, checkpoint LIMIT 1000", w.args, func(scan func(...any) error) error {
		f := rows.Forgotten{Repo: repo}
		err := scan(&f.Checkpoint, &f.At, &f.Reason)
		list = append(list, f)
		return err
	})
	return list, err
}
