package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"entire/internal/cli/cliui"
	"entire/internal/cli/web/gate"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
)

const (
	tokenFile = "mcp-token"
	tokenMax  = 1 << 10
	bodyMax   = 1 << 20
	path      = "/mcp"
)

// serveHTTP answers on this machine whoever has the token.
func serveHTTP(ctx context.Context, env *cliui.Env, port int, newToken bool) error {
	file, token, err := theToken(env, newToken)
	if err != nil {
		return err
	}
	l, origin, err := gate.Listen(ctx, strconv.Itoa(port))
	if err != nil {
		return cliui.Failf("choose another port with --port, or none", "listen on port %d: %w", port, err)
	}
	fmt.Fprintln(env.Out, origin+path)
	fmt.Fprintf(env.Err, "Agents send the header Authorization: Bearer TOKEN; the token is in %s. Ctrl-C ends the server.\n", cliui.ShownName(file))
	env.Flush()
	return gate.Serve(ctx, l, handlerFor(New(env), origin, token), log.New(env.Err, "", 0))
}

// handlerFor answers requests to origin, such as http://127.0.0.1:4321, that have the token. It refuses
// those that name another host, as a page of a browser does whose name was made to lead here, and those
// of pages of other origins.
func handlerFor(s *mcp.Server, origin, token string) http.Handler {
	inside := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	host := strings.TrimPrefix(origin, "http://")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		from := r.Header.Get("Origin")
		switch {
		case !sameHost(r.Host, host) || from != "" && !sameHost(strings.TrimPrefix(from, "http://"), host):
			http.Error(w, "requests to this server name "+host, http.StatusForbidden)
		case !hasToken(r, token):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
		case r.URL.Path != path:
			http.NotFound(w, r)
		default:
			r.Body = http.MaxBytesReader(w, r.Body, bodyMax)
			if r.Method != http.MethodPost || readable(w, r) {
				inside.ServeHTTP(w, r)
			}
		}
	})
}

// readable reports whether the body of a request is a message, and answers one that is not.
func readable(w http.ResponseWriter, r *http.Request) bool {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, fmt.Sprintf("a message has at most %d MB", bodyMax>>20), http.StatusRequestEntityTooLarge)
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	code, why := notJSON, "is empty"
	if body = bytes.TrimSpace(body); len(body) > 0 {
		code, why = wrongMessage(body, true)
	}
	if code == 0 {
		return true
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(refusal(code, "the body "+why)) // who asked may be gone
	return false
}

// sameHost reports whether a request's host is the server's, which goes by localhost, too.
func sameHost(named, host string) bool {
	_, port, _ := strings.Cut(host, ":")
	return named == host || named == "localhost:"+port
}

func hasToken(r *http.Request, token string) bool {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1
}

// theToken returns this person's token, and the file that only they can read. It makes one if there is
// none or another is wanted.
func theToken(env *cliui.Env, another bool) (file, token string, err error) {
	dir := workplace.DataDir(env)
	if dir == "" {
		return "", "", cliui.Failf("set HOME or XDG_DATA_HOME", "the home directory is unknown")
	}
	file = filepath.Join(dir, tokenFile)
	if !another {
		kept, err := durable.Read(file, tokenMax)
		if token := strings.TrimSpace(string(kept)); err == nil && token != "" {
			return file, token, onlyMine(file)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", "", fmt.Errorf("read the token: %w", err)
		}
	}
	token = rand.Text() + rand.Text()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", "", fmt.Errorf("keep the token: %w", err)
	}
	if err := durable.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		return "", "", fmt.Errorf("keep the token: %w", err)
	}
	return file, token, nil
}
