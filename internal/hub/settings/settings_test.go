package settings

import (
	"strings"
	"testing"
)

// A person who wrote the file reads what is wrong with it, and where.
func TestMistakes(t *testing.T) {
	t.Parallel()
	const repositories = `"data": "d", "repositories": [{"name": "shop", "url": "https://git.example.com/shop.git"}]`
	for text, want := range map[string]string{
		"":                                      "it is empty",
		" \n":                                   "it is empty",
		"\ufeff":                                "it is empty",
		"[]":                                    "and has to be an object",
		`"x"`:                                   "and has to be an object",
		"{\n":                                   "line 1: the JSON is not complete",
		"{\n\"a":                                "line 2: the JSON is not complete",
		"{\n\n,}":                               "line 3: this is not JSON: invalid character ','",
		"{\n" + repositories + "\n}\n\nx":       "line 5: text follows after its end",
		"{" + repositories + `, "dta": 1}`:      `there is no member "dta"`,
		"{" + repositories + `, "poll": 60}`:    `60 is no time as "90s"`,
		"{" + repositories + `, "poll": "1"}`:   `"1" is no time as "90s"`,
		"{" + repositories + `, "poll": "-1m"}`: `"-1m" is no time as "90s"`,
		"{" + repositories + ",\n\"workers\": 1e18}":                  `line 2: "workers" is 1e18, and has to be a whole number`,
		"{" + repositories + `, "workers": 3000000000}`:               `"workers" is 3000000000, not from 1 to 1000`,
		"{" + repositories + `, "workers": -1}`:                       `"workers" is -1, not from 1 to 1000`,
		"{" + repositories + `, "teams": {}}`:                         `"teams" is an object, and has to be an array`,
		"{" + repositories + `, "url": true}`:                         `"url" is true or false, and has to be a text`,
		"{" + repositories + `, "url": "hub.example.com"}`:            `"url" is "hub.example.com", not an address as https://hub.example.com`,
		"{" + repositories + `, "listen": "8080"}`:                    `"listen" is "8080", not a host and a port`,
		"{" + repositories + `, "metrics_listen": "127.0.0.1:99999"}`: `"metrics_listen" is "127.0.0.1:99999", not a host and a port`,
		"{" + repositories + `, "limits": {"burst": -1}}`:             `"limits" has a number below 0`,
		"{" + repositories + `, "teams": [{"name": ""}]}`:             "a team needs a name of at most 100 characters",
		"{" + repositories + `, "tokens": [{"expires": "soon"}]}`:     `soon is no time as "2027-01-01T00:00:00Z"`,
	} {
		if _, err := Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Read(%q): %v, want %s", text, err, want)
		}
	}
	for _, more := range []string{"", `, "listen": ":8080"`, `, "listen": "[::1]:http", "metrics_listen": "127.0.0.1:0"`, `, "workers": 4, "url": "http://hub"`} {
		if _, err := Read([]byte("\ufeff{" + repositories + more + "}")); err != nil {
			t.Errorf("Read(… %s): %v", more, err)
		}
	}
}
