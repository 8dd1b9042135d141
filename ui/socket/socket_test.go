package socket

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var quiet = slog.New(slog.DiscardHandler)

func TestParse(t *testing.T) {
	for in, want := range map[string]string{
		"127.0.0.1:4711": "127.0.0.1:4711", "127.0.0.2:1": "127.0.0.2:1", "[::1]:4711": "[::1]:4711", "127.0.0.1:0": "127.0.0.1:0",
		"0.0.0.0:1": "ssh -L", "[::]:1": "ssh -L", ":1": "ssh -L", "10.0.0.1:1": "ssh -L", "[::1%lo]:1": "ssh -L", "example.com:1": "ssh -L", "[::ffff:10.0.0.1]:1": "ssh -L",
		"localhost:7": "127.0.0.1:7 or [::1]:7", "127.0.0.1": "is no address", "": "is no address", "socket": "is no address", "127.0.0.1:x": "is no address", "127.0.0.1:99999": "",
	} {
		a, err := Parse(in)
		switch {
		case err == nil && a.String() != want:
			t.Errorf("%s is read as %s", in, a)
		case err != nil && !strings.Contains(err.Error(), want):
			t.Errorf("%s: %v", in, err)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	if a, err := Parse("unix:x/../s"); err != nil || !filepath.IsAbs(a.Name) || filepath.Base(a.Name) != "s" {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := Parse("unix:"); err == nil {
		t.Error("no path is a path")
	}
}

// proved is what either side says of the other, where the one has a token and the other does
// what client does.
func proved(t *testing.T, client func(net.Conn) error) (server, clients error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		said := make(chan error, 1)
		go func() {
			said <- client(there)
			there.Close()
		}()
		server = challenge(here, "the token")
		here.Close()
		clients = <-said
	})
	return server, clients
}

func TestProof(t *testing.T) {
	if s, c := proved(t, func(c net.Conn) error { return answer(c, "the token") }); s != nil || c != nil {
		t.Errorf("who knows it is told %v, %v", s, c)
	}
	if s, c := proved(t, func(c net.Conn) error { return answer(c, "another") }); !errors.Is(s, errProof) || !errors.Is(c, errToken) {
		t.Errorf("who does not know it is told %v, %v", s, c)
	}
	for _, said := range []string{"", "\n", "{}\n", "forge-client x\n", "forge-client x y\n", strings.Repeat("x", 300) + "\n", "\x00\n", "forge-client x " + mac("the token", "client", "x", "x") + "\n", "forge-client x " + mac("the token", "server", "x", "x") + "\n"} {
		s, _ := proved(t, func(c net.Conn) error {
			_, _ = line(c)
			_, _ = io.WriteString(c, said)
			_, _ = io.Copy(io.Discard, c)
			return nil
		})
		if s == nil {
			t.Errorf("%.40q proves it", said)
		}
	}
	began := time.Now()
	if s, _ := proved(t, func(c net.Conn) error { _, err := io.Copy(io.Discard, c); return err }); s == nil || time.Since(began) > provingTime {
		t.Errorf("who says nothing is told %v", s)
	}
	// What was heard of one connection proves nothing on another.
	var heard string
	synctest.Test(t, func(t *testing.T) {
		for _, replay := range []bool{false, true} {
			here, there := net.Pipe()
			go func() { _ = challenge(here, "the token"); here.Close() }()
			said, err := line(there)
			if err != nil {
				t.Fatal(err)
			}
			if !replay {
				heard = "forge-client x " + mac("the token", "client", strings.TrimPrefix(said, greeting), "x") + "\n"
			}
			_, _ = io.WriteString(there, heard)
			got, _ := line(there)
			if (got == refusal) != replay {
				t.Errorf("replayed %v it is answered %q", replay, got)
			}
			there.Close()
		}
	})
}

// Who took the port of a server that is gone learns nothing, and is found out.
func TestAnImpostor(t *testing.T) {
	for _, does := range []func(net.Conn){
		func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n") },
		func(c net.Conn) { // it takes everybody
			_, _ = io.WriteString(c, greeting+"x\n")
			said, _ := line(c)
			if strings.Contains(said, "the token") {
				t.Errorf("it is told the token: %s", said)
			}
			_, _ = io.WriteString(c, counter+strings.Repeat("0", 64)+"\n")
		},
		func(c net.Conn) { // it says what it has heard
			_, _ = io.WriteString(c, greeting+"x\n")
			said, _ := line(c)
			_, _ = io.WriteString(c, counter+said[strings.LastIndexByte(said, ' ')+1:]+"\n")
		},
	} {
		here, there := net.Pipe()
		go func() { does(there); _, _ = io.Copy(io.Discard, there) }()
		if err := answer(here, "the token"); !errors.Is(err, errServer) {
			t.Errorf("it is taken with %v", err)
		}
		here.Close()
	}
}

// listen begins to serve; each client that is taken is sent to the channel.
func listen(t *testing.T, p Place, a Address) (*Listener, chan net.Conn) {
	t.Helper()
	l, err := p.Listen(a, quiet)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	took, over := make(chan net.Conn), make(chan struct{})
	go func() {
		defer close(over)
		l.Serve(ctx, func(c net.Conn) {
			select {
			case took <- c:
			case <-ctx.Done():
				c.Close()
			}
		})
	}()
	t.Cleanup(func() { stop(); <-over; l.Close() })
	return l, took
}

func TestPort(t *testing.T) {
	p := Place{filepath.Join(t.TempDir(), "serve")}
	if _, err := p.Said(); !errors.Is(err, ErrNone) {
		t.Errorf("before, it says %v", err)
	}
	l, took := listen(t, p, Address{"tcp", "127.0.0.1:0"})
	r, err := p.Said()
	if err != nil || r.Address != l.Address || r.PID != os.Getpid() {
		t.Errorf("it says %+v, %v", r, err)
	}
	// Those who say nothing hold nobody, up to a number.
	for range mostProving / 2 {
		c, err := net.Dial("tcp", l.Address.Name)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	for range 3 {
		c, err := p.Dial(t.Context(), r.Address)
		if err != nil {
			t.Fatal(err)
		}
		s := <-took
		if _, err := io.WriteString(c, "hello\n"); err != nil {
			t.Fatal(err)
		}
		if got, err := line(s); got != "hello" || err != nil {
			t.Errorf("it hears %q, %v", got, err)
		}
		c.Close()
		s.Close()
	}
	var taken Taken
	if _, err := p.Listen(p.Default(), quiet); !errors.As(err, &taken) || taken.Running.Address != l.Address || !strings.Contains(err.Error(), l.Address.Name) {
		t.Errorf("a second one is told %v", err)
	}
	l.Close()
	if _, err := p.Said(); !errors.Is(err, ErrNone) {
		t.Errorf("afterwards it says %v", err)
	}
	if _, err := os.Stat(p.TokenFile()); err == nil {
		t.Error("the token is there yet")
	}
	if _, err := p.Dial(t.Context(), r.Address); err == nil {
		t.Error("it is reached though it has ended")
	}
}
