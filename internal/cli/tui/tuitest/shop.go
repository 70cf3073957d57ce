package tuitest

import (
	"testing"
	"time"
)

// The sessions of Shop.
const (
	First  = "0a1b2c3d-0000-4000-8000-000000000001"
	Second = "5e6f7a8b-0000-4000-8000-000000000002"
)

const cart = `package shop

// A Cart is what a customer wants to buy.
type Cart struct {
	lines []Line
}

// Add puts n pieces of a product into the cart.
func (c *Cart) Add(product string, n int) {
	c.lines = append(c.lines, Line{product, n})
}
`

const cartLimited = `package shop

import "errors"

// ErrTooMany is returned for more pieces than a customer may buy at once.
var ErrTooMany = errors.New("too many pieces")

// A Cart is what a customer wants to buy.
type Cart struct {
	lines []Line
}

// Add puts n pieces of a product into the cart.
func (c *Cart) Add(product string, n int) error {
	if n < 1 || n > 99 {
		return ErrTooMany
	}
	c.lines = append(c.lines, Line{product, n})
	return nil
}
`

const price = `package shop

// Price returns the price in cents, with 19 per cent of tax.
func Price(net int) int { return net + net*19/100 }
`

const answer = `The cart now refuses more than **99 pieces** of a product:

1. ` + "`Add`" + ` returns ` + "`ErrTooMany`" + `
2. the callers show it

| case | before | now |
|---|---|---|
| 0 pieces | added | refused |
| 100 pieces | added | refused |

` + "```go\nif err := c.Add(\"tea\", 100); err != nil {\n\treturn err\n}\n```" + `

See [the rules](https://example.com/rules).`

// Shop is a repository in which two sessions, and a person, have worked for two days.
func Shop(t testing.TB) *Story {
	t.Helper()
	s := New(t, map[string]string{"README.md": "# Shop\n", "cart.go": cart, "line.go": "package shop\n\ntype Line struct {\n\tproduct string\n\tn       int\n}\n"})
	s.Turn(First, "Limit how many pieces of a product a customer can put into the cart.\nRefuse more than 99, and say why.", answer,
		Edit{"cart.go", cartLimited}, Edit{"cart_test.go", "package shop\n\nimport \"testing\"\n\nfunc TestLimit(t *testing.T) {\n\tif err := new(Cart).Add(\"tea\", 100); err == nil {\n\t\tt.Error(\"100 pieces were taken\")\n\t}\n}\n"})
	s.Commit("Limit the pieces in a cart")
	s.Turn(Second, "Add a function for the price with tax", "`Price` adds 19 per cent.", Edit{"price.go", price})
	s.Turn(First, "商品の説明を日本語で追加してください 🛒", "日本語の説明を追加しました。", Edit{"データ/説明.md", "# 商品\n\nお茶とコーヒーを販売します。\n"})
	s.Later(21 * time.Hour)
	s.Label("before the new prices")
	s.Turn(Second, "Use 7 per cent for food", "Food has 7 per cent now.", Edit{"price.go", "package shop\n\n// Price returns the price in cents, with tax.\nfunc Price(net int, food bool) int {\n\tif food {\n\t\treturn net + net*7/100\n\t}\n\treturn net + net*19/100\n}\n"})
	s.Rewind(1)
	s.Turn(Second, "Use a table of rates instead", "Rates are in a table now; a new kind of goods is one line.", Edit{"price.go", "package shop\n\nvar rates = map[string]int{\"food\": 7, \"book\": 7, \"other\": 19}\n\n// Price returns the price in cents, with the tax of its kind.\nfunc Price(net int, kind string) int {\n\treturn net + net*rates[kind]/100\n}\n"})
	s.Later(30 * time.Minute)
	return s
}
