//go:build unix

package index_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"entire/internal/hub/hubtest"
	"entire/internal/hub/index"
)

// TestRights: a query without any condition sees no row of a repository that the transaction was not given, in any table, and
// a reader changes nothing: so says the database itself.
func TestRights(t *testing.T) {
	shop, secret := hubtest.NewRepository(t, "shop"), hubtest.NewRepository(t, "secret")
	shop.Add(40)
	secret.Add(40)
	address := hubtest.Postgres(t)
	s := hubtest.Serve(t, map[string]string{"shop": "file://" + shop.Dir, "secret": "file://" + secret.Dir}, hubtest.Options{Postgres: address})
	s.Await(map[string]int{"shop": 40, "secret": 40})
	s.Stop()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	ask := func(role, given, query string, args ...any) (n int, err error) {
		tx, err := conn.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback(t.Context())
		if _, err := tx.Exec(t.Context(), "SELECT set_config('hub.repositories', $1, true), set_config('role', $2, true)", given, role); err != nil {
			t.Fatal(err)
		}
		err = tx.QueryRow(t.Context(), query, args...).Scan(&n)
		return n, err
	}
	own := fmt.Sprint(index.Number("shop"))
	for _, table := range index.Tables() {
		column := "repo"
		if table == "repository" {
			column = "id"
		}
		others := "SELECT count(*) FROM " + table + " WHERE " + column + " = " + fmt.Sprint(index.Number("secret"))
		if n, err := ask("hub", own, others); err != nil || n == 0 && table != "forgotten" {
			t.Errorf("%s has nothing to be kept from anybody: %v", table, err)
		}
		for _, given := range []string{own, "", "0", own + "," + own} {
			if n, err := ask("entire_hub_reader", given, others); err != nil || n != 0 {
				t.Errorf("%s with %q: %d rows of another repository, %v", table, given, n, err)
			}
		}
		if n, err := ask("entire_hub_reader", own, "SELECT count(*) FROM "+table); err != nil || n == 0 && table != "forgotten" {
			t.Errorf("%s: %d rows of one's own, %v", table, n, err)
		}
		for _, change := range []string{"DELETE FROM %s RETURNING 1", "UPDATE %s SET " + column + " = 1 RETURNING 1", "INSERT INTO %s DEFAULT VALUES RETURNING 1"} {
			if _, err := ask("entire_hub_reader", own, fmt.Sprintf(change, table)); err == nil {
				t.Errorf("a reader may: "+change, table)
			}
		}
	}
	const search = "SELECT count(*) FROM search_checkpoints($1::text::tsquery, '', '', '', '', '', 0, 0, 0, 0, '', 1000) WHERE repo <> "
	if n, err := ask("entire_hub_reader", own, search+own, "ticket1 | ticket2 | secret"); err != nil || n != 0 {
		t.Errorf("search: %d of others, %v", n, err)
	}
	if n, err := ask("entire_hub_reader", own, search+"0", "ticket1 | ticket2 | secret"); err != nil || n != 2 {
		t.Errorf("search: %d of one's own, %v", n, err)
	}
}
