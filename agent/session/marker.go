package session

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Where a file system knows no locks, as some network shares do, a file beside the
// session says who has it. Unlike a lock it outlives a forge that was killed: one of
// this machine that is no more is passed over, one of another machine cannot be asked.
const markerExt = ".lock"

// marker is what stands in it.
type marker struct {
	Host  string `json:"host"`
	PID   int    `json:"pid"`
	Token string `json:"token"` // tells a process from one of its number that is gone
}

// ours are the tokens of the markers this process has.
var ours sync.Map

// markSoon is how long a marker that cannot be read yet is taken to be one that is being
// written.
const markSoon = time.Minute

// claim says beside the session at path that it is ours. who names the one that has it;
// an error says that nothing can be written there.
func claim(path string) (who string, err error) {
	host, _ := os.Hostname()
	m := marker{Host: host, PID: os.Getpid(), Token: rand.Text()}
	b, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	name := path + markerExt
	for range 2 {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			ours.Store(m.Token, true)
			_, err = f.Write(b)
			return "", errors.Join(err, f.Close())
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		if who := claimed(path); who != "" {
			return who, nil
		}
		if who := sweep(name); who != "" {
			return who, nil
		}
	}
	return "somebody", nil // who was quicker
}

// claimed names who has the session at path by its marker; empty: nobody.
func claimed(path string) string {
	name := path + markerExt
	b, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return holder(name, b)
}

func holder(name string, b []byte) string {
	var m marker
	if json.Unmarshal(b, &m) != nil || m.PID <= 0 {
		if fi, err := os.Stat(name); err == nil && time.Since(fi.ModTime()).Abs() > markSoon {
			return ""
		}
		return "somebody"
	}
	if host, _ := os.Hostname(); m.Host == host {
		if _, is := ours.Load(m.Token); m.PID == os.Getpid() && !is || m.PID != os.Getpid() && !alive(m.PID) {
			return ""
		}
	}
	return fmt.Sprintf("process %d on %s, by %s; where it is gone, delete that file", m.PID, m.Host, name)
}

// sweep takes away the marker of one who is no more. Of several who try one succeeds:
// it is moved away first, and what was moved is looked at again.
func sweep(name string) (who string) {
	away := name + "-" + rand.Text()[:8]
	if fi, err := os.Lstat(name); err == nil && !fi.Mode().IsRegular() { // none of ours
		return "somebody"
	}
	if os.Rename(name, away) != nil {
		return ""
	}
	defer os.Remove(away)
	b, err := os.ReadFile(away)
	if err != nil {
		return ""
	}
	if who = holder(away, b); who != "" { // a new one has come meanwhile
		_ = os.Link(away, name)
	}
	return who
}

// unclaim takes our marker away.
func unclaim(path string) {
	name := path + markerExt
	var m marker
	if b, err := os.ReadFile(name); err == nil && json.Unmarshal(b, &m) == nil {
		if _, is := ours.LoadAndDelete(m.Token); is {
			_ = os.Remove(name)
		}
	}
}
