package buckettest

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

const bucketName = "team"

// Server is a bucket, with everything in memory.
type Server struct {
	URL string // for the setting

	server  *httptest.Server
	backend *s3mem.Backend
	cut     atomic.Bool
	refuse  atomic.Bool
	requests
	rotten sync.Map // paths of objects whose bytes have changed by themselves
}

type requests struct {
	mu    sync.Mutex
	count map[string]int
}

// Start starts a server, which Close ends.
func Start() (*Server, error) {
	s := &Server{backend: s3mem.New(), requests: requests{count: map[string]int{}}}
	if err := s.backend.CreateBucket(bucketName); err != nil {
		return nil, err
	}
	fake := gofakes3.New(s.backend, gofakes3.WithLogger(gofakes3.StdLog(log.New(io.Discard, "", 0)))).Server()
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.count[r.Method]++
		s.mu.Unlock()
		switch {
		case s.cut.Load():
			panic(http.ErrAbortHandler)
		case s.refuse.Load():
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>Access Denied.</Message></Error>")
		default:
			if r.Method == http.MethodPut {
				s.rotten.Delete(r.URL.Path)
			}
			if _, rotten := s.rotten.Load(r.URL.Path); rotten && r.Method == http.MethodGet {
				w = &rot{ResponseWriter: w}
			}
			fake.ServeHTTP(w, r)
		}
	}))
	s.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.URL = s.server.URL + "/" + bucketName + "/shop"
	return s, nil
}

// Close ends the server.
func (s *Server) Close() { s.server.Close() }

// Cut ends every connection from now on, or no longer.
func (s *Server) Cut(cut bool) { s.cut.Store(cut) }

// Refuse says no to every request from now on, or no longer.
func (s *Server) Refuse(refuse bool) { s.refuse.Store(refuse) }

// Rot changes a byte of every object, as a damaged disk does: the server still says the MD5 of what was put.
func (s *Server) Rot() error {
	all, err := s.Objects()
	for key := range all {
		s.rotten.Store("/"+bucketName+"/"+key, true)
	}
	return err
}

// rot changes the first byte of what is written.
type rot struct {
	http.ResponseWriter
	begun bool
}

func (w *rot) Write(data []byte) (int, error) {
	if !w.begun && len(data) > 0 {
		data = bytes.Clone(data)
		data[0] ^= 1
		w.begun = true
	}
	return w.ResponseWriter.Write(data)
}

// Requests returns how many requests of a method there were.
func (s *Server) Requests(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count[method]
}

// Objects returns the keys and contents of all objects.
func (s *Server) Objects() (map[string][]byte, error) {
	list, err := s.backend.ListBucket(bucketName, &gofakes3.Prefix{}, gofakes3.ListBucketPage{})
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	for _, c := range list.Contents {
		o, err := s.backend.GetObject(bucketName, c.Key, nil)
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(o.Contents)
		if err != nil {
			return nil, err
		}
		all[c.Key] = data
	}
	return all, nil
}

// Lose removes every object.
func (s *Server) Lose() error {
	all, err := s.Objects()
	for key := range all {
		if _, derr := s.backend.DeleteObject(bucketName, key); derr != nil {
			return derr
		}
	}
	return err
}

// Spoil changes a byte of every object.
func (s *Server) Spoil() error {
	all, err := s.Objects()
	for key, data := range all {
		data[len(data)/2] ^= 1
		if _, perr := s.backend.PutObject(bucketName, key, map[string]string{}, bytes.NewReader(data), int64(len(data)), nil); perr != nil {
			return perr
		}
	}
	return err
}
