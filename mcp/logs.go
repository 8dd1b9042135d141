package mcp

import (
	"os"
	"path/filepath"
)

// logFile is where the server's error stream is kept; empty: nowhere.
func (s *server) logFile() string {
	if s.m.o.StateDir == "" {
		return ""
	}
	return LogFile(s.m.o.StateDir, s.name)
}

// LogFile is where the error stream of a server is kept.
func LogFile(stateDir, name string) string {
	return filepath.Join(stateDir, "logs", "mcp-"+serverKeys([]string{name})[name]+".log")
}

// maxLog is the size at which a log begins anew; the one before is kept.
const maxLog = 1 << 20

// openLog also writes what the server says to a file. Nothing of it is ever written
// to the terminal.
func (s *server) openLog() {
	path := s.logFile()
	if path == "" {
		return
	}
	f, err := openRotating(path)
	if err != nil {
		s.log.printf("forge: no log is kept: %v", err)
		return
	}
	s.log.tee(f)
}

// A rotating is a log file that does not grow for ever.
type rotating struct {
	path string
	f    *os.File
	size int64
}

func openRotating(path string) (*rotating, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	r := &rotating{path: path, f: f}
	if info, err := f.Stat(); err == nil {
		r.size = info.Size()
	}
	return r, nil
}

// Write implements io.Writer. Its caller holds a lock.
func (r *rotating) Write(p []byte) (int, error) {
	if r.size += int64(len(p)); r.size > maxLog {
		r.f.Close()
		_ = os.Rename(r.path, r.path+".1")
		f, err := os.OpenFile(r.path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return 0, err
		}
		r.f, r.size = f, int64(len(p))
	}
	return r.f.Write(p)
}

// Close implements io.Closer.
func (r *rotating) Close() error { return r.f.Close() }
