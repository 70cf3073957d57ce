package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Version and commit of this build, set by the linker (-X main.version=…).
var (
	version = "dev"
	commit  = "unknown"
)

// A buildInfo is what `entire version --json` prints.
type buildInfo struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func readBuildInfo() buildInfo {
	b := buildInfo{version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH}
	if b.Commit != "unknown" {
		return b
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 7 {
				b.Commit = s.Value[:7]
			}
		}
	}
	return b
}

func (w *world) printVersion(asJSON bool) error {
	b := readBuildInfo()
	if asJSON {
		return w.printJSON(b)
	}
	_, err := fmt.Fprintf(w.out, "Entire CLI %s (%s)\nGo version: %s\nOS/Arch: %s/%s\n", b.Version, b.Commit, b.Go, b.OS, b.Arch)
	return err
}

// printJSON writes v as indented JSON with a final newline.
func (w *world) printJSON(v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.out.Write(append(data, '\n'))
	return err
}

// jsonLines returns an encoder to standard output, an object a line.
func (w *world) jsonLines() *json.Encoder {
	enc := json.NewEncoder(w.out)
	enc.SetEscapeHTML(false)
	return enc
}

func (w *world) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show the version of this program",
		Args:  noArguments,
		RunE:  func(*cobra.Command, []string) error { return w.printVersion(asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}
