package buckettest

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// GatewayProgram is the program of a Gateway: `go install github.com/versity/versitygw/cmd/versitygw@latest`.
const GatewayProgram = "versitygw"

// What a Gateway takes.
const (
	GatewayAccess = "AKIDEXAMPLE"
	GatewaySecret = "examplesecret"
)

// Gateway is a bucket of a real server in a process of its own, which stores objects as files and can be killed.
type Gateway struct {
	URL string // for the setting

	program, address string
	dir              string // has the folders root and side, and the file log
	cmd              *exec.Cmd
	starts           chan func() // run by a thread that lives as long as the tests: the server ends with it
}

// NewGateway makes a bucket below a folder, whose server does not run yet.
func NewGateway(dir string) (*Gateway, error) {
	program, err := exec.LookPath(GatewayProgram)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &Gateway{program: program, address: l.Addr().String(), dir: dir, starts: make(chan func())}
	if err := l.Close(); err != nil {
		return nil, err
	}
	g.URL = "http://" + g.address + "/" + bucketName + "/shop"
	for _, name := range []string{filepath.Join("root", bucketName), "side"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			return nil, err
		}
	}
	go runOnOneThread(g.starts)
	return g, nil
}

// Start starts the server, and returns when it answers. named says that it writes objects to files that have a name before
// they are whole, as it does where the file system can do nothing else.
func (g *Gateway) Start(named bool) error {
	log, err := os.OpenFile(filepath.Join(g.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	args := []string{"--quiet", "--access", GatewayAccess, "--secret", GatewaySecret, "--port", g.address, "posix"}
	if named {
		args = append(args, "--disableotmp")
	}
	g.cmd = exec.Command(g.program, append(args, "--sidecar", filepath.Join(g.dir, "side"), filepath.Join(g.dir, "root"))...)
	g.cmd.Stdout, g.cmd.Stderr = log, log
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	g.starts <- func() { started <- g.cmd.Start() }
	if err := <-started; err != nil {
		return err
	}
	for range 12_000 {
		if c, err := net.Dial("tcp", g.address); err == nil {
			return c.Close()
		}
		time.Sleep(5 * time.Millisecond)
	}
	said, _ := os.ReadFile(filepath.Join(g.dir, "log"))
	return fmt.Errorf("the server does not listen: %s", said)
}

// Frozen is what a server was doing when it was stopped.
type Frozen struct {
	Requests int // connections; it takes one request from each
	Half     int // objects that it had begun to write
}

// Freeze stops the server in the middle of whatever it does.
func (g *Gateway) Freeze() (f Frozen, err error) {
	pid := g.cmd.Process.Pid
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return f, err
	}
	for stopped := false; !stopped; {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return f, err
		}
		_, state, _ := strings.Cut(string(stat), ") ")
		stopped = strings.HasPrefix(state, "T")
	}
	if f.Requests, err = g.Connections(); err != nil {
		return f, err
	}
	fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, g.temporary()) {
			f.Half++
		}
	}
	return f, err
}

// Connections returns how many connections clients have to the server.
func (g *Gateway) Connections() (n int, err error) {
	_, port, _ := net.SplitHostPort(g.address)
	number, err := strconv.Atoi(port)
	if err != nil {
		return 0, err
	}
	table, err := os.ReadFile("/proc/net/tcp")
	for line := range strings.Lines(string(table)) {
		const established = "01"
		if f := strings.Fields(line); len(f) > 3 && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", number)) && f[3] == established {
			n++
		}
	}
	return n, err
}

// Kill ends the server as a crash does.
func (g *Gateway) Kill() {
	_ = g.cmd.Process.Kill()
	_ = g.cmd.Wait()
}

func (g *Gateway) temporary() string {
	return filepath.Join(g.dir, "root", bucketName, ".sgwtmp") + "/"
}

// Leftovers returns how many objects lie in the server's folder that were begun and never became whole.
func (g *Gateway) Leftovers() (n int, err error) {
	err = files(g.temporary(), func(string) error { n++; return nil })
	return n, err
}

// Stored calls use with the key of each object and its file, without the server.
func (g *Gateway) Stored(use func(key, file string) error) error {
	top := filepath.Join(g.dir, "root", bucketName)
	return files(filepath.Join(top, "shop"), func(file string) error {
		key, err := filepath.Rel(top, file)
		if err != nil {
			return err
		}
		return use(filepath.ToSlash(key), file)
	})
}

// Listed returns the keys of all objects, as the server says.
func (g *Gateway) Listed(ctx context.Context) (keys []string, err error) {
	client, err := minio.New(g.address, &minio.Options{Creds: credentials.NewStaticV4(GatewayAccess, GatewaySecret, ""), Region: "us-east-1"})
	if err != nil {
		return nil, err
	}
	for o := range client.ListObjects(ctx, bucketName, minio.ListObjectsOptions{Recursive: true}) {
		if o.Err != nil {
			return nil, o.Err
		}
		keys = append(keys, o.Key)
	}
	return keys, nil
}

func files(dir string, use func(file string) error) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if os.IsNotExist(err) { // deleted meanwhile, or never there
			return nil
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		return use(path)
	})
}

// runOnOneThread runs what comes on a thread of its own. A process that is to end with its parent ends with the parent's
// thread.
func runOnOneThread(todo <-chan func()) {
	runtime.LockOSThread()
	for do := range todo {
		do()
	}
}
