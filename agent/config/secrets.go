package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/zalando/go-keyring"
)

// ErrNoKey says that no key is stored under a name.
var ErrNoKey = errors.New("no key is stored")

// ringTimeout is how long the system's keyring may take. One that wants a
// password from a person who is not there would wait for ever.
const ringTimeout = time.Second

// Ring is the system's keyring, as far as forge needs it.
type Ring interface {
	Get(service, name string) (string, error)
	Set(service, name, key string) error
	Delete(service, name string) error
}

const service = "forge"

// Secrets keeps pasted keys: in the system's keyring where there is one that
// answers, else in a file only its owner can read. The file also knows which
// names the keyring has, so that nothing waits for a keyring without need. It
// lies in the state folder: the settings folder is what people share.
type Secrets struct {
	file string
	ring Ring // nil: none

	mu   sync.Mutex
	dead bool // the keyring did not answer once; it is not asked again
}

// Secrets opens the store of keys.
func (d Dirs) Secrets() *Secrets {
	s := &Secrets{file: filepath.Join(d.State, "keys.json")}
	if hasRing(runtime.GOOS, os.Getenv) {
		s.ring = system{}
	}
	return s
}

// hasRing guards against what the Linux client does where no session bus runs:
// it starts one, and leaves it behind.
func hasRing(goos string, getenv func(string) string) bool {
	if goos == "darwin" || goos == "windows" || getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	dir := getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, "bus"))
	return err == nil
}

type system struct{}

func (system) Get(service, name string) (string, error) { return keyring.Get(service, name) }
func (system) Set(service, name, key string) error      { return keyring.Set(service, name, key) }
func (system) Delete(service, name string) error        { return keyring.Delete(service, name) }

// entry is a key in the file, or the word that the keyring has it.
type entry struct {
	Key  string `json:"key,omitempty"`
	Ring bool   `json:"keyring,omitempty"`
}

// Get returns the key stored under a name, for a provider its name. The error is
// ErrNoKey where there is none.
func (s *Secrets) Get(name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entries, err := s.read()
	if err != nil {
		return "", err
	}
	e, ok := entries[name]
	switch {
	case !ok:
		return "", fmt.Errorf("%w for %s", ErrNoKey, name)
	case !e.Ring:
		return e.Key, nil
	}
	var key string
	err = s.ask(func(r Ring) error {
		k, err := r.Get(service, name)
		key = k
		return err
	})
	if err != nil {
		return "", fmt.Errorf("%w for %s that can be read: %w", ErrNoKey, name, err)
	}
	return key, nil
}

// Set stores a key and says where: "keyring", or the path of the file.
func (s *Secrets) Set(name, key string) (where string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entries, err := s.read()
	if err != nil {
		return "", err
	}
	e, where := entry{Key: key}, s.file
	if s.ask(func(r Ring) error { return r.Set(service, name, key) }) == nil {
		e, where = entry{Ring: true}, "keyring"
	}
	entries[name] = e
	if err := writeJSON(s.file, entries); err != nil {
		return "", fmt.Errorf("store the key: %w", err)
	}
	return where, nil
}

// Delete forgets a key. One that was not there is no error.
func (s *Secrets) Delete(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	entries, err := s.read()
	if err != nil {
		return err
	}
	e, ok := entries[name]
	if !ok {
		return nil
	}
	if e.Ring {
		err := s.ask(func(r Ring) error { return r.Delete(service, name) })
		if err != nil && !errors.Is(err, keyring.ErrNotFound) {
			return fmt.Errorf("delete the key of %s: %w", name, err)
		}
	}
	delete(entries, name)
	if err := writeJSON(s.file, entries); err != nil {
		return fmt.Errorf("delete the key of %s: %w", name, err)
	}
	return nil
}

// Names lists what keys are stored for, in no order.
func (s *Secrets) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	entries, err := s.read()
	if err != nil {
		return nil
	}
	var names []string
	for name := range entries {
		names = append(names, name)
	}
	return names
}

func (s *Secrets) read() (map[string]entry, error) {
	entries := map[string]entry{}
	b, err := readFile(s.file)
	if errors.Is(err, os.ErrNotExist) {
		return entries, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &entries)
	}
	if err != nil {
		return nil, fmt.Errorf("read the stored keys in %s: %w; delete the file to begin anew", s.file, err)
	}
	if fi, err := os.Stat(s.file); err == nil && fi.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		_ = os.Chmod(s.file, 0o600) // someone copied it about; a failure leaves it no worse
	}
	return entries, nil
}

// ask puts a question to the keyring and does not wait for one that is stuck.
func (s *Secrets) ask(question func(Ring) error) error {
	if s.ring == nil || s.dead {
		return errors.New("there is no keyring that answers")
	}
	done := make(chan error, 1)
	ring := s.ring
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("the keyring's client crashed: %v", p)
			}
		}()
		done <- question(ring)
	}()
	timer := time.NewTimer(ringTimeout)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		s.dead = true
		return errors.New("the keyring does not answer")
	}
}
