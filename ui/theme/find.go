package theme

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/colorprofile"

	"forge/lazy"
	"forge/tilde"
	"forge/ui/lang"
)

//go:embed themes
var builtin embed.FS

// maxFile bounds a theme file, in bytes.
const maxFile = 256 << 10

// Names lists the themes forge brings, and auto, which is the default on the ground
// the terminal has.
func Names() []string {
	return []string{auto, "dark", "light", "high-contrast", "colour-blind", "ansi", "mono"}
}

const auto = "auto"

// abouts says what each of them is.
var abouts = lazy.Value[map[string]string]{Of: func() map[string]string {
	return map[string]string{
		auto:            lang.N("the terminal's own palette, on dark or light ground as the terminal says"),
		"dark":          lang.N("the same, for dark ground whatever the terminal says"),
		"light":         lang.N("the same, for light ground whatever the terminal says"),
		"high-contrast": lang.N("contrast of at least 7, nothing grey"),
		"colour-blind":  lang.N("blue and orange instead of green and red"),
		"ansi":          lang.N("the 16 colours of the terminal's palette, no backgrounds"),
		"mono":          lang.N("no colours: bold, dim, underlined and reversed only"),
	}
}}

// canonical is a name as it is looked for: what others call a theme of ours is ours.
func canonical(name string) string {
	switch name = strings.ToLower(strings.TrimSpace(name)); name {
	case "", "default":
		return auto
	case "ansi16":
		return "ansi"
	case "color-blind", "colorblind", "colourblind":
		return "colour-blind"
	}
	return name
}

// stamp is how a file was when it was read.
type stamp struct {
	path string
	time time.Time
	size int64 // -1: it was not there
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{path: path, size: -1}
	}
	return stamp{path, info.ModTime(), info.Size()}
}

// Files reports whether the theme was read, or would be, from a person's files.
func (s *Scheme) Files() bool { return len(s.files) > 0 }

// Changed looks whether one of its files is not as it was when it was read. It asks
// the disk and so is not for the screen's loop.
func (s *Scheme) Changed() bool {
	return slices.ContainsFunc(s.files, func(f stamp) bool { return stampOf(f.path) != f })
}

// Watching is s, with Changed looking at the files of another that was read in vain.
func (s *Scheme) Watching(other *Scheme) *Scheme {
	copied := *s
	copied.files = other.files
	return &copied
}

// Find reads the theme a setting names: one of Names, or NAME.json in dir. What it
// returns can always be used: where the error is not nil, it is the default, and
// Changed says when the files were touched that the error is about.
func Find(dir, name string) (*Scheme, error) {
	l := &lookup{dir: dir}
	s, err := l.find(canonical(name))
	if err != nil {
		fallback, _ := (&lookup{}).find(auto)
		copied := *fallback
		s = &copied
	}
	s.files = l.files
	return s, err
}

// Named returns a theme of Names; see Scheme.Theme for the rest.
func Named(name string, darkBackground bool, p colorprofile.Profile, g Glyphs) (*Theme, error) {
	s, err := Find("", name)
	if err != nil {
		return nil, err
	}
	return s.Theme(darkBackground, p, g), nil
}

// New returns the default for a dark or light background at a colour profile, with
// Unicode glyphs.
func New(dark bool, p colorprofile.Profile) *Theme {
	t, _ := Named(auto, dark, p, Unicode())
	return t
}

// List reads every theme there is: forge's own, then the person's by name. A file
// that cannot be read is left out; problems says what is wrong with it.
func List(dir string) (all []*Scheme, problems []error) {
	names := Names()
	for _, n := range files(dir) {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	for _, n := range names {
		s, err := Find(dir, n)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		all = append(all, s)
	}
	return all, problems
}

// files lists the names of a person's themes.
func files(dir string) (out []string) {
	if dir == "" {
		return nil
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok && isName(name) {
			out = append(out, name)
		}
	}
	return out
}

// isName reports whether a name can be one of a theme: it is no path.
func isName(name string) bool {
	return name != "" && !strings.ContainsAny(name, `/\:`) && !strings.HasPrefix(name, ".") && name == strings.ToLower(name)
}

// lookup follows what a theme extends.
type lookup struct {
	dir   string
	files []stamp
	chain []string
}

func (l *lookup) find(name string) (*Scheme, error) {
	if own := slices.Contains(Names(), name) || name == "default"; own {
		return ours(name)
	}
	if slices.Contains(l.chain, name) {
		return nil, l.unread(lang.T("extends itself, over %s", strings.Join(append(l.chain, name), ", ")))
	}
	if !isName(name) || l.dir == "" {
		return nil, errors.New(lang.T("theme %q is unknown: use one of %s", name, strings.Join(append(Names(), files(l.dir)...), ", ")))
	}
	path := filepath.Join(l.dir, name+".json")
	l.chain = append(l.chain, name)
	l.files = append(l.files, stampOf(path))
	b, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New(lang.T("theme %q is unknown: there is no file %s; forge's own are %s", name, tilde.Short(path), strings.Join(Names(), ", ")))
	case err != nil:
		return nil, l.unread(err.Error())
	}
	src, err := read(tilde.Short(path), b)
	if err != nil {
		return nil, err
	}
	base, err := l.find(canonical(src.extends))
	if err != nil {
		return nil, err
	}
	return src.extend(name, base), nil
}

func (l *lookup) unread(text string) error {
	return &Problem{File: tilde.Short(filepath.Join(l.dir, l.chain[len(l.chain)-1]+".json")), Text: text}
}

// extend makes the scheme of a file over the one it extends.
func (src *source) extend(name string, base *Scheme) *Scheme {
	s := *base
	s.Name, s.About, s.files = name, src.about, nil
	if src.ground != "" {
		s.Ground = src.ground
	}
	if src.most != nil {
		s.most = *src.most
	}
	s.over(&src.cells)
	return &s
}

var own sync.Map // by name: *Scheme of forge's own, read once

// ours reads one of forge's own.
func ours(name string) (*Scheme, error) {
	if s, ok := own.Load(name); ok {
		return s.(*Scheme), nil
	}
	file := name
	if name == auto {
		file = "default"
	}
	b, err := builtin.ReadFile("themes/" + file + ".json")
	if err != nil {
		return nil, err
	}
	src, err := read(file+".json", b)
	if err != nil {
		return nil, err
	}
	base := &Scheme{most: colorprofile.TrueColor}
	if file != "default" {
		if base, err = ours(auto); err != nil {
			return nil, err
		}
	}
	s := src.extend(name, base)
	s.About = abouts.Get()[name]
	own.Store(name, s)
	return s, nil
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New(lang.T("this is no file"))
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(b) > maxFile {
		err = fmt.Errorf(lang.T("it is larger than %d KB"), maxFile>>10)
	}
	return b, err
}
