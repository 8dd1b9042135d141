package socket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"forge/ui/lang"
)

// Bounds of those who have not proved themselves yet.
const (
	mostProving = 32               // at once; others are turned away
	provingTime = 10 * time.Second // of each
)

// ending is how long a server that does not answer any more is waited for: it is ending, or
// was killed, and what it was about to start has its lock for a moment.
const ending = 2 * time.Second

func (r Running) answers() bool {
	c, err := net.DialTimeout(r.Address.Network, r.Address.Name, time.Second)
	if err == nil {
		c.Close()
	}
	return err == nil
}

// Listener takes clients for a place. Close it.
type Listener struct {
	Running
	// Token is what proves a client on a port; empty on a Unix socket.
	Token string

	place Place
	l     net.Listener
	lock  *os.File
	made  fs.FileInfo // of the socket's file
	log   *slog.Logger
	all   sync.WaitGroup
	slots chan struct{} // of those who prove themselves

	closing sync.Once
}

// Listen begins to listen for a place and says so there. Taken: a server of it runs. A
// socket that was left behind is taken away; what is no socket, or what somebody listens
// on, is left alone.
func (p Place) Listen(a Address, log *slog.Logger) (_ *Listener, err error) {
	if err := private(p.Dir); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(p.lockFile(), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	n := &Listener{place: p, lock: lock, log: log, slots: make(chan struct{}, mostProving)}
	defer func() {
		if err != nil {
			n.Close()
		}
	}()
	for end := time.Now().Add(ending); taken(lock); time.Sleep(10 * time.Millisecond) {
		r, said := p.Said()
		if said == nil && r.answers() || time.Now().After(end) {
			return nil, Taken{r}
		}
	}
	if a.Network == "unix" {
		n.l, err = n.unix(a.Name)
	} else if n.Token, err = p.newToken(); err == nil {
		n.l, err = net.Listen("tcp", a.Name)
	}
	if err != nil {
		return nil, fmt.Errorf(lang.T("listen on %s: %w"), a, err)
	}
	if a.Network == "tcp" {
		a.Name = n.l.Addr().String()
	}
	n.Running = Running{a, os.Getpid(), time.Now()}
	return n, p.says(n.Running)
}

// private makes a folder that only its owner may enter, or makes sure that it is one.
func private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	fi, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !fi.IsDir() || !ours(fi):
		return fmt.Errorf(lang.T("%s is no folder of yours; forge serve keeps what only you may read there: take it away"), dir)
	case fi.Mode().Perm()&0o077 != 0:
		return os.Chmod(dir, 0o700)
	}
	return nil
}

// longestPath is what every system takes as the path of a socket, in bytes.
const longestPath = 103

func (n *Listener) unix(path string) (net.Listener, error) {
	if len(path) > longestPath {
		return nil, errors.New(lang.T("this path is longer than that of a socket may be; give a shorter one: --listen unix:PATH"))
	}
	if err := unlinkStale(path); err != nil {
		return nil, err
	}
	l, err := bind(path)
	if err != nil {
		return nil, err
	}
	if u, ok := l.(*net.UnixListener); ok {
		u.SetUnlinkOnClose(false) // it may be another's by then
	}
	if n.made, err = os.Lstat(path); err == nil {
		err = os.Chmod(path, 0o600)
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// unlinkStale takes away a socket of ours that nobody listens on.
func unlinkStale(path string) error {
	fi, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case fi.Mode().Type() != fs.ModeSocket || !ours(fi):
		return errors.New(lang.T("what is there is no socket of yours, and is left alone; take it away, or give another path: --listen unix:PATH"))
	}
	c, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		c.Close()
		return errors.New(lang.T("another program listens there; give another path: --listen unix:PATH"))
	}
	if !refused(err) {
		return err
	}
	return os.Remove(path)
}

// Serve hands on each client that has proved itself to take, which may keep it for as long
// as it likes and closes it, until ctx ends. It returns when all have been given back.
func (n *Listener) Serve(ctx context.Context, take func(net.Conn)) {
	over := context.AfterFunc(ctx, func() { n.l.Close() })
	defer over()
	for ctx.Err() == nil {
		c, err := n.l.Accept()
		if errors.Is(err, net.ErrClosed) {
			break
		}
		if err != nil { // too many files are open, say: that passes
			n.log.Warn("client not taken in", "err", err)
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
			}
			continue
		}
		select {
		case n.slots <- struct{}{}:
		default:
			n.log.Warn("client turned away: too many are proving who they are")
			c.Close()
			continue
		}
		n.all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					n.log.Error("client crashed", "panic", p, "stack", string(debug.Stack()))
					c.Close()
				}
			}()
			undo := context.AfterFunc(ctx, func() { c.Close() })
			err := n.proves(c)
			<-n.slots
			if !undo() || err != nil {
				n.log.Warn("client turned away", "err", err)
				c.Close()
				return
			}
			take(c)
		})
	}
	n.all.Wait()
}

// proves reports why a client is not the person's; nil: it is.
func (n *Listener) proves(c net.Conn) error {
	if n.Address.Network == "unix" {
		return sameUser(c)
	}
	return challenge(c, n.Token)
}

// TokenFile is where Token is kept while the listener is open.
func (n *Listener) TokenFile() string { return n.place.TokenFile() }

// Close ends listening and takes away what stands for it.
func (n *Listener) Close() {
	n.closing.Do(func() {
		if n.l != nil {
			n.l.Close()
			if fi, err := os.Lstat(n.Address.Name); n.made != nil && err == nil && os.SameFile(fi, n.made) {
				_ = os.Remove(n.Address.Name)
			}
			_ = os.Remove(n.place.addressFile())
		}
		if n.Token != "" {
			_ = os.Remove(n.place.TokenFile())
		}
		n.lock.Close() // and lets go of it; the file stays, or two could have it
	})
}
