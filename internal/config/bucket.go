package config

import (
	"net/url"
	"strings"

	"github.com/tidwall/gjson"
)

// Members of the bucket option in the settings files.
const (
	optionBucket = "bucket"
	bucketURL    = "url"
	bucketRegion = "region"
	bucketLimit  = "limit"
)

const (
	defaultBodyLimit = 64 // KiB
	leastBodyLimit   = 16
	mostBodyLimit    = 1 << 20

	// LeastBodyLimit is the fewest bytes that a limit of bodies can be: nothing smaller leaves git.
	LeastBodyLimit = leastBodyLimit << 10
)

// Bucket is the bucket option.
type Bucket struct {
	URL    string // s3://BUCKET/PREFIX or https://HOST/BUCKET/PREFIX; "" for none
	Region string // "" if the environment or the server says it
	Limit  int64  // the most bytes of a text that stays in git
}

// ReadBucket returns the bucket option of the settings below dir: of the local file, and of the project's where the
// local file says nothing. Values that are not valid do not count.
func ReadBucket(dir string) (Bucket, error) {
	b := Bucket{Limit: defaultBodyLimit << 10}
	for _, t := range []Target{Project, Local} {
		object, err := read(dir, t)
		if err != nil {
			return Bucket{}, err
		}
		options := lastOf(object, keyOptions)
		if !options.IsObject() {
			continue
		}
		for key, v := range validMembers(lastOf(options.Raw, optionBucket), wrongBucket) {
			switch key {
			case bucketURL:
				b.URL = strings.TrimRight(v.Str, "/")
			case bucketRegion:
				b.Region = v.Str
			case bucketLimit:
				b.Limit = int64(v.Num) << 10
			}
		}
	}
	return b, nil
}

// wrongBucket returns what a member of the bucket option must be, or "" if v is valid.
func wrongBucket(key string, v gjson.Result) string {
	switch key {
	case bucketURL:
		if v.Type != gjson.String || v.Str != "" && !isBucket(v.Str) {
			return "s3://BUCKET/PREFIX or https://HOST/BUCKET/PREFIX, without a password"
		}
	case bucketRegion:
		if v.Type != gjson.String || strings.ContainsAny(v.Str, " /\n\x00") {
			return "the name of a region"
		}
	case bucketLimit:
		if v.Type != gjson.Number || v.Num < leastBodyLimit || v.Num > mostBodyLimit || v.Num != float64(int64(v.Num)) {
			return "a whole number of KiB, from 16 to 1048576"
		}
	}
	return ""
}

func isBucket(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Host == "" || strings.ContainsAny(text, " \n\x00") {
		return false
	}
	switch u.Scheme {
	case "s3":
		return u.Port() == ""
	case "http", "https":
		return strings.Trim(u.Path, "/") != "" && !strings.Contains(u.Path, "..")
	}
	return false
}
