package permission

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"forge/lazy"
)

// argumentMark stands between an argument's name and what it holds in the pattern
// of a rule for a remote tool: mcp__files__write(path~/etc/*).
const argumentMark = "~"

// remoteName reports whether a tool's name is that of a server's tool.
func remoteName(name string) bool { return strings.HasPrefix(name, "mcp__") }

var argumentForm = lazy.Regexp{Expr: `^[A-Za-z0-9_*.$-]+~`}

// touchesArguments reports whether an argument of a call matches. The pattern is
// NAME~TEXT: NAME is the argument's, with dots for what lies inside it, or * for any
// at any depth; TEXT is matched against a text as it is, against anything else as
// JSON, and against each element of a list. A pattern without a name looks at every
// argument. What cannot be read as one object matches: nobody knows what the server
// reads in it. A name that comes twice counts each time, and letters of either case
// are the same: servers differ in what they take.
func (r Rule) touchesArguments(input string) bool {
	name, want := "*", r.Pattern
	if argumentForm.Get().MatchString(r.Pattern) {
		name, want, _ = strings.Cut(r.Pattern, argumentMark)
	}
	if strings.TrimSpace(input) == "" {
		input = "{}"
	}
	d := json.NewDecoder(strings.NewReader(input))
	d.UseNumber()
	hit := false
	err := eachArgument(d, "", 0, func(at, text string) {
		named := name == "*" || strings.EqualFold(name, at) || strings.HasPrefix(strings.ToLower(at), strings.ToLower(name)+".")
		hit = hit || named && (wildcard(want, text) || wildcard(strings.ToLower(want), strings.ToLower(text)))
	})
	if err == nil {
		_, err = d.Token()
		if errors.Is(err, io.EOF) {
			err = nil
		} else if err == nil {
			err = errors.New("more follows")
		}
	}
	return hit || err != nil
}

// eachArgument tells every value below one, by its name with dots. Elements of a
// list have the name of the list.
func eachArgument(d *json.Decoder, at string, depth int, tell func(at, text string)) error {
	if depth > 64 {
		return errors.New("too deep")
	}
	tok, err := d.Token()
	if err != nil {
		return err
	}
	delim, nested := tok.(json.Delim)
	switch {
	case !nested:
		text, ok := tok.(string)
		if !ok {
			var b bytes.Buffer
			if err := json.NewEncoder(&b).Encode(tok); err != nil {
				return err
			}
			text = strings.TrimSpace(b.String())
		}
		tell(at, text)
		return nil
	case delim == '[':
		for d.More() {
			if err := eachArgument(d, at, depth+1, tell); err != nil {
				return err
			}
		}
	default:
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return err
			}
			name, _ := key.(string)
			if at != "" {
				name = at + "." + name
			}
			if err := eachArgument(d, name, depth+1, tell); err != nil {
				return err
			}
		}
	}
	_, err = d.Token()
	return err
}
