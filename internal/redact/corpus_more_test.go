package redact

import (
	"encoding/base64"
	"math/rand/v2"
)

// moreKinds are whole files and outputs of programs as an agent reads them.
func moreKinds() []secretKind {
	std := func(n int) func(*rand.Rand) string {
		return func(r *rand.Rand) string {
			return base64.StdEncoding.EncodeToString([]byte(randomString(r, alnum, n)))
		}
	}
	key := func(name, text string, value func(*rand.Rand) string) secretKind {
		return secretKind{"modern", name, text, value}
	}
	return []secretKind{
		key("PuTTY key", "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPublic-Lines: 1\nAAAAC3\nPrivate-Lines: 1\n%s\nPrivate-MAC: 00", std(33)),
		key("pem in a line", `{"key":"-----BEGIN EC `+`PRIVATE KEY-----\\n%s\\n-----END EC `+`PRIVATE KEY-----\\n"}`, chars(alnum+"+/", 120)),
		key("DSA key", "-----BEGIN DSA "+"PRIVATE KEY-----\n%s\n-----END DSA "+"PRIVATE KEY-----", chars(alnum+"+/", 64)),
		key("SSH2 key", "---- BEGIN SSH2 ENCRYPTED "+"PRIVATE KEY ----\n%s\n---- END SSH2 ENCRYPTED "+"PRIVATE KEY ----", chars(alnum+"+/", 64)),
		key("Vault", "export VAULT_TOKEN=%s", prefixed("hvs"+".", alnumDash, 24)), key("Vault key", "Unseal Key 1: %s", std(33)), key("Vault key", "Initial Root Token: %s", prefixed("hvs"+".", alnum, 24)),
		key("Terraform", "credentials \"app.terraform.io\" {\n  token = \"%s\"\n}", func(r *rand.Rand) string {
			return randomString(r, alnum, 14) + ".atlasv1." + randomString(r, alnum, 67)
		}),
		key("Terraform", "TF_VAR_db_password=%s", chars(alnum, 14)), key("Terraform state", `"attributes": {"id": "db", "password": "%s", "port": 5432}`, strong),
		key("Cloudflare", "CLOUDFLARE_API_TOKEN=%s", chars(alnumDash, 40)), key("Cloudflare", "X-Auth-Key: %s", chars(hexes, 37)),
		key("Azure", "AZURE_CLIENT_SECRET=%s", func(r *rand.Rand) string { return randomString(r, alnum, 3) + "8Q~" + randomString(r, alnumDash, 34) }),
		key("Azure", "AccountEndpoint=https://x.documents.azure.com:443/;AccountKey=%s;", func(r *rand.Rand) string { return randomString(r, alnum+"+/", 86) + "==" }),
		key("Azure", "https://x.vault.azure.net/?sv=2020-08-04&sr=c&sp=racwdl&se=2030-01-01&sig=%s", func(r *rand.Rand) string { return randomString(r, alnum, 43) + "%3D" }),
		key(".env", "NODE_ENV=production\nPORT=3000\nSESSION_SECRET=%s\nLOG_LEVEL=info", chars(alnum, 24)), key(".env", "DATABASE_URL=postgres://app:%s@db:5432/app\nDEBUG=1", password),
		key(".env", "STRIPE_SECRET_KEY=%s\n", prefixed("sk"+"_test_", alnum, 24)), key(".env", "MAIL_PASSWORD='%s'\n", strong), key(".env", "ENCRYPTION_KEY=%s\n", chars(hexes, 64)), key(".env", "AUTH_TOKEN=%s\n", uuid),
		key(".env", "APP_KEY=base64:%s\n", std(33)), key("compose", "    environment:\n      - POSTGRES_PASSWORD=%s\n      - TZ=UTC", password), key("compose", "      MYSQL_ROOT_PASSWORD: %s\n", password),
		key("secret", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  password: %s\n", std(12)), key("cookie", "Cookie: _session=%s; theme=dark", std(32)), key("cookie", "document.cookie = \"session_token=%s; path=/\"", chars(hexes, 48)),
		key("session", "ASP.NET_SessionId=x; .AspNetCore.Cookies=%s; a=b", chars(alnumDash, 120)), key("header", "curl -H 'Authorization: token %s' https://api.host.io", chars(hexes, 40)),
		key("header", `-H "PRIVATE-TOKEN: %s"`, chars(alnumDash, 26)), key("header", "Ocp-Apim-Subscription-Key: %s", chars(hexes, 32)), key("basic", "https://user:%s@host.io/path", strong),
		key("query", "wss://stream.host.io/?token=%s&x=1", chars(alnum, 24)), key("query", "https://host.io/reset?reset_token=%s", chars(hexes, 40)), key("query", "https://host.io/cb#access_token=%s&state=1", chars(alnum, 40)),
		key("MongoDB", `MongoClient("mongodb://root:%s@a:27017,b:27017/?replicaSet=x")`, password), key("JDBC", `DriverManager.getConnection("jdbc:mysql://db/x", "root", "%s")`, strong),
		key("ODBC", `pyodbc.connect("DSN=x;UID=sa;PWD=%s")`, password), key("ADO", `"ConnectionStrings": {"Db": "Data Source=db;User Id=sa;Password=%s;"}`, password),
		key("psycopg", `psycopg2.connect(host="db", user="app", password="%s")`, password), key("Redis", "requirepass %s", chars(alnum, 20)), key("Redis", "AUTH %s", chars(alnum, 20)),
		key("git", "git clone https://oauth2:%s@gitlab.com/a/b.git", prefixed("glpat"+"-", alnumDash, 20)), key("git", "git remote set-url origin https://x-access-token:%s@github.com/a/b", prefixed("gh"+"s_", alnum, 36)),
		key("git", "https://me:%s@github.com\n", prefixed("gh"+"o_", alnum, 36)), key("htpasswd", "htpasswd -bc f admin %s", password), key("ssh", "sshpass -p'%s' ssh root@host", password), key("gpg", "gpg --batch --passphrase '%s' -d f", password),
		key("openssl", "openssl rsa -passin pass:%s -in k.pem", password), key("chpasswd", "echo 'root:%s' | chpasswd", password), key("aws", "aws_session_token = %s", chars(alnum+"+/", 300)),
		key("aws", `{"SecretAccessKey": "%s", "SessionToken": "x"}`, chars(alnum+"+/", 40)), key("aws", "AKIA"+"Q4T2X7EXAMPL2ABC,%s", chars(alnum+"+/", 40)), key("nuget", `<add key="ClearTextPassword" value="%s" />`, strong),
		key("maven", "<server><id>r</id><username>me</username><password>%s</password></server>", password), key("gradle", "signing.password=%s", password), key("rails", "secret_key_base: %s", chars(hexes, 128)),
		key("wp", "define('DB_PASSWORD', '%s');", strong), key("wp", "define( 'AUTH_KEY', '%s' );", chars(alnum+"!#%^*+~", 64)), key("wifi", "psk=\"%s\"", strong), key("wireguard", "PrivateKey = %s", func(r *rand.Rand) string { return randomString(r, alnum+"+/", 42) + "8=" }),
		key("totp", "otpauth://totp/me?secret=%s&issuer=x", chars("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32)), key("sentry", "SENTRY_DSN=https://%s@o1.ingest.sentry.io/2", chars(hexes, 32)),
		key("discord hook", "https://discord.com/api/webhooks/112233445566778899/%s", chars(alnumDash, 68)), key("teams hook", "https://x.webhook.office.com/webhookb2/a/IncomingWebhook/%s/b", chars(hexes, 32)),
		key("mnemonic", "mnemonic = \"%s\"", func(r *rand.Rand) string {
			return "legal winner thank year wave sausage worth useful legal winner thank " + []string{"yellow", "zebra", "young"}[r.IntN(3)]
		}), key("ethereum", "PRIVATE_KEY=0x%s", chars(hexes, 64)), key("luks", "echo -n '%s' | cryptsetup luksOpen /dev/sda1 x", strong),
	}
}
