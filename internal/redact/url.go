package redact

import "strings"

// findURL finds the password in scheme://user:password@host, or a token in place of the user.
func findURL(f *found, s string, at, n int) {
	start := at + n
	end := until(s, start, start+longestValue, &hostEnd)
	info := s[start:end]
	at = strings.LastIndexByte(head(info, "/?#"), '@')
	if at < 0 {
		if at = strings.LastIndexByte(info, '@'); at < 0 || !slashed(info[:at]) {
			return
		}
	}
	user, pass, two := strings.Cut(info[:at], ":")
	if two {
		if !isPlaceholder(pass) {
			f.add(start+len(user)+1, start+at)
		}
		if len(user) >= 20 && isToken(user) {
			f.add(start, start+len(user))
		}
		return
	}
	if len(user) >= 16 && isToken(user) {
		f.add(start, start+at)
	}
}

// head returns s up to the first of the bytes in chars.
func head(s, chars string) string {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i]
	}
	return s
}

// slashed reports whether info, before an "@", is a user and a password with a slash. If it were a
// host, a port would follow the colon.
func slashed(info string) bool {
	user, pass, ok := strings.Cut(info, ":")
	port := head(pass, "/?#")
	return ok && strings.IndexByte(user, '/') < 0 && strings.IndexByte(user, '.') < 0 && shapeOf(port).letters+shapeOf(port).symbols > 0
}

// isToken reports whether v looks like a token and not like a name.
func isToken(v string) bool {
	h := shapeOf(v)
	return h.digits > 1 && h.letters > 1 && h.symbols == 0 && !isPlaceholder(v) && (isHash(v) || randomBytes(v) >= 12)
}

// findAccount finds the password in user:password@tcp(host) and in user/password@host.
func findAccount(f *found, s string, at, n int) {
	if s[at] == '@' {
		end := at
		for end > 0 && s[end-1] == '=' {
			end-- // the end of a password; before the user it ends a name
		}
		start := back(s, end, longestValue, &accountByte)
		if user, pass, ok := strings.Cut(s[start:at], ":"); ok && !isPlaceholder(pass) {
			f.add(start+len(user)+1, at)
		}
		return
	}
	end := until(s, at+n, at+longestValue, &lineEnd)
	for i := at + n; i < end; i++ {
		if s[i] != '/' || s[i-1] == '/' {
			continue
		}
		to := until(s, i+1, end, &spaceByte)
		if pass, _, ok := strings.Cut(s[i+1:to], "@"); ok && pass != "" && !isPlaceholder(pass) {
			f.add(i+1, i+1+len(pass))
		}
		return
	}
}

var (
	lineEnd     = setOf("\n\r")
	accountByte = byteSet{^uint64(1<<'\t' | 1<<'\n' | 1<<'\r' | 1<<' ' | 1<<'"' | 1<<'\'' | 1<<'='), ^uint64(1 << ('`' - 64))}
)

// findPgpass finds the password in host:port:database:user:password. It is called at the port.
func findPgpass(f *found, s string, at, n int) {
	line := back(s, at, farthest, &notSpace)
	end := until(s, at+n, at+n+longestValue, &wordEnd)
	line += strings.LastIndexAny(s[line:at], "\"'`=") + 1
	host, rest := s[line:at], s[at+n:end]
	if host == "" || strings.ContainsAny(host, "/:@\"'`") {
		return
	}
	parts := strings.SplitN(rest, ":", 3)
	if len(parts) == 3 && parts[0] != "" && parts[1] != "" && !isPlaceholder(parts[2]) {
		f.add(end-len(parts[2]), end)
	}
}

// findHeader finds the value after "Basic", "Bearer" or "Authorization:".
func findHeader(f *found, s string, at, n int) {
	i, least := at+n, 16
	if s[at+n-1] != ' ' {
		i = skip(s, i, 6, &headerByte)
		if !strings.ContainsAny(s[at+n:i], ":=") {
			return
		}
		for _, scheme := range []string{"basic ", "bearer ", "token ", "apikey ", "api-key "} {
			if hasFold(s[i:], scheme) {
				i += len(scheme)
				least = 8
				break
			}
		}
	} else if front := back(s, at, 4, &headerByte); front < at && front >= 2 && hasFold(s[max(0, front-13):], "authorization") {
		least = 8
	}
	end := skip(s, i, longestValue, &credentialByte)
	v := s[i:end]
	if h := shapeOf(v); len(v) < least || isPlaceholder(v) || isReference(v) || isLocation(v) || h.digits == 0 && h.symbols == 0 && !mixedCase(v) {
		return
	}
	f.add(i, end)
}

var (
	headerByte     = setOf(" \t:\"'=>,]")
	credentialByte = valueByte.with(setOf("~+/=:|"))
)

func mixedCase(v string) bool { return strings.ToLower(v) != v && strings.ToUpper(v) != v }

// findCookie finds the sessions and tokens in a cookie header.
func findCookie(f *found, s string, at, n int) {
	i := skip(s, at+n, 4, &headerByte)
	if i == at+n {
		return
	}
	for limit := min(len(s), i+2048); i < limit; {
		end := until(s, i, limit, &cookieEnd)
		_, v, ok := strings.Cut(s[i:end], "=")
		if h := shapeOf(v); ok && len(v) >= 16 && h.digits > 1 && h.letters > 1 && entropy(v) > 3 && !isPlaceholder(v) {
			f.add(end-len(v), end)
		}
		if end == limit || s[end] != ';' {
			return
		}
		i = skip(s, end+1, 4, &blankByte)
	}
}

var cookieEnd = setOf(" \t\n\r\"'`;,")
