//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// used returns what a process that ended, and those that it waited for, took.
func used(cmd *exec.Cmd, clock time.Duration) cost {
	c := cost{clock: clock}
	if s := cmd.ProcessState; s != nil {
		c.cpu = s.UserTime() + s.SystemTime()
		if u, ok := s.SysUsage().(*syscall.Rusage); ok {
			c.memory = u.Maxrss << 10
		}
	}
	return c
}

// page starts the server, and asks for one page as a browser.
func (l *lab) page(dir string, q question) (cost, error) {
	env, gits, err := l.traced()
	if err != nil {
		return cost{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, l.bin, "web", "--no-open")
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.StdoutPipe()
	if err != nil {
		return cost{}, err
	}
	if err := cmd.Start(); err != nil {
		return cost{}, err
	}
	defer func() { _ = cmd.Process.Kill() }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return cost{}, err
	}
	base, token, _ := strings.Cut(strings.TrimSpace(line), "#")
	at, err := url.Parse(base)
	if err != nil {
		return cost{}, err
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return cost{}, err
	}
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	enter, err := http.NewRequest("POST", "http://"+at.Host+"/enter", strings.NewReader(url.Values{"token": {token}}.Encode()))
	if err != nil {
		return cost{}, err
	}
	enter.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	enter.Header.Set("Origin", "http://"+at.Host)
	res, err := client.Do(enter)
	if err != nil {
		return cost{}, err
	}
	res.Body.Close()
	began := time.Now()
	res, err = client.Get("http://" + at.Host + strings.TrimSuffix(res.Header.Get("Location"), "/") + q.args[0]) // in the random folder
	if err != nil {
		return cost{}, err
	}
	text, err := io.ReadAll(res.Body)
	res.Body.Close()
	took := time.Since(began)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s", res.Status)
	}
	if l.show {
		fmt.Fprintf(os.Stderr, "web %s: %s, %d bytes\n", q.args, res.Status, len(text))
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	_ = cmd.Wait()
	c := used(cmd, took)
	c.gits = gits()
	return c, err
}

// picture starts the full-screen program, and ends it when it has been quiet for a second.
func (l *lab) picture(dir string, _ question) (cost, error) {
	env, gits, err := l.traced()
	if err != nil {
		return cost{}, err
	}
	cmd := exec.Command(l.bin)
	cmd.Dir, cmd.Env = dir, append(env, "TERM=xterm-256color")
	began := time.Now()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 120, Rows: 36})
	if err != nil {
		return cost{}, err
	}
	defer tty.Close()
	wrote := make(chan struct{}, 1)
	go func() {
		buf := make([]byte, 64<<10)
		for {
			_, err := tty.Read(buf)
			select {
			case wrote <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	var last time.Time
	for quiet := false; !quiet; {
		select {
		case <-wrote:
			last = time.Now()
		case <-time.After(time.Second):
			quiet = true
		}
	}
	c := cost{clock: last.Sub(began), cpu: onCPU(cmd.Process.Pid)}
	_, _ = tty.WriteString("\x03")
	stop := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	stop.Stop()
	c.memory, c.gits = used(cmd, 0).memory, gits()
	return c, nil
}

// onCPU returns the processor time of a process that runs, with that of its children that ended; Linux only.
func onCPU(pid int) (sum time.Duration) {
	data, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, rest, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	for i := 11; i < 15 && i < len(fields); i++ {
		ticks, _ := strconv.Atoi(fields[i])
		sum += time.Duration(ticks) * 10 * time.Millisecond
	}
	return sum
}
