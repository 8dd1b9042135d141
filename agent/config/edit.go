package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"forge/swap"

	"github.com/tailscale/hujson"
)

// AddRule stores a rule in a settings file, which is made if need be, behind those
// of its action. Comments, order and layout of what is there stay as they are; the
// file is replaced as a whole. A rule that stands there already is no error.
func AddRule(file, action, rule string) error {
	return edit(file, func(root *hujson.Value) error {
		list, err := ruleList(root, action, true)
		if err != nil {
			return err
		}
		for _, e := range list.Elements {
			if l, ok := e.Value.(hujson.Literal); ok && l.String() == rule {
				return nil
			}
		}
		appendElement(list, hujson.String(rule))
		return nil
	})
}

// ErrNoRule is the error of a rule that is not in the file.
var ErrNoRule = errors.New("there is no such rule")

// RemoveRule takes a rule out of a settings file. same says which texts are this
// rule; comments beside it stay.
func RemoveRule(file, action string, same func(text string) bool) error {
	return edit(file, func(root *hujson.Value) error {
		list, err := ruleList(root, action, false)
		if err != nil {
			return err
		}
		found := false
		for i := 0; i < len(list.Elements); i++ {
			if l, ok := list.Elements[i].Value.(hujson.Literal); ok && l.Kind() == '"' && same(l.String()) {
				removeElement(list, i)
				found = true
				i--
			}
		}
		if !found {
			return ErrNoRule
		}
		if len(list.Elements) == 0 && !hasComment(list.AfterExtra) {
			dropRules(root.Value.(*hujson.Object), action)
		}
		return nil
	})
}

// dropRules takes an empty list of rules out, and what it was in where that is empty then.
func dropRules(o *hujson.Object, action string) {
	p, err := member(o, "permissions", false, nil)
	if err != nil {
		return
	}
	inner, ok := p.Value.(*hujson.Object)
	if !ok {
		return
	}
	removeMember(inner, action)
	if len(inner.Members) == 0 && !hasComment(inner.AfterExtra) {
		removeMember(o, "permissions")
	}
}

// ruleList finds permissions.ACTION, and makes it where it is to be made.
func ruleList(root *hujson.Value, action string, create bool) (*hujson.Array, error) {
	o, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("settings must be one {…} object")
	}
	p, err := member(o, "permissions", create, func(indent string) hujson.ValueTrimmed {
		return &hujson.Object{AfterExtra: hujson.Extra(indent)}
	})
	if err != nil {
		return nil, err
	}
	inner, ok := p.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("permissions must be an object")
	}
	l, err := member(inner, action, create, func(indent string) hujson.ValueTrimmed {
		return &hujson.Array{AfterExtra: hujson.Extra(indent)}
	})
	if err != nil {
		return nil, err
	}
	list, ok := l.Value.(*hujson.Array)
	if !ok {
		return nil, fmt.Errorf("permissions.%s must be a list", action)
	}
	return list, nil
}

// member finds a member of an object; the last one of that name counts, as it does
// when the file is read.
func member(o *hujson.Object, name string, create bool, fresh func(indent string) hujson.ValueTrimmed) (*hujson.Value, error) {
	for i := len(o.Members) - 1; i >= 0; i-- {
		if o.Members[i].Name.Value.(hujson.Literal).String() == name {
			return &o.Members[i].Value, nil
		}
	}
	if !create {
		return nil, ErrNoRule
	}
	var last *hujson.Value
	var before hujson.Extra
	if n := len(o.Members); n > 0 {
		last, before = &o.Members[n-1].Value, o.Members[n-1].Name.BeforeExtra
	}
	lead, comma, closing := room(last, before, o.AfterExtra)
	o.AfterExtra = closing
	m := hujson.ObjectMember{Name: hujson.Value{BeforeExtra: lead, Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: fresh(indentation(lead)), AfterExtra: comma}}
	o.Members = append(o.Members, m)
	return &o.Members[len(o.Members)-1].Value, nil
}

func appendElement(list *hujson.Array, v hujson.ValueTrimmed) {
	var last *hujson.Value
	var before hujson.Extra
	if n := len(list.Elements); n > 0 {
		last = &list.Elements[n-1]
		before = last.BeforeExtra
	}
	lead, comma, closing := room(last, before, list.AfterExtra)
	list.AfterExtra = closing
	list.Elements = append(list.Elements, hujson.Value{BeforeExtra: lead, Value: v, AfterExtra: comma})
}

// room is what stands around a value that is put behind the last one: before it,
// between it and a last comma (nil: there is none), and before the closing bracket.
// before is what stands in front of the last one, end what is in front of the bracket.
func room(last *hujson.Value, before, end hujson.Extra) (lead, comma, closing hujson.Extra) {
	said, tail := comments(end)
	indent := indentation(before)
	if last == nil {
		if indent = indentation(end); indent == "" {
			indent = "\n"
		}
		closing = hujson.Extra(indent)
		indent += "  "
	} else {
		if closing = hujson.Extra(tail); strings.Contains(said, "\n") && !strings.Contains(tail, "\n") || strings.HasSuffix(said, "\n") {
			closing = hujson.Extra("\n" + strings.TrimLeft(tail, "\n"))
		}
		if last.AfterExtra != nil { // a last comma stays one
			comma = hujson.Extra{}
			last.AfterExtra = hujson.Extra(strings.TrimRight(string(last.AfterExtra), " \t\r\n"))
			if strings.Contains(string(last.AfterExtra), "//") {
				last.AfterExtra = append(last.AfterExtra, '\n')
			}
		}
		if indent == "" && opensLine(strings.TrimSuffix(said, "\n")) { // what stood behind it would be part of the comment
			indent = cmp.Or(indentation(end), "\n") + "  "
		}
		if indent == "" {
			indent = " "
		}
	}
	return hujson.Extra(strings.TrimSuffix(said, "\n") + indent), comma, closing
}

// opensLine reports whether comments end within one that goes to the end of its line.
func opensLine(said string) bool {
	for {
		i := strings.IndexByte(said, '/')
		if i < 0 || i+1 == len(said) {
			return false
		}
		end := "*/"
		if said[i+1] == '/' {
			end = "\n"
		}
		_, rest, closed := strings.Cut(said[i+2:], end)
		if !closed {
			return end == "\n"
		}
		said = rest
	}
}

// comments parts an extra after its last comment. A comment of a line keeps its end.
func comments(e hujson.Extra) (said, tail string) {
	s := string(e)
	i := len(strings.TrimRight(s, " \t\r\n"))
	if i == 0 {
		return "", s
	}
	if opensLine(s[:i]) {
		if k := strings.IndexByte(s[i:], '\n'); k >= 0 {
			i += k + 1
		}
	}
	return s[:i], s[i:]
}

// indentation is the last end of line in an extra and the blanks behind it: "\n  ".
func indentation(e hujson.Extra) string {
	s := string(e)
	i := strings.LastIndexByte(s, '\n')
	if i < 0 {
		return ""
	}
	return "\n" + s[i+1:len(s)-len(strings.TrimLeft(s[i+1:], " \t"))]
}

// removeElement takes an element out and leaves every comment.
func removeElement(list *hujson.Array, i int) {
	e := list.Elements[i]
	said, _ := comments(e.BeforeExtra)
	after, _ := comments(e.AfterExtra)
	said += after
	list.Elements = append(list.Elements[:i], list.Elements[i+1:]...)
	next := &list.AfterExtra
	if i < len(list.Elements) {
		next = &list.Elements[i].BeforeExtra
		if said == "" && i == 0 && !hasComment(*next) {
			*next = e.BeforeExtra // the first stands where the first stood
		}
	} else if i > 0 {
		list.Elements[i-1].AfterExtra = e.AfterExtra
		if e.AfterExtra != nil {
			list.Elements[i-1].AfterExtra = hujson.Extra{}
		}
	}
	if said != "" {
		*next = append(hujson.Extra(strings.TrimSuffix(said, "\n")), ensureLine(said, *next)...)
	}
}

// ensureLine is an extra that comes behind a comment: one of a line needs its end.
func ensureLine(said string, e hujson.Extra) hujson.Extra {
	if !opensLine(strings.TrimRight(said, " \t\r\n")) || strings.HasPrefix(strings.TrimLeft(string(e), " \t\r"), "\n") {
		return e
	}
	return append(hujson.Extra("\n"), e...)
}

// edit changes a settings file as a whole. A file that cannot be read as settings
// is left alone.
func edit(file string, change func(root *hujson.Value) error) error {
	if real, err := filepath.EvalSymlinks(file); err == nil { // a link stays one
		file = real
	}
	text, err := readFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	bom := []byte("\xef\xbb\xbf")
	if !bytes.HasPrefix(text, bom) {
		bom = nil
	}
	text = text[len(bom):]
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{\n}\n")
	}
	root, err := hujson.Parse(text)
	if err != nil { // a comment may end with the file
		if whole, again := hujson.Parse(append(bytes.Clone(text), '\n')); again == nil {
			root, err = whole, nil
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %s; mend that first", file, strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if err := change(&root); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	out := root.Pack()
	if n := bytes.Count(text, []byte("\n")); n > 0 && n == bytes.Count(text, []byte("\r\n")) { // its lines end as all of them do
		out = bytes.ReplaceAll(bytes.ReplaceAll(out, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	}
	if _, err := hujson.Parse(out); err != nil { // never write what could not be read again
		return fmt.Errorf("%s: the change would break the file: %w", file, err)
	}
	mode := os.FileMode(0o600)
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	return swap.Write(file, append(bom, out...), mode, swap.Durable)
}
