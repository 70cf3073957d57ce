package configcmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
)

// listing is what to list.
type listing struct {
	beginning       string
	place           config.Place
	changed, asJSON bool
}

// here returns the place around the current directory, and the user's data directory.
func here(env *cliui.Env) (workplace.Place, string, error) {
	p, err := workplace.PlaceHere(env)
	if err != nil {
		return p, "", err
	}
	if !p.SetUp {
		p.Settings = ""
	}
	return p, workplace.DataDir(env), nil
}

// valuesHere returns all settings with their values.
func valuesHere(env *cliui.Env) ([]config.Value, error) {
	p, data, err := here(env)
	if err != nil {
		return nil, err
	}
	all, err := config.Values(p.Settings, data)
	if err != nil {
		return nil, cliui.ToCorrect("%w", err)
	}
	return all, nil
}

func runList(env *cliui.Env, l listing) error {
	all, err := valuesHere(env)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(v config.Value) bool { return !l.has(v) })
	if l.asJSON {
		rows := []row{}
		for _, v := range all {
			rows = append(rows, rowOf(v))
		}
		return env.PrintJSON(rows)
	}
	if len(all) == 0 {
		fmt.Fprintln(env.Err, "No setting. `entire config list` lists all.")
		return nil
	}
	printValues(env, all)
	return nil
}

func (l listing) has(v config.Value) bool {
	from := map[config.Place]string{config.InLocal: config.FromLocal, config.InProject: config.FromProject, config.InUser: config.FromUser}
	return (l.beginning == "" || strings.HasPrefix(v.Name, strings.TrimPrefix(l.beginning, "strategy_options."))) &&
		(l.place == 0 || v.From == from[l.place]) && (!l.changed || v.From != config.FromDefault)
}

// printValues writes a table, names and values in columns.
func printValues(env *cliui.Env, all []config.Value) {
	names, values := 0, 0
	for _, v := range all {
		names = max(names, utf8.RuneCountInString(cliui.ShownLine(v.Name)))
		if n := utf8.RuneCountInString(shown(v.Raw)); n <= widest {
			values = max(values, n)
		}
	}
	for _, v := range all {
		from := v.From
		if v.Ignored != "" {
			from += ", ignored: " + cliui.ShownLine(v.Ignored)
		}
		fmt.Fprintf(env.Out, "%-*s  %-*s  %s\n", names, cliui.ShownLine(v.Name), values, shown(v.Raw), from)
	}
}

// widest is the widest column of values; longer ones move their line.
const widest = 24

// shown returns a value for a line; "-" for none.
func shown(raw json.RawMessage) string {
	v := gjson.ParseBytes(raw)
	switch {
	case len(raw) == 0:
		return "-"
	case v.Type == gjson.String:
		return cliui.ShownLine(v.Str)
	}
	var line bytes.Buffer
	if json.Compact(&line, raw) != nil {
		return cliui.ShownLine(string(raw))
	}
	return cliui.ShownLine(line.String())
}

// A row is a value as JSON.
type row struct {
	Name    string          `json:"name"`
	Key     string          `json:"key"`
	Type    string          `json:"type"`
	Value   json.RawMessage `json:"value"`
	Default json.RawMessage `json:"default"`
	From    string          `json:"from"`
	Path    string          `json:"path,omitempty"`
	Ignored string          `json:"ignored,omitempty"`
	In      []string        `json:"in"`
	About   string          `json:"about"`
}

func rowOf(v config.Value) row {
	null := json.RawMessage("null")
	r := row{Name: v.Name, Key: v.Key, Type: string(v.Kind), Value: v.Raw, Default: json.RawMessage(v.Default), From: v.From, Path: v.Path, Ignored: v.Ignored,
		In: places(v.In), About: v.About}
	if len(r.Value) == 0 {
		r.Value = null
	}
	if len(r.Default) == 0 {
		r.Default = null
	}
	return r
}

// places returns the names of places.
func places(in config.Place) (names []string) {
	for _, p := range []struct {
		place config.Place
		name  string
	}{{config.InProject, config.FromProject}, {config.InLocal, config.FromLocal}, {config.InUser, config.FromUser}} {
		if in&p.place != 0 {
			names = append(names, p.name)
		}
	}
	return names
}

func runGet(env *cliui.Env, name string, asJSON bool) error {
	s, key, err := find(name)
	if err != nil {
		return err
	}
	all, err := valuesHere(env)
	if err != nil {
		return err
	}
	counts := config.Value{Setting: s, Name: strings.TrimPrefix(key, "strategy_options."), From: config.FromDefault}
	for _, v := range all {
		if v.Setting.Key == s.Key && v.Name == counts.Name && v.Ignored == "" {
			counts = v
			break
		}
	}
	if asJSON {
		return env.PrintJSON(rowOf(counts))
	}
	if len(counts.Raw) == 0 {
		return cliui.Failf("`entire config set` sets it", "%s is not set and has no default", cliui.ShownLine(counts.Name))
	}
	printValue(env, counts.Raw)
	return nil
}

func printValue(env *cliui.Env, raw json.RawMessage) {
	v := gjson.ParseBytes(raw)
	texts := v.IsArray()
	for _, one := range v.Array() {
		texts = texts && one.Type == gjson.String
	}
	if !texts {
		fmt.Fprintln(env.Out, shown(raw))
		return
	}
	for _, one := range v.Array() {
		fmt.Fprintln(env.Out, cliui.ShownLine(one.Str))
	}
}
