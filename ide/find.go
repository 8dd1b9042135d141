package ide

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"forge/lazy"
	"forge/sorting"
)

// Places is where discovery files lie, and what the environment says of them.
type Places struct {
	Companions string // folder of the companions' files
	Locks      string // folder of the lock files; empty: none
	Getenv     func(string) string
}

// Usual are the places the two bridges use. home is the person's folder.
func Usual(getenv func(string) string, home string) Places {
	temp := os.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} { // as Node's os.tmpdir has them
		if dir := getenv(name); dir != "" && filepath.IsAbs(dir) {
			temp = dir
			break
		}
	}
	p := Places{Companions: filepath.Join(temp, "gemini", "ide"), Getenv: getenv}
	if dir := getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		p.Locks = filepath.Join(dir, "ide")
	} else if home != "" {
		p.Locks = filepath.Join(home, ".claude", "ide")
	}
	return p
}

const (
	maxFiles    = 64       // discovery files of a folder that are read
	maxFileSize = 64 << 10 // bytes of one
)

var companionFile = lazy.Regexp{Expr: `^gemini-ide-server-(\d{1,9})(?:-(\d{1,5}))?\.json$`}

var lockFile = lazy.Regexp{Expr: `^(\d{1,5})\.lock$`}

// Find lists the bridges there are, those that may be spoken with first, and among them
// the one of the terminal forge runs in. dir is the workspace. A folder that is not
// there holds none.
func (p Places) Find(dir string) []Bridge {
	var found []Bridge
	for _, name := range names(p.Companions, companionFile.Get()) {
		m := companionFile.Get().FindStringSubmatch(name)
		found = append(found, p.companion(filepath.Join(p.Companions, name), number(m[1]), number(m[2]), dir))
	}
	for _, name := range names(p.Locks, lockFile.Get()) {
		found = append(found, p.lock(filepath.Join(p.Locks, name), number(lockFile.Get().FindStringSubmatch(name)[1]), dir))
	}
	sorting.StableBy(found, func(a, b Bridge) int { return rank(a) - rank(b) })
	return found
}

func rank(b Bridge) int {
	n := 2
	if b.Own {
		n = 0
	}
	if b.Why != nil {
		n += 4
	}
	if b.Kind != Companion {
		n++
	}
	return n
}

// names lists the discovery files of a folder, in order of their names. Where there are
// too many to be read, as those that crashed editors leave, the person's own come before
// those of others, and new ones before old.
func names(dir string, like *regexp.Regexp) (out []string) {
	if dir == "" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	all, _ := f.Readdirnames(64 * maxFiles) // what could be read of it counts
	all = slices.DeleteFunc(all, func(name string) bool { return !like.MatchString(name) })
	if len(all) > maxFiles {
		type file struct {
			others int // 1: it is not this user's
			made   int64
		}
		of := map[string]file{}
		for _, name := range all {
			at := file{others: 1}
			if fi, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				at.made = fi.ModTime().UnixNano()
				if fi.Mode().IsRegular() && ownedHere(fi) == nil {
					at.others = 0
				}
			}
			of[name] = at
		}
		sorting.By(all, func(a, b string) int {
			return cmp.Or(of[a].others-of[b].others, cmp.Compare(of[b].made, of[a].made), strings.Compare(a, b))
		})
		all = all[:maxFiles]
	}
	slices.Sort(all)
	return all
}

// number reads digits that an expression let through.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

func (p Places) companion(file string, pid, port int, dir string) Bridge {
	b := Bridge{ID: fmt.Sprintf("%s:%d", Companion, port), Kind: Companion, Port: port, PID: pid, file: file}
	var said struct {
		Port          int    `json:"port"`
		WorkspacePath string `json:"workspacePath"`
		AuthToken     string `json:"authToken"`
		IDEInfo       struct {
			Name        string `json:"name"`
			DisplayName string `json:"displayName"`
		} `json:"ideInfo"`
	}
	if b.Why = read(file, &said); b.Why != nil {
		return b
	}
	if port == 0 { // the name of older companions has none
		b.Port, b.ID = said.Port, fmt.Sprintf("%s:%d", Companion, said.Port)
	}
	for _, name := range []string{said.IDEInfo.DisplayName, said.IDEInfo.Name, p.terminal(b.Port)} {
		if name = short(name, maxName); name != "" {
			b.Name = name
			break
		}
	}
	b.Folders = filepath.SplitList(said.WorkspacePath)
	b.Own = p.Getenv("GEMINI_CLI_IDE_SERVER_PORT") == strconv.Itoa(b.Port)
	b.token = func() string { return said.AuthToken }
	if b.Port != said.Port {
		b.Why = fmt.Errorf("%w: its name and what it says are of different ports", ErrBroken)
		return b
	}
	b.Why = b.judge(said.AuthToken, dir)
	return b
}

// terminal is the name of the editor whose terminal this is, for companions that do not
// give one.
func (p Places) terminal(port int) string {
	switch name := p.Getenv("TERM_PROGRAM"); {
	case p.Getenv("GEMINI_CLI_IDE_SERVER_PORT") != strconv.Itoa(port):
		return ""
	case name == "vscode":
		return "VS Code"
	default:
		return name
	}
}

func (p Places) lock(file string, port int, dir string) Bridge {
	b := Bridge{ID: fmt.Sprintf("%s:%d", LockFile, port), Kind: LockFile, Port: port, file: file}
	var said struct {
		PID       int      `json:"pid"`
		Folders   []string `json:"workspaceFolders"`
		Name      string   `json:"ideName"`
		Transport string   `json:"transport"`
		AuthToken string   `json:"authToken"`
	}
	if b.Why = read(file, &said); b.Why != nil {
		return b
	}
	if name := short(said.Name, maxName); name != "" {
		b.Name = name
	}
	b.PID, b.Folders = said.PID, said.Folders
	b.Own = p.Getenv("CLAUDE_CODE_SSE_PORT") == strconv.Itoa(port)
	b.token = func() string { return said.AuthToken }
	if said.Transport != "" && said.Transport != "ws" {
		b.Why = fmt.Errorf("%w: it speaks over %q", ErrBroken, short(said.Transport, maxName))
		return b
	}
	b.Why = b.judge(said.AuthToken, dir)
	return b
}

// judge says why a bridge is not to be spoken with; nil: it may be. Nothing is sent for
// that: its token is for the editor alone.
func (b *Bridge) judge(token, dir string) error {
	switch {
	case b.Port < 1 || b.Port > 65535:
		return fmt.Errorf("%w: it names no port", ErrBroken)
	case token == "" || len(token) > 4096 || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return fmt.Errorf("%w: it holds no token", ErrBroken)
	case b.PID > 0 && !alive(b.PID):
		return ErrDead
	}
	if err := mine(b.Port); err != nil {
		return err
	}
	return b.fits(dir)
}

// fits reports whether the workspace lies in a folder that the editor has open.
func (b *Bridge) fits(dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	some := false
	for i, folder := range b.Folders {
		if i == maxFiles {
			break
		}
		if folder == "" || !filepath.IsAbs(folder) || len(folder) > maxPath {
			continue
		}
		some = true
		if folder, err = filepath.EvalSymlinks(folder); err != nil {
			continue
		}
		if rel, err := filepath.Rel(folder, real); err == nil && filepath.IsLocal(rel) {
			return nil
		}
	}
	if !some {
		return ErrNoFolder
	}
	return ErrElsewhere
}

// read reads a discovery file, if nobody but this user can have written it.
func read(file string, into any) error {
	f, err := openOwn(file)
	if err != nil {
		return err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrBroken, err)
	case len(b) > maxFileSize:
		return fmt.Errorf("%w: it is too large", ErrBroken)
	case json.Unmarshal(b, into) != nil: // the error may quote what is in it
		return ErrBroken
	}
	return nil
}

// own reports whether a file that was opened is a regular one, this user's and nobody
// else's to write.
func own(f *os.File) error {
	fi, err := f.Stat()
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrBroken, err)
	case !fi.Mode().IsRegular():
		return fmt.Errorf("%w: it is no file", ErrBroken)
	}
	return ownedHere(fi)
}

// short bounds a text of an editor's, at a whole character.
func short(s string, most int) string {
	s = strings.ToValidUTF8(s, "�")
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// choose is the bridge to speak with where none was named.
func choose(found []Bridge) (Bridge, error) {
	fit := slices.DeleteFunc(slices.Clone(found), func(b Bridge) bool { return b.Why != nil })
	switch {
	case len(fit) == 0:
		return Bridge{}, ErrNone
	case len(fit) == 1 || fit[0].Own && !fit[1].Own:
		return fit[0], nil
	case fit[0].Own && fit[1].Own && fit[0].Kind != fit[1].Kind: // one editor with both bridges: the companion's is the richer
		return fit[0], nil
	}
	return Bridge{}, ErrTwo
}

// byID is the bridge that is meant by an ID, a port or an editor's name.
func byID(found []Bridge, id string) (Bridge, error) {
	var fit []Bridge
	for _, b := range found {
		switch {
		case b.ID == id:
			return b, b.Why
		case strconv.Itoa(b.Port) == id, strings.EqualFold(b.Name, id):
			fit = append(fit, b)
		}
	}
	sound := slices.DeleteFunc(slices.Clone(fit), func(b Bridge) bool { return b.Why != nil })
	switch {
	case len(sound) == 1:
		return sound[0], nil
	case len(sound) > 1:
		return Bridge{}, ErrTwo
	case len(fit) > 0:
		return fit[0], fit[0].Why
	}
	return Bridge{}, errors.New("no such editor offers a bridge")
}
