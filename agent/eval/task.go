// Package eval measures what forge and a model do on a folder of tasks.
//
// It owns the format of a task (a workspace, a prompt, checks, a budget), running
// tasks in scratch copies through forge's own program, and the report with its
// comparison. It starts processes and reads files; what answers, a model or a demo
// script, is the program's own affair. main runs it for `forge eval`; the faces
// print its report. It knows no other room.
package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"forge/sorting"
)

// Names of the files of a task.
const (
	settingsFile = "task.json"
	scriptFile   = "demo.script"
	workspaceDir = "workspace/"
)

// Bounds of a task where it sets none, and of a folder of tasks.
const (
	defaultTurns   = 40
	defaultSeconds = 600
	maxTask        = 16 << 20 // bytes
	maxTasks       = 1000
)

// Task is one thing to be done and how to tell that it was.
type Task struct {
	Name   string  `json:"-"`
	About  string  `json:"about,omitempty"` // for people
	Prompt string  `json:"prompt"`
	Mode   string  `json:"mode,omitempty"`    // of permission; empty: auto
	Turns  int     `json:"turns,omitempty"`   // model calls; 0: 40
	USD    float64 `json:"usd,omitempty"`     // US dollars; 0: no limit
	Tokens int     `json:"tokens,omitempty"`  // input and output; 0: no limit
	Time   int     `json:"seconds,omitempty"` // of the whole run; 0: 600
	// Flags are more of forge's own, such as --budget for a task about compaction.
	Flags  []string `json:"flags,omitempty"`
	Checks []Check  `json:"checks"`

	Files  map[string][]byte `json:"-"` // the workspace, by path with slashes
	Script []byte            `json:"-"` // plays a model that solves it; empty: there is none
}

// Check is one thing that must be true afterwards. Exactly one of Run, File and Answer
// is set.
type Check struct {
	Run    string `json:"run,omitempty"`    // a command in the workspace that must end well
	File   string `json:"file,omitempty"`   // a path in the workspace
	Answer string `json:"answer,omitempty"` // an expression the last words must match

	Matches   string  `json:"matches,omitempty"`   // of File: an expression, of Run: of its output
	Lacks     string  `json:"lacks,omitempty"`     // of File, and of Run's output: an expression that must not match
	Equals    *string `json:"equals,omitempty"`    // of File: its whole content, white space at the ends aside
	Absent    bool    `json:"absent,omitempty"`    // File must not be there
	Unchanged bool    `json:"unchanged,omitempty"` // File must be as it was
}

// String names a check for people.
func (c Check) String() string {
	switch {
	case c.Run != "":
		return c.Run
	case c.Answer != "":
		return "answer has /" + c.Answer + "/"
	case c.Absent:
		return c.File + " is absent"
	case c.Unchanged:
		return c.File + " is unchanged"
	case c.Equals != nil:
		return c.File + " is as it must be"
	case c.Lacks != "" && c.Matches == "":
		return c.File + " lacks /" + c.Lacks + "/"
	case c.Matches != "":
		return c.File + " has /" + c.Matches + "/"
	}
	return c.File + " is there"
}

func (c Check) valid() error {
	n := 0
	for _, s := range []string{c.Run, c.File, c.Answer} {
		if s != "" {
			n++
		}
	}
	switch {
	case n != 1:
		return errors.New("a check has one of run, file and answer")
	case c.File == "" && (c.Equals != nil || c.Absent || c.Unchanged):
		return errors.New("equals, absent and unchanged are of a file")
	case c.File != "" && !filepath.IsLocal(filepath.FromSlash(c.File)):
		return fmt.Errorf("file %q leads out of the workspace", c.File)
	case c.Answer != "" && (c.Matches != "" || c.Lacks != ""):
		return errors.New("an answer's expression stands in answer itself")
	}
	for _, e := range []string{c.Answer, c.Matches, c.Lacks} {
		if _, err := regexp.Compile(e); err != nil {
			return err
		}
	}
	return nil
}

// Load reads the tasks of a folder, sorted by name: each is a file NAME.txtar, or a
// folder NAME with the same files in it. Anything else is passed over.
func Load(dir string) ([]Task, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read tasks: %w", err)
	}
	var tasks []Task
	for _, e := range entries {
		name, isArchive := strings.CutSuffix(e.Name(), ".txtar")
		path := filepath.Join(dir, e.Name())
		var files map[string][]byte
		var err error
		switch {
		case isArchive && !e.IsDir():
			files, err = readArchive(path)
		case e.IsDir():
			if _, err := os.Stat(filepath.Join(path, settingsFile)); err != nil {
				continue
			}
			files, err = readFolder(path)
		default:
			continue
		}
		var t Task
		if err == nil {
			t, err = parse(files)
		}
		if err != nil {
			return nil, fmt.Errorf("read task %s: %w", path, err)
		}
		t.Name = name
		if slices.ContainsFunc(tasks, func(o Task) bool { return o.Name == name }) {
			return nil, fmt.Errorf("read task %s: there are two of this name", path)
		}
		if tasks = append(tasks, t); len(tasks) > maxTasks {
			return nil, fmt.Errorf("read tasks: more than %d in %s", maxTasks, dir)
		}
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("there are no tasks in %s: one is a file NAME.txtar, or a folder with a task.json", dir)
	}
	sorting.By(tasks, func(a, b Task) int { return strings.Compare(a.Name, b.Name) })
	return tasks, nil
}

func parse(files map[string][]byte) (Task, error) {
	var t Task
	raw, ok := files[settingsFile]
	if !ok {
		return t, fmt.Errorf("it has no %s", settingsFile)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return t, fmt.Errorf("%s, line %d: %w", settingsFile, 1+bytes.Count(raw[:min(int(d.InputOffset()), len(raw))], []byte("\n")), err)
	}
	switch {
	case strings.TrimSpace(t.Prompt) == "":
		return t, errors.New("its prompt is empty")
	case len(t.Checks) == 0:
		return t, errors.New("it has no checks: nothing would tell whether it was done")
	case t.Turns < 0 || t.USD < 0 || t.Tokens < 0 || t.Time < 0:
		return t, errors.New("a limit is below 0")
	}
	for i, c := range t.Checks {
		if err := c.valid(); err != nil {
			return t, fmt.Errorf("check %d: %w", i+1, err)
		}
	}
	t.Files, t.Script = map[string][]byte{}, files[scriptFile]
	for name, text := range files {
		if path, ok := strings.CutPrefix(name, workspaceDir); ok {
			if !filepath.IsLocal(filepath.FromSlash(path)) {
				return t, fmt.Errorf("its file %s leads out of the workspace", name)
			}
			t.Files[path] = text
		}
	}
	return t, nil
}

// readArchive reads the files of a text archive: each begins with a line
// "-- name --" and goes up to the next; what stands before the first is a comment.
func readArchive(path string) (map[string][]byte, error) {
	fi, err := os.Stat(path)
	if err == nil && fi.Size() > maxTask {
		err = fmt.Errorf("it is over %d MB", maxTask>>20)
	}
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	name := ""
	for line := range bytes.Lines(text) {
		bare := strings.TrimRight(string(line), "\r\n")
		if rest, ok := strings.CutPrefix(bare, "-- "); ok {
			if n, ok := strings.CutSuffix(rest, " --"); ok && strings.TrimSpace(n) != "" {
				if name = strings.TrimSpace(n); files[name] != nil {
					return nil, fmt.Errorf("%s stands in it twice", name)
				}
				files[name] = []byte{}
				continue
			}
		}
		if name != "" {
			files[name] = append(files[name], line...)
		}
	}
	return files, nil
}

func readFolder(dir string) (map[string][]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	files := map[string][]byte{}
	room := int64(maxTask)
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		fi, err := e.Info()
		if err != nil {
			return err
		}
		if !fi.Mode().IsRegular() {
			return fmt.Errorf("%s is no plain file", name)
		}
		if room -= fi.Size(); room < 0 {
			return fmt.Errorf("it is over %d MB", maxTask>>20)
		}
		files[name], err = fs.ReadFile(root.FS(), name)
		return err
	})
	return files, err
}
