package gate

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"time"
)

// endWithin is how long answers may still take when the server ends.
const endWithin = 1200 * time.Millisecond

// Listen begins to listen on a port of this machine that other machines cannot reach; 0 is for any
// free port. It returns the origin of the pages.
func Listen(ctx context.Context, port string) (net.Listener, string, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return nil, "", err
	}
	return l, "http://" + l.Addr().String(), nil
}

// Serve answers requests until ctx ends. The contexts of all requests end with it, so that answers
// without end are ended too.
func Serve(ctx context.Context, l net.Listener, h http.Handler, logger *log.Logger) error {
	s := &http.Server{
		Handler: Compress(h), ErrorLog: logger, BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	ended := make(chan error, 1)
	go func() {
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
		defer cancel()
		err := s.Shutdown(last)
		if errors.Is(err, context.DeadlineExceeded) {
			err = s.Close()
		}
		ended <- err
	}()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-ended
}
