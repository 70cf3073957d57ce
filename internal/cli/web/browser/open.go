package browser

import (
	"fmt"
	"os/exec"
)

// Open starts the browser with a page. It returns an error if the system has no program for that; what the
// browser then does is not known.
func Open(system string, environ []string, address string) error {
	var errs error
	for _, c := range commands(system) {
		path, err := exec.LookPath(c[0])
		if err != nil {
			errs = err
			continue
		}
		cmd := exec.Command(path, append(c[1:], address)...)
		cmd.Env = environ
		detach(cmd)
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("start %s: %w", c[0], err)
		}
		go func() { _ = cmd.Wait() }() // takes its end away, whenever that is
		return nil
	}
	return fmt.Errorf("find a program that opens a browser: %w", errs)
}

// commands returns the programs that open a page on an operating system, the best first.
func commands(system string) [][]string {
	switch system {
	case "darwin":
		return [][]string{{"open"}}
	case "windows":
		return [][]string{{"rundll32", "url.dll,FileProtocolHandler"}}
	}
	return [][]string{{"xdg-open"}, {"wslview"}, {"x-www-browser"}}
}
