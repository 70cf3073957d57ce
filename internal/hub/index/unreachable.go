package index

import (
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Unreachable reports whether an error says that PostgreSQL does not answer now, as while it starts or is replaced, and not
// that it refuses us.
func Unreachable(err error) bool {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		// Shutting down, crashed, starting, and too many connections.
		return strings.HasPrefix(said.Code, "57P0") || said.Code == "53300"
	}
	var connecting *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connecting) || errors.As(err, &network) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
