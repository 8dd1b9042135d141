package skill

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/agent/frontmatter"
)

// Bounds of one SKILL.md. maxAbout and maxName are the specification's.
const (
	maxFile  = 256 << 10 // bytes
	maxAbout = 1024      // characters
	maxName  = 64        // characters
)

var (
	errTooLong = errors.New("it is over 256 KiB; put what is not always needed into files beside it")
	errNoText  = errors.New("it is no text in UTF-8; save it as that")
)

// parse reads a SKILL.md that lies in a folder of this name. line is where the error is;
// 0: it is one of the file as a whole.
func parse(text []byte, folder string) (s Skill, body string, line int, err error) {
	switch {
	case len(text) > maxFile:
		return s, "", 0, errTooLong
	case !utf8.Valid(text) || strings.ContainsRune(string(text), 0):
		return s, "", 0, errNoText
	}
	body = frontmatter.Plain(string(text))
	settings := frontmatter.Begins(body)
	if settings {
		fields, rest, err := frontmatter.Read(body, "name", "description", "license", "argument-hint")
		if err != nil {
			var at *frontmatter.Error
			if errors.As(err, &at) {
				return s, "", at.Line, at.Err
			}
			return s, "", 0, err
		}
		for _, f := range fields {
			s.set(f)
		}
		body = rest
	} else {
		s.note("there is no front matter; write name and description between two lines of ---")
	}
	if body = strings.TrimSpace(body); body == "" {
		return s, "", 0, errors.New("there is no text in it; write what the model is to do")
	}
	if err := s.name(folder); err != nil {
		return s, "", 0, err
	}
	if s.About == "" {
		if settings {
			s.note("description is missing; the model is told how the text begins")
		}
		for line := range strings.Lines(body) {
			if s.About = clip(plain(strings.TrimLeft(line, "# ")), 200); s.About != "" {
				break
			}
		}
	}
	return s, body, 0, nil
}

// set takes a setting. Those it does not know are other agents'.
func (s *Skill) set(f frontmatter.Field) {
	switch f.Name {
	case "name":
		s.Name = strings.TrimSpace(f.Text)
	case "description":
		s.About = plain(f.Text)
		if n := utf8.RuneCountInString(s.About); n > maxAbout {
			s.note("description has %d characters; the model is told the first %d", n, maxAbout)
			s.About = clip(s.About, maxAbout)
		}
	case "license":
		s.License = clip(plain(f.Text), 200)
	case "argument-hint":
		s.Hint = clip(plain(f.Text), 80)
	case "disable-model-invocation":
		s.Person = s.yes(f)
	case "user-invocable":
		s.Model = !s.yes(f)
	}
}

// yes reads a setting that is true or false.
func (s *Skill) yes(f frontmatter.Field) bool {
	switch strings.ToLower(f.Text) {
	case "true", "yes", "on":
		return true
	case "false", "no", "off":
	default:
		s.note("%s is neither true nor false; it is taken for false", f.Name)
	}
	return false
}

// name settles what calls the skill: its name, else its folder's.
func (s *Skill) name(folder string) error {
	given, ok := callable(s.Name)
	own, fits := callable(folder)
	switch {
	case ok && given != s.Name:
		s.note("the name %s is written in small letters: %s", s.Name, given)
	case ok && given != own:
		s.note("it is named %s and lies in a folder named %s", given, plain(folder))
	case ok:
	case !fits:
		return fmt.Errorf("%q is no name for a skill; small letters, digits and - are, 64 at most", clip(plain(folder), maxName))
	case s.Name == "":
		s.note("name is missing; it is called as its folder is")
		given = own
	default:
		s.note("%q is no name for a skill; it is called as its folder is", clip(plain(s.Name), maxName))
		given = own
	}
	s.Name = given
	return nil
}

// callable is a name as it is written behind a slash.
func callable(name string) (string, bool) {
	bad := func(r rune) bool { return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	if name == "" || strings.HasPrefix(name, "-") || utf8.RuneCountInString(name) > maxName || strings.ContainsFunc(name, bad) {
		return "", false
	}
	return strings.ToLower(name), true
}

func (s *Skill) note(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

// plain is a text on one line, without what nobody sees: a description speaks to a model
// that a person let it speak to, and so it says nothing a person cannot read.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// clip cuts a text to n characters.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:n-1])) + "…"
}
