package redact

import (
	"encoding/base64"
	"strings"
)

// Long paths and compound names also have high entropy. Unlike secrets they consist of words, with few
// changes between small letters, capitals and digits.

// minRandom is how many bytes outside of words a secret has at least.
const minRandom = 20

// randomBytes counts the bytes of run in segments that do not look like words.
func randomBytes(run string) int {
	n := 0
	for len(run) > 0 {
		end := 0
		for end < len(run) && isAlnum(run[end]) {
			end++
		}
		if !isWords(run[:end]) {
			n += end
		}
		run = run[min(len(run), end+1):]
	}
	return n
}

// isWords reports whether an alphanumeric segment is a word, words in camel case, a number, a hash or a ULID.
func isWords(seg string) bool {
	if len(seg) <= 3 || isHash(seg) || isULID(seg) {
		return true
	}
	pieces, digits := 1, 0
	for i := 1; i < len(seg); i++ {
		a, b := classOf(seg[i-1]), classOf(seg[i])
		switch {
		case a == b:
			// "HTTPServer": the last of several capitals begins the next word
			if a == capital && i+1 < len(seg) && classOf(seg[i+1]) == small {
				pieces++
			}
		case a == capital && b == small:
		default:
			pieces++
		}
		if b == digit && a != digit {
			digits++
		}
	}
	if classOf(seg[0]) == digit {
		digits++
	}
	return 2*len(seg) >= 7*pieces && digits <= 1+len(seg)/12
}

type byteClass uint8

const (
	other byteClass = iota
	small
	capital
	digit
)

func classOf(c byte) byteClass {
	switch {
	case c-'a' < 26:
		return small
	case c-'A' < 26:
		return capital
	case c-'0' < 10:
		return digit
	}
	return other
}

func isAlnum(c byte) bool { return classOf(c) != other }

// mixed reports whether s has small letters, capitals and digits.
func mixed(s string) bool {
	var seen [4]bool
	for i := range len(s) {
		seen[classOf(s[i])] = true
	}
	return seen[small] && seen[capital] && seen[digit]
}

// isHash reports whether s is hexadecimal, in one case.
func isHash(s string) bool {
	var small, capital bool
	for i := range len(s) {
		c := s[i]
		switch {
		case c-'0' < 10:
		case c-'a' < 6:
			small = true
		case c-'A' < 6:
			capital = true
		default:
			return false
		}
	}
	return len(s) >= 4 && !(small && capital)
}

// known reports whether the run s[start:end] is an identifier, a checksum or a picture.
func known(s string, start, end int) bool {
	run := s[start:end]
	return isID(run) || isChecksum(s, start, end) || isPicture(run)
}

// isID reports whether s is an identifier of an agent or its service: known words, each followed by an
// underscore or a dash, and one alphanumeric part; or a UUID; or a hash.
func isID(s string) bool {
	rest := s
	for {
		i := strings.IndexAny(rest, "_-")
		if i <= 0 || !idWord(rest[:i]) {
			break
		}
		rest = rest[i+1:]
	}
	if isUUID(rest) || len(rest) <= 128 && isHash(rest) {
		return true
	}
	return len(rest) < len(s) && len(rest) <= 64 && skip(rest, 0, len(rest), &alnumByte) == len(rest)
}

func idWord(s string) bool {
	switch s {
	case "toolu", "srvtoolu", "msg", "req", "call", "resp", "chatcmpl", "fc", "rs", "msgbatch", "session",
		"file", "container", "agent", "thread", "run", "step", "asst", "event", "task", "bgtask",
		"ses", "prt", "evt", "per", "snp":
		return true
	}
	return false
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && !isHex(s[i]) {
			return false
		}
	}
	return true
}

// isULID reports whether s is a ULID of the years 2004 to 2039, in one case: files, rows and checkpoints are named so.
func isULID(s string) bool {
	if len(s) != 26 || s[:2] != "01" || strings.ToUpper(s) != s && strings.ToLower(s) != s {
		return false
	}
	for i := range len(s) {
		if !isAlnum(s[i]) || strings.IndexByte("iloILOuU", s[i]) >= 0 {
			return false
		}
	}
	return true
}

func isHex(c byte) bool { return c-'0' < 10 || (c|0x20)-'a' < 6 }

// isChecksum reports whether the run ends with a base64 checksum announced by its prefix: "sha512-…=="
// in lock files, "h1:…=" in go.sum, "SHA256:…" of ssh.
func isChecksum(s string, start, end int) bool {
	run := s[start:end]
	if name, sum, ok := strings.Cut(run, "-"); ok && strings.HasPrefix(name, "sha") {
		return checksumLen(name, len(strings.TrimRight(sum, "=")))
	}
	sum := len(strings.TrimRight(run, "="))
	before := s[:start]
	for _, name := range []string{"sha1", "sha256", "sha384", "sha512", "SHA1", "SHA256", "SHA512"} {
		if strings.HasSuffix(before, name+":") {
			return checksumLen(strings.ToLower(name), sum)
		}
	}
	return strings.HasSuffix(before, "h1:") && sum == 43
}

// checksumLen reports whether a checksum of that name has n bytes in base64, without padding.
func checksumLen(name string, n int) bool {
	switch name {
	case "sha1":
		return n == 27
	case "sha256":
		return n == 43
	case "sha384":
		return n == 64
	case "sha512":
		return n == 86
	}
	return false
}

// isPicture reports whether s is a picture, document or font in base64.
func isPicture(s string) bool {
	if len(s) < 64 {
		return false
	}
	var head [12]byte
	if _, err := base64.StdEncoding.Decode(head[:], []byte(s[:16])); err != nil {
		return false
	}
	h := string(head[:])
	for _, magic := range []string{"\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF87a", "GIF89a", "%PDF-", "wOFF", "wOF2"} {
		if strings.HasPrefix(h, magic) {
			return true
		}
	}
	return strings.HasPrefix(h, "RIFF") && h[8:] == "WEBP"
}

// isBase64 reports whether all of s is base64.
func isBase64(s string) bool {
	body := strings.TrimRight(s, "=")
	return len(s)-len(body) <= 2 && skip(body, 0, len(body), &base64Byte) == len(body)
}

var (
	base64Byte = byteSet{0x3ff880000000000, 0x7fffffe07fffffe}
	alnumByte  = byteSet{0x3ff000000000000, 0x7fffffe07fffffe}
)
