package object

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Signature is who made a commit and when, in whole seconds with a time zone.
type Signature struct {
	Name, Email string
	When        time.Time
}

// Commit is a commit object. Message is everything after the headers.
type Commit struct {
	OID       OID // set by ParseCommit
	Tree      OID
	Parents   []OID
	Author    Signature
	Committer Signature
	Message   string

	// Sealed is the armoured signature of the commit without it, as gpg or ssh-keygen prints it; "" for none.
	// ParseCommit does not read it: see [SplitSignature].
	Sealed string
}

// Subject returns the first line of the message.
func (c Commit) Subject() string {
	s, _, _ := strings.Cut(c.Message, "\n")
	return s
}

// ParseCommit parses a commit object. It skips unknown headers.
func ParseCommit(oid OID, data []byte) (Commit, error) {
	c := Commit{OID: oid}
	head, message, _ := bytes.Cut(data, []byte("\n\n"))
	c.Message = string(message)
	for _, line := range strings.Split(string(head), "\n") {
		key, value, _ := strings.Cut(line, " ")
		var err error
		switch key {
		case "tree":
			c.Tree, err = ParseOID(value)
		case "parent":
			var p OID
			p, err = ParseOID(value)
			c.Parents = append(c.Parents, p)
		case "author":
			c.Author = ParseSignature(value)
		case "committer":
			c.Committer = ParseSignature(value)
		}
		if err != nil {
			return Commit{}, fmt.Errorf("read commit %s: %w", oid, err)
		}
	}
	if c.Tree.IsZero() {
		return Commit{}, fmt.Errorf("read commit %s: no tree", oid)
	}
	return c, nil
}

// ParseSignature parses `Name <email> 1700000000 +0100`; missing parts stay empty.
func ParseSignature(s string) Signature {
	var sig Signature
	open, end := strings.LastIndexByte(s, '<'), strings.LastIndexByte(s, '>')
	if open < 0 || end < open {
		sig.Name = strings.TrimSpace(s)
		return sig
	}
	sig.Name, sig.Email = strings.TrimSpace(s[:open]), s[open+1:end]
	f := strings.Fields(s[end+1:])
	if len(f) == 0 {
		return sig
	}
	sec, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil {
		return sig
	}
	zone := 0
	if len(f) > 1 {
		if z, err := strconv.Atoi(f[1]); err == nil && -1500 < z && z < 1500 {
			zone = z/100*3600 + z%100*60
		}
	}
	sig.When = time.Unix(sec, 0).In(time.FixedZone("", zone))
	return sig
}

func (s Signature) encode() string {
	clean := func(v string) string {
		return strings.TrimSpace(strings.NewReplacer("<", "", ">", "", "\n", " ", "\x00", "").Replace(v))
	}
	if s.When.Unix() < 0 { // git has no dates before 1970, such as the zero time
		s.When = time.Unix(0, 0).UTC()
	}
	return fmt.Sprintf("%s <%s> %d %s", clean(s.Name), clean(s.Email), s.When.Unix(), s.When.Format("-0700"))
}

func (c Commit) Encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", c.Tree)
	for _, p := range c.Parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n", c.Author.encode(), c.Committer.encode())
	if c.Sealed != "" {
		fmt.Fprintf(&b, "gpgsig %s\n", strings.ReplaceAll(strings.TrimSuffix(c.Sealed, "\n"), "\n", "\n "))
	}
	fmt.Fprintf(&b, "\n%s", strings.ReplaceAll(c.Message, "\x00", ""))
	return b.Bytes()
}

// SplitSignature returns a commit object without its signature, which is what was signed, and the armoured signature;
// "" for a commit that is not signed.
func SplitSignature(data []byte) (signed []byte, signature string) {
	head, message, _ := bytes.Cut(data, []byte("\n\n"))
	var kept, sig []string
	inside := false
	for _, line := range strings.Split(string(head), "\n") {
		value, begins := strings.CutPrefix(line, "gpgsig ")
		if !begins {
			value, begins = strings.CutPrefix(line, "gpgsig-sha256 ")
		}
		more, continues := strings.CutPrefix(line, " ")
		switch {
		case begins:
			inside, sig = true, append(sig, value)
		case inside && continues:
			sig = append(sig, more)
		default:
			inside, kept = false, append(kept, line)
		}
	}
	if len(sig) == 0 {
		return data, ""
	}
	return []byte(strings.Join(kept, "\n") + "\n\n" + string(message)), strings.Join(sig, "\n") + "\n"
}
