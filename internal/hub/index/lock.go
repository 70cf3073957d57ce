package index

import (
	"context"
	"fmt"
)

// lockClass sets our advisory locks apart from those of others in the same database.
const lockClass = 0x656e7469

// TryLock locks a repository for the one replica that reads it now. ok is false if another one does. The lock ends with
// release or, in PostgreSQL, with the connection, so that no killed process leaves it behind.
func (x *Index) TryLock(ctx context.Context, repo int64) (release func(), ok bool, err error) {
	if !x.Postgres() {
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.locked[repo] {
			return nil, false, nil
		}
		x.locked[repo] = true
		return func() { x.mu.Lock(); defer x.mu.Unlock(); delete(x.locked, repo) }, true, nil
	}
	conn, err := x.pool.Acquire(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("lock the repository: %w", err)
	}
	if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1, $2)", lockClass, int32(repo)).Scan(&ok); err != nil || !ok {
		conn.Release()
		if err != nil {
			err = fmt.Errorf("lock the repository: %w", err)
		}
		return nil, false, err
	}
	return func() {
		// A connection that cannot unlock is closed, which unlocks.
		if _, err := conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1, $2)", lockClass, int32(repo)); err != nil {
			_ = conn.Conn().Close(context.WithoutCancel(ctx))
		}
		conn.Release()
	}, true, nil
}
