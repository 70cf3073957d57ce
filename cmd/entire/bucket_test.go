package main

import (
	"bytes"
	"strconv"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"entire/internal/bucket/buckettest"
)

type bucketKey struct{}

// cmdBucket starts a bucket, whose URL is $BUCKET, and does things to it: cut, mend, refuse, allow, lose, spoil; `count N`
// says how many objects it has, `sealed` that all are encrypted, `lacks TEXT` that none has a text.
func cmdBucket(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: bucket start|cut|mend|refuse|allow|lose|spoil|sealed|count N")
	}
	if args[0] == "start" {
		s, err := buckettest.Start()
		ts.Check(err)
		ts.Defer(s.Close)
		ts.Value(bucketKey{}).(*bucketOf).Server = s
		ts.Setenv("BUCKET", s.URL)
		ts.Setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
		ts.Setenv("AWS_SECRET_ACCESS_KEY", "example")
		ts.Setenv("AWS_REGION", "us-east-1")
		return
	}
	s := ts.Value(bucketKey{}).(*bucketOf).Server
	switch args[0] {
	case "cut", "mend":
		s.Cut(args[0] == "cut")
	case "refuse", "allow":
		s.Refuse(args[0] == "refuse")
	case "lose":
		ts.Check(s.Lose())
	case "spoil":
		ts.Check(s.Spoil())
	case "sealed":
		all, err := s.Objects()
		ts.Check(err)
		for key, data := range all {
			if !bytes.HasPrefix(data, []byte("entire sealed 1\n")) {
				ts.Fatalf("%s is not encrypted", key)
			}
		}
	case "lacks":
		all, err := s.Objects()
		ts.Check(err)
		dec, err := zstd.NewReader(nil)
		ts.Check(err)
		defer dec.Close()
		for key, data := range all {
			text, err := dec.DecodeAll(data, nil)
			ts.Check(err)
			if bytes.Contains(text, []byte(args[1])) {
				ts.Fatalf("%s has %q", key, args[1])
			}
		}
	case "count":
		all, err := s.Objects()
		ts.Check(err)
		if want, err := strconv.Atoi(args[1]); err != nil || len(all) != want {
			ts.Fatalf("the bucket has %d objects, want %s", len(all), args[1])
		}
	default:
		ts.Fatalf("unknown: bucket %s", args[0])
	}
}

// bucketOf has the bucket of a script.
type bucketOf struct{ *buckettest.Server }
