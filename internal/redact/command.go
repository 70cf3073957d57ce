package redact

import "strings"

// program is a program with an option for a password.
type program struct {
	name   string // lower case
	option string
	joined bool // the value is part of the same word: -pSECRET
	apart  bool // the value is the next word: -p SECRET
	cut    byte // the value follows this byte in the word; zero: the whole word is the value
}

var programs = []program{
	{"mysql", "-p", true, false, 0}, {"mariadb", "-p", true, false, 0}, {"mysqldump", "-p", true, false, 0},
	{"mysqladmin", "-p", true, false, 0}, {"mysqlimport", "-p", true, false, 0}, {"mycli", "-p", true, true, 0},
	{"sshpass", "-p", true, true, 0}, {"mongo", "-p", true, true, 0}, {"redis-cli", "-a", true, true, 0},
	{"sqlcmd", "-P", true, true, 0}, {"bcp", "-P", true, true, 0}, {"isql", "-P", true, true, 0},
	{"docker login", "-p", true, true, 0}, {"podman login", "-p", true, true, 0}, {"helm registry", "-p", true, true, 0},
	{"helm repo", "-p", true, true, 0}, {"skopeo login", "-p", true, true, 0}, {"buildah login", "-p", true, true, 0},
	{"az login", "-p", true, true, 0}, {"oc login", "-p", true, true, 0}, {"cf login", "-p", true, true, 0}, {"argocd login", "-p", true, true, 0},
	{"7z ", "-p", true, false, 0}, {"7za", "-p", true, false, 0}, {"rar ", "-p", true, false, 0}, {"unrar", "-p", true, false, 0},
	{"zip", "-P", true, true, 0}, {"ldapsearch", "-w", true, true, 0}, {"ldapmodify", "-w", true, true, 0}, {"ldapadd", "-w", true, true, 0},
	{"ldappasswd", "-w", true, true, 0}, {"smbclient", "-U", true, true, '%'}, {"rpcclient", "-U", true, true, '%'},
	{"curl", "-u", true, true, ':'}, {"curl", "--user", false, true, ':'}, {"http ", "-a", true, true, ':'}, {"https ", "-a", true, true, ':'},
	{"lftp", "-u", true, true, ','}, {"impacket", "-hashes", false, true, ':'}, {"ipmitool", "-P", true, true, 0}, {"snmpwalk", "-A", false, true, 0},
	{"keytool", "-storepass", false, true, 0}, {"keytool", "-keypass", false, true, 0}, {"jarsigner", "-storepass", false, true, 0},
	{"openssl", "-k", false, true, 0}, {"psexec", "-p", false, true, 0}, {"xfreerdp", "/p:", true, false, 0}, {"rdesktop", "-p", true, true, 0},
	{"clickhouse", "--password", false, true, 0}, {"cqlsh", "-p", true, true, 0}, {"influx", "-password", false, true, 0},
	{"mosquitto_pub", "-P", true, true, 0}, {"mosquitto_sub", "-P", true, true, 0}, {"rabbitmqadmin", "-p", true, true, 0},
	{"svn ", "--password", false, true, 0}, {"ansible", "--vault-password", false, true, 0}, {"vault login", "", false, true, 0},
	{"aws_secret_access_key", "", false, true, 0}, {"htpasswd -", "", false, true, 0},
}

func programWords() (words []string) {
	for _, p := range programs {
		words = append(words, p.name)
	}
	return words
}

// findOption finds the password passed to the program named in s[at:at+n].
func findOption(f *found, s string, at, n int) {
	name := s[at : at+n]
	if at > 0 && wordByte.has(s[at-1]) || at < f.command && name == f.program {
		return
	}
	end := until(s, at+n, at+n+2*longestValue, &commandEnd)
	f.program, f.command = name, end
	for i := range programs {
		if p := &programs[i]; len(p.name) == n && hasFold(s[at:], p.name) {
			p.find(f, s, at+n, end)
		}
	}
}

// find looks for the option in s[i:end].
func (p *program) find(f *found, s string, i, end int) {
	if p.option == "" {
		p.operand(f, s, i, end)
		return
	}
	for i < end {
		from := skip(s, i, end-i, &spaceByte)
		to := wordAt(s, from, end)
		switch word := s[from:to]; {
		case p.apart && word == p.option:
			next := skip(s, to, end-to, &spaceByte)
			p.take(f, s, next, wordAt(s, next, end))
		case p.joined && len(word) > len(p.option) && strings.HasPrefix(word, p.option):
			p.take(f, s, from+len(p.option), to)
		}
		i = max(to, from+1)
	}
}

// operand takes the last word that is not an option as the secret.
func (p *program) operand(f *found, s string, i, end int) {
	from := skip(s, i, end-i, &spaceByte)
	for to := wordAt(s, from, end); from < end; from, to = skip(s, to, end-to, &spaceByte), wordAt(s, skip(s, to, end-to, &spaceByte), end) {
		if h := shapeOf(s[from:to]); from < to && s[from] != '-' && to-from >= shortestNamed && h.digits > 0 && h.letters > 0 && !isLocation(s[from:to]) {
			p.take(f, s, from, to)
		}
		if to == from {
			return
		}
	}
}

// wordAt returns the end of a command's word that begins at i. Quoted blanks belong to the word.
func wordAt(s string, i, end int) int {
	var quote byte
	for ; i < end; i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case quotes.has(c):
			quote = c
		case spaceByte.has(c):
			return i
		}
	}
	return end
}

func (p *program) take(f *found, s string, from, to int) {
	for from < to && (quotes.has(s[from]) || s[from] == '=') {
		from++
	}
	for to > from && (quotes.has(s[to-1]) || strings.IndexByte(")]},\\", s[to-1]) >= 0) {
		to--
	}
	v := s[from:to]
	if p.cut != 0 {
		_, behind, ok := strings.Cut(v, string(p.cut))
		if !ok {
			return
		}
		v = behind
	}
	if len(v) >= 4 && v[0] != '-' && !isPlaceholder(v) && !isReference(v) && !isPort(v) {
		f.add(to-len(v), to)
	}
}

// isPort reports whether v is a port or two, which is what -p means for other programs.
func isPort(v string) bool {
	h := shapeOf(v)
	return h.letters == 0 && len(v) <= 5 && h.symbols == 0 || h.letters == 0 && strings.IndexByte(v, ':') > 0
}

var commandEnd = setOf("\n\r|;")

// findWorded finds the value after SQL's IDENTIFIED BY, kubectl's --from-literal or openssl's pass:.
func findWorded(f *found, s string, at, n int) {
	i := skip(s, at+n, 4, &spaceByte)
	switch s[at+n-1] {
	case ':':
		if at < 9 || !strings.Contains(s[max(0, at-12):at], "-pass") {
			return
		}
	case 'l', 'L':
		i = skip(s, i, 2, &literalByte)
		key := skip(s, i, farthest, &identifier)
		if key == i || key >= len(s) || s[key] != '=' {
			return
		}
		i = key + 1
	}
	if i < len(s) && quotes.has(s[i]) {
		if end := closing(s, i); end > 0 && !isPlaceholder(s[i+1:end]) {
			f.add(i+1, end)
		}
		return
	}
	if end := until(s, i, i+longestValue, &wordEnd); s[at] == '-' || s[at+n-1] == ':' {
		if v := s[i:end]; !isPlaceholder(v) {
			f.add(i, end)
		}
	}
}

var literalByte = setOf("=\"' ")
