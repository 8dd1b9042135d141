package lsp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/tools/child"
)

// Server is one language server, as it is configured.
type Server struct {
	Name    string   `json:"-"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	// Files are patterns of file names, without folders: "*.go", "Dockerfile".
	Files []string `json:"files"`
	// Roots are patterns of names that mark the folder the server is started in: the
	// outermost that has one, on the way from the workspace to the file.
	Roots []string `json:"roots"`
	// Needs says that it is not started where no root is marked.
	Needs bool `json:"needs_root"`
	// Languages are the names of languages by extension, where they are not Language.
	Languages map[string]string `json:"languages"`
	Language  string            `json:"language"`
	Init      json.RawMessage   `json:"initialization"`
	Settings  json.RawMessage   `json:"settings"`
	Env       map[string]string `json:"env"`
	Disabled  bool              `json:"disabled"`
	// Level is the least that is told: "error" or "warning"; empty: error.
	Level string `json:"level"`
	// WaitMS is how long an edit waits at most, in milliseconds; 0: the usual.
	WaitMS int `json:"wait_ms"`
	// MemoryMB is what it may take with all it starts; 0: the usual.
	MemoryMB int `json:"memory_mb"`

	instead string // the group it is one of: the first that is installed counts
	found   bool   // it is not named by the person: it counts where it is installed
}

// everyServer is the name in the settings that stands for all known servers.
const everyServer = "*"

// Read makes the servers of the setting lsp: true or false, or an object whose names are
// servers with true, false or an object each. What cannot be used is left out and told.
func Read(raw json.RawMessage) (servers []Server, problems []string) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return nil, nil
	}
	var on bool
	if json.Unmarshal(raw, &on) == nil {
		if !on {
			return nil, nil
		}
		return known(), nil
	}
	var names map[string]json.RawMessage
	if err := json.Unmarshal(raw, &names); err != nil {
		return nil, []string{"lsp must be true, false or an object of servers"}
	}
	chosen := map[string]Server{}
	table := known()
	if raw, ok := names[everyServer]; ok {
		delete(names, everyServer)
		if json.Unmarshal(raw, &on) != nil {
			problems = append(problems, `lsp: "*" must be true or false`)
		} else if on {
			for _, s := range table {
				chosen[s.Name] = s
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		s := Server{Name: name}
		if i := slices.IndexFunc(table, func(k Server) bool { return k.Name == name }); i >= 0 {
			s = table[i]
		}
		s, err := s.with(names[name])
		if err != nil {
			problems = append(problems, fmt.Sprintf("lsp: %s: %s; left out", name, err))
			continue
		}
		if s.Disabled {
			delete(chosen, name)
			continue
		}
		chosen[name] = s
	}
	for _, s := range table { // in its order, in which alternatives stand
		if c, ok := chosen[s.Name]; ok {
			servers = append(servers, c)
			delete(chosen, s.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(chosen)) {
		servers = append(servers, chosen[name])
	}
	return servers, problems
}

// with is the server with what the settings say of it.
func (s Server) with(raw json.RawMessage) (Server, error) {
	var on bool
	if json.Unmarshal(raw, &on) == nil {
		if s.Disabled = !on; on && s.Command == "" {
			return s, errors.New("no such server is known; say its command and files")
		}
		s.found, s.instead = false, ""
		return s, nil
	}
	own := s
	own.found, own.instead = false, ""
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&own); err != nil {
		return s, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	for _, p := range slices.Concat(own.Files, own.Roots) {
		if _, err := path.Match(p, ""); err != nil || p == "" || strings.ContainsAny(p, `/\`) {
			return s, fmt.Errorf("%q is no pattern of a file's name", p)
		}
	}
	switch {
	case own.Disabled:
	case strings.TrimSpace(own.Command) == "":
		return s, errors.New("command is missing")
	case len(own.Files) == 0:
		return s, errors.New(`files is missing, for example ["*.go"]`)
	case own.Level != "" && own.Level != "error" && own.Level != "warning":
		return s, fmt.Errorf("level %q is neither error nor warning", own.Level)
	case own.WaitMS < 0 || own.WaitMS > 10_000:
		return s, errors.New("wait_ms must be 0 to 10000")
	case own.MemoryMB < 0:
		return s, errors.New("memory_mb must not be below 0")
	}
	return own, nil
}

// Line is the command line, for eyes.
func (s Server) Line() string { return strings.Join(append([]string{s.Command}, s.Args...), " ") }

// Starts is that with the program that would run in a folder, wherever PATH finds it: it may
// be one of the folder's own.
func (s Server) Starts(root string) string {
	argv := s.argv()
	if path, err := child.Find(argv[0], root, s.environ()); err == nil {
		argv[0] = path
	}
	return strings.Join(argv, " ")
}

// argv is the command as it is started.
func (s Server) argv() []string {
	argv := append([]string{s.Command}, s.Args...)
	if rest, ok := strings.CutPrefix(argv[0], "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			argv[0] = filepath.Join(home, rest)
		}
	}
	return argv
}

// environ is what the server sees of the environment.
func (s Server) environ() []string { return child.Environ(s.Env, os.Environ()) }

// missing says whether its program is not found, as it would be started in a folder.
func (s Server) missing(root string) bool {
	_, err := child.Find(s.argv()[0], root, s.environ())
	return err != nil
}

// handles says whether a file is one of the server's.
func (s Server) handles(file string) bool { return matches(s.Files, filepath.Base(file)) }

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return ok && err == nil
	})
}

// language is what the protocol calls the language of a file.
func (s Server) language(file string) string {
	ext := filepath.Ext(file)
	if l := s.Languages[ext]; l != "" {
		return l
	}
	if s.Language != "" {
		return s.Language
	}
	return strings.TrimPrefix(ext, ".")
}

func (s Server) level() int {
	if s.Level == "warning" {
		return severityWarning
	}
	return severityError
}

func (s Server) wait() time.Duration {
	if s.WaitMS > 0 {
		return time.Duration(s.WaitMS) * time.Millisecond
	}
	return defaultWait
}

func (s Server) memory() int64 {
	if s.MemoryMB > 0 {
		return int64(s.MemoryMB) << 20
	}
	return defaultMemory << 20
}
