package theme

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/tailscale/hujson"

	"forge/spell"
	"forge/ui/lang"
)

// source is one theme file, read.
type source struct {
	about, extends, ground string
	most                   *colorprofile.Profile
	cells                  [roles][2][depths]cell
}

// Problem is what is wrong with a theme file.
type Problem struct {
	File string
	Line int // from 1; 0: the whole file
	Text string
}

// Error is one line: file, line, what was expected.
func (p *Problem) Error() string {
	if p.Line == 0 {
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// reader reads one file.
type reader struct {
	file    string
	text    []byte
	palette map[string][2][depths]cell
}

func (r *reader) wrong(v hujson.Value, text string) error {
	at := min(max(0, v.StartOffset), len(r.text))
	return &Problem{r.file, bytes.Count(r.text[:at], []byte("\n")) + 1, text}
}

// read reads a theme: JSON with comments and last commas.
func read(file string, b []byte) (*source, error) {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	root, err := hujson.Parse(b)
	if err != nil { // a comment may end with the file
		if whole, again := hujson.Parse(append(bytes.Clone(b), '\n')); again == nil {
			root, err = whole, nil
		}
	}
	r := &reader{file: file, text: b, palette: map[string][2][depths]cell{}}
	if err != nil {
		line, said := 1, err.Error()
		if n, _ := fmt.Sscanf(said, "hujson: line %d,", &line); n == 1 { // the column is that of a byte
			_, said, _ = strings.Cut(strings.TrimPrefix(said, "hujson: "), ": ")
			said = strings.TrimPrefix(said, "parsing value: ")
		}
		return nil, &Problem{file, line, lang.T("this is no JSON: %s", strings.ReplaceAll(said, "\n", " "))}
	}
	o, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, r.wrong(root, lang.T("expected one {…} object"))
	}
	s := &source{}
	for _, m := range o.Members {
		if name := nameOf(m); name == "palette" { // whatever the order: roles use its names
			if err := r.readPalette(m.Value); err != nil {
				return nil, err
			}
		}
	}
	for _, m := range o.Members {
		if err := r.member(s, m); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func nameOf(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

func (r *reader) member(s *source, m hujson.ObjectMember) error {
	switch name := nameOf(m); name {
	case "about":
		return r.plain(m, &s.about)
	case "extends":
		return r.plain(m, &s.extends)
	case "ground":
		if err := r.plain(m, &s.ground); err != nil {
			return err
		}
		if s.ground != "dark" && s.ground != "light" {
			return r.wrong(m.Value, lang.T(`ground: expected "dark" or "light"`))
		}
	case "depth":
		most, ok := map[string]colorprofile.Profile{"0": colorprofile.ASCII, "16": colorprofile.ANSI, "256": colorprofile.ANSI256}[literal(m.Value)]
		if !ok {
			return r.wrong(m.Value, lang.T("depth: expected 0, 16 or 256, the most colours to use"))
		}
		s.most = &most
	case "palette":
	case "roles":
		o, ok := m.Value.Value.(*hujson.Object)
		if !ok {
			return r.wrong(m.Value, lang.T("roles: expected an object of roles and their colours"))
		}
		for _, m := range o.Members {
			i := slices.Index(roleNames[:], nameOf(m))
			if i < 0 {
				return r.wrong(m.Name, lang.T("there is no role %q; did you mean %q?", nameOf(m), near(nameOf(m))))
			}
			cells, err := r.colour(nameOf(m), m.Value)
			if err != nil {
				return err
			}
			s.cells[i] = cells
		}
	case "$schema", "name":
	default:
		return r.wrong(m.Name, lang.T("%q is no part of a theme: expected about, extends, ground, depth, palette or roles", name))
	}
	return nil
}

func (r *reader) plain(m hujson.ObjectMember, to *string) error {
	l, ok := m.Value.Value.(hujson.Literal)
	if !ok || l.Kind() != '"' {
		return r.wrong(m.Value, lang.T("%s: expected a text", nameOf(m)))
	}
	*to = l.String()
	return nil
}

func (r *reader) readPalette(v hujson.Value) error {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return r.wrong(v, lang.T("palette: expected an object of names and their colours"))
	}
	fresh := map[string][2][depths]cell{}
	for _, m := range o.Members {
		cells, err := r.colour("palette."+nameOf(m), m.Value)
		if err != nil {
			return err
		}
		fresh[nameOf(m)] = cells
	}
	r.palette = fresh
	return nil
}

// colour reads what stands for a colour: one, a list of fallbacks, a name of the
// palette, or an object of these for each ground.
func (r *reader) colour(what string, v hujson.Value) (cells [2][depths]cell, err error) {
	if l, ok := v.Value.(hujson.Literal); ok && l.Kind() == '"' {
		if cells, ok := r.palette[l.String()]; ok {
			return cells, nil
		}
	}
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		one, err := r.fallbacks(what, v)
		return [2][depths]cell{one, one}, err
	}
	for _, m := range o.Members {
		name := nameOf(m)
		var part [2][depths]cell
		l, plain := m.Value.Value.(hujson.Literal)
		if named, ok := r.palette[literal(m.Value)]; ok && plain && l.Kind() == '"' {
			part = named
		} else {
			one, err := r.fallbacks(what+"."+name, m.Value)
			if err != nil {
				return cells, err
			}
			part = [2][depths]cell{one, one}
		}
		switch name {
		case "dark":
			lay(&cells[onDark], part[onDark])
		case "light":
			lay(&cells[onLight], part[onLight])
		case "ansi":
			if !part[onDark][basic].set {
				return cells, r.wrong(m.Value, lang.T("%s.ansi: expected one of the 16 names, such as \"bright-blue\", or \"none\"", what))
			}
			cells[onDark][basic], cells[onLight][basic] = part[onDark][basic], part[onLight][basic]
		default:
			return cells, r.wrong(m.Name, lang.T("%s: expected \"dark\", \"light\" or \"ansi\", not %q", what, name))
		}
	}
	return cells, nil
}

func lay(to *[depths]cell, from [depths]cell) {
	for d, c := range from {
		if c.set {
			to[d] = c
		}
	}
}

// fallbacks reads a colour, or a list of them, the best first.
func (r *reader) fallbacks(what string, v hujson.Value) (cells [depths]cell, err error) {
	list := []hujson.Value{v}
	if a, ok := v.Value.(*hujson.Array); ok {
		list = a.Elements
	}
	for _, e := range list {
		c, d, ok := one(e)
		if !ok {
			return cells, r.wrong(e, lang.T("%s: %s is no colour: expected \"#rrggbb\", a number from 16 to 255, one of the 16 names such as \"bright-blue\", a name of the palette, or \"none\"",
				what, short(e)))
		}
		if !cells[d].set {
			cells[d] = cell{c, true}
		}
	}
	// A terminal that can show more takes what is there for less, and 256 colours the
	// nearest of them. Sixteen are never guessed at: what they look like is not known.
	switch {
	case cells[indexed].set:
	case cells[deep].set:
		cells[indexed] = cell{colorprofile.ANSI256.Convert(cells[deep].c), true}
	case cells[basic].set:
		cells[indexed] = cells[basic]
	}
	if !cells[deep].set {
		cells[deep] = cells[indexed]
	}
	return cells, nil
}

// one is one colour and the depth it is for.
func one(v hujson.Value) (c color.Color, d depth, ok bool) {
	s := literal(v)
	l, isLiteral := v.Value.(hujson.Literal)
	if !isLiteral {
		return nil, 0, false
	}
	if l.Kind() == '0' {
		n, err := strconv.Atoi(s)
		return ansi.IndexedColor(uint8(n)), indexed, err == nil && n >= 16 && n <= 255
	}
	if s == "none" {
		return nil, basic, l.Kind() == '"'
	}
	if i := slices.Index(basicNames, s); i >= 0 {
		return ansi.BasicColor(uint8(i)), basic, true
	}
	hex, isHex := strings.CutPrefix(s, "#")
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	n, err := strconv.ParseUint(hex, 16, 32)
	return rgb(uint32(n)), deep, isHex && err == nil && len(hex) == 6
}

var basicNames = []string{
	"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
	"bright-black", "bright-red", "bright-green", "bright-yellow", "bright-blue", "bright-magenta", "bright-cyan", "bright-white",
}

// literal is a text or a number as it is written; empty for anything else.
func literal(v hujson.Value) string {
	l, ok := v.Value.(hujson.Literal)
	switch {
	case !ok:
		return ""
	case l.Kind() == '"':
		return l.String()
	}
	return string(l)
}

// short is a value as an error shows it.
func short(v hujson.Value) string {
	v = v.Clone()
	v.Minimize()
	s := string(bytes.TrimSpace(v.Pack()))
	const most = 30
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	if !json.Valid([]byte(s)) {
		return strconv.Quote(s)
	}
	return s
}

// near is the role whose name was probably meant.
func near(name string) string {
	best, at := 1<<30, ""
	for _, r := range roleNames {
		if d := spell.Distance(strings.ToLower(name), r); d < best {
			best, at = d, r
		}
	}
	return at
}
