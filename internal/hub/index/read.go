package index

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Scope is what a reader may see: repositories by their numbers, none without any.
type Scope []int64

// A View is a reader's transaction.
type View struct {
	x     *Index
	tx    *sql.Tx
	ctx   context.Context
	scope Scope
}

// readerRole owns no table; its policies are in the migrations.
const readerRole = "entire_hub_reader"

// Read calls see with a transaction that can read the rows of a scope, and nothing else. It changes nothing.
func (x *Index) Read(ctx context.Context, scope Scope, see func(*View) error) error {
	if x.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, x.limit)
		defer cancel()
	}
	tx, err := x.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: x.Postgres()})
	if err != nil {
		return fmt.Errorf("read the index: %w", err)
	}
	defer tx.Rollback()
	v := &View{x: x, tx: tx, ctx: ctx, scope: slices.Clone(scope)}
	if x.Postgres() {
		if err := v.restrict(); err != nil {
			return fmt.Errorf("read the index: %w", err)
		}
	}
	return see(v)
}

// restrict gives the transaction the role of readers, and says which repositories it sees. Starting another process for a
// question takes longer than answering it.
func (v *View) restrict() error {
	numbers := make([]string, len(v.scope))
	for i, n := range v.scope {
		numbers[i] = strconv.FormatInt(n, 10)
	}
	_, err := v.tx.ExecContext(v.ctx, "SELECT set_config('hub.repositories', $1, true), set_config('role', '"+readerRole+"', true), set_config('jit', 'off', true), set_config('max_parallel_workers_per_gather', '0', true)", strings.Join(numbers, ","))
	return err
}

// rows asks and calls each for every row.
func (v *View) rows(query string, args []any, each func(scan func(...any) error) error) error {
	rows, err := v.tx.QueryContext(v.ctx, v.x.bind(query), args...)
	if err != nil {
		return fmt.Errorf("ask the index: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return fmt.Errorf("ask the index: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("ask the index: %w", err)
	}
	return nil
}

// A where collects conditions and their parameters.
type where struct {
	conditions []string
	args       []any
}

// scoped begins the conditions of a query with those of the scope.
func (v *View) scoped(column string) *where {
	w := &where{}
	if len(v.scope) == 1 { // the order of an index helps then
		w.add(column+" = ?", v.scope[0])
	} else {
		w.add(v.x.among(column), list(v.x, v.scope))
	}
	return w
}

func (w *where) add(condition string, args ...any) {
	w.conditions, w.args = append(w.conditions, condition), append(w.args, args...)
}

func (w *where) String() string { return " WHERE " + strings.Join(w.conditions, " AND ") }
