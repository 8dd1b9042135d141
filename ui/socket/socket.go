// Package socket is where the clients of forge serve reach it: a Unix socket of the
// person's own, or a port of the loopback.
//
// It owns the address, the lock that keeps a second server from starting, the file that
// says where the first one is, and the proof that whoever connects is the person: by the
// user of the process at the other end of a Unix socket, by a token on a port, where any
// user of the machine may knock. Nothing of any protocol is read before that proof. What
// is spoken over a connection is somebody else's: a Listener hands on connections that
// have proved themselves, and Dial returns one that has.
package socket

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"forge/swap"
	"forge/ui/lang"
)

// Address is where a server listens. Network is unix or tcp; of a port 0 the system
// chooses one.
type Address struct{ Network, Name string }

// String is the address as Parse reads it.
func (a Address) String() string {
	if a.Network == "unix" {
		return "unix:" + a.Name
	}
	return a.Name
}

// Parse reads unix:PATH or a numeric address of the loopback with its port. No other can
// be reached from elsewhere by mistake.
func Parse(s string) (Address, error) {
	if path, ok := strings.CutPrefix(s, "unix:"); ok {
		switch {
		case runtime.GOOS == "windows":
			return Address{}, errors.New(lang.T("on Windows forge serve listens on a port: give 127.0.0.1:PORT"))
		case path == "":
			return Address{}, errors.New(lang.T("unix: needs a path behind it"))
		}
		path, err := filepath.Abs(path)
		return Address{"unix", path}, err
	}
	at, err := netip.ParseAddrPort(s)
	if err != nil {
		host, port, err := net.SplitHostPort(s)
		switch {
		case err == nil && host == "localhost":
			return Address{}, fmt.Errorf(lang.T("localhost may be two addresses: give 127.0.0.1:%s or [::1]:%s"), port, port)
		case err == nil && (host == "" || strings.Trim(port, "0123456789") == ""):
			return Address{}, outside(s)
		}
		return Address{}, fmt.Errorf(lang.T("%q is no address: give unix:PATH, 127.0.0.1:PORT or [::1]:PORT"), s)
	}
	if !at.Addr().IsLoopback() || at.Addr().Zone() != "" {
		return Address{}, outside(s)
	}
	return Address{"tcp", at.String()}, nil
}

func outside(s string) error {
	return fmt.Errorf(lang.T("%s can be reached from other machines, and whoever reaches forge can run commands as you; listen on 127.0.0.1 and reach it from elsewhere through ssh: ssh -L 4711:127.0.0.1:4711 THIS-MACHINE"), s)
}

// Place is the folder that a person's server keeps its files in. There is one server to a
// place.
type Place struct{ Dir string }

// Default is where a server listens that was told nothing.
func (p Place) Default() Address {
	if runtime.GOOS == "windows" {
		return Address{"tcp", "127.0.0.1:0"}
	}
	return Address{"unix", filepath.Join(p.Dir, "socket")}
}

func (p Place) lockFile() string    { return filepath.Join(p.Dir, "lock") }
func (p Place) addressFile() string { return filepath.Join(p.Dir, "address") }

// TokenFile is where the token of a port is, for its owner alone.
func (p Place) TokenFile() string { return filepath.Join(p.Dir, "token") }

// Running is a server that said where it listens. Whether it still does, only Dial knows.
type Running struct {
	Address Address
	PID     int
	Since   time.Time
}

type running struct {
	Address string    `json:"address"`
	PID     int       `json:"pid"`
	Since   time.Time `json:"since"`
}

// Said is what the server of this place wrote last of itself. ErrNone: nothing.
func (p Place) Said() (Running, error) {
	b, err := os.ReadFile(p.addressFile())
	if errors.Is(err, fs.ErrNotExist) {
		return Running{}, ErrNone
	}
	var r running
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil {
		return Running{}, fmt.Errorf(lang.T("where forge serve listens cannot be read: %w; end it and start it again"), err)
	}
	a, err := Parse(r.Address)
	return Running{a, r.PID, r.Since}, err
}

func (p Place) says(r Running) error {
	b, err := json.Marshal(running{r.Address.String(), r.PID, r.Since.UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	return swap.Write(p.addressFile(), append(b, '\n'), 0o600, swap.Quick)
}

// ErrNone is the error where no server runs.
var ErrNone = errors.New("no forge serve is running; start one: forge serve")

// Taken is the error where another server of this place runs already. Address is empty
// where that has not said where it listens.
type Taken struct{ Running Running }

// Error implements error.
func (t Taken) Error() string {
	if t.Running.Address.Name == "" {
		return lang.T("forge serve is being started already")
	}
	return lang.T("forge serve is running already, on %s; clients connect with: forge acp --connect; forge serve --stop ends it", t.Running.Address)
}
