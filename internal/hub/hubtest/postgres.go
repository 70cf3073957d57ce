//go:build unix

package hubtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Cluster is a PostgreSQL server of its own, in a folder that goes with it.
type Cluster struct {
	dir, bin string
	cmd      *exec.Cmd
	stdin    *os.File // the server ends when this process closes it or dies
	owner    *syscall.Credential
	count    atomic.Int64
}

// shared is the server of a test process.
var shared = new(struct {
	once    sync.Once
	cluster *Cluster
	why     string
})

// Postgres returns the address of an empty database, in the server that the tests of a package share. It skips the test
// where PostgreSQL is not installed.
func Postgres(t testing.TB) string {
	t.Helper()
	shared.once.Do(func() { shared.cluster, shared.why = NewCluster() })
	if shared.why != "" {
		t.Skip(shared.why)
	}
	return shared.cluster.Database(t)
}

// NewCluster starts a server, of the programs in HUB_POSTGRES_BIN or else of the newest that are installed; why says why there is
// none.
func NewCluster() (c *Cluster, why string) {
	bins, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if path, err := exec.LookPath("initdb"); err == nil {
		bins = append(bins, filepath.Dir(path))
	}
	if chosen := os.Getenv("HUB_POSTGRES_BIN"); chosen != "" {
		bins = []string{chosen}
	}
	if len(bins) == 0 {
		return nil, "PostgreSQL is not installed: no /usr/lib/postgresql/*/bin and no initdb on PATH"
	}
	slices.Sort(bins)
	dir, err := os.MkdirTemp("", "hub-postgres")
	if err != nil {
		return nil, err.Error()
	}
	c = &Cluster{dir: dir, bin: bins[len(bins)-1]}
	all.Lock()
	all.clusters[c] = true
	all.Unlock()
	if err := c.create(); err != nil {
		_ = os.RemoveAll(dir)
		return nil, "PostgreSQL does not start: " + err.Error()
	}
	return c, ""
}

// create makes the files of the server and starts it. initdb refuses to run as root.
func (c *Cluster) create() error {
	if os.Getuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			if u, err = user.Lookup("nobody"); err != nil {
				return err
			}
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		c.owner = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(c.dir, uid, gid); err != nil {
			return err
		}
	}
	cmd := exec.Command(filepath.Join(c.bin, "initdb"), "-D", filepath.Join(c.dir, "data"), "-U", "hub", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.owner}
	cmd.Dir = c.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return c.Start()
}

// Start starts the server, which listens on a socket in its folder only. After a crash the processes of the former one may
// need a moment to end; until then it refuses to start.
func (c *Cluster) Start() error {
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		err := c.try()
		if err == nil {
			return nil
		}
		c.end()
		if time.Now().After(end) {
			log, _ := os.ReadFile(filepath.Join(c.dir, "log"))
			return fmt.Errorf("%w: %s", err, log)
		}
	}
}

// script runs the server until standard input ends.
const script = `"$0" -D data -k "$PWD" -c listen_addresses= -c max_connections=200 -c shared_buffers=256MB -c maintenance_work_mem=128MB -c max_wal_size=2GB -c log_min_messages=fatal >>log 2>&1 </dev/null & pid=$!; echo $pid >pid; read x; kill -INT $pid; wait $pid`

func (c *Cluster) try() error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	c.cmd = exec.Command("sh", "-c", script, filepath.Join(c.bin, "postgres"))
	c.cmd.Dir, c.cmd.Stdin = c.dir, r
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.owner, Setpgid: true}
	c.stdin = w
	err = c.cmd.Start()
	r.Close()
	if err != nil {
		return err
	}
	for range 100 {
		conn, cerr := pgx.Connect(context.Background(), c.Address("postgres"))
		if cerr == nil {
			return conn.Close(context.Background())
		}
		if err = cerr; !c.alive() {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}

// alive reports whether the server's process is there; it is believed for the moment before it has written its number.
func (c *Cluster) alive() bool {
	data, err := os.ReadFile(filepath.Join(c.dir, "pid"))
	pid, bad := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || bad != nil {
		return true
	}
	return syscall.Kill(pid, 0) == nil
}

// Kill ends the server as a crash does, with all its processes.
func (c *Cluster) Kill() {
	c.crash()
	c.end()
}

func (c *Cluster) crash() {
	data, _ := os.ReadFile(filepath.Join(c.dir, "pid"))
	if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil && pid > 1 {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// Stop ends the server in order.
func (c *Cluster) Stop() { c.end() }

func (c *Cluster) end() {
	if c.cmd == nil {
		return
	}
	c.stdin.Close()
	_ = c.cmd.Wait()
	_ = os.Remove(filepath.Join(c.dir, "pid"))
	c.cmd = nil
}

// Remove stops the server and removes its files.
func (c *Cluster) Remove() {
	c.Stop()
	all.Lock()
	delete(all.clusters, c)
	all.Unlock()
	_ = os.RemoveAll(c.dir)
}

// Address returns the address of a database of the server.
func (c *Cluster) Address(database string) string {
	return "host=" + c.dir + " user=hub dbname=" + database
}

// Database makes a database and returns its address.
func (c *Cluster) Database(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("hub_%d", c.count.Add(1))
	conn, err := pgx.Connect(t.Context(), c.Address("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return c.Address(name)
}
