package histories

import (
	"net"
	"os"
	"path/filepath"
)

// listen opens a socket, as the plugin of an agent does when a turn begins, and tells there what answer returns. It
// returns the socket's path.
func (s *Session) listen(answer func() any) string {
	s.unlisten()
	dir, err := os.MkdirTemp("", "said")
	Check("socket", err)
	s.ear, err = net.Listen("unix", filepath.Join(dir, "s"))
	Check("socket", err)
	go func(ear net.Listener) {
		for {
			conn, err := ear.Accept()
			if err != nil {
				return
			}
			if _, err = conn.Read(make([]byte, 256)); err == nil {
				s.saying.Lock()
				text := Encode(answer())
				s.saying.Unlock()
				_, _ = conn.Write([]byte(text)) // who asked may be gone
			}
			_ = conn.Close()
		}
	}(s.ear)
	return s.ear.Addr().String()
}

// Close ends what a program that was killed in a turn leaves behind.
func (s *Session) Close() { s.unlisten() }

// unlisten closes the socket.
func (s *Session) unlisten() {
	if s.ear != nil {
		_ = s.ear.Close()
		_ = os.RemoveAll(filepath.Dir(s.ear.Addr().String()))
		s.ear = nil
	}
}
