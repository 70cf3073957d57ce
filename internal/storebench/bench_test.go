package storebench

import (
	"database/sql"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"
)

// BenchmarkSQLite inserts messages one statement at a time, in one transaction.
func BenchmarkSQLite(b *testing.B) {
	db, err := sql.Open("sqlite", filepath.Join(b.TempDir(), "m.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE messages (id INTEGER PRIMARY KEY, line TEXT)"); err != nil {
		b.Fatal(err)
	}
	tx, err := db.Begin()
	if err != nil {
		b.Fatal(err)
	}
	stmt, err := tx.Prepare("INSERT INTO messages (line) VALUES (?)")
	if err != nil {
		b.Fatal(err)
	}
	line := `{"uuid":"x","role":"user","content":"hello"}`
	for b.Loop() {
		if _, err := stmt.Exec(line); err != nil {
			b.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
}
