package search

import "strings"

// A rule is one line of an ignore file.
type rule struct {
	text   string // the pattern without its !, its leading and its trailing slash
	prefix int    // bytes of text before the first special one
	rest   wild   // text[prefix:] of a pattern with specials
	suffix string // of a pattern like *.log: what a name must end in
	form   ruleForm
	negate bool
	dir    bool // matches folders only
	name   bool // matches the last element at any depth, not the path
}

type ruleForm uint8

const (
	formLiteral ruleForm = iota
	formSuffix
	formWild
)

// parseIgnore reads the rules of one ignore file as git does: comments and blank
// lines out, trailing blanks off unless escaped, "!" in front turns a rule round,
// a slash at the end asks for a folder, any other slash ties the pattern to the
// file's own folder. With fold, letters match in either case.
func parseIgnore(data []byte, fold bool) []rule {
	var rules []rule
	text := strings.TrimPrefix(string(data), "\ufeff")
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		line = strings.TrimSuffix(line, "\r")
		if i := strings.IndexByte(line, 0); i >= 0 {
			line = line[:i]
		}
		if r, ok := parseRule(trimBlanks(line), fold); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

// trimBlanks cuts the blanks at the end, but not one behind a backslash.
func trimBlanks(s string) string {
	end := -1
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			if end < 0 {
				end = i
			}
		case '\\':
			i++
			if i == len(s) {
				return s
			}
			end = -1
		default:
			end = -1
		}
	}
	if end >= 0 {
		return s[:end]
	}
	return s
}

func parseRule(s string, fold bool) (rule, bool) {
	var r rule
	if strings.HasPrefix(s, "!") {
		r.negate = true
		s = s[1:]
	}
	if strings.HasSuffix(s, "/") {
		r.dir = true
		s = s[:len(s)-1]
	}
	if s == "" {
		return r, false
	}
	r.name = !strings.Contains(s, "/")
	s = strings.TrimPrefix(s, "/")
	r.text = s
	r.prefix = strings.IndexAny(s, `*?[\`)
	switch {
	case fold:
		r.form, r.prefix = formWild, 0
	case r.prefix < 0:
		r.form, r.prefix = formLiteral, len(s)
		return r, true
	case r.name && r.prefix == 0 && s[0] == '*' && !strings.ContainsAny(s[1:], `*?[\`):
		r.form, r.suffix = formSuffix, s[1:]
		return r, true
	default:
		r.form = formWild
	}
	r.rest = compileWild(s[r.prefix:], fold)
	return r, true
}

// matches says whether the rule speaks of an entry: name is its last element,
// path the whole relative to the folder of the ignore file.
func (r *rule) matches(path, name string, dir bool) bool {
	if r.dir && !dir {
		return false
	}
	s := path
	if r.name {
		s = name
	}
	switch r.form {
	case formLiteral:
		return s == r.text
	case formSuffix:
		return strings.HasSuffix(s, r.suffix)
	}
	if len(s) < r.prefix || s[:r.prefix] != r.text[:r.prefix] {
		return false
	}
	return r.rest.match(s[r.prefix:])
}

// A level holds the rules of one folder. Rules further up count only where those
// further down say nothing.
type level struct {
	up    *level
	depth int    // length of the folder's path relative to the walk's root, with its slash
	base  string // path of the walk's root relative to the folder, with its slash; for folders above the root
	git   []rule // .gitignore
	plain []rule // .ignore, as ripgrep reads it: stronger than every .gitignore
}

// A ruleset is all that decides on the entries of one folder.
type ruleset struct {
	levels *level
	repo   *repoRules // of the repository the folder is in; nil: none
}

// ignored decides on one entry; path is relative to the walk's root.
func (rs ruleset) ignored(path, name string, dir bool) bool {
	for l := rs.levels; l != nil; l = l.up {
		if len(l.plain) > 0 {
			if hit, negate := last(l.plain, l.relative(path), name, dir); hit {
				return !negate
			}
		}
	}
	for l := rs.levels; l != nil; l = l.up {
		if len(l.git) > 0 {
			if hit, negate := last(l.git, l.relative(path), name, dir); hit {
				return !negate
			}
		}
		if rs.repo != nil && l == rs.repo.top {
			break
		}
	}
	if rs.repo == nil {
		return false
	}
	for _, rules := range rs.repo.shared {
		if hit, negate := last(rules, rs.repo.relative(path), name, dir); hit {
			return !negate
		}
	}
	return false
}

func (l *level) relative(path string) string {
	if l.base != "" {
		return l.base + path
	}
	return path[l.depth:]
}

// last finds the last rule that speaks of an entry.
func last(rules []rule, path, name string, dir bool) (hit, negate bool) {
	for i := len(rules) - 1; i >= 0; i-- {
		if r := &rules[i]; r.matches(path, name, dir) {
			return true, r.negate
		}
	}
	return false, false
}
