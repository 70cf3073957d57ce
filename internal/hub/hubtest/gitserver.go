//go:build unix

package hubtest

import (
	"encoding/base64"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// A GitServer serves bare repositories over HTTP with git's own http-backend, to whoever has the password.
type GitServer struct {
	*httptest.Server
	User, Password string

	// Cut, if above zero, is after how many bytes each connection is cut.
	Cut atomic.Int64
}

// ServeGit serves the repositories in a folder until the test ends.
func ServeGit(t testing.TB, folder string, env []string) *GitServer {
	t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := filepath.Join(strings.TrimSpace(string(out)), "git-http-backend")
	if _, err := exec.LookPath(backend); err != nil {
		t.Skip("git http-backend is not installed: " + err.Error())
	}
	g := &GitServer{User: "hub", Password: "read-only"}
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(g.User+":"+g.Password))
	g.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != want {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		h := &cgi.Handler{Path: backend, Env: append([]string{"GIT_PROJECT_ROOT=" + folder, "GIT_HTTP_EXPORT_ALL=1", "GIT_PROTOCOL=" + r.Header.Get("Git-Protocol")}, env...)}
		h.ServeHTTP(w, r)
	}))
	g.Listener = &cutting{g.Listener, g}
	g.Start()
	t.Cleanup(g.Close)
	return g
}

// cutting cuts connections.
type cutting struct {
	net.Listener
	g *GitServer
}

func (l *cutting) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &cutConn{Conn: c, g: l.g}, nil
}

type cutConn struct {
	net.Conn
	g    *GitServer
	sent atomic.Int64
}

func (c *cutConn) Write(p []byte) (int, error) {
	if most := c.g.Cut.Load(); most > 0 && c.sent.Add(int64(len(p))) > most {
		c.Conn.Close()
		return 0, net.ErrClosed
	}
	return c.Conn.Write(p)
}
