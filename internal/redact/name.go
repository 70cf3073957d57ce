package redact

import "strings"

// nameClass says how strongly a name suggests that its value is a secret.
type nameClass uint8

const (
	noName    nameClass = iota
	vagueName           // contains a word such as "key": only a random value is a secret
	keyLike             // ends in "secret", "token", "api_key"
	passLike            // ends in "password"
)

// nameWords are the words in names of secrets.
var nameWords = []string{"pass", "pwd", "secret", "token", "key", "auth", "cred", "api", "access", "sig", "psk"}

var (
	passEnds = []string{"password", "passwd", "passphrase", "passcode", "passwort"}
	// keyEnds are the ends of names of secrets.
	keyEnds = []string{"secret", "token", "apikey", "api_key", "api-key", "accesskey", "access_key", "access-key", "secretkey", "secret_key",
		"secret-key", "privatekey", "private_key", "private-key", "authkey", "auth_key", "auth-key", "signing_key", "signingkey", "encryption_key",
		"encryptionkey", "master_key", "masterkey", "accountkey", "account_key", "sharedkey", "shared_key", "session_key", "service_key",
		"license_key", "app_key", "appkey", "application_key", "jwt_key", "hmac_key", "admin_key", "deploy_key", "storage_key", "role_key",
		"anon_key", "client_key", "credential", "credentials", "x-amz-signature", "x-goog-signature", "token_key", "integration_key",
		"api.key", "access.key", "secret.key", "private.key", "auth.key", "webhook_key", "routing_key", "write_key", "subscription-key", "subscription_key", "functions-key", "sharedaccesskey"}
	// wholeEnds are the same, but only as a separate word.
	wholeEnds = []string{"auth", "sig", "creds"}
	passWhole = []string{"pass", "pwd", "pw", "pswd", "psk"}
)

// classOfName classifies a name, such as DB_PASSWORD, db.password or dbPassword.
func classOfName(name string) nameClass {
	for len(name) > 0 && classOf(name[len(name)-1]) != small && classOf(name[len(name)-1]) != capital {
		name = name[:len(name)-1]
	}
	switch {
	case endsIn(name, passEnds), endsAsWord(name, passWhole):
		return passLike
	case endsIn(name, keyEnds), endsAsWord(name, wholeEnds):
		return keyLike
	}
	return vagueName
}

func endsIn(name string, ends []string) bool {
	for _, e := range ends {
		if at := len(name) - len(e); at >= 0 && lower(name[len(name)-1]) == e[len(e)-1] && hasFold(name[at:], e) {
			return true
		}
	}
	return false
}

// endsAsWord reports whether the name ends with one of the words, after nothing, a separator, or a
// change to a capital.
func endsAsWord(name string, words []string) bool {
	for _, w := range words {
		at := len(name) - len(w)
		if at < 0 || !hasFold(name[at:], w) {
			continue
		}
		if at == 0 || !isAlnum(name[at-1]) || classOf(name[at]) == capital && classOf(name[at-1]) != capital {
			return true
		}
	}
	return false
}

// assignment is a name and the value assigned to it.
type assignment struct {
	name       Span
	value      Span // empty: none
	class      nameClass
	quoted     bool
	tight      bool // name=value without blanks
	option     bool // --name value
	listed     bool // after a comma, or in a sentence
	told       bool // in a sentence
	connection bool // one of several in a connection string, query or header
}

// findNamed finds a secret by the name that it is assigned to.
func findNamed(f *found, s string, at, n int) {
	start := back(s, at, farthest, &identifier)
	end := skip(s, at+n, farthest, &identifier)
	if f.named.name == (Span{start, end}) && end > 0 {
		return
	}
	f.named = assignment{name: Span{start, end}}
	a := &f.named
	for end > at+n && (s[end-1] == '.' || s[end-1] == '-') {
		end--
	}
	if !a.parse(s, end) || a.value.End-a.value.Start < shortestNamed {
		return
	}
	a.class = classOfName(s[start:end])
	if v := s[a.value.Start:a.value.End]; a.secret(v, s) {
		f.add(a.value.Start, a.value.End)
	}
}

// parse finds the value assigned to the name that ends at i.
func (a *assignment) parse(s string, i int) bool {
	a.option = a.name.Start < len(s) && s[a.name.Start] == '-'
	closed := i < len(s) && quotes.has(s[i])
	if closed {
		i++
	}
	if i < len(s) && (s[i] == ']' || s[i] == ')' && closed) {
		i++
	}
	op := skip(s, i, 4, &blankByte)
	i, ok := a.operator(s, op, closed)
	if !ok {
		i, ok = a.withoutOperator(s, op, closed)
	}
	return ok && a.take(s, skip(s, i, 4, &blankByte))
}

// operator returns the end of the operator at i.
func (a *assignment) operator(s string, i int, closed bool) (int, bool) {
	if i >= len(s) {
		return i, false
	}
	rest := s[i:min(len(s), i+3)]
	for _, op := range []string{":=", "=>", "||", "??", "?:", "?="} {
		if strings.HasPrefix(rest, op) {
			return i + len(op), true
		}
	}
	if strings.HasPrefix(rest, "==") && len(rest) > 2 && i == a.name.End && a.capitals(s) && strings.IndexByte("~#^*?@+", rest[2]) >= 0 {
		a.tight = true
		return i + 1, true // the value begins with an equals sign
	}
	if strings.HasPrefix(rest, "==") || strings.HasPrefix(rest, "!=") {
		i = skip(s, i, 3, &equalByte)
		i = skip(s, i, 4, &blankByte)
		return i, i < len(s) && quotes.has(s[i]) // otherwise it compares two names
	}
	switch s[i] {
	case '=':
		a.tight = i == a.name.End && i+1 < len(s) && !blankByte.has(s[i+1])
		return i + 1, true
	case ':':
		return a.typed(s, i+1), true
	case ',':
		a.listed = true
		return i + 1, closed
	case '(':
		return i + 1, i+1 < len(s) && quotes.has(s[i+1])
	case '>':
		a.connection = a.name.Start > 0 && s[a.name.Start-1] == '<'
		return i + 1, a.connection
	}
	return i, false
}

// typed skips a type between a colon and an equals sign.
func (a *assignment) typed(s string, i int) int {
	j := skip(s, i, 4, &blankByte)
	end := skip(s, j, 24, &wordByte)
	eq := skip(s, end, 2, &blankByte)
	if end > j && eq < len(s) && s[eq] == '=' {
		return eq + 1
	}
	return i
}

// withoutOperator returns the start of a value without an operator: after an option, after "is" or a quote in a
// sentence or query, or in a .netrc file.
func (a *assignment) withoutOperator(s string, i int, closed bool) (int, bool) {
	if i == a.name.End || i >= len(s) {
		return i, false
	}
	for _, verb := range []string{"is ", "was ", "is: "} {
		if strings.HasPrefix(s[i:], verb) {
			a.listed, a.told = true, true
			return i + len(verb), true
		}
	}
	if closed || a.option {
		return i, a.option && s[i] != '-'
	}
	if classOfName(s[a.name.Start:a.name.End]) == keyLike && !a.option {
		a.listed, a.told = true, true
		return i, true
	}
	if classOfName(s[a.name.Start:a.name.End]) != passLike {
		return i, false
	}
	a.connection = s[i] != '\'' && s[i] != '"' && inNetrc(s, a.name.Start)
	return i, a.connection || quotes.has(s[i])
}

// inNetrc reports whether the text before s[:i] names a machine or a login.
func inNetrc(s string, i int) bool {
	front := s[max(0, i-200):i]
	return strings.Contains(front, "machine ") || strings.Contains(front, "login ")
}

// take sets the value that begins at i.
func (a *assignment) take(s string, i int) bool {
	if i+1 < len(s) && classOf(s[i]) != other && quotes.has(s[i+1]) {
		i++ // a string's prefix, as in b"..."
	}
	if i >= len(s) {
		return false
	}
	if quotes.has(s[i]) {
		a.quoted = true
		end := closing(s, i)
		a.value = Span{i + 1, end}
		return end > i+1
	}
	a.context(s)
	end := a.bare(s, i)
	for !a.tight && end > i && (s[end-1] == '.' || s[end-1] == ':') {
		end-- // punctuation of the sentence
	}
	if slash := strings.IndexByte(s[i:max(i, end)], '/'); a.told && slash > 0 {
		end = i + slash
	}
	a.value = Span{i, end}
	if end < len(s) && (s[end] == '(' || s[end] == '[') {
		return false // a call, or an element
	}
	return end > i && end-i < longestValue
}

// closing returns the end of the string whose opening quote is at i, or -1.
func closing(s string, i int) int {
	for j := i + 1; j < len(s) && j-i <= longestValue; j++ {
		switch s[j] {
		case '\n':
			return -1
		case s[i]:
			if s[j-1] != '\\' {
				return j
			}
		}
	}
	return -1
}

// context sets connection if the name is in a connection string, a query or a header's list.
func (a *assignment) context(s string) {
	if !a.tight {
		return
	}
	i := a.name.Start
	if i > 0 && (s[i-1] == ';' || s[i-1] == '&' || s[i-1] == '?' || s[i-1] == ':') {
		a.connection = true
		return
	}
	if from := back(s, i, 2, &blankByte); from < i && from > 0 {
		word := back(s, from, farthest, &notSpace)
		a.connection = strings.IndexByte(s[word:from], '=') > 0 && s[from-1] != ','
	}
}

// bare returns the end of the unquoted value that begins at i. In lines like those of a .env file, the
// value extends to the next blank.
func (a *assignment) bare(s string, i int) int {
	if !a.tight || !a.capitals(s) {
		return until(s, i, i+longestValue, &bareEnd)
	}
	end := until(s, i, i+longestValue, &wordEnd)
	if cut := strings.Index(s[i:end], "&&"); cut >= 0 {
		end = i + cut
	}
	for end > i && strings.IndexByte(")]};,", s[end-1]) >= 0 {
		end--
	}
	return end
}

// capitals reports whether the name looks like an environment variable.
func (a *assignment) capitals(s string) bool {
	name := strings.TrimPrefix(s[a.name.Start:a.name.End], "TF_VAR_")
	return len(name) < a.name.End-a.name.Start || strings.ToUpper(name) == name && shapeOf(name).letters > 0
}

var equalByte = setOf("!=")

var notSpace = byteSet{^uint64(1<<'\t' | 1<<'\n' | 1<<'\r' | 1<<' '), ^uint64(0)}
