package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
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

func printVersion(env *cliui.Env, asJSON bool) error {
	b := readBuildInfo()
	if asJSON {
		return env.PrintJSON(b)
	}
	_, err := fmt.Fprintf(env.Out, "Entire CLI %s (%s)\nGo version: %s\nOS/Arch: %s/%s\n", b.Version, b.Commit, b.Go, b.OS, b.Arch)
	return err
}

func versionCommand(env *cliui.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show the version of this program",
		Args:  cliui.NoArguments,
		RunE:  func(*cobra.Command, []string) error { return printVersion(env, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}
