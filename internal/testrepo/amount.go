package testrepo

import "os"

// Full reports whether tests try great amounts: `make full`, rather than `make test`, in which a small amount proves the same.
func Full() bool { return os.Getenv("ENTIRE_TEST_FULL") != "" }

// Amount is few, or many if tests try great amounts.
func Amount(few, many int) int {
	if Full() {
		return many
	}
	return few
}
