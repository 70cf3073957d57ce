package index

import (
	"encoding/json"
	"strconv"
	"strings"
)

// bind writes the question marks of a query as the database takes them. No query has one in a text.
func (x *Index) bind(query string) string {
	if !x.Postgres() {
		return query
	}
	var b strings.Builder
	n := 0
	for i := range len(query) {
		if query[i] != '?' {
			b.WriteByte(query[i])
			continue
		}
		n++
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}

// among is a condition that a column has one of the values of a list, which is one parameter.
func (x *Index) among(column string) string {
	if x.Postgres() {
		return column + " = ANY (?)"
	}
	return column + " IN (SELECT value FROM json_each(?))"
}

// list is the parameter of among.
func list[T string | int64](x *Index, values []T) any {
	if x.Postgres() {
		return values
	}
	data, err := json.Marshal(values)
	if err != nil {
		panic(err) // texts and numbers
	}
	return string(data)
}
