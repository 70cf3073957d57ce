package main

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"entire/internal/cli/cliui"
)

// The man pages of packages are written from the commands, into the folder after "write-man".
func TestManPages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if i := slices.Index(flag.Args(), "write-man"); i >= 0 {
		dir = flag.Arg(i + 1)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	at := time.Unix(0, 0).UTC()
	if seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		at = time.Unix(seconds, 0).UTC()
	}
	root := rootCommand(&cliui.Env{})
	root.DisableAutoGenTag = true
	root.InitDefaultCompletionCmd()
	if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Date: &at, Source: "entire " + os.Getenv("MAN_VERSION"), Manual: "Entire"}, dir); err != nil {
		t.Fatal(err)
	}
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		if !cmd.IsAvailableCommand() && cmd.HasParent() {
			return
		}
		path := filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1")
		page, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(page), ".SH NAME") || !strings.Contains(string(page), ".SH SYNOPSIS") {
			t.Errorf("the page of %s is not there or not whole: %v", cmd.CommandPath(), err)
		}
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(root)
}
