package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"forge/swap"
)

// Dirs are the folders forge keeps things in. None need exist.
type Dirs struct {
	Config string // settings a person writes
	State  string // sessions, keys, the log: what forge writes and would miss
	Cache  string // what forge can make again
}

// Paths finds the folders: the XDG variables where they are set to absolute
// paths, else ~/.config, ~/.local/state and ~/.cache, on macOS too, since people
// keep the settings of terminal programs there; on Windows the two AppData
// folders.
func Paths() (Dirs, error) {
	return paths(runtime.GOOS, os.Getenv, os.UserHomeDir)
}

func paths(goos string, getenv func(string) string, home func() (string, error)) (Dirs, error) {
	var d Dirs
	for _, p := range []struct {
		dir                        *string
		xdg, unix, windows, inside string
	}{
		{&d.Config, "XDG_CONFIG_HOME", ".config", "APPDATA", ""},
		{&d.State, "XDG_STATE_HOME", ".local/state", "LOCALAPPDATA", "state"},
		{&d.Cache, "XDG_CACHE_HOME", ".cache", "LOCALAPPDATA", "cache"},
	} {
		if dir := getenv(p.xdg); filepath.IsAbs(dir) {
			*p.dir = filepath.Join(dir, "forge")
			continue
		}
		if dir := getenv(p.windows); goos == "windows" && dir != "" {
			*p.dir = filepath.Join(dir, "forge", p.inside)
			continue
		}
		h, err := home()
		if err != nil {
			return Dirs{}, fmt.Errorf("find the home folder: %w; set HOME, or XDG_CONFIG_HOME, XDG_STATE_HOME and XDG_CACHE_HOME", err)
		}
		*p.dir = filepath.Join(h, filepath.FromSlash(p.unix), "forge")
	}
	return d, nil
}

// File is the person's settings file.
func (d Dirs) File() string { return filepath.Join(d.Config, "forge.json") }

// Themes is the folder of the person's themes.
func (d Dirs) Themes() string { return filepath.Join(d.Config, "themes") }

// Sessions is the folder of stored conversations.
func (d Dirs) Sessions() string { return filepath.Join(d.State, "sessions") }

// Pictures is the folder of what a person attached to prompts.
func (d Dirs) Pictures() string { return filepath.Join(d.State, "pictures") }

// Trust is the record of what workspaces were allowed to do.
func (d Dirs) Trust() string { return filepath.Join(d.State, "trust.json") }

// Log is the file forge logs to.
func (d Dirs) Log() string { return filepath.Join(d.State, "forge.log") }

// Debug is the file that --debug logs to.
func (d Dirs) Debug() string { return filepath.Join(d.State, "debug.log") }

// Usage is the folder of the book of what was spent.
func (d Dirs) Usage() string { return filepath.Join(d.State, "usage") }

// VeilKey is the file of the key that placeholders of secrets are made with.
func (d Dirs) VeilKey() string { return filepath.Join(d.State, "placeholders.key") }

// Output is the folder for tool output that is too long to show, one for each
// workspace: a model may read in it, and what one project's commands said is not
// another project's to read.
func (d Dirs) Output(workspace string) string {
	sum := sha256.Sum256([]byte(filepath.Clean(workspace)))
	return filepath.Join(d.outputs(), hex.EncodeToString(sum[:8]))
}

func (d Dirs) outputs() string { return filepath.Join(d.State, "output") }

// PruneOutput deletes, of every workspace, the output that was written before a
// time. What cannot be deleted stays.
func (d Dirs) PruneOutput(before time.Time) {
	root, err := os.OpenRoot(d.outputs())
	if err != nil {
		return
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // the others may still be looked at
		}
		if fi, err := e.Info(); err == nil && fi.Mode().IsRegular() && fi.ModTime().Before(before) {
			_ = root.Remove(name)
		}
		return nil
	})
}

// LastUsed is the choice a person made last, by flag or on the screen.
type LastUsed struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	BaseURL  string `json:"base_url,omitempty"`
	Wire     string `json:"wire,omitempty"` // what the base URL speaks
	KeyEnv   string `json:"api_key_env,omitempty"`
	Effort   string `json:"effort,omitempty"`
	Screen   bool   `json:"screen,omitempty"` // a person chose it on a screen

	// Recent are the models that persons chose on screens, the last one first, each as
	// "provider/model:effort", without an effort where it is the model's own.
	Recent []string `json:"recent,omitempty"`
}

func (d Dirs) lastUsedFile() string { return filepath.Join(d.State, "last.json") }

// LastUsed returns what Remember stored; the zero value where there is nothing
// that can be read, since a lost memory is no reason to stop.
func (d Dirs) LastUsed() LastUsed {
	var l LastUsed
	if b, err := readFile(d.lastUsedFile()); err != nil || json.Unmarshal(b, &l) != nil {
		return LastUsed{}
	}
	return l
}

// recentModels is how many models are remembered.
const recentModels = 10

// Remember stores what was used last. Of a choice on a screen the model comes first among
// the Recent ones; else those stay as they were.
func (d Dirs) Remember(l LastUsed) error {
	l.Recent = d.LastUsed().Recent
	if l.Screen && l.Provider != "" && l.Model != "" {
		name := l.Provider + "/" + l.Model
		l.Recent = slices.DeleteFunc(l.Recent, func(r string) bool {
			rest, same := strings.CutPrefix(r, name)
			effort, told := strings.CutPrefix(rest, ":")
			return same && (rest == "" || told && slices.Contains(efforts, effort))
		})
		if l.Effort != "" {
			name += ":" + l.Effort
		}
		l.Recent = append([]string{name}, l.Recent...)
		l.Recent = l.Recent[:min(len(l.Recent), recentModels)]
	}
	if err := writeJSON(d.lastUsedFile(), l); err != nil {
		return fmt.Errorf("remember the model: %w", err)
	}
	return nil
}

// DueForUpdate reports whether it is time to look for a newer forge, and notes that it was
// looked for now: an address that does not answer is not asked at every start.
func (d Dirs) DueForUpdate(now time.Time, every time.Duration) bool {
	type looked struct {
		At time.Time `json:"at"`
	}
	var last looked
	file := filepath.Join(d.State, "update.json")
	if b, err := readFile(file); err == nil && json.Unmarshal(b, &last) == nil && now.Sub(last.At) < every && !last.At.After(now) {
		return false
	}
	return writeJSON(file, looked{now}) == nil
}

// writeJSON replaces a file as a whole, readable by its owner only: another forge
// that reads it sees the old one or the new one.
func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return swap.Write(path, append(b, '\n'), 0o600, swap.Durable)
}
