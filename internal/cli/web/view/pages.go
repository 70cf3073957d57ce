package view

import "slices"

// A Page is a part of the navigation.
type Page struct {
	Path, Name string
	Key        string // the key that goes there; "" for none
}

// navigation are the pages that every page leads to.
func navigation() []Page {
	return []Page{
		{"timeline", "Timeline", "t"},
		{"sessions", "Sessions", "s"},
		{"files", "Files", "f"},
		{"review", "Review", "v"},
		{"search", "Search", "/"},
		{"usage", "Usage", ""},
		{"status", "Status", ""},
		{"doctor", "Doctor", ""},
	}
}

// navigation returns the pages that there are: a folder of files has no search.
func (v *Views) navigation() []Page {
	return slices.DeleteFunc(navigation(), func(p Page) bool { return v.o.Links.To(p.Path) == "" })
}

// A Key is what keys of the keyboard do.
type Key struct {
	Keys []string `json:"keys"`
	Does string   `json:"does"`
}

// Keys are all keys of the pages.
func Keys() []Key {
	out := []Key{
		{[]string{"j", "k"}, "the next row, file or prompt, the one before"},
		{[]string{"Enter"}, "open it"},
		{[]string{"]", "["}, "older, newer"},
		{[]string{"x"}, "mark a row of the timeline; two marked ones are compared"},
		{[]string{"r"}, "rewind to the point that is shown"},
		{[]string{"u", "U"}, "undo, redo the last rewind, on the timeline"},
		{[]string{"m"}, "save the present, on the timeline"},
		{[]string{"?"}, "this page"},
	}
	for _, p := range navigation() {
		if p.Key != "" {
			out = append(out, Key{[]string{p.Key}, p.Name})
		}
	}
	return out
}
