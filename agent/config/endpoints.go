package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Endpoint is a server that a person logged in at by its address.
type Endpoint struct {
	Name    string `json:"name"` // of it in "provider/model"
	BaseURL string `json:"base_url"`
	Wire    string `json:"wire"` // what it speaks
}

func (d Dirs) endpointsFile() string { return filepath.Join(d.State, "endpoints.json") }

// Endpoints lists the servers logged in at by their address; nothing where that cannot be
// read: a list of places is no reason to stop.
func (d Dirs) Endpoints() []Endpoint {
	var all []Endpoint
	if b, err := readFile(d.endpointsFile()); err != nil || json.Unmarshal(b, &all) != nil {
		return nil
	}
	return all
}

// KeepEndpoint adds a server, or says anew what is spoken at its address.
func (d Dirs) KeepEndpoint(e Endpoint) error {
	all := slices.DeleteFunc(d.Endpoints(), func(o Endpoint) bool { return o.BaseURL == e.BaseURL })
	if err := writeJSON(d.endpointsFile(), append(all, e)); err != nil {
		return fmt.Errorf("keep the endpoint: %w", err)
	}
	return nil
}

// ForgetEndpoint takes a server out of the list. One that was not there is no error.
func (d Dirs) ForgetEndpoint(baseURL string) error {
	all := d.Endpoints()
	left := slices.DeleteFunc(slices.Clone(all), func(o Endpoint) bool { return o.BaseURL == baseURL })
	if len(left) == len(all) {
		return nil
	}
	if err := writeJSON(d.endpointsFile(), left); err != nil {
		return fmt.Errorf("forget the endpoint: %w", err)
	}
	return nil
}

// CleanKey reads what a person pasted as a key: blanks and line ends around it, a line end
// that a narrow window put into it, and quotes go. It fails where that is no key.
func CleanKey(pasted string) (string, error) {
	key := strings.TrimSpace(pasted)
	if n := len(key); n > 1 && (key[0] == '"' || key[0] == '\'') && key[n-1] == key[0] {
		key = key[1 : n-1]
	}
	key = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, key)
	key = strings.TrimPrefix(strings.TrimSpace(key), "Bearer ")
	switch {
	case key == "":
		return "", errors.New("no key was given")
	case len(key) > 16<<10:
		return "", errors.New("that is too long for a key")
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", errors.New("a key has no blanks and plain letters only; copy it alone")
	}
	return key, nil
}

// Where says where a key is kept, "keyring" or the path of the file, and "" where none is.
// It does not read the key.
func (s *Secrets) Where(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	entries, err := s.read()
	switch e, ok := entries[name]; {
	case err != nil || !ok:
		return ""
	case e.Ring:
		return "keyring"
	}
	return s.file
}
