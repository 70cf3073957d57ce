package search

import (
	"context"
	"database/sql"

	"entire/internal/search/lists"
)

// A known is what every search needs to know of the index. It is read again after a change.
type known struct {
	version     int64 // the change of another connection that it was read after
	rows        []row // without marks and cards, by number: reading thousands of cards would take longer than most searches
	parts       []lists.Part
	graves      map[int64]lists.Grave
	docs, words int64
}

// knows returns what is known of the index, as the transaction sees it.
func (x *Index) knows(ctx context.Context, tx *sql.Tx) (*known, error) {
	k := &known{}
	err := tx.QueryRowContext(ctx, "SELECT docs, words FROM total").Scan(&k.docs, &k.words) // the transaction sees this state from now on
	if err == nil {
		err = tx.QueryRowContext(ctx, "PRAGMA data_version").Scan(&k.version)
	}
	if err != nil || x.known != nil && x.known.version == k.version {
		return x.known, err
	}
	if k.parts, err = lists.ReadParts(tx); err != nil {
		return nil, err
	}
	if k.graves, err = lists.ReadGraves(tx); err != nil {
		return nil, err
	}
	if k.rows, err = readNames(ctx, tx); err != nil {
		return nil, err
	}
	x.known = k
	x.kept.Forget()
	return k, nil
}

func readNames(ctx context.Context, tx *sql.Tx) (list []row, err error) {
	found, err := tx.QueryContext(ctx, "SELECT number, kind, name FROM session ORDER BY number")
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		var r row
		if err := found.Scan(&r.number, &r.kind, &r.name); err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, found.Err()
}
