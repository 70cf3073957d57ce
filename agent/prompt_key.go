package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// PromptKey returns a key that identifies a prompt without its text: 16 hex digits of the
// SHA-256 of its words, separated by single spaces; "" for a prompt without words.
func PromptKey(prompt string) string {
	words := strings.Fields(Clip(prompt, MaxPrompt))
	if len(words) == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(words, " ")))
	return hex.EncodeToString(sum[:8])
}
