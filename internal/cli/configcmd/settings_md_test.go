package configcmd

import (
	"encoding/json"
	"fmt"
	"strings"

	"entire/internal/config"
)

// Document returns docs/settings.md.
func Document() string {
	var b strings.Builder
	b.WriteString(`# Settings

<!-- Written by make settings from the table in internal/config. -->

A setting stands in one of these files:

| file | whose | flag of ` + "`entire config`" + ` |
|---|---|---|
| ` + "`.entire/settings.json`" + ` | the project's: you commit it | ` + "`--project`" + ` |
| ` + "`.entire/settings.local.json`" + ` | yours for this repository; git ignores it | ` + "`--local`" + `, the default |
| ` + "`~/.local/share/entire/global.json`, `retention.json`" + ` | yours for all repositories | ` + "`--user`" + ` |

` + "`entire config list`" + ` shows each with its value and where that comes from. ` + "`entire config set` and `unset`" + ` change one and
leave every other byte of the file. Below, a name stands for the key ` + "`strategy_options.NAME`" + ` in the two files of a repository, except
in the first table.

Your file comes before the project's, key by key. An option, such as ` + "`guard`" + `, is one key: if your file has it, nothing of the project's
counts of it. Rules of redaction are added up. A value that cannot be is ignored, and ` + "`entire status`" + ` and ` + "`doctor`" + ` name it. Keys that
the program does not know, such as ` + "`$schema`" + `, are left alone.

` + "[settings.schema.json](settings.schema.json)" + ` is a JSON schema for editors; ` + "`entire config schema`" + ` prints it, too. In VS Code:

    "json.schemas": [{"fileMatch": [".entire/settings*.json"], "url": "./docs/settings.schema.json"}]

`)
	section(&b, "Of the file itself", func(s config.Setting) bool {
		return !strings.HasPrefix(s.Key, "strategy_options.") && !strings.HasPrefix(s.Key, "global.")
	})
	section(&b, "Options", func(s config.Setting) bool { return strings.HasPrefix(s.Key, "strategy_options.") })
	section(&b, "Of all repositories", func(s config.Setting) bool { return strings.HasPrefix(s.Key, "global.") })
	b.WriteString(`## What does not count in the project's file

| setting | reason |
|---|---|
`)
	for _, s := range config.Table {
		if s.In&config.InProject == 0 && !strings.HasPrefix(s.Key, "global.") {
			fmt.Fprintf(&b, "| `%s` | %s |\n", s.Name(), s.Why)
		}
	}
	return b.String()
}

func section(b *strings.Builder, title string, in func(config.Setting) bool) {
	fmt.Fprintf(b, "## %s\n\n| setting | type | default | where | meaning |\n|---|---|---|---|---|\n", title)
	for _, s := range config.Table {
		if in(s) {
			fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", s.Name(), typeOf(s), code(s.Default), strings.Join(places(s.In), ", "), cell(aboutOf(s)))
		}
	}
	b.WriteString("\n")
}

func aboutOf(s config.Setting) string {
	if s.By != "" {
		return s.About + "; `" + s.By + "` changes it"
	}
	return s.About
}

func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

func code(raw string) string {
	var text string
	switch {
	case raw == "":
		return ""
	case json.Unmarshal([]byte(raw), &text) == nil:
		return "`" + text + "`"
	}
	return "`" + raw + "`"
}

// typeOf returns the type of a setting with its limits.
func typeOf(s config.Setting) string {
	switch {
	case len(s.Values) > 0:
		return "`" + strings.Join(s.Values, "`, `") + "`"
	case s.Above:
		return fmt.Sprintf("%s above %g, at most %.0f", s.Kind, s.Min, s.Max)
	case s.Max != 0 && s.Kind != config.Bool:
		return fmt.Sprintf("%s from %g to %.0f", s.Kind, s.Min, s.Max)
	case s.Most > 0:
		return fmt.Sprintf("%s, at most %d", s.Kind, s.Most)
	}
	return string(s.Kind)
}
