package audit

import (
	"strings"
	"testing"
	"time"

	"entire/checkpoint/statement"
)

func FuzzReadSigners(f *testing.F) {
	f.Add("# c\nann@x,bo@x namespaces=\"git\",valid-after=\"20200101Z\" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJKn4r2Bk6HbB0h2m0wRZ0p0mZQ0b0m0m0m0m0m0m0m0 c\n\"a b\" cert-authority ssh-rsa AAAA\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := ReadSigners([]byte(text))
		if lines := strings.Count(text, "\n") + 1; len(s.PassedOver)+len(s.list) > lines {
			t.Fatalf("%d keys and %d lines passed over, of %d lines", len(s.list), len(s.PassedOver), lines)
		}
		if _, err := s.check([]byte("x"), []byte(text), statement.Namespace, time.Time{}); err == nil && strings.Contains(text, "BEGIN SSH SIGNATURE") {
			t.Fatal("a random text is a signature")
		}
	})
}
