//go:build unix

package hubtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An Nginx is nginx on a port of this machine: git's http-backend is below /git/ for whoever has the password, which fcgiwrap
// starts, and Hub, once it is known, is below everything else.
type Nginx struct {
	URL, User, Password string

	t         testing.TB
	dir, port string
}

// nginxConf is for one server; the hub's address follows.
const nginxConf = `daemon off; pid %[1]s/pid; error_log %[1]s/error.log; %[5]s
events { worker_connections 256; }
http {
	access_log %[1]s/access.log; client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
	server {
		listen 127.0.0.1:%[2]s;
		location ~ ^/git(/.*) {
			auth_basic "git"; auth_basic_user_file %[1]s/people;
			client_max_body_size 0;
			fastcgi_pass unix:%[1]s/fcgi.sock;
			fastcgi_param SCRIPT_FILENAME %[3]s;
			fastcgi_param GIT_PROJECT_ROOT %[4]s; fastcgi_param GIT_HTTP_EXPORT_ALL 1; fastcgi_param PATH_INFO $1; fastcgi_param REMOTE_USER $remote_user;
			fastcgi_param QUERY_STRING $query_string; fastcgi_param REQUEST_METHOD $request_method; fastcgi_param CONTENT_TYPE $content_type;
			fastcgi_param CONTENT_LENGTH $content_length; fastcgi_param HTTP_CONTENT_ENCODING $http_content_encoding; fastcgi_param GIT_PROTOCOL $http_git_protocol;
		}
		location / { proxy_pass %[6]s; proxy_set_header Host $http_host; }
	}
}
`

// ServeNginx serves the repositories in a folder, and a hub once Proxy names it, until the test ends. It skips the test where nginx
// or fcgiwrap is not installed.
func ServeNginx(t testing.TB, folder string) *Nginx {
	t.Helper()
	for _, program := range []string{"/usr/sbin/nginx", "/usr/sbin/fcgiwrap"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("nginx and fcgiwrap are not installed: " + err.Error())
		}
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &Nginx{User: "hub", Password: "read only", t: t, dir: t.TempDir()}
	_, n.port, _ = net.SplitHostPort(free.Addr().String())
	free.Close()
	n.URL = "http://127.0.0.1:" + n.port
	n.write("people", n.User+":{PLAIN}"+n.Password+"\n")
	n.configure(folder, "http://127.0.0.1:9") // nobody is there
	for _, args := range [][]string{{"/usr/sbin/fcgiwrap", "-f", "-c", "2", "-s", "unix:" + n.dir + "/fcgi.sock"}, {"/usr/sbin/nginx", "-e", n.dir + "/error.log", "-c", n.dir + "/nginx.conf"}} {
		cmd := Bind(t, args[0], args[1:]...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { killGroup(cmd) })
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", "127.0.0.1:"+n.port); err == nil {
			c.Close()
			return n
		}
		if time.Now().After(end) {
			log, _ := os.ReadFile(filepath.Join(n.dir, "error.log"))
			t.Fatalf("nginx does not listen: %s", log)
		}
	}
}

// Proxy makes nginx pass everything but git on to a hub.
func (n *Nginx) Proxy(folder string, hub *Server) {
	n.t.Helper()
	n.configure(folder, hub.URL)
	out, err := exec.Command("/usr/sbin/nginx", "-e", n.dir+"/error.log", "-c", n.dir+"/nginx.conf", "-s", "reload").CombinedOutput()
	if err != nil {
		n.t.Fatalf("%v: %s", err, out)
	}
}

func (n *Nginx) configure(folder, hub string) {
	n.t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		n.t.Fatal(err)
	}
	user := ""
	if os.Getuid() == 0 {
		user = "user root;" // as whoever owns the repositories and the socket
	}
	n.write("nginx.conf", fmt.Sprintf(nginxConf, n.dir, n.port, filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"), folder, user, hub))
}

func (n *Nginx) write(name, text string) {
	n.t.Helper()
	if err := os.WriteFile(filepath.Join(n.dir, name), []byte(text), 0o600); err != nil {
		n.t.Fatal(err)
	}
}
