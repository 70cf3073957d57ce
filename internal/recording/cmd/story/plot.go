//go:build linux || darwin

package main

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// tell makes the repository.
func (s *story) tell() {
	s.repo = filepath.Join(s.dir, "shop")
	for _, dir := range []string{s.repo, filepath.Join(s.dir, "home")} {
		s.keep(os.MkdirAll(dir, 0o755))
	}
	s.git("init", "-q", "-b", "main")
	s.git("config", "user.name", "Ada Quist")
	s.git("config", "user.email", "ada@shop.example")
	s.write("cart.go", cartGo)
	s.write("price.go", priceGo)
	s.write("README.md", "# Shop\n\nA cart, prices, and a checkout.\n")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "Add a cart and prices")
	s.run("", "entire", "enable", "--agent", "claude-code")
	s.commit("Use Entire")
	first, second := s.session("5b0c1f6e-72a4-4c1e-9a53-1d8e6f0a2b11", "claude-opus-4-5"), s.session("c4d9e8a0-1f27-4b6c-8e35-7a90b2c6d4e2", "claude-sonnet-4-5")
	s.rounding(first)
	s.commit("Round prices to cents")
	s.discounts(first, second)
	s.commit("Add discounts")
	s.mistake(second)
	s.checkout(first)
}

// rounding is what the first session does before the first commit.
func (s *story) rounding(first *session) {
	first.turn("Prices come out as 12.340000001. Round them to cents, half away from zero.", func() {
		first.think("math.Round rounds half away from zero, so multiplying by 100 first is enough. Integer cents would be cleaner, but the type is used everywhere.")
		first.edit("price.go", "	return net * (1 + vat)\n", "	return Cents(net * (1 + vat))\n")
		first.edit("price.go", "import \"fmt\"\n", "import (\n\t\"fmt\"\n\t\"math\"\n)\n")
		first.edit("price.go", "// Show ", "// Cents rounds an amount to cents, half away from zero.\nfunc Cents(amount float64) float64 {\n\treturn math.Round(amount*100) / 100\n}\n\n// Show ")
		first.say("Prices are now rounded to cents in `Gross`, with a helper `Cents` that rounds half away from zero.")
	})
	first.turn("Add a test for the halves, also below zero.", func() {
		first.create("price_test.go", priceTestGo)
		first.shell("go test ./...", "ok  \tshop\t0.003s")
		first.say("The test covers 0.005, -0.005 and 12.345; all pass.")
	})
}

// discounts is two sessions and a person at work on the same files.
func (s *story) discounts(first, second *session) {
	first.turn("A cart needs discounts: a percentage for the whole cart, and no total below zero.", func() {
		first.think("Cart.Total sums the gross prices. The discount belongs after the sum, and clamping at zero protects from more than 100 percent.")
		first.edit("cart.go", "	return total\n", "	total -= total * c.Discount / 100\n	if total < 0 {\n		total = 0\n	}\n	return Cents(total)\n")
		first.edit("cart.go", "	Lines []Line\n", "	Lines []Line\n\n	Discount float64 // percent of the whole cart\n")
		first.say("`Cart.Discount` is a percentage of the total, which never falls below zero.")
	})
	second.turn("Write the README for people who use the package.", func() {
		second.edit("README.md", "A cart, prices, and a checkout.\n", readme)
		second.say("The README now shows a cart with a discount in ten lines.")
	})
	s.pass(2 * time.Minute)
	s.write("cart.go", strings.Replace(s.read("cart.go"), "// Total returns", "// Total returns, in euros,", 1))
	first.turn("Discounts of more than 50 % need a reason. Return an error without one.", func() {
		first.edit("cart.go", "	Discount float64 // percent of the whole cart\n", "	Discount float64 // percent of the whole cart\n	Reason   string  // why Discount is more than 50 percent\n")
		first.edit("cart.go", "// Total returns", "// Check returns an error for a large discount that has no reason.\nfunc (c Cart) Check() error {\n\tif c.Discount > 50 && c.Reason == \"\" {\n\t\treturn fmt.Errorf(\"a discount of %.0f %% needs a reason\", c.Discount)\n\t}\n\treturn nil\n}\n\n// Total returns")
		first.edit("cart.go", "package shop\n", "package shop\n\nimport \"fmt\"\n")
		first.say("`Cart.Check` refuses a discount of more than 50 percent without a reason.")
	})
}

// mistake is a turn that breaks the prices, and the way back.
func (s *story) mistake(second *session) {
	second.turn("Make the prices faster.", func() {
		second.think("Rounding costs a call for each line. I could drop it and round only in Show.")
		second.edit("price.go", "	return Cents(net * (1 + vat))\n", "	return net + net*vat\n")
		second.edit("price.go", "	return math.Round(amount*100) / 100\n", "	return float64(int(amount*100)) / 100 // faster\n")
		second.shell("go test ./...", "--- FAIL: TestCents (0.00s)\n    price_test.go:15: Cents(-0.005) = 0, want -0.01\nFAIL")
		second.say("Gross no longer rounds each line, and Cents truncates, which is faster. One test fails; it tested the old rounding.")
	})
	s.pass(time.Minute)
	s.run("", "entire", "rewind", "--turn", "-1", "--session", second.id, "--yes")
}

// checkout is work that is not committed yet.
func (s *story) checkout(first *session) {
	first.turn("Add a checkout that checks the cart and returns the total with a number for the receipt.", func() {
		first.think("Checkout should call Check first. Receipt numbers must not repeat; a counter that the caller owns is easiest to test.")
		first.create("checkout.go", checkoutGo)
		first.say("`Checkout` checks the cart, sums it up and numbers the receipt. The counter is the caller's, so tests can start it anywhere.")
	})
	first.turn("Log each checkout, without the names of the customers.", func() {
		first.edit("checkout.go", "	return r, nil\n", "	log.Printf(\"checkout %d: %d lines, %s\", r.Number, len(c.Lines), Show(r.Total))\n	return r, nil\n")
		first.edit("checkout.go", "package shop\n", "package shop\n\nimport \"log\"\n")
		first.say("Each checkout is logged with its number, the count of lines and the total; no names.")
	})
}

const cartGo = `package shop

// A Line is an article and how many of it.
type Line struct {
	Article string
	Net     float64
	Count   int
}

// A Cart is what a customer wants to buy.
type Cart struct {
	Lines []Line
}

// Total returns what the cart costs.
func (c Cart) Total() float64 {
	total := 0.0
	for _, l := range c.Lines {
		total += Gross(l.Net) * float64(l.Count)
	}
	return total
}
`

const priceGo = `package shop

import "fmt"

const vat = 0.19

// Gross returns a price with tax.
func Gross(net float64) float64 {
	return net * (1 + vat)
}

// Show returns an amount as customers read it.
func Show(amount float64) string {
	return fmt.Sprintf("%.2f EUR", amount)
}
`

const priceTestGo = `package shop

import "testing"

func TestCents(t *testing.T) {
	for amount, want := range map[float64]float64{0.005: 0.01, -0.005: -0.01, 12.345: 12.35} {
		if got := Cents(amount); got != want {
			t.Errorf("Cents(%v) = %v, want %v", amount, got, want)
		}
	}
}
`

const readme = "A cart, prices, and a checkout.\n\n```go\nc := shop.Cart{Discount: 10}\nc.Lines = append(c.Lines, shop.Line{Article: \"lamp\", Net: 20, Count: 2})\nfmt.Println(shop.Show(c.Total())) // 42.84 EUR\n```\n"

const checkoutGo = `package shop

// A Receipt is a paid cart.
type Receipt struct {
	Number int
	Total  float64
}

// Checkout checks a cart and returns its receipt. It counts number up.
func Checkout(c Cart, number *int) (Receipt, error) {
	if err := c.Check(); err != nil {
		return Receipt{}, err
	}
	*number++
	r := Receipt{Number: *number, Total: c.Total()}
	return r, nil
}
`
