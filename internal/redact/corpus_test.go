package redact

import (
	"encoding/base64"
	"math/rand/v2"
	"net/url"
)

// The corpus has secrets of many kinds, with random values in the forms that the documentation
// of their services and programs shows, each in the contexts in which an agent meets text.

// secretKind writes a text with the secret at "%s".
type secretKind struct {
	group, name, text string
	value             func(*rand.Rand) string
}

const (
	hexes   = "0123456789abcdef"
	uppers  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	symbols = "!@#%^*+=~?"
)

func chars(alphabet string, n int) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return randomString(r, alphabet, n) }
}

func prefixed(lit, alphabet string, n int) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return lit + randomString(r, alphabet, n) }
}

// password is what people think of: a word, digits, sometimes a symbol.
func password(r *rand.Rand) string {
	words := []string{"Sommer", "dragon", "Hunter", "letmein", "Passion", "qwertz", "Monkey"}
	return words[r.IntN(len(words))] + randomString(r, "23456789", 3) + randomString(r, symbols, r.IntN(2))
}

func onlySymbols(r *rand.Rand) string { return randomString(r, "!@#^*+=~?_-", 12) }
func letters(r *rand.Rand) string     { return randomString(r, "abcdefghijkmnopqrstuvwz", 12) }
func strong(r *rand.Rand) string {
	return randomString(r, alnum, 1) + randomString(r, alnum+"!#%^*+~", 14) + "7k"
}

// weakOnes are passwords that only their place betrays.
func weakOnes(r *rand.Rand) string {
	return []string{"toor", "hunter2", "letmein", "guest1", "tiger", "1234"}[r.IntN(6)]
}

func basic(r *rand.Rand) string {
	return base64.StdEncoding.EncodeToString([]byte("admin:" + password(r)))
}

var alnumDash = alnum + "-_"

func secretKinds() []secretKind {
	var kinds []secretKind
	add := func(group, name, text string, values ...func(*rand.Rand) string) {
		for _, v := range values {
			kinds = append(kinds, secretKind{group, name, text, v})
		}
	}
	for _, scheme := range []string{"postgres", "postgresql", "mysql", "mssql", "mongodb", "mongodb+srv", "redis", "rediss", "amqp", "amqps", "https", "ftp", "clickhouse", "smtp", "ldap", "cockroachdb"} {
		add("url", scheme, scheme+"://app:%s@db.internal:5432/main", password, weakOnes, strong, letters)
	}
	add("url", "no user", "redis://:%s@cache:6379/0", password, weakOnes)
	add("url", "token as user", "https://%s@github.com/me/app.git", prefixed("gh"+"p_", alnum, 36), chars(hexes, 40))
	add("url", "query", "https://api.host.io/v1/items?page=2&access_token=%s", chars(hexes, 32), chars(alnum, 24))
	add("url", "azure SAS", "https://acct.blob.core.windows.net/c/f?sv=2022-11-02&sp=r&sig=%s", func(r *rand.Rand) string { return url.QueryEscape(randomString(r, alnum+"+/", 43) + "=") })
	add("url", "presigned", "https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=%s", chars(hexes, 64))

	add("connection", "jdbc query", "jdbc:postgresql://db/main?user=app&password=%s", password, strong, letters)
	add("connection", "jdbc semicolons", "jdbc:sqlserver://db:1433;databaseName=x;user=sa;password=%s;encrypt=true", password, letters)
	add("connection", "jdbc oracle", "jdbc:oracle:thin:scott/%s@db:1521/XE", password, weakOnes)
	add("connection", "odbc", "Driver={ODBC Driver 18};Server=db;Uid=sa;Pwd=%s;Encrypt=yes", password, letters, chars(alnum, 20))
	add("connection", "ado", "Server=tcp:db,1433;User ID=app;Password=%s;Trusted_Connection=False;", password, letters)
	add("connection", "libpq", "host=db user=app password=%s dbname=main", password, letters, chars(alnum, 16))
	add("connection", "go dsn", "app:%s@tcp(db:3306)/main?parseTime=true", password, weakOnes)
	add("connection", "storage", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=%s;EndpointSuffix=core.windows.net", func(r *rand.Rand) string { return randomString(r, alnum+"+/", 86) + "==" })
	add("connection", "service bus", "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=%s", func(r *rand.Rand) string { return randomString(r, alnum+"+/", 43) + "=" })

	add("header", "basic", "Authorization: Basic %s", basic)
	add("header", "basic in JSON", `"Authorization": "Basic %s"`, basic)
	add("header", "proxy", "Proxy-Authorization: Basic %s", basic)
	add("header", "bearer", "Authorization: Bearer %s", chars(alnum, 24), chars(hexes, 40))
	add("header", "api key", "X-Api-Key: %s", chars(alnum, 32), chars(hexes, 32))
	add("header", "auth token", "X-Auth-Token: %s", chars(alnum, 24))
	add("header", "cookie", "Cookie: theme=dark; sessionid=%s; lang=en", chars(hexes+"ghijk", 32), chars(alnum, 32))
	add("header", "set-cookie", "Set-Cookie: connect.sid=%s; Path=/; HttpOnly", chars(alnum, 40))

	for _, p := range []string{"mysql -u root -p%s main", "mysqldump --all -p%s", "mysqladmin -uroot -p%s status", "mariadb -p%s", "sshpass -p %s ssh host",
		"redis-cli -h cache -a %s ping", "sqlcmd -S db -U sa -P %s -Q 'select 1'", "docker login -u me -p %s registry.io", "mongosh db -u app -p %s",
		"7z a -p%s x.7z dir", "zip -P %s x.zip f", "ldapsearch -x -D cn=admin -w %s", "smbclient //srv/share -U me%%%s", "curl -u admin:%s https://host.io",
		"mysql --password=%s", "wget --user=me --password=%s https://host.io/f", "clickhouse-client --password %s", "helm registry login -u me -p %s r.io",
		"keytool -list -storepass %s", "openssl enc -passin pass:%s -in k", "kubectl create secret generic db --from-literal=pw=%s",
		"cli deploy --token %s", "cli deploy --api-key=%s", "PGPASSWORD=%s psql -h db", "docker run -e DB_PASSWORD=%s img", "MYSQL_PWD=%s mysql"} {
		add("command", head(p, " "), p, password, chars(alnum, 14))
	}
	add("command", "sql", "CREATE USER app WITH PASSWORD '%s';", password, letters)
	add("command", "sql", "CREATE USER 'app'@'%%' IDENTIFIED BY '%s';", password, letters)

	add("file", "netrc", "machine api.host.io login me password %s", password, letters, chars(alnum, 20))
	add("file", "pgpass", "db.internal:5432:main:app:%s", password, letters)
	add("file", "npmrc", "//registry.npmjs.org/:_authToken=%s", chars(alnum+"-", 36), prefixed("npm"+"_", alnum, 36))
	add("file", "npmrc password", "//r.io/:_password=%s", func(r *rand.Rand) string { return base64.StdEncoding.EncodeToString([]byte(password(r))) })
	add("file", "docker auth", `{"auths":{"r.io":{"auth":"%s"}}}`, basic)
	add("file", "pypirc", "[pypi]\nusername = __token__\npassword = %s", prefixed("pypi-", alnumDash, 120), password)
	add("file", "kubeconfig", "users:\n- name: me\n  user:\n    token: %s", chars(alnum, 40))
	add("file", "kubeconfig key", "    client-key-data: %s", func(r *rand.Rand) string {
		return base64.StdEncoding.EncodeToString([]byte("-----BEGIN RSA " + "PRIVATE KEY-----\n" + randomString(r, alnum, 300)))
	})
	add("file", "yaml", "database:\n  password: %s\n  host: db", password, strong, chars(alnum, 12))
	add("file", "toml", "[db]\npassword = \"%s\"", password, letters, onlySymbols)
	add("file", "xml", "<password>%s</password>", password, letters)
	add("file", "properties", "spring.datasource.password=%s", password, letters, chars(alnum, 10))
	for _, kind := range []string{"RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED "} {
		add("file", kind+"key", "-----BEGIN "+kind+"PRIVATE KEY-----\n%s\n-----END "+kind+"PRIVATE KEY-----", func(r *rand.Rand) string {
			return randomString(r, alnum+"+/", 64) + "\n" + randomString(r, alnum+"+/", 64) + "\n" + randomString(r, alnum+"+/", 30)
		})
	}
	add("file", "pgp", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n%s\n-----END PGP PRIVATE KEY BLOCK-----", chars(alnum+"+/", 200))
	add("file", "age", "%s", prefixed("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58))

	for _, n := range []string{"SECRET_KEY", "SMTP_PASS", "APP_SECRET", "REDIS_AUTH", "API_KEY", "DB_PASSWORD", "JWT_SECRET", "ACCESS_TOKEN", "ADMIN_PWD", "DJANGO_SECRET_KEY"} {
		add("name", n, n+"=%s", chars(alnum, 7), chars(alnum, 20), chars(hexes, 32), strong)
		kinds[len(kinds)-4].value = func(r *rand.Rand) string { return "k" + randomString(r, alnum, 6) + "4" }
		add("name", "export", "export "+n+"=\"%s\"", password)
	}
	for _, n := range []string{"password", "dbPassword", "client_secret", "apiKey", "auth_token", "secretKey", "passphrase", "private_key"} {
		add("name", "quoted", `"`+n+`": "%s"`, password, chars(alnum, 16), chars(hexes, 32), strong)
		add("name", "code", n+` = '%s'`, password, chars(alnum, 16))
	}
	add("name", "symbols", `"password": "%s"`, onlySymbols)
	add("name", "symbols", `DB_PASSWORD=%s`, onlySymbols)
	add("name", "sentence", "The password is %s and it works", password, chars(alnum, 14))
	add("name", "getenv", `os.getenv("SECRET_KEY", "%s")`, chars(alnum, 16), password)
	add("name", "fallback", `process.env.JWT_SECRET || "%s"`, chars(alnum, 16), password)

	for _, p := range modernKeys() {
		add("service", p.name, p.text, p.value)
	}
	return kinds
}

func modernKeys() []secretKind {
	key := func(lit, alphabet string, n int) secretKind {
		return secretKind{"service", lit, "use %s now", prefixed(lit, alphabet, n)}
	}
	return []secretKind{
		key("sk-"+"proj-", alnumDash, 124), key("sk-"+"ant-api03-", alnumDash, 95), key("sk-"+"or-v1-", hexes, 64), key("sk-"+"svcacct-", alnumDash, 100),
		key("github"+"_pat_", alnum, 82), key("gh"+"p_", alnum, 36), key("gh"+"s_", alnum, 36), key("glpat"+"-", alnumDash, 20), key("sbp"+"_", hexes, 40),
		key("gsk"+"_", alnum, 52), key("xai"+"-", alnum, 80), key("r8"+"_", alnum, 37), key("tvly"+"-", alnum, 32), key("pcsk"+"_", alnum, 60),
		key("lsv2"+"_pt_", hexes, 44), key("hf"+"_", alnum, 34), key("dckr"+"_pat_", alnumDash, 27), key("ya29"+".", alnumDash, 160), key("GOCSPX"+"-", alnumDash, 28),
		key("AIza"+"Sy", alnumDash, 33), key("figd"+"_", alnumDash, 40), key("PMAK"+"-", hexes, 59), key("NRAK"+"-", uppers, 27), key("dop_v1"+"_", hexes, 64),
		key("napi"+"_", alnum, 64), key("phx"+"_", alnum, 47), key("CCIPAT"+"_", alnum, 40), key("tskey"+"-auth-", alnum, 40), key("rzp"+"_live_", alnum, 14),
		key("re"+"_", alnum, 32), key("SG"+".", alnumDash+".", 66), key("key"+"-", hexes, 32), key("AKIA", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16), key("sk"+"_live_", alnum, 24),
		key("rk"+"_live_", alnum, 24), key("whsec"+"_", alnum, 32), key("npm"+"_", alnum, 36), key("pypi"+"-AgEIcHlwaS5vcmc", alnumDash, 80), key("dapi", hexes, 32),
		key("hvs"+".", alnumDash, 95), key("xoxb"+"-123456789012-123456789012-", alnum, 24), key("shpat"+"_", hexes, 32), key("lin_api"+"_", alnum, 40), key("ntn"+"_12345678901", alnum, 35),
		key("pul"+"-", hexes, 40), key("pscale_tkn"+"_", alnumDash, 43), key("ATATT3"+"xFf", alnumDash, 186), key("glsa"+"_", alnum, 41), key("sq0csp"+"-", alnumDash, 43), key("e2b"+"_", hexes, 40),
		{"service", "telegram", "bot 123456789:%s", prefixed("AA", alnumDash, 33)},
		{"service", "gcp", `"private_key_id": "0", "private_key": "-----BEGIN ` + `PRIVATE KEY-----\n%s\n-----END ` + `PRIVATE KEY-----\n"`, chars(alnum+"+/", 300)},
		{"service", "aws secret", "aws_secret_access_key = %s", chars(alnum+"+/", 40)},
		{"service", "aws secret", "aws configure set aws_secret_access_key %s", chars(alnum+"+/", 40)},
		{"service", "slack hook", "https://hooks.slack.com/services/%s", func(r *rand.Rand) string {
			return "T" + randomString(r, uppers, 10) + "/B" + randomString(r, uppers, 10) + "/" + randomString(r, alnum, 24)
		}},
		{"service", "jwt", "token %s", func(r *rand.Rand) string {
			e := base64.RawURLEncoding.EncodeToString
			return e([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + e([]byte(`{"sub":"`+randomString(r, alnum, 12)+`","iat":1516239022}`)) + "." + randomString(r, alnumDash, 43)
		}},
	}
}
