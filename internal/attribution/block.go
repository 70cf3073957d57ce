package attribution

import (
	"bytes"
	"unicode"
)

// BlockLetters is how many letters and digits the claimed lines of a block must have together; of blockLines lines or
// more, shortBlockLetters suffice.
const (
	BlockLetters      = 30
	blockLines        = 3
	shortBlockLetters = 24
)

// A Claim says where an added line may have been written before.
type Claim struct {
	Source  string // the same for lines that would come from the same place and owner; "" for none
	Letters int    // letters and digits of the line
	Weak    bool   // the line is not distinctive, and neither makes nor breaks a block
}

// Blocks reports which claims hold. A single line, or a few short ones, may be written twice; a block of lines
// from one source was moved or copied: at least two neighbours with at least BlockLetters letters, or
// blockLines with shortBlockLetters, or all lines of the file.
func Blocks(claims []Claim) []bool {
	holds := make([]bool, len(claims))
	for from := 0; from < len(claims); {
		source := claims[from].Source
		if source == "" {
			from++
			continue
		}
		to, lines, letters := from, 0, 0
		for ; to < len(claims) && (claims[to].Source == source || claims[to].Source == "" && claims[to].Weak); to++ {
			if claims[to].Source != "" {
				lines, letters = lines+1, letters+claims[to].Letters
			}
		}
		whole := from == 0 && to == len(claims)
		isBlock := lines > 1 && (whole || letters >= BlockLetters) || lines >= blockLines && letters >= shortBlockLetters
		for i := from; i < to && isBlock; i++ {
			holds[i] = claims[i].Source != ""
		}
		from = to
	}
	return holds
}

// Letters counts the letters and digits of a line.
func Letters(line []byte) (n int) {
	for _, r := range bytes.Runes(line) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
