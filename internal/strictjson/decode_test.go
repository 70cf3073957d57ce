package strictjson

import (
	"encoding/json"
	"strings"
	"testing"
)

type file struct {
	Name   string    `json:"name"`
	Count  int       `json:"count"`
	Share  float64   `json:"share"`
	On     bool      `json:"on"`
	List   []string  `json:"list"`
	Inside *struct{} `json:"inside"`
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                "it is empty",
		" \n\t":                           "it is empty",
		"\ufeff":                          "it is empty",
		"{":                               "line 1: the JSON is not complete",
		"{\n\"name\": \"x":                "line 2: the JSON is not complete",
		"{\n\n}\nmore":                    "line 4: text follows after its end",
		"{\n,}":                           "line 2: this is not JSON: invalid character ','",
		"[]":                              "it is an array, and has to be an object",
		"true":                            "it is true or false, and has to be an object",
		"{\"nam\": 1}":                    `there is no member "nam"`,
		"{\n\"name\": 1}":                 `line 2: "name" is a number, and has to be a text`,
		"{\"count\": 1.5}":                `line 1: "count" is 1.5, and has to be a whole number`,
		"{\"share\": \"\"}":               `line 1: "share" is a text, and has to be a number`,
		"{\"on\": 1}":                     `line 1: "on" is a number, and has to be true or false`,
		"{\"list\": {}}":                  `line 1: "list" is an object, and has to be an array`,
		"{\"name\": \"\", \"inside\":[]}": `line 1: "inside" is an array, and has to be an object`,
	} {
		if err := Decode([]byte(text), new(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Decode(%q): %v, want %s", text, err, want)
		}
		data := []byte(strings.TrimPrefix(text, "\ufeff"))
		err := json.Unmarshal(data, new(file))
		if strings.Contains(want, "no member") || strings.Contains(want, "follows") {
			continue // which Unmarshal does not say so
		}
		if err == nil || !strings.Contains(Mistake(data, err).Error(), want) {
			t.Errorf("Mistake(%q): %v, want %s", data, Mistake(data, err), want)
		}
	}
	var f file
	if err := Decode([]byte("\ufeff{\"name\": \"x\", \"count\": 2}\n"), &f); err != nil || f.Name != "x" || f.Count != 2 {
		t.Errorf("%+v, %v", f, err)
	}
}
